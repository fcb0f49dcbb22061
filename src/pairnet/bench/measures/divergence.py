"""How far the arms are apart, and how far each arm is from its partners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pairnet.bench.measures.base import AbstractMeasure
from pairnet.core.types import Embedded, Rows
from pairnet.metrics import mmd
from pairnet.pairing import Nearest


def nearest_partners(rows: Rows, x: np.ndarray | None = None) -> np.ndarray:
    """Return the position of each row's nearest row of another arm (two arms)."""
    place = jnp.asarray(np.asarray(rows.x if x is None else x, np.float32))
    everyone = Embedded(
        place, jnp.asarray(rows.t, jnp.float32), jnp.ones(len(rows.t)), jnp.arange(len(rows.t))
    )
    return np.asarray(_nearest(everyone))


@jax.jit
def _nearest(everyone: Embedded):
    return Nearest(1, 2).draw(everyone, everyone, jr.key(0)).index[:, 0]


@dataclass(frozen=True)
class Divergence(AbstractMeasure):
    """MMD between the arms, or between each arm and its rows' partners, weighted by its share.

    Covariates are standardised; the kernel's bandwidth is the square root of how many there are.
    """

    between: Literal["arms", "partners"]

    def __call__(self, study, numbers, report=None):
        test = study.part(study.test)
        covariates = [test.x if test.x.ndim == 2 else test.x[k] for k in range(len(study))]
        raw = study.name == "gaussians"
        places = [np.asarray(x, np.float64) if raw else _standardised(x) for x in covariates]
        between = _between_arms if self.between == "arms" else _between_partners
        return {"mmd": np.asarray([between(x, test.t[k]) for k, x in enumerate(places)])}


def _standardised(x: np.ndarray) -> np.ndarray:
    x = np.asarray(x, np.float64)
    spread = x.std(axis=0)
    return (x - x.mean(axis=0)) / np.where(spread > 0, spread, 1)


def _between_arms(x: np.ndarray, t: np.ndarray) -> float:
    return mmd(x[t == 0], x[t == 1], bandwidth=float(np.sqrt(x.shape[1])))


def _between_partners(x: np.ndarray, t: np.ndarray) -> float:
    width = float(np.sqrt(x.shape[1]))
    partner = nearest_partners(Rows(x, t, t, np.ones(len(t))))
    return sum(
        np.mean(t == arm) * mmd(x[t == arm], x[partner[t == arm]], bandwidth=width)
        for arm in (0, 1)
    )
