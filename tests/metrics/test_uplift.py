"""Qini curve, AUUC, uplift at k, TOC and RATE: numbers worked by hand, and identities."""

import itertools

import numpy as np
import pytest

from pairnet.metrics import (
    auuc,
    effect_scores,
    qini_coefficient,
    qini_curve,
    rate,
    toc,
    uplift_at_k,
)

# Four rows of mean effect 1, in the order of their priority.
SCORE, AHEAD = np.array([4.0, 2.0, 0.0, -2.0]), np.array([9.0, 3.0, 2.0, -1.0])
RNG = np.random.default_rng(0)
N = 2000
EFFECT = 1 + RNG.normal(size=N)
NOISY = EFFECT + 3 * RNG.normal(size=N)
BOTH = ("autoc", "qini")
NUMBERS = [rate, qini_coefficient, auuc, uplift_at_k]


def test_numbers_worked_by_hand():
    found = qini_curve(SCORE, AHEAD, shares=[0.25, 0.5, 0.625, 1])
    assert found.value == pytest.approx([4 / 4, 6 / 4, 6 / 4, 4 / 4])
    first = toc(SCORE, AHEAD, shares=[0.25, 0.5, 0.75, 1])
    assert first.value == pytest.approx([4 - 1, 3 - 1, 2 - 1, 0])
    assert rate(SCORE, AHEAD).value == pytest.approx((3 + 2 + 1 + 0) / 4)
    area = (1 / 2 + (1 + 1.5) / 2 + 1.5 + (1.5 + 1) / 2) / 4  # trapezoids
    assert auuc(SCORE, AHEAD).value == pytest.approx(area)
    assert qini_coefficient(SCORE, AHEAD).value == pytest.approx(area - 1 / 2)
    assert rate(SCORE, AHEAD, weighting="qini") == qini_coefficient(SCORE, AHEAD)
    assert uplift_at_k(SCORE, AHEAD, 0.5).value == pytest.approx(3)
    assert uplift_at_k(SCORE, AHEAD, 0.375).value == pytest.approx((4 + 2 / 2) / 1.5)


def test_an_order_does_not_depend_on_how_rows_came_or_on_the_unit_of_the_priority():
    shuffled = RNG.permutation(N)
    for number in NUMBERS:
        ordered = number(NOISY, EFFECT)
        assert number(NOISY[shuffled], EFFECT[shuffled]).value == pytest.approx(ordered.value)
        assert number(NOISY, np.exp(EFFECT)) == ordered


def test_a_priority_that_is_the_same_for_all_has_rate_0_and_the_line_of_the_average():
    same = np.full(N, 0.3)
    for weighting in BOTH:
        assert rate(NOISY, same, weighting=weighting) == (0, 0, 0, 0, 1)
    assert auuc(NOISY, same).value == pytest.approx(NOISY.mean() / 2)
    line = qini_curve(NOISY, same)
    assert line.value == pytest.approx(line.share * NOISY.mean())
    assert toc(NOISY, same).value == pytest.approx(np.zeros(20), abs=1e-12)


def test_a_random_order_has_the_qini_coefficient_0_in_expectation():
    """Over all orders of five rows the mean is 0."""
    scores = [5.0, -1.0, 2.0, 0.5, 0.0]
    for weighting in BOTH:
        orders = itertools.permutations(range(5))
        found = [rate(scores, order, weighting=weighting).value for order in orders]
        assert np.mean(found) == pytest.approx(0, abs=1e-12)


def test_rows_of_the_same_priority_share_their_places():
    """The mean over all orders of the tied rows is what ties give."""
    scores, tied = np.array([3.0, 7.0, -2.0, 1.0]), [1, 1, 1, 0]
    for number in NUMBERS:
        orders = [[*order, 0] for order in itertools.permutations((1, 2, 3))]
        mean = np.mean([number(scores, order).value for order in orders])
        assert number(scores, tied).value == pytest.approx(mean)


def test_the_opposite_order_has_the_opposite_qini_coefficient():
    assert qini_coefficient(NOISY, -EFFECT).value == pytest.approx(
        -qini_coefficient(NOISY, EFFECT).value
    )


