"""Arguments of any type are told what they must be, in our words."""

import dataclasses
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from checks import easy_problem, small
from pairnet import Plan, TARNet
from pairnet.compare import compare
from pairnet.core.errors import BadInput
from pairnet.core.treatments import Dose
from pairnet.methods import methods

pytestmark = pytest.mark.usefixtures("as_people_have_it")
THINGS = {
    "text": "x",
    "an array": np.array([1, 2]),
    "a series": pd.Series(["a", "b"]),
    "an expression": pl.col("a"),
    "pandas' NA": pd.NA,
    "a tuple": (1, 2),
    "a list of lists": [[1], [2]],
    "a method": TARNet(),
    "a class": TARNet,
    "a huge number": 10**400,
    "NaN": float("nan"),
    "a complex number": 1j,
    "a decimal": Decimal("NaN"),
}
X, T, Y, _ = easy_problem(60)


def refusal(check):
    """Return why something is refused, or None; any error but ours is raised."""
    try:
        check()
    except BadInput as error:
        return str(error)
    return None


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("name", methods)
def test_every_hyperparameter_of_every_method_refuses_things_of_other_types(name, thing):
    for field in dataclasses.fields(methods[name]):
        method = methods[name]().set_params(**{field.name: THINGS[thing]})
        said = refusal(method.check)
        assert said is None or field.name in said


@pytest.mark.parametrize("thing", THINGS)
def test_every_part_of_a_plan_refuses_things_of_other_types(thing):
    for field in dataclasses.fields(Plan):
        said = refusal(lambda name=field.name: Plan(**{name: THINGS[thing]}))
        assert said is None or field.name in said


@pytest.mark.parametrize(
    ("field", "value"), [("l2", 1e300), ("l2", 1e-300), ("l2", 10**400), ("l2", float("inf"))]
)
def test_a_number_that_networks_cannot_compute_with_is_refused_before_training(field, value):
    with pytest.raises(BadInput, match=rf"TARNet\.{field} must be 0"):
        TARNet(**{field: value}).check()


def test_a_plan_counts_the_same_in_every_type_of_whole_number():
    wanted = Plan(longest=200, patience=100).schedule(300, 150)
    for kind in (np.uint8, np.int16, np.uint64):
        assert Plan(longest=kind(200), patience=kind(100)).schedule(300, 150) == wanted


@pytest.fixture(scope="module")
def fitted():
    return small(members=2, bootstrap=True).fit(X, Y, treatment=T)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize(
    ("ask", "argument"),
    [
        (lambda m, it: m.ate(X, kind=it), "kind"),
        (lambda m, it: m.effect_interval(X, kind=it), "kind"),
        (lambda m, it: m.support(X, space=it), "space"),
        (lambda m, it: m.optimal_treatment(X, goal=it), "goal"),
        (lambda m, it: compare(None, X, Y, treatment=T, kind=it), "kind"),
    ],
    ids=["ate", "effect_interval", "support", "optimal_treatment", "compare"],
)
def test_a_word_that_is_asked_for_may_not_be_a_thing(ask, argument, thing, fitted):
    with pytest.raises(BadInput, match=f"^{argument} must be"):
        ask(fitted, THINGS[thing])


@pytest.mark.parametrize("dose", [1e300, -1e30, 1e12])
def test_a_dose_that_no_model_can_know_is_refused(dose):
    treatment = Dose(10.0, 60.0)
    with pytest.raises(BadInput, match="T1 is .*, too far from the doses .* Is it in the unit"):
        treatment.encode([20.0, dose], "T1")
    with pytest.warns(UserWarning, match="is extrapolated"):
        assert np.isfinite(treatment.encode(10_000.0, "T1"))


def test_a_fraction_is_a_number(fitted):
    exact, plain = (
        fitted.effect_interval(X, alpha=Fraction(1, 4)),
        fitted.effect_interval(X, alpha=0.25),
    )
    assert np.array_equal(exact, plain)
    best = [fitted.optimal_treatment(X, cost={1: cost}) for cost in (Fraction(1, 4), 0.25)]
    assert np.array_equal(*best)


def test_numbers_of_sixteen_bits_are_numbers():
    x, t, y = (np.asarray(values, np.float16) for values in (X, T, Y))
    assert np.isfinite(small().fit(x, y, treatment=t).effect(x)).all()


def test_columns_are_called_by_texts(fitted):
    with pytest.raises(BadInput, match="treatment must be called by a text, got 3"):
        fitted.call_columns(treatment=3)


def test_an_arm_cannot_be_a_decimal_without_a_value(fitted):
    with pytest.raises(BadInput, match="T0 names no arm"):
        fitted.effect(X, T0=Decimal("NaN"), T1=1)
