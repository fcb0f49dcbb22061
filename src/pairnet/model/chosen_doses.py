"""Which dose to give whom with a budget: a grid of doses between bounds, each with its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.levels import check_level
from pairnet.core.words import word
from pairnet.inference.dose_gain import gain
from pairnet.inference.intervals import Estimate
from pairnet.metrics.least_squares import Coefficient
from pairnet.model.chosen import UNJUDGED, Policy, Wanted, check_costs, check_seed, planned
from pairnet.model.costs import Costs
from pairnet.model.groups import is_fit
from pairnet.model.judges import sign_of
from pairnet.model.model import Model
from pairnet.model.question import Question, ask
from pairnet.model.responses import residuals_of
from pairnet.policy.best import ends_of, price_of
from pairnet.policy.budget import Rule, allocated
from pairnet.policy.value import NOBODY, POLICY, Compared, PolicyValue, coefficient

DOSES = 65  # at even steps between the bounds
ROWS_IN_BLOCK = 20_000


def dose_policy(model: Model, X: Any, wanted: Wanted) -> Policy:
    """Return the plan for rows of a model of doses."""
    sign, level = sign_of(wanted.goal), check_level(wanted.alpha)
    if wanted.T1 is not None:
        raise BadInput("T1", "is for arms; of doses give bounds")
    ends = ends_of(model.treatment, wanted.bounds)  # type: ignore[arg-type]
    doses = np.linspace(float(ends[0]), float(ends[1]), DOSES)
    first = float(ends[0]) if wanted.T0 is None else wanted.T0
    question = ask(model, X, first, float(ends[1]))
    if np.ndim(question.t0) != 0:
        raise BadInput("T0", "must be one dose for all rows")
    places = model.treatment.encode(doses, "bounds")
    check_costs(wanted)
    costs = _Costs.of(model, wanted.cost, len(question.x))
    gains = np.concatenate([sign * part.mean(axis=0) for part in _gains(question, places)])
    own = costs.table(question.x, np.arange(len(question.x)), doses)
    assert own is not None
    plan = allocated(gains, own, wanted.budget, wanted.worth, check_seed(wanted.seed))
    value, why_not = None, UNJUDGED["seen"]
    if question.memory.honest:
        value = _value(question, costs, plan.rule, doses, wanted, sign, level)
        why_not = UNJUDGED["costs"] if value is None else ""
    return planned(question, plan, doses, value, why_not)


@dataclass(frozen=True, eq=False)
class _Costs:
    """What doses cost: so much a unit, for all rows or by row, or by a function of doses."""

    by_dose: Any  # a function of doses, or None
    unit: Costs

    @classmethod
    def of(cls, model: Model, cost: Any, rows: int) -> _Costs:
        by_dose = cost if callable(cost) else None
        return cls(by_dose, Costs.of_unit(model, 0.0 if callable(cost) else cost, rows))

    def table(
        self, x: np.ndarray, place: np.ndarray | None, doses: np.ndarray
    ) -> Float[np.ndarray, "n g"] | None:
        """Return the costs of doses for encoded rows, or None where they are not known."""
        if self.by_dose is not None:
            return np.broadcast_to(price_of(self.by_dose, doses), (len(x), len(doses)))
        unit = self.unit.table(x, place)
        return None if unit is None else unit * doses


def _gains(question: Question, places: np.ndarray, x: np.ndarray | None = None):
    """Yield every member's gains of the doses against T0, block by block of the rows."""
    model, x = question.model, question.x if x is None else x
    for start in range(0, len(x), ROWS_IN_BLOCK):
        some = x[start : start + ROWS_IN_BLOCK]
        yield model.responses(some, places) - model.responses(some, np.atleast_1d(question.t0))


def _value(
    question: Question,
    costs: _Costs,
    rule: Rule,
    doses: Float[np.ndarray, " g"],
    wanted: Wanted,
    sign: float,
    alpha: float,
) -> PolicyValue | None:
    """Return what the rule gains on the rows of the fit, each placed by what has not seen it.

    Everybody means the highest dose for all.
    """
    memory, dose = question.memory, question.model.treatment
    place = memory.row if is_fit(question) else None
    cost = costs.table(memory.x, place, np.append(doses, question.T0))
    if cost is None:
        return None
    # The last of the options is T0, so that all rules choose among the same.
    places = np.append(dose.encode(doses, "bounds"), question.t0).astype(float)
    members = np.concatenate([*_gains(question, places, memory.x)], axis=1)
    residuals = residuals_of(question.model)
    count = residuals.unseen.sum(axis=0)
    judged = sign * (members * residuals.unseen[:, :, None]).sum(axis=0)
    by_row, row = judged / np.maximum(count, 1)[:, None], np.arange(len(count))
    share = memory.weight * (count > 0) / (memory.weight @ (count > 0))

    def compared(one: np.ndarray, other: np.ndarray) -> Coefficient:
        gains = members[:, row, one] - members[:, row, other]
        found = gain(gains, residuals, (places[one], places[other]), share)
        worth, paid = (
            (1.0, 0.0)
            if wanted.worth is None
            else (
                float(wanted.worth),
                float(share @ (cost[row, one] - cost[row, other])),
            )
        )
        value, error = sign * worth * found.value - paid, worth * found.error
        return coefficient(Estimate(value, error, found.freedom), alpha)

    chosen = rule.shares(by_row[:, :-1], cost[:, :-1]).argmax(axis=1)
    everybody = f"everybody {word(float(doses[-1]))}"
    rules = {POLICY: chosen, everybody: np.full_like(row, len(doses) - 1)}
    alone = np.full_like(row, len(doses))
    lines = [Compared(name, NOBODY, compared(one, alone)) for name, one in rules.items()]
    lines.append(Compared(POLICY, everybody, compared(chosen, rules[everybody])))
    treated = np.array([float(share @ (places[chosen] > places[-1]))])
    return PolicyValue(
        tuple(lines), (f"above {word(question.T0)}",), treated, int((count > 0).sum()), alpha
    )
