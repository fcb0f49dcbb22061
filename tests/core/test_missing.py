"""What counts as a missing value, and what becomes of masks."""

import decimal

import numpy as np
import pandas as pd
import pytest

from pairnet.core.missing import is_missing, unmasked

MISSING = [None, np.nan, np.datetime64("NaT"), pd.NaT, pd.NA, np.ma.masked, decimal.Decimal("sNaN")]


@pytest.mark.parametrize("value", MISSING, ids=repr)
def test_a_missing_value_is_told_from_others(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", [0, "", False, np.inf, [], (None,), np.zeros(2)], ids=repr)
def test_other_values_are_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    "values",
    [
        [1, 2],
        [1.5, 2.5],
        ["a", "b"],
        [True, False],
        np.array(["2024-01-01", "2024-01-02"], "M8[D]"),
    ],
)
def test_what_is_below_a_mask_is_gone_and_what_is_beside_it_stays(values):
    masked = np.ma.array(values, mask=[True, False])
    first, second = unmasked(masked)
    assert is_missing(first)
    assert second == np.asarray(values)[1]


def test_an_array_without_a_masked_value_keeps_its_type():
    assert unmasked(np.ma.array([1, 2])).dtype == int
    assert type(unmasked(np.ma.array([1, 2]))) is np.ndarray


def test_records_are_left_to_whoever_refuses_them():
    records = np.ma.zeros(2, "f8,f8")
    records[0] = np.ma.masked
    assert unmasked(records).dtype.names


def test_masks_inside_lists_are_found():
    row = np.ma.array([1.0, -999.0], mask=[False, True])
    assert np.isnan(unmasked([row, row])[1][1])
    assert unmasked([["a", np.ma.masked], ["b", "c"]]) == [["a", None], ["b", "c"]]
    values = [1, 2]
    assert unmasked(values) is values
