"""Whom to treat with a budget, against what is known to be best."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linprog

from pairnet.policy import Rule, allocate
from pairnet.policy.budget import allocated


def test_those_who_gain_most_per_cost_come_first():
    """Gains 6, 5, 4, 3, -1 for costs 3, 1, 2, 3, 1: per cost 2, 5, 2, 1, -1."""
    gains, costs = [6.0, 5, 4, 3, -1], [3.0, 1, 2, 3, 1]
    chosen = lambda budget: allocate(gains, costs, budget).option.tolist()
    assert chosen(0) == [0, 0, 0, 0, 0]
    assert chosen(1) == [0, 1, 0, 0, 0]
    assert chosen(6) == [1, 1, 1, 0, 0]
    assert chosen(100) == chosen(None) == [1, 1, 1, 1, 0]
    found = allocate(gains, costs, 7)
    assert (found.spent, found.gain.sum(), found.bound) == (6, 15, 16)


def test_what_the_rest_of_the_budget_does_not_pay_is_passed_over():
    found = allocate([10.0, 9, 1], [10.0, 10, 2], 13)
    assert found.option.tolist() == [1, 0, 1]
    assert found.bound == pytest.approx(10 + 3 * 0.9)


def test_of_several_treatments_each_step_up_must_be_worth_its_cost():
    """The dear one gains 1 more for 9 more, so that others come first."""
    gains, costs = [[4.0, 5.0], [2.0, 0.0]], [[1.0, 10.0]]
    chosen = lambda budget: allocate(gains, np.repeat(costs, 2, axis=0), budget).option.tolist()
    assert chosen(1) == [1, 0]
    assert chosen(10) == [1, 1]  # not the dear one, which would gain 5
    assert chosen(11) == [2, 1]
    dominated = allocate([[1.0, 3.0, 8.0]], [[1.0, 2.0, 4.0]], 3)  # a mix of 0 and 8 beats 3
    assert dominated.option.tolist() == [0]
    assert dominated.bound == pytest.approx(6)


@pytest.mark.parametrize("seed", range(15))
def test_plans_keep_the_budget_and_gain_at_most_a_step_less_than_the_best(seed):
    rng = np.random.default_rng(seed)
    rows, options = 5, 4
    gains = rng.normal(size=(rows, options)).round(1)
    costs = rng.integers(0, 5, size=(rows, options)).astype(float)
    budget = float(rng.integers(costs.min(axis=1).sum(), costs.max(axis=1).sum() + 2))
    found = allocated(gains, costs, budget)
    row, every = np.arange(rows), list(itertools.product(range(options), repeat=rows))
    paid = [choice for choice in map(list, every) if costs[row, choice].sum() <= budget]
    best = max(gains[row, choice].sum() for choice in paid)
    assert found.spent <= budget
    assert np.ptp(gains) >= best - found.gain.sum() >= -1e-9
    one_each = np.kron(np.eye(rows), np.ones(options))
    divisible = linprog(
        -gains.ravel(), costs.ravel()[None], [budget], one_each, np.ones(rows), bounds=(0, 1)
    )
    assert found.bound == pytest.approx(-divisible.fun)
    shares = found.rule.shares(gains, costs)
    assert shares.sum(axis=1) == pytest.approx(np.ones(rows))
    assert (shares * gains).sum() == pytest.approx(found.bound)
    assert (shares * costs).sum() <= budget + 1e-9


def test_rows_that_gain_alike_are_drawn_by_lot():
    plans = [allocate(np.ones(400), 1.0, 100, seed=seed).option for seed in (0, 0, 1)]
    assert np.array_equal(plans[0], plans[1])
    assert not np.array_equal(plans[0], plans[2])
    assert plans[0].sum() == 100
    assert 60 < plans[0][:200].sum() * 2 < 140  # not the first ones
    rule = allocate(np.ones(400), 1.0, 100).rule
    assert rule.shares(np.array([[0.0, 1], [0, 2], [0, 0.5]]), np.array([[0.0, 1]] * 3))[
        :, 1
    ] == pytest.approx([0.25, 1, 0])


def test_what_is_not_worth_its_cost_is_not_done():
    gains, costs = [6.0, 5, 4, 3], [3.0, 1, 2, 3]
    assert allocate(gains, costs, worth=1).option.tolist() == [1, 1, 1, 0]
    assert allocate(gains, costs, worth=0.5).option.tolist() == [0, 1, 0, 0]
    assert allocate(gains, costs, worth=10).option.tolist() == [1, 1, 1, 1]


def test_the_cheapest_option_is_paid_in_any_case():
    gains, costs = np.array([[0.0, 1]] * 3), np.array([[2.0, 3]] * 3)
    assert allocated(gains, costs, 7).option.sum() == 1
    with pytest.raises(ValueError, match="budget must pay for the cheapest option of every row, 6"):
        allocated(gains, costs, 5)
    saves = allocate([-1.0, 4.0], [-5.0, 5.0], 0)  # harm that pays for a gain
    assert saves.option.tolist() == [1, 1]


def test_a_rule_without_price_treats_all_who_gain():
    gains, costs = np.array([[0.0, 1], [0, -1]]), np.array([[0.0, 1]] * 2)
    assert Rule().shares(gains, costs).tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: allocate(["a"]), "gains must be numbers: one number a row, or .n, k., got"),
        (lambda: allocate([1.0, np.nan]), "gains must be finite numbers"),
        (lambda: allocate([1.0, 2.0], [1.0, 2.0, 3.0]), "costs must be numbers: one number, or"),
        (lambda: allocate([1.0], budget="much"), "budget must be a number, or None for no limit"),
        (lambda: allocate([1.0], worth=0), "worth must be a number above 0"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()
