"""Pilots: first trainings on outcomes alone, which say the noise and choose the penalty.

Pilots see the standardised outcome. The loss of the best one on held-out rows is the noise, which
is the unit of the stages that follow. Where a method leaves its penalty open (`l2=None`), pilots
with penalties from strong to weak are trained side by side on the same split, and the stages that
follow have the penalty of the best one, or a stronger one that is as good.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int, Key

from pairnet.core.types import Array, Rows
from pairnet.training.host import Trained, fit_stage, rarest
from pairnet.training.once import once
from pairnet.training.plan import Plan
from pairnet.training.progress import Progress
from pairnet.training.recipe import Recipe
from pairnet.training.scaling import LEAST_NOISE

TOLERANCE, PATIENCE = 0.01, 250  # so noise and penalty are known well enough, and soon
# Penalties that are tried, as multiples of 300 / rows for an outcome with standard deviation 1.
STRENGTHS = (1.0, 1 / 4, 1 / 16, 1 / 64)
# What is best for outcomes may be too weak for effects: a stronger penalty is as good if its
# held-out loss is within so many standard errors of the best one's, and none is weaker than this.
# For doses, whose outcomes are what is asked for, the best is taken.
ERRORS, ERRORS_OF_DOSES, WEAKEST = 2, 0, 1 / 4


class Learned(NamedTuple):
    """What pilots say about each replication; None and no rounds where there were none."""

    noise: Float[np.ndarray, " r"] | None = None
    strength: Float[np.ndarray, " r"] | None = None  # of the penalty, in units of the noise
    rounds: Mapping[str, Int[np.ndarray, " r"]] = MappingProxyType({})


class Judged(NamedTuple):
    """What is kept of trained pilots: not their networks."""

    score: Float[np.ndarray, " j"]
    rounds: Int[np.ndarray, " j"]
    diverged: Bool[np.ndarray, " j"]

    @classmethod
    def of(cls, trained: Trained) -> Judged:
        """Return what is kept."""
        return cls(*map(np.asarray, (trained.score, trained.rounds, trained.diverged)))


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
    loss, rounds = _tried(recipe, rows, plan, keys, STRENGTHS if chooses else None, report)
    noise = np.maximum(np.sqrt(loss.min(axis=1)), LEAST_NOISE).astype(np.float64)
    noise = noise if recipe.outcome.has_unit else None
    strength = None
    if chooses:
        held_out = plan.schedule(rows.t.shape[-1], rarest(rows, recipe.strata)).shape.held_out
        errors = ERRORS_OF_DOSES if recipe.strata == 1 else ERRORS
        slack = errors * np.sqrt(2 / held_out)  # of a mean of squared normal residuals
        strength = _chosen(loss, slack, noise, bootstrap)
    return Learned(noise, strength, {"pilot": rounds.sum(axis=1).astype(np.int32)})


def _tried(
    recipe: Recipe,
    rows: Rows,
    plan: Plan,
    keys: Key[Array, " r"],
    strengths: tuple[float, ...] | None,
    report: Progress,
) -> tuple[Float[np.ndarray, "r k"], Int[np.ndarray, "r k"]]:
    """Train a pilot for each strength; return their losses on held-out rows, and their rounds."""
    count = len(strengths or (1.0,))
    source = np.repeat(np.arange(len(keys)), count)
    strength = None if strengths is None else np.tile(np.array(strengths, np.float32), len(keys))
    rough = dataclasses.replace(plan, tolerance=max(plan.tolerance, TOLERANCE))
    if strengths is not None and plan.unit == "steps":
        rough = dataclasses.replace(rough, patience=min(plan.patience, PATIENCE))
    arguments: tuple[Any, ...] = (
        *(recipe.pilot, rows, source, {}, rough),
        *(keys[source], recipe.strata, None, strength),
    )
    train = functools.partial(fit_stage, *arguments, report=report, last=False)
    trained = once(lambda: Judged.of(train()), arguments)
    by_strength = lambda values: np.asarray(values).reshape(len(keys), count)
    return by_strength(trained.score), by_strength(trained.rounds)


def _chosen(
    loss: Float[np.ndarray, "r k"],
    slack: float,
    noise: Float[np.ndarray, " r"] | None,
    bootstrap: bool,
) -> Float[np.ndarray, " r"]:
    """Return the strongest penalty that is good enough; for bootstrapped members the weakest.

    slack: how much larger a loss may be than the best, as a share of it.
    """
    best = loss.min(axis=1, keepdims=True)
    good = loss <= best * (1 + slack)
    last = good.shape[1] - 1 - good[:, ::-1].argmax(axis=1)
    strength = np.array(STRENGTHS)[last if bootstrap else good.argmax(axis=1)]
    if noise is not None:  # the stages that follow measure the outcome in units of the noise
        strength = strength / noise**2
    return strength.clip(WEAKEST, 1).astype(np.float32)
