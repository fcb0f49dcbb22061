"""A column in groups: its levels, or ranges of its numbers."""

import numpy as np

from pairnet.tables.columns import Category, Quantity
from pairnet.tables.grouping import groups_of

NUMBER = Quantity("age", "number", 50.0, 0.0, 99.0)


def found(column, block, **options):
    return {group.label: group.rows.tolist() for group in groups_of(column, block, **options)}


def test_numbers_are_cut_into_groups_of_the_same_size():
    ages = np.arange(8.0)[:, None]
    assert found(NUMBER, ages, ranges=2) == {"0 to 3": [0, 1, 2, 3], "4 to 7": [4, 5, 6, 7]}
    few = found(NUMBER, np.array([[3.0], [1], [3]]))
    assert few == {"1": [1], "3": [0, 2]}


def test_other_rows_fall_into_the_ranges_of_those_that_are_known():
    ages = np.array([0.0, 1, 2, 3, 4, 5, -9, 2, 99])[:, None]
    known = np.arange(9) < 6
    assert found(NUMBER, ages, ranges=2, known=known) == {
        "0 to 2": [0, 1, 2, 6, 7],
        "3 to 5": [3, 4, 5, 8],
    }


def test_missing_numbers_are_a_group_and_rare_levels_one():
    gaps = Quantity("age", "number", 50.0, 0.0, 99.0, missing=1)
    assert found(gaps, np.array([[1.0, 0], [50, 1], [2, 0]])) == {
        "1": [0],
        "2": [2],
        "missing": [1],
    }
    levels = Category("town", tuple("abcd"))
    rows = np.eye(4)[[0, 0, 0, 1, 1, 2, 3]]
    assert found(levels, rows, levels=3) == {
        "a": [0, 1, 2],
        "b": [3, 4],
        "2 other levels": [5, 6],
    }