def test_the_areas_are_those_under_the_curves():
    at = np.linspace(0.01, 1, 100)
    gains = qini_curve(NOISY, EFFECT, shares=at).value
    whole = np.trapezoid(np.append(0, gains), np.append(0, at))
    assert auuc(NOISY, EFFECT).value == pytest.approx(whole, rel=0.01)
    curve = toc(NOISY, EFFECT, shares=at).value
    whole = np.trapezoid(curve, at) + 0.01 * curve[0]  # the curve is high before its first point
    assert rate(NOISY, EFFECT).value == pytest.approx(whole, rel=0.02)


def test_a_row_of_weight_2_is_two_rows_and_one_of_weight_0_none():
    scores, ahead = np.array([4.0, 2.0, 0.0, -2.0, 50.0]), np.array([5.0, 4.0, 3.0, 2.0, 1.0])
    twice = [0, 0, 1, 2, 3]
    for number in (qini_coefficient, auuc, uplift_at_k):
        weighted = number(scores, ahead, weight=[2, 1, 1, 1, 0]).value
        assert weighted == pytest.approx(number(scores[twice], ahead[twice]).value)
    plain, scaled = (rate(NOISY, EFFECT, weight=np.full(N, w)) for w in (1, 7))
    assert plain == pytest.approx(scaled)


def test_the_error_of_the_mean_of_all_rows_is_that_of_a_mean():
    found = uplift_at_k(NOISY, EFFECT, 1)
    assert found.value == pytest.approx(NOISY.mean())
    assert found.error == pytest.approx(NOISY.std() / np.sqrt(N), rel=0.15)  # of 200 halves


def test_the_error_of_a_cluster_is_that_of_one_row():
    """Every row of a village is the same, so that the villages are the rows."""
    village = np.repeat(np.arange(100), 20)
    scores, ahead = NOISY[:100], EFFECT[:100]
    for number in NUMBERS:
        alone = number(scores, ahead)
        joint = number(scores[village], ahead[village], clusters=village.astype(str))
        assert joint.value == pytest.approx(alone.value, rel=0.1)
        assert joint.error == pytest.approx(alone.error, rel=0.25)


@pytest.mark.parametrize(("noise", "shares"), [(0.0, (0.0, 0.07)), (1.0, (0.9, 1.0))])
def test_the_p_value_tells_an_order_from_chance(noise, shares):
    """noise: how much of the effect is in the scores. Of 200 tables 5 % are below by chance."""
    rng, low = np.random.default_rng(1), 0
    for _ in range(200):
        effect = rng.normal(size=150)
        low += rate(noise * effect + rng.normal(size=150), effect).p < 0.05
    assert shares[0] <= low / 200 <= shares[1]


def test_the_error_is_how_far_the_number_moves_from_table_to_table():
    """Over 150 tables; the error is that of one of them."""
    rng, found = np.random.default_rng(4), []
    for _ in range(150):
        effect = rng.normal(size=200)
        found.append([rate(effect + rng.normal(size=200), effect, weighting=w) for w in BOTH])
    for number in zip(*found, strict=True):
        moved = np.std([one.value for one in number])
        assert np.mean([one.error for one in number]) == pytest.approx(moved, rel=0.15)


def test_intervals_hold_the_true_rate_at_their_level():
    """Effects are normal: int_0^1 E[effect | top q] dq = 0.9032 of their standard deviation."""
    rng, held = np.random.default_rng(2), 0
    for _ in range(200):
        effect = rng.normal(size=300)
        found = rate(effect + 2 * rng.normal(size=300), effect, alpha=0.2)
        held += found.lower < 0.9032 < found.upper
    assert 0.72 < held / 200 < 0.88


# Each arm has two of the first four rows, and of the last four: everywhere half are treated.
TREATED = np.array([1, 0, 0, 1, 1, 0, 0, 1])
OUTCOME = np.array([9.0, 1.0, 2.0, 6.0, 5.0, 4.0, 3.0, 2.0])
PLACE = -np.arange(8.0)


def counted(first):
    """The gain of the first rows as scikit-uplift's uplift curve has it: per head, times heads."""
    y, t = OUTCOME[:first], TREATED[:first]
    return (y[t == 1].mean() - y[t == 0].mean()) * first


def test_where_arms_are_even_it_is_what_uplift_libraries_count():
    scores = effect_scores(OUTCOME, TREATED, propensity=0.5)
    even = [2, 4, 6, 8]
    found = qini_curve(scores, PLACE, shares=np.array(even) / 8)
    assert 8 * found.value == pytest.approx([counted(first) for first in even])
    among = OUTCOME[:4][TREATED[:4] == 1].mean() - OUTCOME[:4][TREATED[:4] == 0].mean()
    assert uplift_at_k(scores, PLACE, 0.5).value == pytest.approx(among)


