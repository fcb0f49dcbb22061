"""Is it worth choosing whom to treat? Rows in the order of their effects, judged by outcomes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.levels import check_level
from pairnet.core.listing import Listing
from pairnet.core.words import p_text, word
from pairnet.metrics.least_squares import Coefficient
from pairnet.metrics.rank_weighted import WEIGHTINGS, check_weighting
from pairnet.metrics.ranked import (
    Measure,
    Ranked,
    area,
    everyone,
    gain_of_first,
    mean_of_first,
    qini,
    share_of_rows,
    toc_of_first,
)
from pairnet.metrics.uplift import PriorityCurve, curve
from pairnet.model.groups import is_fit
from pairnet.model.judges import Placed, need_arms, placed, sign_of
from pairnet.model.question import ask, ask_memory

FIRST = (0.1, 0.2, 0.3, 0.5)  # of the rows, in the table


@dataclass(frozen=True, eq=False, repr=False)
class Targeting(Listing):
    """Rows in the order in which a model would treat them, judged by doubly robust scores.

    scores, priority: of each row, by what has not seen it. They count as gains: large is good.
    weight, clusters: how much rows count, and which belong together. `pairnet.metrics` has the same
    numbers on arrays; here their errors hold the luck of splits and members, too.
    """

    rows: Placed
    labels: tuple[Any, Any]
    alpha: float = 0.05

    @property
    def scores(self) -> Float[np.ndarray, " n"]:
        """The doubly robust score of each row."""
        return self.rows.score[0]

    @property
    def priority(self) -> Float[np.ndarray, " n"]:
        """The effect of each row, by what has not seen it."""
        return self.rows.effect[0]

    @property
    def weight(self) -> Float[np.ndarray, " n"]:
        """How much each row counts."""
        return self.rows.weight

    @property
    def clusters(self) -> Int[np.ndarray, " n"] | None:
        """Which rows belong together, or None."""
        return self.rows.clusters

    def qini_curve(self, shares: Any = None) -> PriorityCurve:
        """Return the gain of treating the first rows, by their share."""
        return curve(self._ranked, gain_of_first, shares, self.alpha, self._luck)

    def toc(self, shares: Any = None) -> PriorityCurve:
        """Return by how much the first rows gain more than all, by their share."""
        return curve(self._ranked, toc_of_first, shares, self.alpha, self._luck)

    def rate(self, weighting: str = "autoc") -> Coefficient:
        """Return the area under the weighted TOC: "autoc" or "qini"."""
        return self._number(WEIGHTINGS[check_weighting(weighting)])

    def auuc(self) -> Coefficient:
        """Return the area under the Qini curve."""
        return self._number(area)

    def uplift_at_k(self, k: Any = 0.3) -> Coefficient:
        """Return the average effect among the first share `k` of the rows."""
        return self._number(mean_of_first(share_of_rows("k", k)))

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line a number."""
        names = ("value", "error", "lower", "upper", "p")
        values = np.asarray(list(self._table.values()), float).T
        terms = np.asarray(list(self._table), object)
        return {"number": terms, **dict(zip(names, values, strict=True))}

    def notes(self):
        found = self._table["RATE (AUTOC)"]
        p = p_text(found.p)
        better = "is better than" if found.lower > 0 else "is not clearly better than"
        return (
            f"{word(self.labels[1])} against {word(self.labels[0])}: the order of the model "
            f"{better} a random one (p {'' if p[0] in '<>' else '= '}{p}).",
        )

    @cached_property
    def _table(self) -> dict[str, Coefficient]:
        measures: dict[str, Measure] = {"average gain": everyone}
        measures |= {"RATE (AUTOC)": WEIGHTINGS["autoc"], "Qini coefficient": qini, "AUUC": area}
        measures |= {f"gain of first {100 * k:.0f} %": mean_of_first(k) for k in FIRST}
        found = self._ranked.estimates(list(measures.values()), self.alpha, self._luck)
        return dict(zip(measures, found, strict=True))

    @cached_property
    def _ranked(self) -> Ranked:
        return Ranked.of(self.scores, self.priority, self.weight, self.clusters)

    def _luck(self, counts: Float[np.ndarray, "k n"]) -> Float[np.ndarray, " k"]:
        return np.array([self.rows.luck(own[None]) for own in counts])

    def _number(self, measure: Measure) -> Coefficient:
        return self._ranked.estimates([measure], self.alpha, self._luck)[0]


def targeting(
    model: Any,
    X: Any,
    y: Any,
    treatment: Any,
    sides: tuple[Any, Any],
    goal: Any,
    sample_weight: Any,
    alpha: Any,
) -> Targeting:
    """Return the rows in their order; see `AskedOfPolicies.targeting`."""
    sign, level = sign_of(goal), check_level(alpha)
    need_arms(model, "targeting", "model.policy(X) chooses doses.")
    question = ask_memory(model, *sides) if X is None else ask(model, X, *sides)
    question.check_differs()
    if y is None and not is_fit(question):
        problem = "is needed beside X: outcomes and treatments of the rows judge their order"
        raise BadInput("y", problem, "Leave X out, too, for the rows of the fit.")
    rows = placed(question, (question.T1,), sign, y, treatment, sample_weight)
    return Targeting(rows, (question.T0, question.T1), level)
