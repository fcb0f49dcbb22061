"""Replications of a study as values, loaded only when they are needed."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from pairnet.studies import Study, load

# Studies that are made here: their option `realisations` is a number, not a list.
COUNTED = ("confounded", "gaussians", "gp", "relevant-covariates", "shapes")
# Options of studies that leave the shapes of arrays alone: draws that differ in them alone are
# fitted together.
SAME_SHAPE = {"setting", "share", "version", "setup", "rho", "effect", "kind", "seed"} | {
    "treated",
    "confounding",
    "overlap",
    "complexity",
    "noise",
}
SIZED_BY_SHARE = ("tcga-dose", "tcga-mirna-dose", "tcga-rnaseq-dose")  # `share` is one of the rows


@dataclass(frozen=True)
class Draws:
    """Replications of a study, as `draws` makes them."""

    study: str
    count: int
    axis: str = "realisations"  # the option of the study that says which
    first: int = 1
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def shape(self) -> tuple:
        """What decides the shapes of the arrays: draws of equal shape are fitted together."""
        share = dict(self.options).get("share") if self.study in SIZED_BY_SHARE else None
        others = ((name, value) for name, value in self.options if name not in SAME_SHAPE)
        return (self.study, share, *others)

    def load(self, replications: list[int]) -> Study:
        """Load these replications (0, 1, ...), in this order."""
        return _load(self).take(np.asarray(replications))


def draws(
    study: str, count: int, *, axis: str = "realisations", first: int = 1, **options: Any
) -> Draws:
    """Return the first `count` replications of a study, not loaded yet.

    `draws("acic2016", 10, axis="seeds", setting=2)` are seeds 1 to 10 of setting 2.
    """
    return Draws(study, count, axis, first, tuple(sorted(options.items())))


@functools.lru_cache(maxsize=8)
def _load(draws: Draws) -> Study:
    options: dict[str, Any] = dict(draws.options)
    numbers = [draws.first + k for k in range(draws.count)]
    options[draws.axis] = draws.count if draws.study in COUNTED else numbers
    return load(draws.study, **options)
