"""Masked arrays, indexes of other kinds, and whole numbers that no computer can count to."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

from checks import SMALL, easy_dose_problem, easy_problem, small
from pairnet import DRNet, PairNet, Plan, TARNet, VCNet
from pairnet.compare import compare
from pairnet.core.errors import BadInput
from pairnet.methods import methods
from pairnet.model import door
from pairnet.tables import Schema

X, T, Y, _ = easy_problem(60)
HUGE = [10**400, 10**5000, 2**40]


@pytest.fixture(scope="module")
def fitted():
    return small().fit(X, Y, treatment=T)


def masked(values, at):
    array = np.ma.array(np.array(values), mask=np.zeros(np.shape(values), bool))
    array.data[at], array.mask[at] = -999, True
    return array


def as_list_of_rows(array):
    return [list(row) for row in array]


@pytest.mark.parametrize(
    "form",
    [lambda x: x, list, as_list_of_rows, lambda x: x.astype(object), pd.DataFrame],
    ids=["array", "list", "list of rows", "objects", "frame"],
)
def test_a_masked_covariate_is_missing(form):
    x = masked(X, (3, 0))
    gone = X.copy()
    gone[3, 0] = np.nan
    wanted = Schema.of(gone)
    schema = Schema.of(form(x))
    assert schema.columns[0].missing == 1
    assert schema.columns[0].low == wanted.columns[0].low > -999
    np.testing.assert_array_equal(schema.encode(form(x)), wanted.encode(gone))


def test_masked_objects_in_a_column_of_a_frame_are_missing():
    column = pd.Series([1.5, np.ma.masked, 2.5, 3.5], dtype=object)
    assert Schema.of(pd.DataFrame({"a": column})).columns[0].missing == 1


@pytest.mark.parametrize("role", ["y", "treatment", "sample_weight"])
@pytest.mark.parametrize("form", [lambda x: x, list])
def test_a_masked_outcome_treatment_or_weight_is_a_missing_value(role, form):
    given = {"y": Y, "treatment": T, "sample_weight": np.ones(60)}
    given[role] = form(masked(given[role], 3))
    method = small()
    with pytest.raises(
        BadInput, match=rf"{role} has missing values.*: 1 in all, the first at row 3"
    ):
        method.fit(X, given.pop("y"), **given)
    assert not method.__sklearn_is_fitted__()


def test_a_masked_treatment_is_no_arm_in_a_question(fitted):
    with pytest.raises(BadInput, match="treatment names no arm.*got nan"):
        fitted.score(X, Y, treatment=masked(T, 3))
    with pytest.raises(BadInput, match="T1 names no arm.*got None"):
        fitted.effect(X, T0=0, T1=np.ma.masked)


MANY = pd.MultiIndex.from_arrays([np.arange(60), np.arange(60)])
INDEXES = {
    "two levels and one": (MANY, pd.RangeIndex(60)),
    "two levels and three": (MANY, pd.MultiIndex.from_arrays([np.arange(60)] * 3)),
    "dates and numbers": (pd.date_range("2024-01-01", periods=60), pd.RangeIndex(60)),
    "intervals and numbers": (pd.interval_range(0, 60), pd.RangeIndex(60)),
}


@pytest.mark.parametrize("case", list(INDEXES))
def test_indexes_of_different_kinds_are_told_as_different(case):
    for index, other in (INDEXES[case], INDEXES[case][::-1]):
        with pytest.warns(UserWarning, match="y and X have different indexes"):
            door.aligned(pd.DataFrame(X, index=index), y=pd.Series(Y, index=other))


def test_rows_in_another_order_are_found_by_an_index_of_two_levels():
    with pytest.raises(BadInput, match="y has the rows of X in another order"):
        door.aligned(pd.DataFrame(X, index=MANY), y=pd.Series(Y, index=MANY)[::-1])


SETTINGS = [
    (TARNet, "members"),
    (TARNet, "seed"),
    (TARNet, "phi"),
    (TARNet, "l2"),
    (PairNet, "pairs"),
    (PairNet, "temperature"),
    (PairNet, "window"),
    (DRNet, "bins"),
    (VCNet, "degree"),
]


@pytest.mark.parametrize("value", HUGE, ids=["400 digits", "5000 digits", "2**40"])
@pytest.mark.parametrize(("kind", "name"), SETTINGS, ids=str)
def test_numbers_that_are_too_large_are_told_in_a_short_sentence(kind, name, value):
    if name in ("l2", "temperature", "window") and value == 2**40:
        return  # a number like others
    method = kind().set_params(**{name: (value,) if name == "phi" else value})
    x, t, y, _ = easy_dose_problem(60) if kind in (DRNet, VCNet) else (X, T, Y, None)
    with pytest.raises(BadInput, match=rf"\.{name} must be") as raised:
        method.fit(x, y, treatment=t)
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize("name", list(methods))
@pytest.mark.parametrize(
    "value", [10**400, -(10**5000), "a", [1.5]], ids=["huge", "low", "text", "list"]
)
def test_every_method_checks_its_numbers(name, value):
    kind = methods[name]
    defaults = {field.name: getattr(kind(), field.name) for field in dataclasses.fields(kind)}
    is_float = lambda default: isinstance(default, int | float) and not isinstance(default, bool)
    for parameter in (name for name, default in defaults.items() if is_float(default)):
        with pytest.raises(BadInput, match=rf"\.{parameter} must be"):
            kind().set_params(**{parameter: value}).check()


@pytest.mark.parametrize("value", HUGE, ids=["400 digits", "5000 digits", "2**40"])
@pytest.mark.parametrize("name", ["batch_size", "patience", "longest", "warm_up"])
def test_a_plan_says_the_longest_time_it_can_count(name, value):
    with pytest.raises(
        BadInput, match=rf"Plan\.{name} must be a whole number.*the most is 2147483647"
    ):
        Plan(**{name: value})


def test_the_longest_plan_trains_as_long_as_another_that_never_ends():
    plans = [Plan(patience=most, longest=100, warm_up=0) for most in (10**6, 2**31 - 1)]
    effects = [TARNet(**SMALL, plan=plan).fit(X, Y, treatment=T).effect(X) for plan in plans]
    np.testing.assert_array_equal(*effects)


@pytest.mark.parametrize("seed", [2**64, -(2**32), 10**5000, 0.5, "1", True], ids=range(6))
def test_a_seed_that_would_be_cut_is_refused(seed):
    with pytest.raises(BadInput, match=r"seed must be a whole number below 2\*\*32"):
        TARNet().set_params(seed=seed).check()


@pytest.mark.parametrize("k", [0, 61, 2**63, 10**400, 10**5000], ids=lambda k: k.bit_length())
def test_partners_are_at_most_the_rows_of_the_fit(k, fitted):
    with pytest.raises(
        BadInput, match="k must be a whole number of partners, from 1 to the 60 rows"
    ):
        fitted.support(X, k=k)


@pytest.mark.parametrize("folds", [31, 10**400, 10**5000], ids=lambda k: k.bit_length())
def test_folds_are_at_most_half_of_the_rows(folds):
    with pytest.raises(BadInput, match="folds must be a whole number from 1 to half of the rows"):
        compare(["tarnet"], X, Y, treatment=T, folds=folds)


def test_costs_and_doses_beyond_all_numbers_are_told(fitted):
    with pytest.raises(BadInput, match="cost of arm 0 must be a number, got a whole number of 401"):
        fitted.optimal_treatment(X, cost={0: 10**400})
    with pytest.raises(BadInput, match="T0 names no arm"):
        fitted.effect(X, T0=10**400, T1=1)


def test_whole_numbers_beyond_all_numbers_in_rows_to_ask_about_are_told(fitted):
    with pytest.raises(BadInput, match=r"X has values beyond 1e\+38"):
        fitted.effect([[10**400, 0.0, 0.0]])
