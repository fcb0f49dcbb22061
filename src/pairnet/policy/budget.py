"""Whom to treat how with a budget: the options that gain most for what they cost.

Every row gets one of some options, each with its gain and its cost. Of a row only the options on
the upper hull of (cost, gain) can be best: one begins with the cheapest, and goes on to dearer ones
by steps that each gain less for a unit of cost than the one before. The steps of all rows are taken
in the order of gain per cost until the budget is spent. Were rows divisible, nothing could gain
more, and at most one row would be divided (Sinha and Zoltners, 1979). Rows are whole, so steps that
the rest of the budget does not pay are passed over: the plan gains at most one step less than the
best that there is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.types import is_finite
from pairnet.core.words import say, shown
from pairnet.metrics.passed import real_array

ROWS_IN_BLOCK = 20_000  # so that steps between many options fit into memory
SAME = 1e-9  # prices that differ by less, as shares, are the same
MOST = 1e100  # larger numbers have no sums


class Steps(NamedTuple):
    """Steps from one option of a row to a dearer one, in the order in which a row takes them."""

    row: Int[np.ndarray, " s"]
    option: Int[np.ndarray, " s"]  # to which the step leads
    gain: Float[np.ndarray, " s"]  # beyond the option before
    cost: Float[np.ndarray, " s"]
    worth: Float[np.ndarray, " s"]  # gain per cost

    def those(self, rows: np.ndarray) -> Steps:
        """Return some of the steps, or all in another order."""
        return Steps(*(values[rows] for values in self))


@dataclass(frozen=True)
class Rule:
    """Which steps are taken: those that gain more than `price` per unit of cost.

    share: how many of those that gain exactly that.
    """

    price: float = 0.0
    share: float = 0.0

    def shares(
        self, gains: Float[np.ndarray, "n o"], costs: Float[np.ndarray, "n o"]
    ) -> Float[np.ndarray, "n o"]:
        """Return how much of each row gets which option."""
        chosen, steps = _begun(gains, costs)
        near = SAME * abs(self.price)
        above = steps.those(np.flatnonzero(steps.worth > self.price + near))
        chosen[above.row] = above.option  # a row's later steps come later
        shares = np.zeros(gains.shape)
        shares[np.arange(len(gains)), chosen] = 1
        if self.share > 0:
            at = steps.those(np.flatnonzero(np.abs(steps.worth - self.price) <= near))
            shares[at.row, chosen[at.row]] -= self.share
            shares[at.row, at.option] += self.share
        return shares


@dataclass(frozen=True, eq=False)
class Allocation:
    """The option of each row, and what it comes to.

    option: 0 is the first, nobody's treatment as a rule. gain, cost: of each row. bound: the most
    that any plan could gain in all, were rows divisible. rule: by which other rows would be chosen
    in the same way. budget: None if there was none.
    """

    option: Int[np.ndarray, " n"]
    gain: Float[np.ndarray, " n"]
    cost: Float[np.ndarray, " n"]
    bound: float
    rule: Rule
    budget: float | None = None

    @property
    def spent(self) -> float:
        """What the plan costs in all."""
        return float(self.cost.sum())


def allocate(
    gains: Any, costs: Any = 1.0, budget: Any = None, *, worth: Any = None, seed: int = 0
) -> Allocation:
    """Choose for each row whether it is treated, or with which of several treatments.

    gains: what treating a row gains against leaving it alone, one number a row, or [n, k] for k
    treatments. costs: what that costs: one number, one a row, or [n, k]. budget: the most that may
    be spent (left out: no limit). worth: what a unit of gain is worth in units of cost; a step that
    is not worth what it costs is not taken then. A row that gains nothing is left alone. Rows that
    gain alike for their cost are drawn by lot, by the seed.
    """
    gain = table_of("gains", gains)
    cost = table_of("costs", costs, gain.shape)
    alone = np.zeros((len(gain), 1))
    return allocated(np.hstack([alone, gain]), np.hstack([alone, cost]), budget, worth, seed)


def allocated(
    gains: Float[np.ndarray, "n o"],
    costs: Float[np.ndarray, "n o"],
    budget: Any = None,
    worth: Any = None,
    seed: int = 0,
) -> Allocation:
    """Choose among options all of which have gains and costs; the cheapest needs no budget."""
    limit, least = _limit(budget), 0.0 if worth is None else 1 / _worth(worth)
    chosen, steps = _begun(gains, costs)
    row = np.arange(len(gains))
    base, start = (float(values[row, chosen].sum()) for values in (costs, gains))
    if limit is not None and base > limit + SAME * abs(limit):
        problem = f"must pay for the cheapest option of every row, {say(base, 4)} in all"
        raise BadInput("budget", f"{problem}, got {say(limit, 4)}")
    steps = steps.those(np.flatnonzero(steps.worth > least))
    lots = np.random.default_rng(seed).permutation(len(gains))
    steps = steps.those(np.lexsort((lots[steps.row], -steps.worth)))
    left = np.inf if limit is None else limit - base
    taken, rule, more = _bought(steps, left, least)
    for at in taken:
        chosen[steps.row[at]] = steps.option[at]
    own = row, chosen
    return Allocation(chosen, gains[own], costs[own], start + more, rule, limit)


def _begun(gains: np.ndarray, costs: np.ndarray) -> tuple[np.ndarray, Steps]:
    """Return the cheapest option of each row (of several, the best), and the steps from there."""
    chosen, parts = [], []
    for start in range(0, max(len(gains), 1), ROWS_IN_BLOCK):
        some = slice(start, start + ROWS_IN_BLOCK)
        first, steps = _hull(gains[some], costs[some])
        chosen.append(first)
        parts.append(steps._replace(row=steps.row + start))
    return np.concatenate(chosen), Steps(*map(np.concatenate, zip(*parts, strict=True)))


def _hull(gains: np.ndarray, costs: np.ndarray) -> tuple[np.ndarray, Steps]:
    """Walk up the hull of all rows at once: always to the option that gains most per cost."""
    cheapest = costs == costs.min(axis=1, keepdims=True)
    first = np.where(cheapest, gains, -np.inf).argmax(axis=1)
    row, here, last = np.arange(len(gains)), first.copy(), np.full(len(gains), np.inf)
    parts: list[Steps] = [Steps(row[:0], row[:0], *(np.zeros(0) for _ in range(3)))]
    while len(row):
        gain = gains[row] - gains[row, here][:, None]
        cost = costs[row] - costs[row, here][:, None]
        slope = np.where((cost > 0) & (gain > 0), gain / np.where(cost > 0, cost, 1), -np.inf)
        best = slope.max(axis=1)
        # Of options on one line the dearest, so that a row has one step at a price.
        option = np.where(slope >= (best * (1 - SAME))[:, None], cost, -np.inf).argmax(axis=1)
        on = np.flatnonzero(best > 0)
        row, here, last = row[on], option[on], np.minimum(last[on], best[on])
        parts.append(Steps(row, here, gain[on, here], cost[on, here], last))
    return first, Steps(*map(np.concatenate, zip(*parts, strict=True)))


def _bought(steps: Steps, left: float, least: float) -> tuple[list[int], Rule, float]:
    """Return the steps that the budget pays, the rule, and the most that could be gained.

    steps: the most worthy first. left: what there is to spend.
    """
    paid = np.cumsum(steps.cost)
    whole = int(np.searchsorted(paid, left * (1 + SAME), side="right"))
    gained = float(steps.gain[:whole].sum())
    taken = list(range(whole))
    if whole == len(steps.row):
        return taken, Rule(least), gained
    price = float(steps.worth[whole])
    alike = np.flatnonzero(np.abs(steps.worth - price) <= SAME * price)
    before = float(paid[alike[0]] - steps.cost[alike[0]])
    share = float(np.clip((left - before) / steps.cost[alike].sum(), 0, 1))
    left -= float(paid[whole - 1]) if whole else 0.0
    bound = gained + price * left
    passed: set[int] = set()
    cheapest = np.minimum.accumulate(steps.cost[whole:][::-1])[::-1]
    for at in range(whole, len(steps.row)):
        if cheapest[at - whole] > left:
            break
        if steps.cost[at] > left or int(steps.row[at]) in passed:
            passed.add(int(steps.row[at]))
            continue
        taken.append(at)
        left -= float(steps.cost[at])
    return taken, Rule(price, share), bound


def table_of(name: str, values: Any, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """Return numbers as [n, k], or raise; one number stands for all, one a row for all k."""
    wanted = "one number a row, or [n, k]" if shape is None else f"one number, or {shape}"
    refused = BadInput(name, f"must be numbers: {wanted}, got {shown(values)}")
    if (array := real_array(values)) is None:
        raise refused
    array = array[:, None] if array.ndim == 1 else array
    try:
        table = np.asarray(array if shape is None else np.broadcast_to(array, shape), float)
    except ValueError:
        raise refused from None
    if table.ndim != 2 or not table.size or not (np.abs(table) <= MOST).all():
        problem = "must be finite numbers, one a row or [n, k]"
        raise BadInput(name, f"{problem}, got shape {np.shape(values)}")
    return np.where(np.abs(table) < 1 / MOST, 0.0, table)


def _limit(budget: Any) -> float | None:
    if budget is not None and not is_finite(budget):
        raise BadInput("budget", f"must be a number, or None for no limit, got {shown(budget)}")
    return None if budget is None else float(budget)


def _worth(worth: Any) -> float:
    if not (is_finite(worth) and worth > 1 / MOST):
        problem = "must be a number above 0: what a unit of gain is worth in units of cost"
        raise BadInput("worth", f"{problem}, got {shown(worth)}")
    return float(worth)
