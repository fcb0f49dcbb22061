"""Whose average: how rows count for each target, and scores whose mean is the target's average."""

import numpy as np
import pytest

from pairnet.core.errors import BadInput
from pairnet.inference.averages import doubly_robust_of_fit
from pairnet.inference.scores import Scores
from pairnet.inference.targets import TARGETS, belonging, check_target, counts, divisors

RNG = np.random.default_rng(0)
N = 4000
X = RNG.normal(size=N)
E1 = 1 / (1 + np.exp(-1.2 * X))
T = (RNG.random(N) < E1).astype(int)
TAU = 1 + X  # whoever is treated gains more
Y = X + T * TAU + RNG.normal(size=N)
CHANCES = np.stack([1 - E1, E1])
MINE = np.stack([T == 0, T == 1])
TRUTH = {
    "all": TAU.mean(),
    "treated": TAU[T == 1].mean(),
    "untreated": TAU[T == 0].mean(),
    "overlap": np.average(TAU, weights=E1 * (1 - E1)),
}


def scores(target="all", outcomes=(0 * X, 0 * X), chances=CHANCES, **more):
    judged = Scores(
        y=Y,
        weight=np.ones(N),
        mine=MINE,
        chances=chances[None],
        members=np.stack(outcomes)[:, None],
        unseen=np.ones((1, N), bool),
        light=None,
        **more,
    )
    return judged if target == "all" else judged.of(target)


def test_the_truths_differ_by_much_more_than_errors():
    assert TRUTH["untreated"] + 0.3 < TRUTH["overlap"] < TRUTH["treated"] - 0.3


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("right", ["outcomes", "chances", "both"])
def test_one_model_that_is_right_is_enough_for_every_target(target, right):
    """Outcomes that are right mend chances of a half; for the overlap, half is another target."""
    outcomes = (0 * X, 0 * X) if right == "chances" else (X, X + TAU)
    chances = np.full((2, N), 0.5) if right == "outcomes" else CHANCES
    truth = TRUTH["all"] if (target, right) == ("overlap", "outcomes") else TRUTH[target]
    estimate = doubly_robust_of_fit(scores(target, outcomes, chances))
    assert abs(estimate.value - truth) < 3.5 * estimate.error
    assert estimate.error < 0.15


def test_without_a_model_of_outcomes_the_treated_are_compared_with_weighted_others():
    """By hand: the mean of the treated less that of the others, weighted by e1 / e0."""
    weight = (E1 / (1 - E1))[T == 0]
    by_hand = Y[T == 1].mean() - np.average(Y[T == 0], weights=weight)
    judged = scores("treated")
    assert judged.score.mean() == pytest.approx(by_hand)


def test_the_untreated_are_the_treated_of_the_opposite_question():
    judged = scores("untreated", (X, X + TAU))
    mirrored = Scores(
        y=Y,
        weight=np.ones(N),
        mine=MINE[::-1],
        chances=CHANCES[::-1][None],
        members=np.stack([X + TAU, X])[:, None],
        unseen=np.ones((1, N), bool),
        light=None,
        target="treated",
    )
    np.testing.assert_allclose(judged.score, -mirrored.score)


def test_the_overlap_by_who_was_treated_is_a_regression_of_residuals_on_residuals():
    """One effect for all: sum (t - e)(y - m) / sum (t - e)^2, where m is expected of everybody."""
    expected = X + E1
    judged = scores("overlap", (expected - E1, expected + 1 - E1))
    off = T - E1
    plain = (off * (Y - expected)).sum() / (off**2).sum()
    assert judged.score.mean() == pytest.approx(plain, abs=0.02)  # an arm's weights add up to 1


def test_chances_that_are_all_alike_make_all_targets_one():
    chances = np.full((2, N), 0.5)
    assert np.allclose(belonging("overlap", chances), 0.25)
    for target in TARGETS:
        assert np.ptp(belonging(target, chances)) == 0
    of_rows = np.broadcast_to(CHANCES.mean(axis=1)[:, None], (2, N))
    averages = [float(np.average(TAU, weights=belonging(target, of_rows))) for target in TARGETS]
    assert averages == pytest.approx([TAU.mean()] * 4)


def test_tiny_chances_of_the_treatment_leave_the_treated_as_they_are():
    """Rows that are never treated have no say on the treated, however many they are."""
    chances = np.stack([np.full(N, 1 - 1e-9), np.full(N, 1e-9)])
    kept = np.stack([np.full(N, 0.98), np.full(N, 0.02)])
    assert divisors("treated", chances, kept)[0].min() > 1e8
    assert divisors("untreated", chances, kept)[1].max() == pytest.approx(0.02)


def test_rows_count_for_the_overlap_as_their_chances_say_on_average():
    counted = counts("overlap", MINE, CHANCES)
    assert counted.mean() == pytest.approx(belonging("overlap", CHANCES).mean(), abs=0.005)
    third = counts("overlap", np.zeros((2, 3), bool), np.full((2, 3), 0.3))
    assert third.tolist() == [0, 0, 0]  # rows of a third arm


def test_rows_repeated_in_clusters_have_the_error_of_the_rows_once():
    once = doubly_robust_of_fit(scores("treated", (X, X + TAU)))
    twice = lambda values: np.repeat(values, 2, axis=-1)
    judged = Scores(
        y=twice(Y),
        weight=np.ones(2 * N),
        mine=twice(MINE),
        chances=twice(CHANCES)[None],
        members=twice(np.stack([X, X + TAU])[:, None]),
        unseen=np.ones((1, 2 * N), bool),
        light=None,
        target="treated",
        clusters=np.repeat(np.arange(N), 2),
    )
    assert doubly_robust_of_fit(judged)[:2] == pytest.approx(once[:2])


def test_a_target_without_rows_and_one_that_nobody_knows_are_refused():
    with pytest.raises(BadInput, match="'treated' has no rows among those of the fit"):
        Scores(
            y=Y,
            weight=np.ones(N),
            mine=np.stack([T >= 0, T < 0]),
            chances=CHANCES[None],
            members=np.zeros((2, 1, N)),
            unseen=np.ones((1, N), bool),
            light=None,
        ).of("treated")
    with pytest.raises(BadInput, match="target must be 'all', 'treated', 'untreated' or 'overlap'"):
        check_target("ATT")
