"""Methods whose members are learned one by one, as separate tasks of any engine."""

from __future__ import annotations

import abc
from contextlib import closing
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows
from pairnet.engines import Here, Shared, Task
from pairnet.model.face import Estimator
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.training.progress import silent


@dataclass(kw_only=True, eq=False, repr=False)
class ByMember(Estimator):
    """Methods that learn each member separately; `learn_member` says how."""

    @abc.abstractmethod
    def learn_member(
        self, rows: Rows, treatment: Treatment, outcome: AbstractOutcome, seed: int
    ) -> AbstractPredictor:
        """Learn one member from weighted rows; the answers of its predictor have one member."""

    @abc.abstractmethod
    def restore_member(
        self, stored: Stored, treatment: Treatment, outcome: AbstractOutcome, width: int
    ) -> AbstractPredictor:
        """Make one member again of what its `stored` returned."""

    def learn(self, rows, treatment, outcome, *, draws=None, report=silent, engine=None):
        """Learn every member from its own draw of the rows; each member is a task."""
        count = self.members if draws is None else len(draws)
        everyone = Shared(rows), treatment, outcome
        tasks = []
        for member in range(count):
            own = None if draws is None else draws[member], self.seed + member
            tasks.append(Task(str(member), _learned_member, (self, *everyone, *own)))
        members: dict[int, AbstractPredictor] = {}
        with closing((engine or Here()).run(tasks)) as results:
            for result in results:
                members[int(result.task)] = result.get()
                report("members", float(len(members)), count, 1)
        return Ensemble(tuple(members[member] for member in range(count)))

    def restore(self, stored, treatment, outcome, width):
        members = []
        for member, about in enumerate(stored.json["members"]):
            start = f"{member}."
            own = {
                name.removeprefix(start): array
                for name, array in stored.arrays.items()
                if name.startswith(start)
            }
            members.append(self.restore_member(Stored(about, own), treatment, outcome, width))
        if len(members) != self.members:
            raise ValueError(f"it has {len(members)} members instead of {self.members}")
        return Ensemble(tuple(members))


def _learned_member(
    learner: ByMember,
    rows: Rows,
    treatment: Treatment,
    outcome: AbstractOutcome,
    draw: Int[np.ndarray, " n"] | None,
    seed: int,
) -> AbstractPredictor:
    """Learn one member from the rows that it draws."""
    weight = rows.weight if draw is None else rows.weight * draw
    own = Rows(rows.x, rows.t, rows.y, weight).take(np.flatnonzero(weight > 0))
    return learner.learn_member(own, treatment, outcome, seed)


@dataclass(frozen=True, eq=False)
class Ensemble(AbstractPredictor):
    """Several predictors of one member each, as one predictor."""

    members: tuple[AbstractPredictor, ...]

    def outcome(self, x, t):
        return np.concatenate([member.outcome(x, t) for member in self.members])

    def effect(self, x, t0, t1):
        return np.concatenate([member.effect(x, t0, t1) for member in self.members])

    def curve(self, x, t):
        return np.concatenate([member.curve(x, t) for member in self.members])

    def slope(self, x, t):
        return np.concatenate([member.slope(x, t) for member in self.members])

    def stored(self):
        parts = [member.stored() for member in self.members]
        arrays = {
            f"{member}.{name}": array
            for member, part in enumerate(parts)
            for name, array in part.arrays.items()
        }
        return Stored({"members": [part.json for part in parts]}, arrays)