def test_scores_of_an_experiment_average_to_the_difference_of_means():
    difference = OUTCOME[TREATED == 1].mean() - OUTCOME[TREATED == 0].mean()
    assert effect_scores(OUTCOME, TREATED).mean() == pytest.approx(difference)
    moved = effect_scores(OUTCOME + 100, TREATED.astype(bool))
    assert moved == pytest.approx(effect_scores(OUTCOME, TREATED))
    weight = np.arange(1.0, 9)
    weighted = np.average(effect_scores(OUTCOME, TREATED, weight=weight), weights=weight)
    means = [np.average(OUTCOME[arm == TREATED], weights=weight[arm == TREATED]) for arm in (0, 1)]
    assert weighted == pytest.approx(means[1] - means[0])


def test_scores_by_hand():
    """mu1 - mu0 + t (y - mu1) / p - (1 - t) (y - mu0) / (1 - p), with weights of mean 1."""
    y, t, p = [3.0, 1.0, 2.0, 8.0], [1, 0, 0, 1], [0.5, 0.5, 0.25, 0.25]
    first, second = [1.0, 1.0, 1.0, 1.0], [2.0, 2.0, 4.0, 4.0]
    level = [(1 / 0.5 + 1 / 0.75) / 4, (1 / 0.5 + 1 / 0.25) / 4]
    wanted = [
        *(1 + (3 - 2) / 0.5 / level[1], 1 - (1 - 1) / 0.5 / level[0]),
        *(3 - (2 - 1) / 0.75 / level[0], 3 + (8 - 4) / 0.25 / level[1]),
    ]
    found = effect_scores(y, t, propensity=p, outcomes=(first, second))
    assert found == pytest.approx(np.array(wanted))


@pytest.mark.parametrize("wrong", ["chances", "outcomes"])
def test_scores_are_right_if_chances_or_outcomes_are(wrong):
    rng = np.random.default_rng(3)
    x = rng.normal(size=40_000)
    p = 1 / (1 + np.exp(-x))
    t = rng.random(len(x)) < p
    y = 2 * x + t * (1 + x) + rng.normal(size=len(x))
    chances = np.full(len(x), 0.5) if wrong == "chances" else p
    outcomes = (2 * x, 3 * x + 1) if wrong == "chances" else (0 * x, 0 * x)
    scores = effect_scores(y, t, propensity=chances, outcomes=outcomes)
    assert scores.mean() == pytest.approx(1, abs=0.1)
    assert y[t].mean() - y[~t].mean() > 2  # as they are, arms are unlike


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: rate([1.0, 2.0], [1.0]), r"priority must hold one number a row: expected \(2,\)"),
        (lambda: rate(["a", "b"], [1, 2]), r"scores must hold one number a row, got \['a', 'b'\]"),
        (lambda: rate([1.0], [1.0]), "scores must be those of two or more rows that count, got 1"),
        (lambda: rate([1, 2], [1, 2], clusters=["a", "a"]), "two or more clusters, got 1"),
        (lambda: rate([1, 2], [1, 2], weight=[0, -1]), "weight must be numbers, none negative"),
        (lambda: rate([1, 2], [1, 2], weighting="auc"), "weighting must be 'autoc' or 'qini'"),
        (lambda: rate([1, 2], [1, 2], alpha=1.0), "alpha must be the share of intervals that may"),
        (lambda: rate([1e300, 2], [1, 2]), "scores must be numbers up to 1e.100, got 1e.300"),
        (lambda: uplift_at_k([1, 2], [1, 2], 30.0), "k must be a share of the rows, above 0 and"),
        (lambda: toc([1, 2], [1, 2], shares=[0, 1]), "shares must be one or more shares of the"),
        (lambda: effect_scores([1, 2], [1, 2]), "treatment must be 1 for the treated and 0 for"),
        (lambda: effect_scores([1, 2], [1, 1]), "treatment must have rows of both arms"),
        (lambda: effect_scores([1, 2], [0, 1], propensity=1), "propensity must be chances of the"),
        (lambda: effect_scores([1, 2], [0, 1], outcomes=[1, 2, 3]), "outcomes must be two columns"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()
