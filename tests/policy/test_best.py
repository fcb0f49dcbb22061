"""Whom to treat how, against optima that are known."""

import numpy as np
import pytest

from pairnet.core.treatments import Arms, Dose
from pairnet.policy import best
from pairnet.policy.best import best_treatment

ARMS, DOSE = Arms(("half", "none", "whole")), Dose(0.0, 10.0)
OUTCOMES = np.array([[1.0, 0.0, 3.0], [2.0, 1.9, 1.0], [0.0, 1.0, 0.5]])


def table_of(x, t):
    return OUTCOMES[x[:, 0].astype(int)]


def best_arm(cost=None, bounds=None):
    return best_treatment(ARMS, np.arange(3.0)[:, None], table_of, cost, bounds).tolist()


def hill(x, places):
    """Outcomes are largest at the dose that is the row's first covariate."""
    return -((10 * places - x[:, :1]) ** 2)


PEAKS = np.array([[0.0], [1.234], [5.0], [10.0], [12.0]])


def best_dose(x=PEAKS, outcomes=hill, cost=None, bounds=None):
    return best_treatment(DOSE, x, outcomes, cost, bounds)


def test_the_best_arm_has_the_largest_outcome():
    assert best_arm() == ["whole", "half", "none"]


def test_the_best_arm_pays_its_cost():
    assert best_arm({"half": 0.2}) == ["whole", "none", "none"]
    assert best_arm({"whole": 2.5, "none": 0}) == ["half", "half", "none"]
    assert best_arm({"half": -10}) == ["half", "half", "half"]
    assert best_arm({}) == best_arm()


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"cost": {"third": 1.0}}, "cost names 'third', which is no arm: expected some of 'half'"),
        ({"cost": {"half": "much"}}, "cost of arm 'half' must be a number, got 'much'"),
        ({"cost": {"half": np.inf}}, "cost of arm 'half' must be a number, got inf"),
        ({"cost": {"half": True}}, "cost of arm 'half' must be a number, got True"),
        ({"cost": 1.0}, r"must be a dictionary from arm to cost, as \{'half': 0, 'whole': 2.5\}"),
        ({"bounds": (0, 1)}, "bounds are for doses; this model compares arms. Leave them out"),
    ],
)
def test_costs_and_bounds_that_arms_cannot_have(asked, message):
    with pytest.raises(ValueError, match=message):
        best_arm(**asked)


def test_the_best_dose_is_where_the_outcome_is_largest_inside_the_range():
    assert best_dose() == pytest.approx([0, 1.234, 5, 10, 10], abs=1e-3)


def test_no_dose_outside_the_bounds_is_looked_at():
    def inside(x, places):
        assert np.all((places >= 0.2) & (places <= 0.6))
        return hill(x, places)

    best_dose(outcomes=inside, bounds=(2, 6))


def test_a_unit_of_dose_costs_what_is_said():
    """-(d - p)^2 - c d is largest at p - c / 2."""
    assert best_dose(cost=2.0) == pytest.approx([0, 0.234, 4, 9, 10], abs=1e-3)
    assert best_dose(cost=-1) == pytest.approx([0.5, 1.734, 5.5, 10, 10], abs=1e-3)
    assert np.array_equal(best_dose(cost=lambda dose: 2 * dose), best_dose(cost=2.0))
    fee = best_dose(cost=lambda dose: np.where(dose > 0, 30.0, 0.0))  # to give any at all
    assert fee == pytest.approx([0, 0, 0, 10, 10], abs=1e-3)
    assert np.array_equal(best_dose(cost=lambda dose: 7.0), best_dose())


def test_the_best_dose_lies_between_the_bounds():
    assert best_dose(bounds=(2, 6)) == pytest.approx([2, 2, 5, 6, 6], abs=1e-3)
    assert best_dose(bounds=(4.0, 4.0)).tolist() == [4] * 5
    with pytest.warns(UserWarning, match="bounds goes from 0 to 20, outside the doses"):
        assert best_dose(bounds=(0, 20))[-1] == pytest.approx(12, abs=2e-3)


def test_the_best_of_two_hills_is_the_higher_one():
    two = lambda x, places: (
        np.exp(-((places - 0.2) ** 2) / 0.01) + 1.5 * np.exp(-((places - 0.81) ** 2) / 0.001)
    )
    assert best_dose(np.zeros((2, 1)), two) == pytest.approx([8.1, 8.1], abs=1e-2)


def test_many_rows_are_looked_at_in_blocks(monkeypatch):
    seen = []

    def counted(x, places):
        seen.append(len(x))
        return hill(x, places)

    monkeypatch.setattr(best, "ROWS_IN_BLOCK", 2)
    assert np.array_equal(best_dose(outcomes=counted), best_dose())
    assert set(seen) == {1, 2}


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"cost": np.nan}, "cost must be a number .per unit of dose. or a function .* got nan"),
        ({"cost": {"a": 1}}, "cost must be a number"),
        ({"cost": lambda dose: dose[0]}, "cost must return a finite number for each dose"),
        ({"cost": lambda dose: dose / 0 * np.inf}, "cost must return a finite number"),
        ({"bounds": (6, 2)}, r"bounds must be \(smallest, largest\) dose, got \(6, 2\)"),
        ({"bounds": (2, np.nan)}, "bounds must be"),
        ({"bounds": 3}, "bounds must be"),
        ({"bounds": ("2", "3")}, "bounds must be"),
        ({"bounds": (2, (3, 4))}, "bounds must be"),
    ],
)
def test_costs_and_bounds_that_doses_cannot_have(asked, message):
    with pytest.raises(ValueError, match=message):
        best_dose(**asked)
