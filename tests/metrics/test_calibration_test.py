"""Does the predicted difference between effects show in outcomes?"""

import numpy as np
import pytest

from pairnet.metrics import best_linear_projection, calibration_test

RNG = np.random.default_rng(0)
N = 2000
EFFECT = 1 + RNG.normal(size=N)
NOISE = 3 * RNG.normal(size=N)


def test_effects_that_are_true_have_the_coefficient_1():
    found = calibration_test(EFFECT + NOISE, EFFECT)
    assert found.differences.lower < 1 < found.differences.upper
    assert found.average.lower < 1 < found.average.upper
    assert found.bears_out
    assert found.sentence.startswith("Outcomes bear out that effects differ: where the model's")
    assert found.sentence.endswith("The interval holds 1, which is what the model says.")


def test_both_coefficients_are_those_of_the_regression():
    found = calibration_test(EFFECT + NOISE, EFFECT)
    line = best_linear_projection(EFFECT + NOISE, EFFECT - EFFECT.mean())
    assert found.differences == pytest.approx(line["0"])
    assert found.average.value == pytest.approx((EFFECT + NOISE).mean() / EFFECT.mean())


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (1 + NOISE, "Outcomes do not bear out that effects differ"),
        (0.4 * EFFECT + NOISE, "They are smaller than the model says."),
        (3 * EFFECT + NOISE, "They are larger than the model says."),
        (-EFFECT + NOISE, "Outcomes say the opposite"),
        (EFFECT + 50 * NOISE, "The interval holds 0 (effects do not differ) and 1"),
    ],
)
def test_the_sentence_says_what_outcomes_say(scores, said):
    found = calibration_test(scores, EFFECT)
    assert said in found.sentence
    assert found.bears_out == (found.differences.lower > 0)
    assert found.sentence in str(found)


def test_an_effect_that_is_the_same_for_all_has_no_differences_to_judge():
    found = calibration_test(1 + NOISE, np.full(N, 2.0))
    assert found.differences is None
    assert not found.bears_out
    assert found.average.value == pytest.approx((1 + NOISE).mean() / 2)
    assert "the same effect for all rows" in found.sentence
    assert found.frame()["term"].tolist() == ["average"]


def test_effects_with_the_mean_0_are_judged_by_their_differences():
    found = calibration_test([1.0, 2.0, 4.0, 4.0], [-1.0, -1.0, 1.0, 1.0])
    assert found.average is None
    assert found.differences.value == pytest.approx((4 - 1.5) / 2)


def test_effects_that_do_not_differ_are_rarely_said_to():
    """Of a 95 % interval 2.5 % lie above by chance."""
    rng, said = np.random.default_rng(3), 0
    for _ in range(400):
        found = calibration_test(rng.normal(size=200), rng.normal(size=200))
        said += found.bears_out
    assert said / 400 < 0.05


def test_clusters_make_the_answer_less_sure():
    village = np.repeat(np.arange(100), 20)
    of_village = np.repeat(RNG.normal(size=100), 20)
    scores = EFFECT + NOISE + of_village * 3
    alone, joint = (
        calibration_test(scores, np.repeat(EFFECT[:100], 20), clusters=clusters).differences
        for clusters in (None, village)
    )
    assert joint.value == pytest.approx(alone.value)
    assert joint.error > 1.5 * alone.error


def test_rows_must_agree():
    with pytest.raises(ValueError, match=r"scores must hold one number a row: expected \(3,\)"):
        calibration_test([1.0, 2.0], [1.0, 2.0, 3.0])
