"""What a model of a dose answers: responses, slopes, the best dose, and refusals."""

import jax.random as jr
import numpy as np
import pytest

from checks import QUICK, SMALL, easy_dose_problem, easy_problem
from pairnet import PairNet, TARNet, VCNet
from pairnet.core.treatments import Dose
from pairnet.report.figures import dose_figure

X, T, Y, TAU = easy_dose_problem()
x = jr.normal(jr.key(1), (4,))


@pytest.fixture(scope="module")
def fitted():
    return PairNet(base=VCNet(**SMALL, l2=0.1), plan=QUICK, members=2).fit(X, Y, treatment=T)


def test_the_response_is_the_outcome_under_every_dose(fitted):
    grid = np.asarray([10.0, 25.0, 60.0])
    curve = fitted.dose_response(X, np.clip(grid, T.min(), T.max()))
    assert curve.shape == (300, 3)
    for k, dose in enumerate(np.clip(grid, T.min(), T.max())):
        assert np.allclose(curve[:, k], fitted.predict_outcome(X, treatment=dose), atol=1e-4)
    assert np.allclose(curve[:, 2] - curve[:, 0], fitted.effect(X, T0=10, T1=60), atol=1e-4)
    assert fitted.dose_response(X[:3]).shape == (3, 64)
    assert np.allclose(fitted.average_dose_response(X), fitted.dose_response(X).mean(axis=0))
    assert fitted.member_responses(X[:3]).shape == (2, 3, 64)


def test_marginal_effects_are_derivatives_in_the_users_units(fitted):
    step = 0.05
    by_row = np.linspace(T.min() + 1, T.max() - 1, 300)
    for dose in (20.0, 45.0, by_row):
        up, down = (fitted.predict_outcome(X, treatment=dose + s) for s in (step, -step))
        assert np.allclose(fitted.marginal_effect(dose, X), (up - down) / (2 * step), atol=2e-3)


def test_what_is_compared_where_nobody_says_is_what_most_rows_may_get(fitted):
    assert Dose.of(np.r_[np.arange(101) / 7, 500.0]).contrast == (0.0, 10.0)
    assert Dose.of(np.arange(101) / 1e4).contrast == (0.001, 0.009)
    assert Dose.of(np.r_[np.zeros(99), 3.0]).contrast == (0.0, 3.0)
    assert Dose(0.0, 1.0).contrast == (0.0, 1.0)
    low, high = np.round(np.percentile(T, (10, 90)))
    assert np.array_equal(fitted.effect(X), fitted.effect(X, T0=low, T1=high))


def test_units_of_doses_do_not_matter(fitted):
    grams = PairNet(base=VCNet(**SMALL, l2=0.1), plan=QUICK, members=2).fit(
        X, Y, treatment=T / 1000
    )
    assert np.allclose(grams.effect(X), fitted.effect(X), atol=1e-3)
    assert np.allclose(grams.effect(X, T0=0.02, T1=0.04), fitted.effect(X, T0=20, T1=40), atol=1e-3)
    assert np.allclose(
        grams.marginal_effect(0.03, X) / 1000, fitted.marginal_effect(30, X), atol=1e-3
    )
    assert np.allclose(grams.optimal_treatment(X) * 1000, fitted.optimal_treatment(X), atol=0.1)


def test_the_optimal_dose_is_the_best_of_a_fine_grid(fitted):
    grid = np.linspace(T.min(), T.max(), 2001)
    curve = fitted.dose_response(X[:40], grid)
    best = fitted.optimal_treatment(X[:40])
    assert np.allclose(fitted.predict_outcome(X[:40], treatment=best), curve.max(axis=1), atol=1e-4)
    worst = fitted.optimal_treatment(X[:40], goal="min")
    assert np.allclose(
        fitted.predict_outcome(X[:40], treatment=worst), curve.min(axis=1), atol=1e-4
    )
    paid = fitted.optimal_treatment(X[:40], cost=0.03)
    worth = curve - 0.03 * grid
    assert np.allclose(
        fitted.predict_outcome(X[:40], treatment=paid) - 0.03 * paid, worth.max(axis=1), atol=1e-4
    )
    assert np.array_equal(fitted.optimal_treatment(X[:40], cost=lambda dose: 0.03 * dose), paid)
    bounded = fitted.optimal_treatment(X[:40], bounds=(20, 30))
    assert np.all((bounded >= 20) & (bounded <= 30))
    assert np.all(fitted.optimal_treatment(X[:40], bounds=(25, 25)) == 25)


