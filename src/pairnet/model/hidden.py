"""How strong observed columns are as causes of treatment and outcome, as a measure of hidden ones.

A column is left out, and the light method shows what that costs: how much more of the outcome and
of the treatment it leaves unexplained.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from pairnet.evidence.light import AbstractLight, Average, Sample
from pairnet.evidence.refutation import Strength, e_value, most_bias
from pairnet.inference.clusters import variance_of_mean
from pairnet.inference.features import standardised
from pairnet.model.question import Question

MOST = 5  # columns that are left out in turn
NORMAL = 1.96
LEAST, MOST_SHARE = 1e-9, 0.999


def strongest_columns(
    question: Question,
    light: AbstractLight,
    sample: Sample,
    base: Average,
    value: float,
    reach: float,
) -> list[Strength]:
    """Return the columns that could hide most, the strongest first.

    value, reach: the answer, and how far its interval reaches to either side.
    """
    schema = question.model.schema
    blocks = list(schema.blocks(np.arange(float(sample.x.shape[1]))[None]))
    if len(blocks) < 2:
        return []
    at = [block[0].astype(int) for _, block in blocks]
    promise = _promise(sample, at)
    found = []
    for k in np.argsort(-promise, kind="stable")[:MOST].tolist():
        without = light.average(replace(sample, x=np.delete(sample.x, at[k], axis=1)))
        outcome = np.clip(1 - base.left / max(without.left, LEAST), 0, MOST_SHARE)
        treatment = np.clip(1 - without.power / max(base.power, LEAST), 0, MOST_SHARE)
        moved = most_bias(base.scale, float(outcome), float(treatment))
        left, end = value - np.sign(value) * moved, value - np.sign(value) * (reach + moved)
        name = str(blocks[k][0].name)
        found.append(Strength(name, float(outcome), float(treatment), float(left), float(end)))
    return sorted(found, key=lambda column: column.left * np.sign(value))


def _promise(sample: Sample, at: list[np.ndarray]) -> Float[np.ndarray, " c"]:
    """Return how much columns tell in straight lines, alone: of the outcome times the treatment."""
    x = standardised(sample.x)
    share = sample.share
    off = x - share @ x
    spread = np.maximum(np.sqrt(share @ off**2), LEAST)

    def told(values: np.ndarray) -> np.ndarray:
        own = values - share @ values
        return np.abs((share * own) @ off) / spread / max(np.sqrt(share @ own**2), LEAST)

    both = told(sample.y) * told(sample.t)
    return np.array([both[own].max() for own in at])


def e_values(question: Question, light: AbstractLight) -> tuple[float, float] | None:
    """Return the E-value of the risk ratio, and of the end of its interval that is nearer to 1.

    None where outcomes are no yes / no, or there are no arms.
    """
    if question.model.outcome.has_unit:
        return None
    sample = Sample.of(question.memory)
    levels = light.average(sample, splits=None).levels
    if levels is None:
        return None
    share = sample.share
    first, second = np.clip(levels @ share, 1e-6, 1.0)
    ratio = float(np.log(second / first))
    parts = (levels[1] - second) / second - (levels[0] - first) / first
    error = float(np.sqrt(variance_of_mean(parts, share, sample.clusters)[0]))
    near = np.sign(ratio) * max(abs(ratio) - NORMAL * error, 0.0)
    return e_value(float(np.exp(ratio))), e_value(float(np.exp(near)))
