"""Units so large or small that numbers of 32 bits are at their end."""

import datetime

import numpy as np
import pandas as pd
import pytest

from checks import easy_problem, small
from pairnet.core.errors import BadInput
from pairnet.core.treatments import Dose
from pairnet.model.door import check_varies
from pairnet.tables import Schema
from pairnet.tables.values import of_array

X, T, Y, _ = easy_problem(80)


@pytest.fixture(scope="module")
def in_usual_units():
    return small(members=2, bootstrap=True).fit(X, Y, treatment=T)


@pytest.mark.parametrize("unit", [2.0**-100, 2.0**100])
def test_effects_are_the_same_in_every_unit_that_is_taken(unit, in_usual_units):
    wanted = in_usual_units.effect(X)
    of_outcome = small(members=2, bootstrap=True).fit(X, Y * unit, treatment=T)
    np.testing.assert_array_equal(of_outcome.effect(X) / unit, wanted)
    of_covariates = small(members=2, bootstrap=True).fit(X * unit, Y, treatment=T)
    np.testing.assert_array_equal(of_covariates.effect(X * unit), wanted)
    verdicts = of_covariates.support(X * unit).verdict
    assert verdicts.tolist() == in_usual_units.support(X).verdict.tolist()


TOO_ALIKE = [Y * 1e-200, Y * 1e-40, np.arange(80) * 5e-324, 1e15 + np.arange(80) * 1e-1]


@pytest.mark.parametrize("values", TOO_ALIKE)
def test_numbers_that_hardly_differ_are_refused_and_not_taken_for_a_constant(values):
    with pytest.raises(BadInput, match="y has numbers that differ by only .* too little to use"):
        check_varies(values)
    for table in (np.column_stack([X, values]), pd.DataFrame({"a": X[:, 0], "3": values})):
        with pytest.raises(
            BadInput, match="X has numbers that differ by only .*: column '?3'?. Use"
        ):
            Schema.of(table)


@pytest.mark.parametrize("doses", [1e-40 * np.arange(50), 5e-324 * np.arange(50)])
def test_doses_that_hardly_differ_are_refused(doses):
    with pytest.raises(BadInput, match="doses that differ too little to tell them apart"):
        Dose.read(doses)


@pytest.mark.parametrize(
    "doses", [np.uint64(2**63) + np.arange(50, dtype=np.uint64), 2**62 + np.arange(50)]
)
def test_whole_doses_that_floats_cannot_tell_apart_are_refused(doses):
    with pytest.raises(BadInput, match="doses that differ too little to tell them apart"):
        Dose.read(doses)
    assert Dose.read(doses - doses.min()).span == 49


def test_large_numbers_that_differ_enough_and_moments_are_used():
    moments = np.datetime64("2024-01-01") + np.arange(80).astype("m8[ms]")
    frame = pd.DataFrame(
        {"a": 1e8 + np.arange(80) * 10.5, "b": moments, "c": np.tile([0.0, 1e-30], 40)}
    )
    assert [column.kind for column in Schema.of(frame).columns] == ["number", "date", "number"]


def test_time_spans_of_an_array_are_days_as_those_of_a_frame():
    spans = np.asarray([datetime.timedelta(days=1), None, datetime.timedelta(hours=12)], "m8[us]")
    assert of_array(spans).values.tolist()[::2] == [1.0, 0.5]


@pytest.mark.parametrize("whole", [10**400, -(10**400)])
def test_whole_numbers_beyond_floats_are_told_and_not_a_traceback(whole):
    for table in (pd.DataFrame({"a": [1, whole, 3]}), [[1, 2.5], [whole, 3.5], [3, 4.5]]):
        with pytest.raises(
            BadInput, match=r"X has values beyond 1e\+38: 1 in all in column .*row 1"
        ):
            Schema.of(table)
