"""How the outcomes of some rows respond to doses, and how sure that is.

Answers are worked out when they are first asked for, and then remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np
from jaxtyping import Float

from pairnet.inference import averages, intervals, responses
from pairnet.inference.averages import Counted
from pairnet.inference.dose_density import rarity
from pairnet.inference.intervals import Ends, Estimate
from pairnet.inference.responses import Residuals
from pairnet.model import whom
from pairnet.model.model import Model

KINDS = ("plugin", "doubly robust")


@dataclass(frozen=True, eq=False)
class Responses:
    """Rows and a grid of doses, as places in the range of the doses."""

    model: Model
    x: Float[np.ndarray, "n d"]
    places: Float[np.ndarray, " g"]

    @cached_property
    def members(self) -> Float[np.ndarray, "m n g"]:
        """Every member's expected outcomes."""
        return self.model.responses(self.x, self.places)

    @cached_property
    def by_learner(self) -> tuple[Float[np.ndarray, "p n g"], Float[np.ndarray, " p"]] | None:
        """The same by each learner of a stack, with the learners' weights; None for one method."""
        return self.model.each_learner(lambda part: part.curve(self.x, self.places))

    def of_rows(self, rows: np.ndarray | slice) -> Responses:
        """Return the same for some of the rows."""
        some = Responses(self.model, self.x[rows], self.places)
        clusters = self.counted.clusters
        some.__dict__["counted"] = Counted(clusters=None if clusters is None else clusters[rows])
        some.__dict__["members"] = self.members[:, rows]
        if self.by_learner is not None:
            some.__dict__["by_learner"] = self.by_learner[0][:, rows], self.by_learner[1]
        return some

    def interval(self, alpha: float) -> Ends:
        """Return the ends of the interval of each row's expected outcome under each dose."""
        self.model.need_interval()
        lower, upper = intervals.of_answers(self.members, self.by_learner, alpha)
        return self.model.outcome.inside(lower), self.model.outcome.inside(upper)

    def average(self, kind: str) -> Float[np.ndarray, " g"]:
        """Return the average outcome under each dose: the model's own, or corrected."""
        if kind == "plugin":
            return np.asarray(self.members.mean(axis=(0, 1)))
        values = np.array([estimate.value for estimate in self.doubly_robust])
        return self.model.outcome.inside(values)

    def average_interval(self, alpha: float, kind: str) -> Ends:
        """Return the ends of the interval of the average outcome under each dose, one by one."""
        estimates = self.by_members if kind == "bootstrap" else self.doubly_robust
        ends = np.array([intervals.around(estimate, alpha) for estimate in estimates])
        lower, upper = self.model.outcome.inside(ends).T
        return lower, upper

    @cached_property
    def by_members(self) -> list[Estimate]:
        """The average outcome under each dose by the members, with its error."""
        return [self.averaged(itemgetter((..., k))) for k in range(len(self.places))]

    def averaged(
        self, pick: Callable[[Float[np.ndarray, "m n g"]], Float[np.ndarray, "m n"]]
    ) -> Estimate:
        """Return the average of what `pick` takes of the rows' curves, with its error."""
        self.model.need_interval()
        if self.by_learner is None:
            return averages.of_members(pick(self.members), self.counted)
        answers, weights = self.by_learner
        return averages.of_folds(pick(self.members), pick(answers), weights, self.counted)

    @cached_property
    def counted(self) -> Counted:
        """How rows count in an average: all alike; those of the fit have their clusters."""
        clusters = self.model.memory.clusters
        place = None if clusters is None else whom.place_in_fit(self.model.memory, self.x)
        return Counted(clusters=None if clusters is None or place is None else clusters[place])

    @cached_property
    def doubly_robust(self) -> list[Estimate]:
        """The same, corrected by outcomes of the rows of the fit with doses near it."""
        residuals = residuals_of(self.model)
        return [
            responses.doubly_robust(self.members[..., k], residuals, float(place), self.counted)
            for k, place in enumerate(self.places)
        ]


def residuals_of(model: Model) -> Residuals:
    """Return the residuals of the rows that the model remembers, by members that may judge them."""
    memory = model.memory
    memory.need_unseen()
    return Residuals(
        place=memory.t,
        weight=memory.weight * rarity(memory.x, memory.t, memory.weight, memory.clusters),
        members=memory.y - model.outcomes(memory.x, memory.t),
        unseen=memory.draws == 0,
        clusters=memory.clusters,
    )
