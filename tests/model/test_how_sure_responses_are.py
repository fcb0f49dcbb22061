"""Bands of responses to a dose, of slopes, and averages corrected by outcomes; truth is known."""

import numpy as np
import pytest
from scipy import stats

from models_by_hand import model_of, remembered
from pairnet import LinearSLearner, Stack, TreeSLearner
from pairnet.core.treatments import Arms, Dose
from pairnet.model.asked import Asked

DOSES = Dose(0.0, 10.0)
GRID = [2.0, 4.0, 6.0]
X = np.array([[1.0], [2.0], [3.0]])
# Outcomes of a place t of the range: x t, and (x + 2) t, so slopes per unit are x / 10, (x + 2) / 10.
LINES = (lambda x, t: x[:, 0] * t, lambda x, t: (x[:, 0] + 2) * t)
REACH = (
    12.7062 * np.sqrt(2) * np.sqrt(1 + 1 / 2)
)  # Student's factor of two members that are 2 apart


class Asks(Asked):
    """A model that people ask."""

    def __init__(self, model):
        self.model_ = model


def asks(*formulas, treatment=DOSES, draws=((2, 0, 1, 1), (1, 1, 0, 2))):
    memory = remembered(np.arange(4.0), [0, 0.2, 0.5, 1], treatment=treatment, draws=draws)
    return Asks(model_of(memory, *(formulas or LINES)))


