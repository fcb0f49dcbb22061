"""A fitted model of any method: the value that is asked, reported, saved and exported."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import At, BadInput, InPython
from pairnet.core.notices import notice
from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.treatments import Treatment
from pairnet.core.words import shown
from pairnet.evidence.memory import Memory
from pairnet.model.predictor import AbstractPredictor
from pairnet.model.shown import ShownModel
from pairnet.tables import AbstractTable, Schema

MOST_NAMED = 5  # rows that an error names


@dataclass(frozen=True, eq=False, repr=False)
class Model(ShownModel):
    """What was learned, and all that is needed to ask it in the user's words.

    labels: the two labels of the outcome column, if it had labels; the second counts as 1. method:
    the name of the method in errors.
    """

    predictor: AbstractPredictor
    treatment: Treatment
    outcome: AbstractOutcome
    labels: tuple[str, str] | None
    schema: Schema
    memory: Memory
    method: str

    @property
    def names(self) -> dict[str, str]:
        """What "treatment" and "outcome" are called in the user's table, if that is known."""
        return dict(self.memory.summary.get("names", {}))

    def named(self, **names: str) -> Model:
        """Return the model with other names of the treatment and the outcome."""
        if odd := set(names) - {"treatment", "outcome"}:
            raise BadInput("", f"call_columns names 'treatment' and 'outcome', got {sorted(odd)}")
        for role, name in names.items():
            if not isinstance(name, str):
                raise BadInput(role, f"must be called by a text, got {shown(name)}")
        return self.remembering(names=self.names | names)

    def remembering(self, **known: Any) -> Model:
        """Return the model with more in its summary of the fit, as plain JSON."""
        summary = self.memory.summary | known
        return replace(self, memory=replace(self.memory, summary=summary))

    def from_file(self, file: str, sha256: str, rows: int, command: str) -> Model:
        """Return the model with what a report says of the file that it was made of."""
        source = {"file": file, "sha256": sha256, "rows": rows, "command": command}
        summary = self.memory.summary | {"source": source}
        return replace(self, memory=replace(self.memory, summary=summary))

    def encoded(self, table: AbstractTable) -> Float[np.ndarray, "n d"]:
        """Return the covariates of a table as numbers."""
        if not self.schema.named and table.names is not None:
            notice(
                "X has names of columns, but fit saw an array: columns are taken by their place. "
                "For the last step of a pipeline transform X first, as in "
                "model[-1].effect(model[:-1].transform(X))."
            )
        return self.schema.encode(table)

    def inside(self, label: Any, argument: str, rows: int) -> np.ndarray:
        """Return a treatment, one for all rows or one a row, as the predictor expects it."""
        position = self.treatment.encode(label, argument)
        if position.shape not in ((), (rows,)):
            raise BadInput(
                argument,
                f"must be one {self.treatment.one}, or one per row: expected shape ({rows},), got "
                f"{position.shape}",
            )
        return position

    def outcomes(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n"]:
        """Return every member's expected outcomes under t, kept inside what is possible."""
        return self.outcome.inside(_finite(self.predictor.outcome(x, t)))

    def expected(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, " n"]:
        """Return the expected outcome under t: the mean of the members."""
        return self.outcome.inside(_finite(self.predictor.outcome(x, t)).mean(axis=0))

    def responses(
        self, x: Float[np.ndarray, "n d"], places: np.ndarray
    ) -> Float[np.ndarray, "m n g"]:
        """Return every member's expected outcomes under several doses."""
        return self.outcome.inside(_finite(self.predictor.curve(x, places)))

    def slopes(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Float[np.ndarray, "m n"]:
        """Return how fast every member's outcomes change at the place t, per unit of dose."""
        return _finite(self.predictor.slope(x, t)) / self.treatment.span

    def effects(
        self, x: Float[np.ndarray, "n d"], t0: np.ndarray, t1: np.ndarray
    ) -> Float[np.ndarray, "m n"]:
        """Return every member's effects of t1 against t0."""
        return _of_differing(_finite(self.predictor.effect(x, t0, t1)), t0, t1)

    def by_learner(
        self, x: Float[np.ndarray, "n d"], t0: np.ndarray, t1: np.ndarray
    ) -> tuple[Float[np.ndarray, "p n"], Float[np.ndarray, " p"]] | None:
        """Return the effects by each learner of a stack, and their weights; None for one method."""
        answers = self.predictor.by_learner(x, t0, t1)
        if answers is None:
            return None
        return _of_differing(_finite(answers[0]), t0, t1), answers[1]

    def each_learner(
        self, answer: Callable[[AbstractPredictor], Float[np.ndarray, " m *n"]]
    ) -> tuple[Float[np.ndarray, " p *n"], Float[np.ndarray, " p"]] | None:
        """Return what each learner of a stack answers, with their weights; None for one method."""
        speakers = self.predictor.speakers()
        if speakers is None:
            return None
        return np.stack([answer(part).mean(axis=0) for part in speakers[0]]), speakers[1]

    @property
    def has_interval(self) -> bool:
        """Whether the model can say how sure it is: by resampled members, or as a stack."""
        return self.memory.resampled or self.predictor.is_stack

    def need_interval(self) -> None:
        """Raise if it cannot."""
        if not self.predictor.is_stack:
            self.memory.need_resampled()

    def need_doses(self, question: str) -> None:
        """Raise if the treatment is no dose; `question` is what was asked."""
        if not self.treatment.whole_range:
            labels = ", ".join(map(repr, getattr(self.treatment, "labels", ())[:5]))
            raise BadInput(
                "",
                f"{question} needs a model of doses; this one compares arms ({labels})",
                InPython("Use effect(X)."),
            )


def _of_differing(
    effects: Float[np.ndarray, "m n"], t0: np.ndarray, t1: np.ndarray
) -> Float[np.ndarray, "m n"]:
    """Return effects that are 0 where a treatment is compared with itself, whatever rounding."""
    return np.asarray(np.where(t0 == t1, effects.dtype.type(0), effects))


def _finite(answers: Float[np.ndarray, "m n *g"]) -> Float[np.ndarray, "m n *g"]:
    """Return answers if all of them are numbers; the second axis is that of the rows."""
    strange = ~np.isfinite(answers)
    if strange.any():
        rows = np.flatnonzero(strange.any(axis=tuple(k for k in range(answers.ndim) if k != 1)))
        first = At(tuple(rows[:MOST_NAMED].tolist()), more=len(rows) > MOST_NAMED)
        raise BadInput(
            "",
            ("The model has no number for an answer in ", first),
            "Their covariates are far outside those of the fit, or the model is damaged: drop "
            "these rows, or fit again.",
        )
    return answers
