"""What a report looks at: rows, what the model says of them, and which of its members may say
so."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.treatments import Arms, Dose, Treatment
from pairnet.inference import intervals
from pairnet.methods import NetworkEstimator
from pairnet.model import door as inputs
from pairnet.report.words import say

ALPHA = 0.05
BARE = (
    "yes",
    "no",
    "y",
    "n",
    "true",
    "false",
    "t",
    "f",
)  # labels of arms that say nothing by themselves
# what to fit with for intervals
RESAMPLED = "bootstrap=True (on the command line: --bootstrap and --members 5)"


@dataclass(frozen=True, eq=False)
class View:
    """Rows and a question: what does `labels[1]` do, compared with `labels[0]`?

    Outcomes are in the user's units, those of a yes / no outcome in per cent. `trust` says which
    member may speak of which row where its own outcome is the judge: one that did not train on it,
    if there is any.
    """

    model: NetworkEstimator
    x: Float[np.ndarray, "n d"]
    t: Float[np.ndarray, " n"] | None  # inside units
    y: Float[np.ndarray, " n"] | None
    row: np.ndarray  # numbers of the rows in the user's table
    trust: Bool[np.ndarray, "m n"]
    is_training: bool
    labels: tuple[Hashable, Hashable]
    goal: int  # 1 if a large outcome is good, -1 if a small one is

    @property
    def treatment(self) -> Treatment:
        """What the treatment is."""
        return self.model.treatment_

    @property
    def binary(self) -> bool:
        """Whether the outcome is yes or no."""
        return not self.model.fitted_.reading.kind.has_unit

    @property
    def scale(self) -> float:
        """What outcomes are multiplied by to be shown."""
        return 100.0 if self.binary else 1.0

    @cached_property
    def names(self) -> dict[str, str]:
        """What treatment and outcome are called."""
        known = {
            "treatment": "the treatment",
            "outcome": "the outcome",
        } | self.model.training_.summary.get("names", {})
        labels = self.model.outcome_labels_
        return known | ({"outcome": f"{known['outcome']} = {labels[1]}"} if labels else {})

    @property
    def effect_name(self) -> str:
        """The name of an axis of effects."""
        outcome = self.names["outcome"]
        return (
            f"effect on the chance of {outcome} (percentage points)"
            if self.binary
            else f"effect on {outcome}"
        )

    @property
    def outcome_name(self) -> str:
        """The name of an axis of outcomes."""
        return (
            f"chance of {self.names['outcome']} (%)"
            if self.binary
            else f"expected {self.names['outcome']}"
        )

    @property
    def good(self) -> str:
        """Write what a gain is."""
        large, small, what = (
            ("high", "low", "chance of ") if self.binary else ("large", "small", "")
        )
        return f"a {large if self.goal > 0 else small} {what}{self.names['outcome']} is good"

    def amount(self, value: float) -> str:
        """Write a difference of outcomes, with its unit if it has one."""
        return say(value) + (" percentage points" if self.binary else "")

    def arm(self, label: Hashable) -> str:
        """Write an arm or a dose; an arm whose label says little of itself, as yes or 1, with the
        treatment's name."""
        if isinstance(self.treatment, Dose):
            return f"{float(label):g}"  # type: ignore[arg-type]
        return f"{self._column} = {label}" if _is_bare(label) else f"{label}"

    @property
    def comparison(self) -> str:
        """Write what is compared with what."""
        return self._pair(self.labels[1], "instead of", f"{self.names['treatment']} of ")

    def against(self, label: Hashable) -> str:
        """Write that an arm or a dose is compared with the first."""
        return self._pair(label, "against")

    def _pair(self, label: Hashable, word: str, dose: str = "") -> str:
        first = self.labels[0]
        if isinstance(self.treatment, Dose):
            return f"{dose}{self.arm(label)} {word} {self.arm(first)}"
        return f"{self.arm(label)} {word} {first if _is_bare(label) else self.arm(first)}"

    @property
    def _column(self) -> str:
        return self.model.training_.summary.get("names", {}).get("treatment", "treatment")

    def inside(self, label: Hashable) -> np.ndarray:
        """Return an arm's position, or a dose's place."""
        return self.treatment.encode(label, "treatment")

    def asked(
        self, labels: tuple[Hashable, Hashable] | None = None, rows: Any = slice(None)
    ) -> intervals.Asked:
        """Return the question as the intervals take it; other treatments or fewer rows where they
        are given."""
        first, second = (self.inside(label) for label in labels or self.labels)
        return intervals.Asked(
            self.model.fitted_, self.model.training_, self.treatment, self.x[rows], first, second
        )

    @cached_property
    def members(self) -> Float[np.ndarray, "m n"]:
        """Every member's effects."""
        return self.asked().members() * self.scale

    @property
    def effect(self) -> Float[np.ndarray, " n"]:
        """Each row's effect: what `model.effect` says."""
        return self.members.mean(axis=0)

    @property
    def has_intervals(self) -> bool:
        """Whether members were trained on their own draws of the rows."""
        return bool((self.model.training_.draws > 1).any())

    @cached_property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Each row's interval; only where `has_intervals`."""
        low, high = intervals.bootstrap(self.asked(), ALPHA)
        return low * self.scale, high * self.scale

    def group_interval(self, rows: np.ndarray) -> tuple[float | None, float | None]:
        """Return the interval of the mean effect of some rows, from members; None where there is
        none."""
        if not self.has_intervals:
            return None, None
        low, high = intervals.of_members(self.members[:, rows].mean(axis=1, keepdims=True), ALPHA)
        return float(low[0]), float(high[0])

    def outcomes(self, label: Hashable) -> Float[np.ndarray, "m n"]:
        """Return every member's expected outcome of each row under an arm or a dose."""
        said = self.model.fitted_.outcome(self.x, self.inside(label))[0]
        return np.clip(said, *self.model.fitted_.reading.kind.bounds) * self.scale

    @property
    def judged(self) -> Bool[np.ndarray, " n"]:
        """Which rows some member may speak of."""
        return np.asarray(self.trust.any(axis=0))

    def trusted(self, said: Float[np.ndarray, "m n"]) -> Float[np.ndarray, " n"]:
        """Return the mean of the members that may speak of a row."""
        return (said * self.trust).sum(axis=0) / np.maximum(1, self.trust.sum(axis=0))

    @cached_property
    def chances(self) -> Float[np.ndarray, "n k"]:
        """P(arm | x) of each row, of its own rows by models that have not seen them; arms only."""
        propensity = self.model.training_.propensity
        return propensity.chances if self.is_training else propensity.of(self.x)

    @property
    def honest(self) -> bool:
        """Whether rows are judged by members that have not seen them."""
        return not self.is_training or bool((self.model.training_.draws == 0).any())


