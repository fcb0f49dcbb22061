"""Whom to treat how: a plan for some rows, and what its rule gains where outcomes can judge it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import Argument, BadInput
from pairnet.core.levels import check_level
from pairnet.core.listing import Listing
from pairnet.core.types import is_seed
from pairnet.core.words import say, shown, word
from pairnet.model.costs import Costs
from pairnet.model.groups import rows_of_fit
from pairnet.model.judges import Placed, need_arms, others_of, placed, sign_of
from pairnet.model.model import Model
from pairnet.model.question import Question, ask, ask_memory
from pairnet.policy.budget import Allocation, allocated
from pairnet.policy.value import PolicyValue
from pairnet.tables import AbstractTable

MOST_KINDS = 10  # lines of the table
UNJUDGED = {
    "seen": "Not judged by outcomes: every member was trained on every row of the fit.",
    "costs": (
        "Not judged by outcomes: what treating the rows of the fit costs is not known. Pass y and "
        "treatment of X, or a cost that is a number, or a covariate."
    ),
}


@dataclass(frozen=True, eq=False)
class Wanted:
    """What a policy is asked for; see `AskedOfPolicies.policy`."""

    T0: Any = None
    T1: Any = None
    budget: Any = None
    cost: Any = None
    worth: Any = None
    bounds: Any = None
    goal: Any = "max"
    seed: int = 0
    alpha: Any = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Policy(Listing):
    """Whom to treat how; one line a treatment.

    treatment: what each row gets, in the form of the table that was asked about. gain: what the
    model says that it gains against T0; cost: what that costs, both one a row. value: what the same
    rule gains by outcomes, per row, on the rows of the fit (each placed by members that have not
    seen it) or on the rows asked about if they came with outcomes; None, and `why_not` says why, if
    that is not known. bound: the most that any plan could gain in all, were rows divisible.
    """

    treatment: Any
    gain: Float[np.ndarray, " n"]
    cost: Float[np.ndarray, " n"]
    budget: float | None
    bound: float
    price: float
    value: PolicyValue | None
    why_not: str
    T0: Any
    labels: np.ndarray  # [n], what each row gets
    table: AbstractTable

    @property
    def treated(self) -> np.ndarray:
        """Which rows get anything but T0."""
        return np.asarray(self.labels != self.T0)

    @property
    def spent(self) -> float:
        """What the plan costs in all."""
        return float(self.cost.sum())

    def plan(self) -> Any:
        """Return what each row gets, as a data frame with the rows of the table asked about."""
        columns = {"treatment": self.labels, "gain": self.gain, "cost": self.cost}
        return self.table.like(columns)

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line a treatment."""
        kinds = self._kinds()
        sums = lambda values: np.array([float(values[rows].sum()) for _, rows in kinds])
        return {
            "treatment": np.asarray([name for name, _ in kinds], object),
            "rows": np.array([int(rows.sum()) for _, rows in kinds]),
            "share": np.array([float(rows.mean()) for _, rows in kinds]),
            "cost": sums(self.cost),
            "gain": sums(self.gain),
        }

    def _kinds(self) -> list[tuple[str, np.ndarray]]:
        """Return the treatments and who gets them; many doses are ranges."""
        kinds = np.unique(self.labels)
        if len(kinds) <= MOST_KINDS:
            return [(word(kind), self.labels == kind) for kind in kinds]
        edges = np.unique(np.quantile(self.labels, np.linspace(0, 1, MOST_KINDS // 2 + 1)))
        group = np.searchsorted(edges[1:-1], self.labels, side="left")
        own = [group == k for k in range(len(edges) - 1)]
        name = lambda doses: f"{say(doses.min())} to {say(doses.max())}"
        return [(name(self.labels[rows]), rows) for rows in own if rows.any()]

    def notes(self):
        of = "" if self.budget is None else f" of {say(self.budget, 4)}"
        total = float(self.gain.sum())
        lines = [
            f"Spent: {say(self.spent, 4)}{of}. The model says that this gains {say(total, 4)} in "
            f"all (at most {say(self.bound, 4)}, were rows divisible)."
        ]
        return (*lines, *self.judged())

    def judged(self) -> tuple[str, ...]:
        """Say what the rule gains by outcomes, or why that is not known."""
        if self.value is None:
            return (self.why_not,)
        lines = [
            f"against {line.against} {say(line.gain.value)} ({say(line.gain.lower)} to "
            f"{say(line.gain.upper)})"
            for line in self.value.lines
            if line.policy == "this policy"
        ]
        level = f"{100 * (1 - self.value.alpha):g} %"
        what = "By outcomes the rule gains per row" + ", less its cost" * self.value.after_cost
        return (f"{what} ({level} interval): {'; '.join(lines)}.",)


def arm_policy(
    model: Model, X: Any, wanted: Wanted, y: Any, treatment: Any, sample_weight: Any
) -> Policy:
    """Return the plan for rows of a model of arms; see `AskedOfPolicies.policy`."""
    sign, level = sign_of(wanted.goal), check_level(wanted.alpha)
    if wanted.bounds is not None:
        raise BadInput("bounds", "are for doses; this model compares arms", "Leave them out.")
    T0, others = others_of(model.treatment, wanted.T0, wanted.T1)
    question = ask(model, X, T0, others[0])
    question.check_differs()
    labels, rows = (T0, *others), len(question.x)
    check_costs(wanted)
    costs = Costs.of(model, 0.0 if wanted.cost is None else wanted.cost, labels, rows)
    own = costs.table(question.x, np.arange(rows))
    assert own is not None
    effects = [question.comparing(T0, label).effect for label in others]
    gains = np.stack([np.zeros(rows), *(sign * effect for effect in effects)], axis=1)
    plan = allocated(gains, own, wanted.budget, wanted.worth, check_seed(wanted.seed))
    judges, why_not = _judges(question, others, sign, (y, treatment, sample_weight))
    value = None
    if judges is not None:
        value = _value(judges, costs, plan, wanted, tuple(map(word, others)), level)
        why_not = why_not if value is not None else UNJUDGED["costs"]
    return planned(question, plan, np.asarray(labels), value, why_not)


def value_of(
    model: Model,
    assigned: Any,
    X: Any,
    outcomes: tuple[Any, Any, Any],
    T0: Any,
    goal: Any,
    alpha: Any,
) -> PolicyValue:
    """Return what a policy of a person's own gains; see `AskedOfPolicies.policy_value`."""
    sign, level = sign_of(goal), check_level(alpha)
    need_arms(model, "policy_value", "model.policy(X) chooses doses.")
    T0, others = others_of(model.treatment, T0, None)
    question = ask_memory(model, T0, others[0]) if X is None else ask(model, X, T0, others[0])
    count = int(question.memory.row.max()) + 1 if X is None else len(question.x)
    if outcomes[0] is None:
        rows_of_fit(question, count, "assigned")
    arm = np.broadcast_to(model.inside(assigned, "assigned", count), count)
    rows = placed(question, others, sign, *outcomes, ordered=False)
    assert rows.place is not None
    given = np.stack([arm == model.inside(label, "T1", 1) for label in others])
    return rows.judges(tuple(map(word, others))).value(given[:, rows.place].astype(float), level)


def check_costs(wanted: Wanted) -> None:
    """Raise if there is a budget, or a worth, and nobody says what treatments cost."""
    for name in ("budget", "worth"):
        if getattr(wanted, name) is not None and wanted.cost is None:
            problem = ("is needed beside ", Argument(name), ": what does treating a row cost?")
            raise BadInput("cost", problem)


def _judges(
    question: Question, others: tuple[Any, ...], sign: float, outcomes: tuple[Any, Any, Any]
) -> tuple[Placed | None, str]:
    """Return the rows that judge, or why there are none."""
    if outcomes[0] is None and not question.memory.honest:
        return None, UNJUDGED["seen"]
    return placed(question, others, sign, *outcomes), ""


def _value(
    judges: Placed,
    costs: Costs,
    plan: Allocation,
    wanted: Wanted,
    names: tuple[str, ...],
    level: float,
) -> PolicyValue | None:
    """Return what the rule of a plan gains on rows that judge; None if their costs are unknown.

    If it is said what a gain is worth, the value is that of gains less costs.
    """
    cost = costs.table(judges.x, judges.place)
    if cost is None:
        return None
    nothing = np.zeros((1, len(judges.x)))
    shares = plan.rule.shares(np.concatenate([nothing, judges.effect]).T, cost)
    own = judges.judges(names)
    if wanted.worth is not None:
        own = own.after((cost[:, 1:] - cost[:, :1]).T, float(wanted.worth))
    return own.value(shares[:, 1:].T, level)


def planned(
    question: Question,
    plan: Allocation,
    labels: np.ndarray,
    value: PolicyValue | None,
    why_not: str,
) -> Policy:
    """Return the plan for the rows of a question; labels: of the options."""
    assert question.table is not None
    chosen = labels[plan.option]
    return Policy(
        treatment=question.table.series(chosen, "treatment"),
        gain=plan.gain,
        cost=plan.cost,
        budget=plan.budget,
        bound=plan.bound,
        price=plan.rule.price,
        value=value,
        why_not=why_not,
        T0=question.T0,
        labels=chosen,
        table=question.table,
    )


def check_seed(seed: Any) -> int:
    """Return a seed, or raise."""
    if not (is_seed(seed) and seed >= 0):
        raise BadInput("seed", f"must be a whole number, 0 or more, got {shown(seed)}")
    return int(seed)
