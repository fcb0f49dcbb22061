"""Light models of outcomes and chances: steps, few columns among many, what decides who is treated.

Tables have steps in two columns of twelve, which make both outcomes and treatments: lines are wrong
about both.
"""

import numpy as np
import pytest

from pairnet import LinearTLearner
from pairnet.inference.growing import FEW, Ranks, Rows, numbers_by_trees
from pairnet.inference.nuisances import chances_of_arms, expected_outcomes, refined
from pairnet.inference.outcome_model import outcome_model
from pairnet.inference.propensity import PropensityModel, bounded
from pairnet.inference.splits import SPLITS, fold_of

N, TRUE = 500, 1.0


def table(seed, n=N):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 12))
    base = np.where(np.abs(x[:, 2]) < 0.7, 1.0, -1.0) + 0.5 * np.sign(x[:, 5] - 0.3)
    chance = 1 / (1 + np.exp(-1.2 * base))
    t = (rng.random(n) < chance).astype(float)
    return x, t, base + TRUE * t + 0.5 * rng.normal(size=n), base, chance


@pytest.fixture(scope="module")
def judged():
    """One table, and what lines and mixtures say about it."""
    x, t, y, base, chance = table(0)
    weight = np.ones(N)
    by_lines = PropensityModel(x, t, weight).predicted_splits
    expected = expected_outcomes(x, y, t, weight)
    chances = chances_of_arms(by_lines, x, t, weight)
    return {
        "truth": np.stack([base, base + TRUE]),
        "chance": chance,
        "lines": outcome_model(x, y, t, weight),
        "expected": expected,
        "chances by lines": by_lines,
        "chances": chances,
        "refined": refined(chances, expected, t, weight),
    }


def test_outcomes_that_jump_are_found_where_lines_miss_them(judged):
    off = lambda name: np.sqrt(((judged[name] - judged["truth"]) ** 2).mean())
    assert judged["expected"].shape == (SPLITS, 2, N)
    assert off("lines") > 0.5
    assert off("expected") < 0.4


def test_chances_that_jump_are_found_and_outcomes_tell_more_about_them(judged):
    off = lambda name: np.abs(judged[name][..., 1] - judged["chance"]).mean()
    for name in ("chances", "refined"):
        assert judged[name].shape == (SPLITS, N, 2)
        assert np.allclose(judged[name].sum(axis=2), 1)
    assert off("refined") < off("chances") < 0.75 * off("chances by lines")


def test_the_few_columns_are_those_that_make_outcomes_in_every_fold():
    x, t, y, _, _ = table(1)
    rows = Rows(Ranks.of(x).rank, y, np.ones(N), fold_of(t, 0))
    trees = numbers_by_trees(rows, [rows.x])
    assert trees.expected.shape == (1 + len(FEW), 1, N)
    for count, columns in zip(FEW, trees.few, strict=True):
        assert all(len(own) == count and {2, 5} <= set(own) for own in columns)
    loss = ((y - trees.expected[:, 0]) ** 2).mean(axis=1)
    assert loss[-1] < loss[0]


def test_a_row_does_not_judge_itself_and_one_of_weight_0_judges_nobody():
    x, t, y, _, _ = table(2, 200)
    weight = np.ones(200)
    weight[3] = 0
    moved = y.copy()
    moved[3] += 1e3
    before, after = (expected_outcomes(x, values, t, weight) for values in (y, moved))
    np.testing.assert_array_equal(before, after)
    moved[7] += 1e3
    own = expected_outcomes(x, moved, t, weight)[:, int(t[7]), 7]
    assert np.abs(own - after[:, int(t[7]), 7]).max() < 60


def test_trees_see_the_order_of_covariates_alone():
    x, t, y, _, _ = table(3, 200)
    np.testing.assert_array_equal(Ranks.of(x).rank, Ranks.of(1e6 * x**3 - 5).rank)
    grown = [
        numbers_by_trees(
            Rows(Ranks.of(x).rank, factor * y + shift, np.ones(200), fold_of(t, 0)), [x]
        )
        for factor, shift in ((1.0, 0.0), (1000.0, 70.0))
    ]
    np.testing.assert_allclose(grown[1].expected, 1000 * grown[0].expected + 70, rtol=1e-6)


def test_three_arms_have_chances_and_outcomes_too():
    x, t, y, _, _ = table(4, 300)
    third = np.where(x[:, 0] > 0.8, 2.0, t)
    weight = np.ones(300)
    expected = expected_outcomes(x, y + 3 * (third == 2), third, weight)
    assert expected[:, 2].mean() - expected[:, 0].mean() == pytest.approx(3.5, abs=1)
    by_lines = PropensityModel(x, third, weight).predicted_splits
    chances = refined(chances_of_arms(by_lines, x, third, weight), expected, third, weight)
    assert chances.shape == (SPLITS, 300, 3)
    assert chances[:, x[:, 0] > 1, 2].mean() > 0.9


def test_outcomes_that_are_all_the_same_are_expected():
    x, t, _, _, _ = table(5, 100)
    assert np.allclose(expected_outcomes(x, np.full(100, 4.0), t, np.ones(100)), 4)


def test_a_rare_arm_may_be_as_rare_for_a_row_as_a_tenth_of_its_share():
    chances = np.array([[1.0, 0.0], [0.5, 0.5]])
    assert bounded(chances)[0].tolist() == pytest.approx([1 / 1.02, 0.02 / 1.02])
    rare = bounded(chances, np.array([0.95, 0.05]))
    assert rare[0].tolist() == pytest.approx([1 / 1.005, 0.005 / 1.005])
    assert rare[1].tolist() == [0.5, 0.5]
    assert np.array_equal(bounded(chances, np.array([0.5, 0.5])), bounded(chances))


def test_intervals_hold_the_average_where_lines_and_their_chances_are_both_wrong():
    """The learner is linear, too: its own averages miss it."""
    found, alone = [], []
    for seed in range(100, 106):
        x, t, y, _, _ = table(seed)
        model = LinearTLearner(members=5, bootstrap=True).fit(x, y, treatment=t.astype(int))
        alone.append(model.ate_interval(x))
        found.append(model.ate_interval(x, kind="doubly robust"))
    low, high = np.transpose(found)
    assert np.mean((low <= TRUE) & (high >= TRUE)) >= 5 / 6
    assert np.mean(high - low) < 0.5
    assert np.mean([low <= TRUE <= high for low, high in alone]) < 0.2
