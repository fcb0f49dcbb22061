"""The arithmetic of refutations, against numbers worked by hand or published."""

import numpy as np
import pytest

from pairnet.evidence.refutation import (
    DOUBTFUL,
    FAILS,
    HOLDS,
    Attempt,
    Refutation,
    e_value,
    judged_bias,
    judged_spread,
    most_bias,
    robustness_value,
)


def test_the_robustness_value_is_that_of_the_regression_of_cinelli_and_hazlett():
    """Darfur: an estimate of 0.0973 with the error 0.0233 and 783 degrees of freedom."""
    scale = 0.0233 * np.sqrt(783)
    assert robustness_value(0.0973, scale) == pytest.approx(0.139, abs=0.0005)
    assert robustness_value(0.0973, scale, 1.963 * 0.0233) == pytest.approx(0.076, abs=0.0005)


def test_a_cause_as_strong_as_the_robustness_value_takes_all_of_the_effect():
    for effect, scale in ((1.0, 3.0), (-0.2, 0.1), (5.0, 0.5)):
        share = robustness_value(effect, scale)
        assert most_bias(scale, share, share) == pytest.approx(abs(effect))
    assert robustness_value(1.0, 3.0, reach=0.4) < robustness_value(1.0, 3.0)
    assert robustness_value(1.0, 3.0, reach=1.5) == robustness_value(0.0, 0.0) == 0.0
    assert robustness_value(1e-12, 1.0) == pytest.approx(1e-12)


def test_the_bias_of_a_hidden_cause_in_a_regression_is_at_most_what_is_said():
    """One hidden cause of a regression through the origin: the bound holds with equality."""
    rng = np.random.default_rng(0)
    hidden, x = rng.normal(size=(2, 500))
    t = x + hidden + rng.normal(size=500)
    y = 2 * t + x + 1.5 * hidden + rng.normal(size=500)
    left = lambda v, *by: v - np.column_stack(by) @ np.linalg.lstsq(np.column_stack(by), v)[0]
    short_t, short_y = left(t, x), left(y, x)
    short = short_t @ short_y / (short_t @ short_t)
    long_t, long_y = left(t, x, hidden), left(y, x, hidden)
    moved = short - long_t @ long_y / (long_t @ long_t)
    of_t = 1 - long_t @ long_t / (short_t @ short_t)
    rest = left(y, x, t)
    of_y = 1 - np.square(left(y, x, t, hidden)).sum() / (rest @ rest)
    scale = np.sqrt(rest @ rest / (short_t @ short_t))
    assert most_bias(scale, of_y, of_t) == pytest.approx(abs(moved), rel=1e-8)


def test_e_values_are_those_of_vanderweele_and_ding():
    assert e_value(3.9) == pytest.approx(7.26, abs=0.005)
    assert e_value(1.8) == pytest.approx(3.0)
    assert e_value(1 / 3.9) == pytest.approx(e_value(3.9))
    assert e_value(1.0) == 1.0


def test_tries_that_are_off_are_judged_in_errors_of_the_answer():
    assert judged_bias([0.1, -0.1, 0.05], 1.0)[1] == HOLDS
    assert judged_bias([0.7, 0.8, 0.75], 1.0) == (pytest.approx(0.75), DOUBTFUL)
    assert judged_bias([1.4, 1.5, 1.6], 1.0) == (pytest.approx(1.5), FAILS)
    assert judged_bias([5.0, -3.0, 4.0], 1.0)[1] == HOLDS  # may be chance


def test_errors_that_are_too_small_are_seen():
    rng = np.random.default_rng(0)
    assert judged_spread(rng.normal(size=30))[1] == HOLDS
    assert judged_spread(rng.normal(size=30) / 5)[1] == HOLDS
    assert judged_spread(1.8 * np.tile([1.0, -1.0], 20))[1] == DOUBTFUL
    assert judged_spread(3 * rng.normal(size=30))[1] == FAILS


def attempts(*verdicts, of="average"):
    return tuple(
        Attempt(f"try {k}", 0.0, 0.0, 0.0, verdict, "tried", of)
        for k, verdict in enumerate(verdicts)
    )


def refuted(*verdicts, of="average", **more):
    return Refutation("no", "yes", 1.0, 0.5, 1.5, attempts(*verdicts, of=of), **more)


def test_the_grade_is_the_worst_verdict_on_the_average():
    assert refuted(HOLDS, HOLDS).grade == "passes"
    assert refuted(HOLDS, DOUBTFUL).grade == "doubtful"
    assert refuted(FAILS, DOUBTFUL).grade == "fails"
    others = refuted(DOUBTFUL, of="differences")
    assert others.grade == "passes"
    assert "How effects differ from row to row is doubtful (try 0)." in others.notes()


def test_a_refutation_says_what_it_found_and_survives_a_file():
    found = refuted(HOLDS, DOUBTFUL, robustness=0.2, robustness_of_interval=0.1)
    text = str(found)
    assert "1.00 (0.500 to 1.50): doubtful (doubtful: try 1)" in text
    assert "explain 20 % of what is left of the treatment and of the outcome" in text
    again = Refutation.from_json(found.to_json())
    assert str(again) == text
    assert again.to_json() == found.to_json()
    assert found.in_units(100.0).value == 100.0
    assert "chances of treatments are known" in str(refuted(HOLDS))


@pytest.mark.parametrize(
    "change",
    [
        {"value": "1"},
        {"value": float("nan")},
        {"T0": 3},
        {"attempts": [{"test": "x"}]},
        {"attempts": [attempts("perhaps")[0].__dict__]},
        {"extra": 1},
    ],
)
def test_a_damaged_refutation_is_refused(change):
    with pytest.raises((ValueError, TypeError)):
        Refutation.from_json(refuted(HOLDS).to_json() | change)
