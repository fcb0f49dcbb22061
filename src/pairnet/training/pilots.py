"""Pilots: first trainings on outcomes alone, which say the noise and choose the penalty.

Pilots see the standardised outcome. The loss of the best one on held-out rows is the noise, which
is the unit of the stages that follow. Where a method leaves its penalty open (`l2=None`), pilots
with penalties from strong to weak are trained side by side on the same split, and the stages that
follow have the penalty of the best one.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Key

from pairnet.core.types import Array, Rows
from pairnet.training.host import fit_stage
from pairnet.training.once import once
from pairnet.training.plan import Plan
from pairnet.training.progress import Progress
from pairnet.training.recipe import Recipe
from pairnet.training.scaling import LEAST_NOISE

TOLERANCE = 0.01  # so the noise is known to half a per cent, which is enough
# Penalties that are tried, as multiples of 300 / rows for an outcome with standard deviation 1.
STRENGTHS = (1.0, 1 / 4, 1 / 16, 1 / 64, 1 / 256)


class Learned(NamedTuple):
    """What pilots say about each replication; None and no rounds where there were none."""

    noise: Float[np.ndarray, " r"] | None = None
    strength: Float[np.ndarray, " r"] | None = None  # of the penalty, in units of the noise
    rounds: Mapping[str, Int[np.ndarray, " r"]] = MappingProxyType({})


def train(
    recipe: Recipe,
    rows: Rows,
    plan: Plan,
    keys: Key[Array, " r"],
    bootstrap: bool,
    report: Progress,
) -> Learned:
    """Train pilots on standardised rows; `bootstrap`: whether members will resample the rows."""
    chooses = recipe.pilot.leaves_penalty_open
    if plan.scale != "noise" or not (recipe.outcome.has_unit or chooses):
        return Learned()
    tried = np.array(STRENGTHS if chooses else (1.0,), np.float32)
    source = np.repeat(np.arange(len(keys)), len(tried))
    strength = np.tile(tried, len(keys)) if chooses else None
    rough = dataclasses.replace(plan, tolerance=max(plan.tolerance, TOLERANCE))
    arguments: tuple[Any, ...] = (
        *(recipe.pilot, rows, source, {}, rough),
        *(keys[source], recipe.strata, None, strength),
    )
    trained = once(functools.partial(fit_stage, *arguments, report=report, last=False), arguments)
    by_strength = lambda values: np.asarray(values).reshape(len(keys), len(tried))
    loss, rounds = by_strength(trained.score), by_strength(trained.rounds)
    best = loss.min(axis=1)
    noise = np.maximum(np.sqrt(best), LEAST_NOISE).astype(np.float64)
    chosen = None
    if chooses:
        at = loss.argmin(axis=1)
        chosen = tried[at]
        if recipe.outcome.has_unit:  # the stages measure the outcome in units of the noise
            chosen = chosen / noise**2
    return Learned(
        noise if recipe.outcome.has_unit else None,
        None if chosen is None else chosen.astype(np.float32),
        {"pilot": rounds.sum(axis=1)},
    )