def view(
    model: NetworkEstimator,
    X: Any = None,
    y: Any = None,
    treatment: Any = None,
    *,
    T0: Any = None,
    T1: Any = None,
    goal: str = "max",
) -> View:
    """Look at the rows given, or at those that the model remembers of its training."""
    if goal not in ("max", "min"):
        raise ValueError(f"goal must be 'max' (a large outcome is good) or 'min', got {goal!r}.")
    if X is None and not (y is None and treatment is None):
        raise ValueError("y and treatment belong to rows: pass X with them, or none of the three.")
    if (y is None) != (treatment is None):
        raise ValueError("y and treatment come together: pass both, or neither.")
    training = model.training_
    members = len(training.draws)
    labels = _labels(model.treatment_, T0, T1)
    sign = 1 if goal == "max" else -1
    scale = 1.0 if model.fitted_.reading.kind.has_unit else 100.0
    if X is None:
        unseen = training.draws == 0
        trust = unseen if unseen.any() else np.ones_like(unseen)
        return View(
            model,
            training.x,
            training.t,
            training.y * scale,
            training.row,
            trust,
            True,
            labels,
            sign,
        )
    inputs.aligned(X, y=y, treatment=treatment)
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", UserWarning
        )  # unseen levels were, or will be, said elsewhere
        x = model._covariates(X)
    rows = len(x)
    t = (
        None
        if treatment is None
        else np.broadcast_to(model._inside(treatment, "treatment", rows), rows)
    )
    seen = None if y is None else inputs.outcomes_as_in_fit(y, rows, model.outcome_labels_) * scale
    return View(
        model, x, t, seen, np.arange(rows), np.ones((members, rows), bool), False, labels, sign
    )


def _is_bare(label: Hashable) -> bool:
    """Tell whether a label means nothing without its column's name: yes, no, true, false, a
    number."""
    text = str(label).strip().lower()
    return text in BARE or re.fullmatch(r"[-+]?[\d.,]+", text) is not None


def _labels(kind: Treatment, T0: Any, T1: Any) -> tuple[Hashable, Hashable]:
    """Return what is compared: as asked; else the last arm with the baseline, or a high dose with a
    low one."""
    if isinstance(kind, Arms):
        first, second = kind.baseline, kind.others[-1]
        chosen = first if T0 is None else T0, second if T1 is None else T1
        if T0 is not None and T1 is None and chosen[0] == chosen[1]:
            chosen = T0, kind.baseline
    else:
        low, high = kind.contrast
        chosen = low if T0 is None else T0, high if T1 is None else T1
    for name, label in zip(("T0", "T1"), chosen, strict=True):
        kind.encode(label, name)
    if chosen[0] == chosen[1]:
        raise ValueError(
            f"T0 and T1 must differ for there to be an effect, got {chosen[0]!r} twice."
        )
    return chosen
