"""Shares of models in a mixture: none below 0, 1 in sum, and no other has a smaller loss."""

import numpy as np
import pytest

from pairnet.inference.mixing import share_of_second, shares_of_chances, shares_of_outcomes

RNG = np.random.default_rng(0)
N = 300
TRUTH = RNG.normal(size=N)
Y = TRUTH + 0.5 * RNG.normal(size=N)
ONES = np.ones(N)


def squared(shares, answers, weight=ONES):
    return np.average((Y - shares @ answers) ** 2, weights=weight)


def test_the_right_model_has_the_whole_share():
    answers = np.stack([TRUTH**2, TRUTH, -TRUTH])
    assert shares_of_outcomes(answers, Y, ONES) == pytest.approx([0, 1, 0], abs=0.02)


def test_no_other_shares_have_a_smaller_squared_error():
    answers = np.stack([TRUTH + RNG.normal(size=N) for _ in range(3)])
    weight = RNG.uniform(0.5, 2, N)
    best = shares_of_outcomes(answers, Y, weight)
    assert best.sum() == pytest.approx(1)
    assert best.min() > 0.1
    for other in RNG.dirichlet(np.ones(3), 200):
        assert squared(best, answers, weight) <= squared(other, answers, weight) + 1e-9


@pytest.mark.parametrize(("factor", "shift"), [(1000.0, 0.0), (1.0, 1e6), (-2.0, 5.0)])
def test_units_and_origin_of_the_outcome_do_not_matter(factor, shift):
    answers = np.stack([TRUTH + RNG.normal(size=N) for _ in range(3)])
    moved = shares_of_outcomes(factor * answers + shift, factor * Y + shift, ONES)
    assert moved == pytest.approx(shares_of_outcomes(answers, Y, ONES), abs=1e-5)


def test_the_share_of_the_second_of_two_is_the_same_and_stays_between_0_and_1():
    answers = np.stack([TRUTH + RNG.normal(size=N) for _ in range(2)])
    second = share_of_second(*answers, Y, ONES)
    assert second[0] == pytest.approx(shares_of_outcomes(answers, Y, ONES)[1], abs=1e-5)
    assert share_of_second(Y, TRUTH, Y, ONES)[0] == 0
    assert share_of_second(TRUTH, Y, Y, ONES)[0] == 1
    assert share_of_second(Y, Y, Y, ONES)[0] == 0  # alike


def test_chances_are_shared_so_that_no_other_shares_have_a_smaller_log_loss():
    true = 1 / (1 + np.exp(-2 * TRUTH))
    t = (RNG.random(N) < true).astype(int)
    off = [1 / (1 + np.exp(-2 * TRUTH - RNG.normal(size=N))) for _ in range(2)]
    chances = np.stack([np.stack([1 - p, p], axis=1) for p in (*off, 1 - true)])
    own = chances[:, np.arange(N), t]
    best = shares_of_chances(chances, t, ONES)
    assert best.sum() == pytest.approx(1)
    assert 3 * best[2] < best[:2].min()  # it is the wrong way round
    for other in RNG.dirichlet(np.ones(3), 200):
        assert np.log(best @ own).mean() >= np.log(other @ own).mean() - 1e-3
