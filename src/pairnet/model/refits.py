"""The model's own method, learned again from changed treatments or outcomes of the rows of the fit.

Only what the method itself does can tell whether it sees effects where there are none, and finds
those that are there.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.types import Rows
from pairnet.evidence.refutation import DIFFERENCES, DOUBTFUL, FAILS, HOLDS, NOT_DONE, Attempt
from pairnet.model.learner import Learner
from pairnet.model.question import Question, ask_memory

SURELY, TOO_FAR = 2.0, 3.0  # errors of the answer by which one placebo may be off by chance
NOISE = 0.5  # of the differences between effects that a placebo may leave
FOUND = (0.5, 1.5)  # shares of a planted difference that count as found


@dataclass(frozen=True, eq=False)
class Again:
    """A method and the question that is asked of it again; error: that of the answer."""

    method: Learner
    question: Question
    error: float

    def learned(self, t: Float[np.ndarray, " n"], y: Float[np.ndarray, " n"]) -> Question:
        """Return the question, asked of the method learned from other treatments or outcomes."""
        model, memory = self.question.model, self.question.memory
        taken = memory.draws.any(axis=0)
        rows = Rows(memory.x[taken], t[taken], y[taken], memory.weight[taken])
        draws = None if memory.draws[:, taken].min() == 1 == memory.draws.max() else memory.draws
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to say was said at the fit
            predictor = self.method.learn(
                rows,
                model.treatment,
                model.outcome,
                draws=None if draws is None else draws[:, taken].astype(int),
            )
            changed = replace(model, predictor=predictor, memory=replace(memory, t=t, y=y))
            return ask_memory(changed, self.question.T0, self.question.T1)

    def placebo(self, t: Float[np.ndarray, " n"]) -> list[Attempt]:
        """Return what the method makes of treatments that have no effect."""
        names = "own method, placebo", "own method, differences under a placebo"
        about = "The method was fitted again to placebo treatments, which have no effect."
        try:
            found = self.learned(t, self.question.memory.y)
            effect, real = found.effect, self.question.effect
        except ValueError as error:
            return [_not_done(names[0], error)]
        off = abs(found.mean) / max(self.error, 1e-300)
        verdict = HOLDS if off <= SURELY else DOUBTFUL if off <= TOO_FAR else FAILS
        spread, own = float(effect.std()), float(real.std())
        noise = spread / max(own, 1e-300) if own > 0 or spread > 0 else 0.0
        return [
            Attempt(names[0], found.mean, 0.0, off, verdict, about),
            Attempt(
                names[1],
                spread,
                0.0,
                spread / max(self.error, 1e-300),
                DOUBTFUL if noise > NOISE and own > 0 else HOLDS,
                f"{about} How far its effects of rows differ there (standard deviation); those of "
                f"the real treatments differ by {own:.3g}.",
                of=DIFFERENCES,
            ),
        ]

    def planted(
        self, y: Float[np.ndarray, " n"], where: Bool[np.ndarray, " n"], size: float, said: str
    ) -> list[Attempt]:
        """Return how much of a planted difference the method finds."""
        name = "own method, planted difference"
        try:
            found = self.learned(self.question.memory.t, y).effect - self.question.effect
        except ValueError as error:
            return [_not_done(name, error)]
        moved = float(found[where].mean() - found[~where].mean())
        low, high = FOUND
        verdict = HOLDS if low <= moved / size <= high else DOUBTFUL
        off = abs(moved - size) / max(self.error, 1e-300)
        about = f"{said} The method was fitted again: by how much more it says of these rows."
        return [Attempt(name, moved, size, off, verdict, about, of=DIFFERENCES)]


def _not_done(name: str, error: ValueError) -> Attempt:
    return Attempt(name, 0.0, 0.0, 0.0, NOT_DONE, f"The method could not be fitted again: {error}")