def test_the_optimal_arm_has_the_best_outcome_after_its_cost():
    x, t, y, _ = easy_problem(arms=3)
    names = np.array(["none", "half", "whole"])[t]
    method = TARNet(**SMALL, plan=QUICK).fit(x, y, treatment=names)
    outcome = np.stack(
        [method.predict_outcome(x, treatment=name) for name in ("none", "half", "whole")]
    )
    best = np.asarray(["none", "half", "whole"])[outcome.argmax(axis=0)]
    assert np.mean(method.optimal_treatment(x) == best) > 0.99
    assert np.all(method.optimal_treatment(x, cost={"half": 1e3, "whole": 1e3}) == "none")
    with pytest.raises(ValueError, match="bounds are for doses"):
        method.optimal_treatment(x, bounds=(0, 1))
    with pytest.raises(ValueError, match="cost must be a dictionary from arm to cost.*got 3.0"):
        method.optimal_treatment(x, cost=3.0)
    with pytest.raises(ValueError, match="cost of arm 'half' must be a number, got nan"):
        method.optimal_treatment(x, cost={"half": np.nan})
    with pytest.raises(
        ValueError,
        match="cost names 'third', which is no arm: expected some of 'half', 'none', 'whole'",
    ):
        method.optimal_treatment(x, cost={"third": 1.0})
    with pytest.raises(
        ValueError, match=r"dose_response needs a model of doses; this one compares arms \('half'"
    ):
        method.dose_response(x)


def test_doses_outside_the_range_are_answered_with_a_warning_that_names_it(fitted):
    low, high = f"{T.min():g}", f"{T.max():g}"
    for question in (
        lambda: fitted.effect(X, T0=0, T1=30),
        lambda: fitted.predict_outcome(X, treatment=100),
        lambda: fitted.dose_response(X, [0, 30]),
        lambda: fitted.marginal_effect(61.0, X),
        lambda: fitted.optimal_treatment(X, bounds=(20, 90)),
    ):
        with pytest.warns(
            UserWarning, match=f"outside the doses that were observed, {low} to {high}"
        ):
            assert np.isfinite(question()).all()


def test_bad_questions_about_doses(fitted):
    with pytest.raises(ValueError, match="T1 must be a dose, a number from 10 to 60, got nan"):
        fitted.effect(X, T1=np.nan)
    with pytest.raises(ValueError, match="T0 must be a dose, a number from 10 to 60, got .*'low'"):
        fitted.effect(X, T0="low")
    with pytest.raises(
        ValueError,
        match=r"T1 must be one dose, or one per row: expected shape \(300,\), got \(2,\)",
    ):
        fitted.effect(X, T1=[20.0, 30.0])
    with pytest.raises(ValueError, match="T0 must be a dose, a number from 10 to 60, got None"):
        fitted.effect(X, T0=[20.0, None])
    with pytest.raises(
        ValueError, match=r"grid must be a list of one or more doses, got shape \(1, 1\)"
    ):
        fitted.dose_response(X, [[20.0]])
    with pytest.raises(
        ValueError, match=r"grid must be a list of one or more doses, got shape \(0,\)"
    ):
        fitted.dose_response(X, [])
    with pytest.raises(ValueError, match="grid must be a dose, a number from 10 to 60"):
        fitted.dose_response(X, [20.0, [30.0, 40.0]])
    with pytest.raises(
        ValueError, match="score compares rows that were treated differently.*got only 20.0"
    ):
        fitted.score(X, Y, treatment=np.full(300, 20.0))
    with pytest.raises(ValueError, match=r"bounds must be \(smallest, largest\) dose"):
        fitted.optimal_treatment(X, bounds=(30, 20))
    with pytest.raises(ValueError, match="bounds must be"):
        fitted.optimal_treatment(X, bounds=(20, (30, 40)))
    with pytest.raises(ValueError, match=r"bounds must be .smallest, largest. dose, got"):
        fitted.optimal_treatment(X, bounds=np.ma.array([20, 30], mask=[False, True]))
    with pytest.raises(ValueError, match="goal must be 'max' or 'min', got 'most'"):
        fitted.optimal_treatment(X, goal="most")


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        (np.nan, "cost must be a number .* got nan"),
        ("much", "cost must be a number .* got 'much'"),
        (np.ones(300), "cost must be a number"),
        (lambda dose: None, "cost must return a finite number for each dose"),
        (lambda dose: 2 if dose > 3 else 0, "cost must return a finite number for each dose"),
    ],
)
def test_costs_that_are_none(fitted, cost, message):
    with pytest.raises(ValueError, match=message):
        fitted.optimal_treatment(X, cost=cost)


def test_warnings_point_at_the_users_line(fitted):
    with pytest.warns(UserWarning, match="outside the doses") as told:
        fitted.ate(X, T0=0)
    assert not any("src/pairnet" in str(warning.filename) for warning in told)


def test_the_picture_shows_curves_their_average_and_where_doses_were_observed(fitted):
    figure = dose_figure(fitted, X, observed=T, rows=5)
    (axis,) = figure.axes
    assert axis.get_xlabel() == "dose"
    assert sum(len(line.get_xdata()) == 64 for line in axis.lines) == 6  # five rows and the average
    labels = [text.get_text() for text in axis.get_legend().get_texts()]
    assert labels == ["one row", "average of all rows", "an observed dose"]
    for low, high in ((0, 20), (20, 0), (20, 20)):
        wide = dose_figure(fitted, X, grid=np.linspace(T.min() - low, T.max() + high, 30))
        said = [text.get_text() for text in wide.axes[0].get_legend().get_texts()]
        assert said == ["one row", "average of all rows", "no dose was observed"]