def world(n, seed):
    """A table whose doses, of 0 to 10, rise with what raises outcomes; and the true outcome."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    place = stats.norm.cdf(0.5 * x[:, 0] + np.sqrt(0.75) * rng.normal(size=n))
    truth = lambda x, t: x[:, 0] + np.sin(2 * x[:, 1]) + 2 * t * (1 - t / 2)
    return x, place, truth(x, place) + rng.normal(size=n), truth


def learned(n, seed, *errors):
    """A model of that table whose members are off by `errors`; each has not seen half the rows."""
    x, place, y, truth = world(n, seed)
    formulas = [lambda x, t, off=off: truth(x, t) + off(x, t) for off in errors]
    draws = (np.arange(n) + np.arange(len(errors))[:, None]) % 2
    memory = remembered(x, place, y, treatment=DOSES, draws=draws)
    return Asks(model_of(memory, *formulas)), x


def average(truth_of=world):
    """The true averages on the grid: E x = 0, E sin = 0."""
    place = np.array(GRID) / 10
    return 2 * place * (1 - place / 2)


def test_the_band_of_a_row_is_that_of_its_effects():
    model = asks()
    lower, upper = model.dose_response_interval(X, GRID)
    assert lower.shape == upper.shape == (3, 3)
    assert np.allclose((lower + upper) / 2, model.dose_response(X, GRID))
    assert (upper - lower)[:, 1] == pytest.approx(2 * 0.4 * REACH)
    from_zero = model.effect_interval(X, T0=0, T1=4)  # outcomes at 0 are 0
    assert np.allclose(from_zero, [lower[:, 1], upper[:, 1]])


def test_slopes_have_a_band_in_the_users_units():
    model = asks()
    lower, upper = model.marginal_effect_interval(4.0, X)
    assert np.allclose((lower + upper) / 2, model.marginal_effect(4.0, X))
    assert upper - lower == pytest.approx(2 * REACH / 10, rel=1e-3)


def test_the_average_has_a_wider_band_among_people_who_differ():
    model = asks()
    lower, upper = model.average_dose_response_interval(X, GRID)
    assert np.allclose(model.average_dose_response(X, GRID), [0.6, 1.2, 1.8])
    alone = model.average_dose_response_interval(X[[1, 1, 1]], GRID)
    assert ((alone[0] < model.average_dose_response(X, GRID)) & (upper > lower)).all()
    assert alone[1] - alone[0] == pytest.approx(2 * REACH * np.array([0.2, 0.4, 0.6]))


def test_a_biased_model_is_mended_by_outcomes():
    """Both members take the effect of the first covariate for one of the dose."""
    off = lambda x, t: 1.5 * t - x[:, 0]
    model, x = learned(3000, 1, off, off)
    plain = model.average_dose_response(x, GRID) - average()
    mended = model.average_dose_response(x, GRID, kind="doubly robust") - average()
    assert np.abs(plain).min() > 0.25
    assert (np.abs(mended) < 0.35 * np.abs(plain)).all()


def test_a_model_that_says_nothing_is_mended_to_the_local_mean_if_doses_are_by_lot():
    rng = np.random.default_rng(2)
    x, place = rng.normal(size=(3000, 2)), rng.random(3000)
    y = 3 * place + rng.normal(size=3000)
    draws = (np.arange(3000) + np.arange(2)[:, None]) % 2
    memory = remembered(x, place, y, treatment=DOSES, draws=draws)
    model = Asks(model_of(memory, lambda x, t: 0 * t, lambda x, t: 0 * t))
    found = model.average_dose_response(x, GRID, kind="doubly robust")
    near = [y[np.abs(place - dose / 10) < 0.07].mean() for dose in GRID]
    assert found == pytest.approx(near, abs=0.12)
    assert (model.average_dose_response(x, GRID) == 0).all()


def test_corrected_averages_hold_the_truth_about_as_often_as_they_say():
    off = lambda x, t: 0.5 * t
    held = []
    for seed in range(40):
        model, x = learned(300, seed, off, off)
        lower, upper = model.average_dose_response_interval(x, GRID, kind="doubly robust")
        held.append((lower <= average()) & (average() <= upper))
    assert 0.86 < np.mean(held) <= 1.0


def test_a_stack_has_bands_that_count_its_learners():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 3))
    dose = rng.uniform(0, 10, 300)
    y = x[:, 0] + dose * (1 + x[:, 1]) / 5 + np.sin(dose) + 0.3 * rng.normal(size=300)
    stack = Stack(
        learners=[LinearSLearner(), TreeSLearner(longest=30)], treatment="dose", members=3
    ).fit(x, y, treatment=dose)
    lower, upper = stack.dose_response_interval(x[:5], GRID)
    middle = stack.dose_response(x[:5], GRID)
    assert ((lower < middle) & (middle < upper)).all()
    assert np.allclose((lower + upper) / 2, middle, atol=1e-6)
    for kind in ("bootstrap", "doubly robust"):
        low, high = stack.average_dose_response_interval(x, GRID, kind=kind)
        assert (low < high).all()
    slopes = stack.marginal_effect_interval(4.0, x[:5])
    assert (slopes[0] <= stack.marginal_effect(4.0, x[:5])).all()
    assert (stack.marginal_effect(4.0, x[:5]) <= slopes[1]).all()
    ends = stack.effect_interval(x[:5], T0=2.0, T1=6.0)
    assert ((ends[0] < middle[:, 2] - middle[:, 0]) & (middle[:, 2] - middle[:, 0] < ends[1])).all()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (lambda m: m.dose_response_interval(X, GRID, alpha=2.0), "alpha must be the share"),
        (lambda m: m.average_dose_response(X, GRID, kind="best"), "kind must be 'plugin' or"),
        (lambda m: m.average_dose_response_interval(X, kind="plugin"), "kind must be 'bootstrap'"),
        (lambda m: m.marginal_effect_interval("much", X), "T must be a dose"),
    ],
)
def test_questions_without_sense_are_refused(asked, message):
    with pytest.raises(ValueError, match=message):
        asked(asks())


def test_what_a_model_lacks_for_a_band_is_said():
    one_draw = asks(draws=np.ones((2, 4), int))
    for question in (
        lambda: one_draw.dose_response_interval(X),
        lambda: one_draw.average_dose_response_interval(X),
        lambda: one_draw.marginal_effect_interval(4.0, X),
    ):
        with pytest.raises(ValueError, match="needs members that were trained on resampled rows"):
            question()
    with pytest.raises(ValueError, match="needs rows that some member was not trained on"):
        one_draw.average_dose_response(X, kind="doubly robust")
    arms = asks(treatment=Arms((0, 1)))
    with pytest.raises(ValueError, match="needs a model of doses"):
        arms.marginal_effect_interval(1, X)
