"""What the leaves of a tree have in common, in words about columns."""

import numpy as np
import pytest

from pairnet.tables.columns import Category, Quantity
from pairnet.tables.rules import Bounds, Splits, condition, rules

NUMBERS = np.array([[70.5, 0], [80.25, 0], [75, 0], [75, 1]])  # the missing one is filled with 75
ONE_OF_THREE = np.eye(3)[[0, 1, 1, 2]]
ONE_OF_FIVE = np.eye(5)


@pytest.mark.parametrize(
    ("column", "block", "bounds", "said"),
    [
        (
            Category("kidney", ("normal", "reduced"), missing=1),
            ONE_OF_THREE,
            {0: (None, 0.5), 1: (None, 0.5)},
            "is missing",
        ),
        (
            Category("kidney", ("normal", "reduced"), missing=1),
            ONE_OF_THREE,
            {0: (0.5, None), 1: (None, 0.5)},
            "is normal",
        ),
        (
            Category("kidney", ("normal", "reduced"), missing=1),
            ONE_OF_THREE,
            {1: (None, 0.5)},
            "is normal or missing",
        ),
        (Category("member", ("no", "yes")), np.eye(2), {0: (None, 0.5)}, "is yes"),
        (
            Category("member", ("no", "yes")),
            np.eye(3)[:, :2],
            {0: (None, 0.5)},
            "is yes or none of the known",
        ),
        (Category("region", tuple("abcde")), ONE_OF_FIVE, {0: (None, 0.5)}, "is not a"),
        (
            Category("region", tuple("abcde")),
            ONE_OF_FIVE,
            {0: (None, 0.5), 2: (None, 0.5)},
            "is b, d or e",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0),
            NUMBERS[:3, :1],
            {0: (70.4, 75.3)},
            "70.4 to 75.3",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0),
            NUMBERS[:3, :1],
            {0: (None, 75.3)},
            "at most 75.3",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (70.4, None)},
            "above 70.4 or missing",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (76.0, None)},
            "above 76.0",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (70.4, None), 1: (None, 0.5)},
            "above 70.4",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {0: (70.4, 76.0), 1: (0.5, None)},
            "is missing",
        ),
        (
            Quantity("weight", "number", 75.0, 0.0, 99.0, 1),
            NUMBERS,
            {1: (None, 0.5)},
            "is not missing",
        ),
        (
            Quantity("age", "number", 50.0, 18.0, 80.0),
            np.arange(18.0, 80)[:, None],
            {0: (49.5, 60.5)},
            "50 to 60",
        ),
        (
            Quantity("age", "number", 50.0, 18.0, 80.0),
            np.arange(18.0, 80)[:, None],
            {0: (49.5, None)},
            "above 49",
        ),
        (
            Quantity("children", "number", 1.0, 0.0, 3.0),
            np.arange(4.0)[:, None],
            {0: (None, 0.5)},
            "is 0",
        ),
        (Quantity("smoker", "flag", 0.0, 0.0, 1.0), np.eye(2)[:, :1], {0: (None, 0.5)}, "is no"),
        (
            Quantity("since", "date", 0.0, 0.0, 9.0),
            np.arange(9.0)[:, None],
            {0: (2.5, None)},
            "after 1970-01-03",
        ),
    ],
)
def test_a_group_has_one_condition_a_column(column, block, bounds, said):
    assert (
        condition(column, block, {k: Bounds(*ends) for k, ends in bounds.items()})
        == f"{column.name} {said}"
    )


def test_the_leaves_of_a_tree_have_a_condition_for_every_column_on_their_way():
    columns = [
        (Quantity("age", "number", 50.0, 18.0, 80.0), np.arange(18.0, 80)[:, None]),
        (Category("member", ("no", "yes")), np.eye(2)[np.arange(62) % 2]),
    ]
    places = [np.array(values) for values in ([0, 2, -1, -1, -1], [30.5, 0.5, 0, 0, 0])]
    children = [np.array(values) for values in ([1, 2, -1, -1, -1], [4, 3, -1, -1, -1])]
    assert rules(Splits(*places, *children), columns) == {
        2: "age at most 30 and member is no",
        3: "age at most 30 and member is yes",
        4: "age above 30",
    }
    none = np.array([-1])
    assert rules(Splits(none, none * 1.0, none, none), columns) == {0: "all rows"}
