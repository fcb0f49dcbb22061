"""What a report is about: rows and a question, in the words and units of the reader."""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.outcomes import OutcomeWords
from pairnet.core.treatments import Treatment
from pairnet.core.types import is_one_of
from pairnet.core.words import word
from pairnet.evidence.memory import Memory
from pairnet.inference import intervals
from pairnet.methods import Estimator
from pairnet.model import door
from pairnet.model.leading import leading_target
from pairnet.model.model import Model
from pairnet.model.question import Question, ask, ask_memory
from pairnet.report.words import between, say, with_minus
from pairnet.tables import Schema

ALPHA = 0.05
# Labels of arms that mean nothing without the name of their column.
BARE = ("yes", "no", "y", "n", "true", "false", "t", "f")
# The hyperparameters that a model needs for intervals.
RESAMPLED = "bootstrap=True (on the command line: --bootstrap and --members 5)"


@dataclass(frozen=True, eq=False)
class Subject:
    """Rows and a question: what does `labels[1]` do, compared with `labels[0]`?

    Outcomes are in the user's units, and those of a yes / no outcome in per cent.
    """

    method: Estimator
    question: Question
    t: Float[np.ndarray, " n"] | None  # inside units
    y: Float[np.ndarray, " n"] | None
    row: np.ndarray  # numbers of the rows in the user's table
    goal: int  # 1 if a large outcome is good, -1 if a small one is

    @property
    def model(self) -> Model:
        """The fitted model."""
        return self.question.model

    @property
    def memory(self) -> Memory:
        """The rows that the model remembers of its fit."""
        return self.model.memory

    @property
    def summary(self) -> dict[str, Any]:
        """What the model remembers about its fit."""
        return self.memory.summary

    @property
    def schema(self) -> Schema:
        """What each column of the table is."""
        return self.model.schema

    @property
    def treatment(self) -> Treatment:
        """What the treatment is."""
        return self.model.treatment

    @property
    def x(self) -> Float[np.ndarray, "n d"]:
        """The covariates of the rows."""
        return self.question.x

    @property
    def weight(self) -> Float[np.ndarray, " n"]:
        """How much each row counts: as in the fit, or all alike."""
        return self.memory.weight if self.is_memory else np.ones(len(self.x))

    @property
    def is_memory(self) -> bool:
        """Whether the rows are those that the model remembers of its fit."""
        return self.question.table is None

    @property
    def target(self) -> str:
        """Whose average effect the page says."""
        return self.question.target

    @property
    def labels(self) -> tuple[Hashable, Hashable]:
        """The two treatments that are compared: the second with the first."""
        return self.question.T0, self.question.T1

    @cached_property
    def judges(self) -> bool:
        """Whether outcomes can judge effects: the rows have outcomes, and treatments are arms."""
        return self.t is not None and self.y is not None and not self.treatment.whole_range

    # In words.

    @cached_property
    def middle(self) -> str:
        """Write between what numbers the middle 80 % of estimated effects lie."""
        return between(*np.percentile(self.effect, (10, 90)))

    @property
    def words(self) -> OutcomeWords:
        """How outcomes of this kind are shown."""
        return self.model.outcome.words

    @property
    def scale(self) -> float:
        """The number by which outcomes are multiplied before they are shown."""
        return self.words.scale

    @cached_property
    def names(self) -> dict[str, str]:
        """The names of the treatment and the outcome."""
        names = {"treatment": "the treatment", "outcome": "the outcome"} | self.model.names
        labels = self.model.labels
        return names | ({"outcome": f"{names['outcome']} = {labels[1]}"} if labels else {})

    @property
    def effect_name(self) -> str:
        """The name of an axis of effects."""
        unit = self.words.difference_unit.strip()
        return f"effect on {self.words.of}{self.names['outcome']}" + (f" ({unit})" if unit else "")

    @property
    def outcome_name(self) -> str:
        """The name of an axis of outcomes."""
        return f"{self.words.level}{self.names['outcome']}{self.words.level_unit}"

    @property
    def good(self) -> str:
        """Write what counts as a gain."""
        size = self.words.large if self.goal > 0 else self.words.small
        return f"a {size} {self.names['outcome']} is good"

    def amount(self, value: float) -> str:
        """Write a difference of outcomes, with its unit if it has one."""
        return say(value) + self.words.difference_unit

    def arm(self, label: Hashable) -> str:
        """Write an arm or a dose; an unclear label of an arm comes with the treatment's name."""
        if self.treatment.whole_range:
            return with_minus(f"{float(label):g}")  # type: ignore[arg-type]
        column = self.model.names.get("treatment", "treatment")
        return f"{column} = {word(label)}" if _is_bare(label) else word(label)

    @property
    def comparison(self) -> str:
        """Write which treatment is compared with which."""
        return self._pair(self.labels[1], "instead of", f"{self.names['treatment']} of ")

    def against(self, label: Hashable) -> str:
        """Write that an arm or a dose is compared with the first."""
        return self._pair(label, "against")

    def _pair(self, label: Hashable, joint: str, dose: str = "") -> str:
        first = self.labels[0]
        if self.treatment.whole_range:
            return f"{dose}{self.arm(label)} {joint} {self.arm(first)}"
        return f"{self.arm(label)} {joint} {word(first) if _is_bare(label) else self.arm(first)}"

    # In numbers.

    def inside(self, label: Hashable) -> np.ndarray:
        """Return the position of an arm, or the place of a dose."""
        return self.treatment.encode(label, "treatment")

    @cached_property
    def members(self) -> Float[np.ndarray, "m n"]:
        """Every member's effects."""
        return self.question.members * self.scale

    @cached_property
    def effect(self) -> Float[np.ndarray, " n"]:
        """Each row's effect, as `model.effect` returns it."""
        return self.members.mean(axis=0)

    @property
    def has_intervals(self) -> bool:
        """Whether effects have intervals."""
        return self.question.has_interval

    @cached_property
    def interval(self) -> tuple[np.ndarray, np.ndarray]:
        """Each row's interval; only where `has_intervals`."""
        low, high = self.question.interval(ALPHA)
        return low * self.scale, high * self.scale

    def possible(self, effect: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Keep effects in the reader's units inside what the outcome allows."""
        return self.model.outcome.effect_inside(np.asarray(effect) / self.scale) * self.scale

    def possible_outcome(self, outcome: Float[np.ndarray, "*n"]) -> Float[np.ndarray, "*n"]:
        """Keep expected outcomes in the reader's units inside what is possible."""
        return self.model.outcome.inside(np.asarray(outcome) / self.scale) * self.scale

    def group_interval(self, rows: np.ndarray) -> tuple[float | None, float | None]:
        """Return the interval of the mean effect of some rows, if members give one."""
        if not self.has_intervals:
            return None, None
        ends = intervals.of_members(self.members[:, rows].mean(axis=1, keepdims=True), ALPHA)
        low, high = self.possible(np.concatenate(ends)).tolist()
        return low, high

    def outcomes(self, label: Hashable) -> Float[np.ndarray, "m n"]:
        """Return every member's expected outcome of each row under an arm or a dose."""
        if label not in self._outcomes:
            self._outcomes[label] = self.model.outcomes(self.x, self.inside(label)) * self.scale
        return self._outcomes[label]

    @cached_property
    def _outcomes(self) -> dict[Hashable, Float[np.ndarray, "m n"]]:
        return {}

    @cached_property
    def chances(self) -> Float[np.ndarray, "n k"]:
        """P(arm | x) of each row; for remembered rows, by models that have not seen the row."""
        propensity = self.memory.propensity
        return propensity.chances if self.is_memory else propensity.of(self.x)

    @property
    def honest(self) -> bool:
        """Whether rows are judged by members that have not seen them."""
        return not self.is_memory or self.memory.honest


def subject_of(
    method: Estimator,
    X: Any = None,
    y: Any = None,
    treatment: Any = None,
    *,
    T0: Any = None,
    T1: Any = None,
    goal: str = "max",
    target: str | None = None,
) -> Subject:
    """Return the subject of a report on the rows given, or on those that the model remembers."""
    _check_arguments(X, y, treatment, goal)
    model, sign = method.model_, 1 if goal == "max" else -1
    T0, T1 = _compared(model.treatment, T0, T1)
    memory, scale = model.memory, model.outcome.words.scale
    if X is None:
        question = _about(ask_memory(model, T0, T1), target)
        return Subject(method, question, memory.t, memory.y * scale, memory.row, sign)
    door.aligned(X, y=y, treatment=treatment)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the report itself names unseen levels
        question = _about(ask(model, X, T0, T1), target)
    rows = len(question.x)
    t = None if treatment is None else model.inside(treatment, "treatment", rows)
    t = None if t is None else np.broadcast_to(t, rows)
    outcomes = None if y is None else door.outcomes_as_in_fit(y, rows, model.labels) * scale
    return Subject(method, question, t, outcomes, np.arange(rows), sign)


def _about(question: Question, target: str | None) -> Question:
    """Return a question about the target; left out, the one to begin with."""
    question.check_differs()
    return question.targeting(leading_target(question) if target is None else target)


def _check_arguments(X: Any, y: Any, treatment: Any, goal: str) -> None:
    if not is_one_of(goal, ("max", "min")):
        raise BadInput("goal", f"must be 'max' (a large outcome is good) or 'min', got {goal!r}")
    if X is None and not (y is None and treatment is None):
        problem = "y and treatment belong to rows: pass X with them, or none of the three"
        raise BadInput("", problem)
    if (y is None) != (treatment is None):
        raise BadInput("", "y and treatment come together: pass both, or neither")


def _compared(treatment: Treatment, T0: Any, T1: Any) -> tuple[Any, Any]:
    """Return what is asked first; of several arms, the last against the one that is untreated.

    The report shows the others beside it, so that nothing is guessed.
    """
    if T0 is None and T1 is None and not treatment.is_clear and treatment.comparisons():
        return treatment.comparisons()[-1]
    return T0, T1


def _is_bare(label: Hashable) -> bool:
    """Tell whether a label means nothing without its column's name: yes, no, true, a number."""
    text = word(label).strip().lower()
    return text in BARE or re.fullmatch(r"[-+]?[\d.,]+", text) is not None
