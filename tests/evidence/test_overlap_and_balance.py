"""Overlap and balance of a table whose chances are known, worked out by hand."""

import numpy as np
import pytest

from models_by_hand import AGE, CHANCES, TREATED, remembered
from pairnet.core.treatments import Arms, Dose
from pairnet.evidence.balance import balance, group_means
from pairnet.evidence.overlap import lacks, overlap, worth

SPREAD = np.sqrt(3) / 4  # of a covariate that is 1 in one or three of four rows


def people(**more):
    return remembered(AGE, TREATED, **({"chances": CHANCES} | more))


def test_chances_are_counted_among_those_of_a_group_and_among_the_others():
    found = overlap(people())
    assert found.groups == ("0", "1")
    assert found.rows.tolist() == [4, 4]
    low, high = np.searchsorted(found.edges, (0.25, 0.75), side="right") - 1
    of = lambda counts: (counts[low], counts[high], counts.sum())
    assert of(found.inside[1]) == (1, 3, 4)
    assert of(found.outside[1]) == (3, 1, 4)
    assert of(found.inside[0]) == (1, 3, 4)


def test_weighted_rows_are_worth_fewer():
    """One row weighs 4 and three weigh 4 / 3: 8 squared, over 16 and three times 16 / 9."""
    assert overlap(people()).effective.tolist() == pytest.approx([3, 3])
    assert worth(np.ones((5, 1))).tolist() == [5]
    assert worth(np.array([[2.0, 1], [2, 0], [0, 0]])).tolist() == [2, 1]


def test_rows_count_by_their_weight():
    weight = np.array([1.0, 1, 1, 1, 1, 1, 1, 0])  # without one of the old ones who were treated
    assert overlap(people(weight=weight)).effective.tolist() == pytest.approx([3, 25 / 11])
    weight = np.array([1.0, 1, 1, 0, 1, 1, 1, 1])  # without the young one who was treated
    assert balance(people(weight=weight), ["age"]).after[0] > 1


def test_groups_lack_where_their_chance_is_small_and_less_than_half_of_their_share():
    rare = CHANCES.copy()
    rare[0] = (0.96, 0.04)
    assert overlap(people()).lacking == 0
    assert overlap(people(chances=rare)).lacking == 1 / 8
    assert lacks(rare, np.array([0.95, 0.05])).sum() == 0
    assert lacks(np.array([[0.05, 0.95]]), np.array([0.5, 0.5])).tolist() == [False]


def test_doses_are_compared_in_three_groups():
    dose = Dose(0.0, 60.0)
    memory = remembered(
        np.zeros(6), np.linspace(0, 1, 6), treatment=dose, chances=np.ones((6, 3)) / 3
    )
    found = overlap(memory)
    assert found.groups == ("0 to 12", "24 to 36", "48 to 60")
    assert found.effective.tolist() == pytest.approx([2, 2, 2])


def test_means_differ_before_weighting_and_not_after():
    found = balance(people(), ["age"])
    assert found.features == ("age",)
    assert found.before.tolist() == pytest.approx([0.5 / SPREAD])
    assert found.after.tolist() == pytest.approx([0], abs=1e-12)


def test_weights_that_are_all_alike_change_nothing():
    found = balance(people(chances=None), ["age"])
    assert found.after.tolist() == pytest.approx(found.before.tolist())


def test_of_several_groups_the_two_farthest_apart_count():
    x = np.array([0.0, 2, 3, 5, 7, 9])  # means 1, 4 and 8, each with a spread of 1
    memory = remembered(x, np.repeat([0, 1, 2], 2), treatment=Arms(("a", "b", "c")))
    assert balance(memory, ["x"]).before.tolist() == pytest.approx([7])


def test_each_covariate_is_measured_in_its_own_spread_and_a_constant_one_is_alike():
    x = np.stack([AGE, 100 * AGE, np.full(8, 5.0)], axis=1)
    found = balance(remembered(x, TREATED, chances=CHANCES), ["age", "weeks", "planet"])
    assert found.before.tolist() == pytest.approx([0.5 / SPREAD, 0.5 / SPREAD, 0])


def test_groups_have_their_means_and_the_spread_within_them():
    own = (TREATED[:, None] == [0, 1]).astype(float)
    means = group_means(AGE[:, None], own, CHANCES)
    assert means.before[:, 0].tolist() == pytest.approx([0.25, 0.75])
    assert means.after[:, 0].tolist() == pytest.approx([0.5, 0.5])
    assert means.spread.tolist() == pytest.approx([SPREAD])


def test_a_single_member_is_never_resampled():
    """It has no spread to make an interval of, whatever it drew."""
    rows = lambda draws: remembered(AGE, TREATED, draws=draws)
    assert not rows([[2, 0, 1, 1, 1, 1, 1, 1]]).resampled
    assert rows([[2, 0, 1, 1, 1, 1, 1, 1]] * 2).resampled
