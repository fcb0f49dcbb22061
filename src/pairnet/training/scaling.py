"""Units of training: covariates by their spread, outcomes from their mean in units of noise."""

from __future__ import annotations

import functools

import equinox as eqx
import numpy as np
from jaxtyping import Float

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Array
from pairnet.training.plan import Plan

# in units of the outcome's standard deviation: an outcome without noise still needs a unit
LEAST_NOISE = 0.02
BLOCK = 2**18  # rows of a large table that are worked on together


class Scaling(eqx.Module):
    """The affine maps between the user's units and those of training, in float64."""

    centre: Float[Array, "*r d"]
    spread: Float[Array, "*r d"]
    location: Float[Array, "*r"]
    unit: Float[Array, "*r"]

    @classmethod
    def of(cls, x: Array, y: Array, weight: Array, plan: Plan, outcome: AbstractOutcome) -> Scaling:
        """Learn the maps from training rows; the unit of the outcome is its standard deviation.

        `in_noise` changes that unit when the noise is known.
        """
        x, (y, weight) = np.asarray(x), (np.asarray(value, np.float64) for value in (y, weight))
        if plan.standardise:
            shared = x.ndim == weight.ndim  # covariates that all replications share
            centre, spread = _moments(x, weight.mean(0) if shared else weight)
            spread = _range_of_flags(x, spread)
        else:
            columns = (*x.shape[:-2], x.shape[-1])
            centre, spread = np.zeros(columns), np.ones(columns)
        if plan.scale == "noise" and outcome.has_unit:
            location, unit = (moment[..., 0] for moment in _moments(y[..., None], weight))
        else:
            location, unit = np.zeros(y.shape[:-1]), np.ones(y.shape[:-1])
        return cls(centre, spread, location, unit)

    def check(self) -> None:
        """Raise if a unit is not above 0, as those that were learned are."""
        for name in ("spread", "unit"):
            if not (getattr(self, name) > 0).all():
                raise ValueError(f"the array scaling.{name} holds units that are not above 0")

    def x(self, x: Array) -> Float[Array, "*r n d"]:
        """Return covariates in units of training."""
        x = np.asarray(x)
        several = np.broadcast_shapes(x.shape[:-2], self.centre.shape[:-1])
        scaled = np.empty((*several, *x.shape[-2:]), np.float32)
        for block in _blocks(x):
            centred = x[..., block, :] - self.centre[..., None, :]
            scaled[..., block, :] = centred / self.spread[..., None, :]
        return scaled

    def y(self, y: Array) -> Float[Array, "*r n"]:
        """Return outcomes in units of training."""
        centred = np.asarray(y, np.float64) - self.location[..., None]
        return (centred / self.unit[..., None]).astype(np.float32)

    def in_noise(self, noise: Float[Array, "*r"]) -> Scaling:
        """Return the maps with the outcome's unit multiplied by its noise."""
        return eqx.tree_at(lambda s: s.unit, self, self.unit * np.asarray(noise, np.float64))


def _moments(values: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return each column's weighted mean and standard deviation; 1 for a constant column."""
    share = (weight / weight.sum(-1, keepdims=True))[..., None]
    parts = [(share[..., block, :], values[..., block, :]) for block in _blocks(values)]
    mean = functools.reduce(np.add, ((own * part).sum(-2) for own, part in parts))
    squares = ((own * (part - mean[..., None, :]) ** 2).sum(-2) for own, part in parts)
    sd = np.sqrt(functools.reduce(np.add, squares))
    tiny = 1e-12 * np.maximum(np.abs(values.min(-2)), np.abs(values.max(-2)))
    return mean, np.where(sd > tiny, sd, 1.0)


def _blocks(values: np.ndarray) -> list[slice]:
    """Return the rows of a large table in blocks, so that no copy of all of it is made."""
    rows = values.shape[-2]
    return [slice(start, start + BLOCK) for start in range(0, rows, BLOCK)]


def _range_of_flags(x: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """Return the spread of columns, but the range of columns with two values.

    The standard deviation of a rare flag is so small that it would blow the flag up.
    """
    low, high = x.min(-2), x.max(-2)
    at_end = lambda part: ((part == low[..., None, :]) | (part == high[..., None, :])).all(-2)
    two_values = np.all([at_end(x[..., block, :]) for block in _blocks(x)], axis=0) & (high > low)
    return np.where(two_values, high - low, spread)
