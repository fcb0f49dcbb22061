"""What a study is: rows of many realisations, the truth behind them, and which rows train and test."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from pairnet.treatments import Arms
from pairnet.types import Rows


class DataMissing(FileNotFoundError):
    """A data file that is not on this machine."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """Rows with a leading axis of realisations (covariates may lack it, if shared), and the truth on a grid of arms."""

    name: str
    description: str
    rows: Rows
    mu: Float[np.ndarray, "r n k"]  # noise-free outcome of every row under every arm
    treatment: Arms
    train: Int[np.ndarray, " a"]
    test: Int[np.ndarray, " b"]

    def part(self, index: Int[np.ndarray, " m"]) -> Rows:
        """Return the rows at `index` of every realisation: `study.part(study.train)`."""
        rows = self.rows
        return Rows(rows.x[..., index, :], rows.t[:, index], rows.y[:, index], rows.weight[:, index])

    def effect(self, index: Int[np.ndarray, " m"], t0: int = 0, t1: int = 1) -> Float[np.ndarray, "r m"]:
        """Return the true effect of the arm at position t1 against the one at t0."""
        return self.mu[:, index, t1] - self.mu[:, index, t0]

    def __len__(self) -> int:
        return len(self.rows.t)


def observed(x: np.ndarray, t: np.ndarray, y: np.ndarray) -> Rows:
    """Return rows that all weigh the same."""
    return Rows(x, t.astype(np.float64), y.astype(np.float64), np.ones(t.shape))


def choose(realisations, available: int, name: str) -> np.ndarray:
    """Return positions 0, 1, ... of the realisations asked for (counted from 1), or of all."""
    if realisations is None:
        return np.arange(available)
    wanted = np.atleast_1d(np.asarray(list(realisations) if not np.isscalar(realisations) else realisations))
    if wanted.size == 0 or wanted.min() < 1 or wanted.max() > available:
        raise ValueError(f"{name} has realisations 1 to {available}, got {wanted.tolist()}.")
    return wanted - 1
