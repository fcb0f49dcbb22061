"""A question and a model as people see them: a line as text, a small table in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.core.errors import count_of
from pairnet.core.listing import Shown
from pairnet.core.words import say, word
from pairnet.inference.targets import TARGETS


class ShownQuestion(Shown):
    """A question in words; its answer is worked out when it is printed, not for `repr`."""

    model: Any
    x: Any
    T0: Any
    T1: Any
    target: str

    @property
    def headline(self) -> str:
        """The question in a line."""
        sides = f"{_label(self.T1)} against {_label(self.T0)}"
        outcome = self.model.names.get("outcome", "the outcome")
        whose = "" if self.target == "all" else f", {TARGETS[self.target]}"
        return f"Effect of {sides} on {outcome} for {count_of(len(self.x))}{whose}"

    def __repr__(self) -> str:
        return f"Question: {self.headline}"

    def _lines(self) -> list[list[str]]:
        asked: Any = self
        ends = map(say, asked.average_interval()) if asked.has_interval else ("", "")
        middle = np.percentile(asked.effect, (10, 90))
        return [
            ["", "effect", "from", "to"],
            ["average", say(asked.mean), *ends],
            ["middle 80 % of rows", "", *map(say, middle)],
        ]

    def notes(self) -> tuple[str, ...]:
        """Say what the ends are."""
        asked: Any = self
        if asked.has_interval:
            return ("The average has a 95 % interval by the model. support() has the evidence.",)
        return ("No intervals: fit with members=5 and bootstrap=True.",)


class ShownModel(Shown):
    """A fitted model in a few lines."""

    method: str
    treatment: Any
    outcome: Any
    schema: Any
    memory: Any

    @property
    def headline(self) -> str:
        """What was fitted, in a line."""
        names, summary = self.memory.summary.get("names", {}), self.memory.summary
        what = f"{names.get('treatment', 'the treatment')} on {names.get('outcome', 'the outcome')}"
        return f"{self.method} of the effect of {what}, from {count_of(summary['rows'])}"

    def __repr__(self) -> str:
        return f"Model: {self.headline}"

    def _lines(self) -> list[list[str]]:
        summary = self.memory.summary
        used = len(self.schema.columns) - len(self.schema.left_out)
        source = summary.get("source", {}).get("file", "")
        lines = [
            ["what", "which"],
            ["treatment", self.treatment.words(summary["treatment"])],
            ["outcome", _moments(**summary["outcome"])],
            ["covariates", f"{used}, as {len(self.schema.features)} numbers"],
            ["members", str(len(self.memory.draws))],
            ["fitted", summary.get("made", "").replace("T", " ").removesuffix("+00:00")],
            ["file", source],
        ]
        return [line for line in lines if line[1]]


def _moments(mean: float, sd: float, **others: Any) -> str:
    return f"mean {say(mean)}, standard deviation {say(sd)}"


def _label(treatment: Any) -> str:
    return word(treatment) if np.ndim(treatment) == 0 else "each row's own"
