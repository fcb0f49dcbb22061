"""Who gains most: the tree of groups, in words about columns."""

import numpy as np
import pytest

from pairnet.report.model import model_report
from pairnet.report.model.people import by_column, said_of
from pairnet.report.model.subject import subject_of as view
from pairnet.report.model.tree import Bounds, condition, leaves
from pairnet.tables.columns import Category, Quantity


def test_the_tree_finds_who_gains_most_and_says_it_in_words(models):
    seen = view(models["arms"][0], T0="none", T1="small")
    groups = leaves(seen)
    assert "member is yes" in groups[0].label
    assert "member is no" in groups[-1].label
    assert sum(len(group.rows) for group in groups) == len(seen.x)
    assert by_column(seen)[0].name == "member"


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


def test_who_gains_most_follows_the_goal(models):
    asked = {"T0": "none", "T1": "small", "goal": "min"}
    groups = leaves(view(models["arms"][0], **asked))
    assert "member is no" in groups[0].label
    assert "member is yes" in groups[-1].label
    page = model_report(models["arms"][0], **asked)
    assert "(a small spend is good)" in page.lead
    html = page.html()
    assert "Those who gain most come first: a small spend is good." in html
    assert "it counts where the curve lies below the straight line" in html
    assert "gain per row" not in html


def test_a_row_is_said_in_its_own_words(models):
    model, frame, _, _ = models["arms"]
    words = said_of(
        model.schema_, model.schema_.encode(frame.head(1))[0], ["age", "region", "member", "since"]
    )
    first = frame.iloc[0]
    expected = [
        str(first["age"]),
        first["region"],
        "yes" if first["member"] else "no",
        str(first["since"].date()),
    ]
    assert words == expected
