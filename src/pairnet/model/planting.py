"""A known effect, planted in the outcomes of about half of the rows: a sound method finds it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from pairnet.core.words import say
from pairnet.evidence.light import AbstractLight, Average, Sample
from pairnet.model.question import Question

ERRORS, SPREADS = 8.0, 0.25  # the size of a planted effect, at least
EVEN = (0.3, 0.7)  # shares of rows that count as about one half
MOST = 0.9  # of the treated whose outcome is turned


@dataclass(frozen=True, eq=False)
class Plant:
    """A known effect in about half of the rows: outcomes with it, and by how much they move.

    size: the mean effect there.
    """

    y: Float[np.ndarray, " n"]
    where: Bool[np.ndarray, " n"]
    size: float
    said: str


def half(question: Question, sample: Sample) -> tuple[Bool[np.ndarray, " n"], str]:
    """Return about half of the rows: those above the median of the column that tells most."""
    x = sample.x
    above = x > np.median(x, axis=0)
    flags = (np.ptp(x, axis=0) > 0) & np.isin(x, (0, 1)).all(axis=0)
    above[:, flags] = x[:, flags] == 1
    share = above.mean(axis=0)
    spread = np.maximum(above.std(axis=0) * sample.y.std(), 1e-300)
    tells = np.abs(((above - share) * (sample.y - sample.y.mean())[:, None]).mean(axis=0) / spread)
    even = (share >= EVEN[0]) & (share <= EVEN[1])
    best = int(np.argmax(np.where(even, 1 + tells, -np.abs(share - 0.5))))
    name = question.model.schema.features[best]
    level = "" if flags[best] else f" above {say(float(np.median(x[:, best])))}"
    return above[:, best], f"{name}{level}"


def is_yes_no(question: Question) -> bool:
    """Tell whether outcomes are yes or no."""
    return not question.model.outcome.has_unit


def plant(
    question: Question,
    light: AbstractLight,
    sample: Sample,
    base: Average,
    where: Bool[np.ndarray, " n"],
    named: str,
    rng: np.random.Generator,
) -> Plant | None:
    """Return outcomes with a known effect; None where none can be planted."""
    if not where.any() or where.all():
        return None
    size = max(ERRORS * base.error, SPREADS * float(sample.y.std()))
    if not is_yes_no(question):
        said = f"{say(size)} was added to the effect of rows with {named}."
        return Plant(light.planted(sample, size, where).y, where, size, said)
    if base.levels is None:
        return None
    share = sample.share * where
    yes = float(np.clip(share @ base.levels[1] / share.sum(), 0.0, 1.0))
    to = float(yes < 0.5)  # the outcome that some of the treated get
    room = abs(to - yes)
    chance = min(size / max(room, 1e-300), MOST)
    mine = sample.t == int(question.t1)
    turned = mine & where & (rng.random(len(sample)) < chance)
    said = f"Some treated rows with {named} got the outcome {to:.0f}."
    return Plant(np.where(turned, to, sample.y), where, chance * (to - yes), said)
