"""A light average effect of some rows: quick enough to be made again for many changed tables.

For arms it is the mean of doubly robust scores, whose models of outcomes and of chances are light
and cross-fitted. For doses it is the straight-line part of the response: the slope of what
covariates do not explain of the outcome against what they do not explain of the dose (Robinson,
1988; Chernozhukov et al., 2018), times the distance of the two doses.
"""

from __future__ import annotations

import abc
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.evidence.memory import Memory
from pairnet.inference.clusters import strata_of_clusters, variance_of_mean
from pairnet.inference.intervals import Estimate
from pairnet.inference.outcome_model import outcome_model
from pairnet.inference.quick_chances import quick_chances

LEAST = 1e-12  # so that nothing is divided by 0


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows to estimate an effect from; design: the chances of the arms, where they are known."""

    x: Float[np.ndarray, "n d"]
    t: Float[np.ndarray, " n"]
    y: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    clusters: Int[np.ndarray, " n"] | None = None
    design: Float[np.ndarray, "n k"] | None = None

    @classmethod
    def of(cls, memory: Memory) -> Sample:
        """Return the rows that a model remembers."""
        known = memory.clusters, memory.design
        return cls(memory.x, memory.t, memory.y, memory.weight, *known)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def share(self) -> Float[np.ndarray, " n"]:
        """The weights, adding up to 1."""
        return np.asarray(self.weight / self.weight.sum())

    def rows(self, some: Any) -> Sample:
        """Return some of the rows."""
        take = lambda values: None if values is None else values[some]
        known = take(self.clusters), take(self.design)
        return Sample(self.x[some], self.t[some], self.y[some], self.weight[some], *known)

    @cached_property
    def units(self) -> Int[np.ndarray, " n"]:
        """The unit of each row: its cluster, where there are some, or the row itself."""
        if self.clusters is None:
            return np.arange(len(self))
        return np.unique(self.clusters, return_inverse=True)[1]

    @cached_property
    def by_cluster(self) -> bool:
        """Whether whole clusters were treated alike."""
        if self.clusters is None:
            return False
        _, own = strata_of_clusters(self.t.astype(int), self.clusters)
        first = np.unique(own, return_index=True)[1]
        return bool((self.t == self.t[first][own]).all())


@dataclass(frozen=True, eq=False)
class Average:
    """A light average effect.

    score: what each row adds; their mean is the average. levels: the same of the outcomes under T0
    and under T1 (None for doses). scale: a hidden cause that explains the shares a and b of what is
    left of outcome and treatment biases the average by at most scale sqrt(a b / (1 - b)).
    left, power: the mean square of what is left of outcomes, and of the weights of rows.
    """

    score: Float[np.ndarray, " n"]
    estimate: Estimate
    left: float
    power: float
    levels: Float[np.ndarray, "2 n"] | None = None

    @property
    def value(self) -> float:
        """The average effect."""
        return self.estimate.value

    @property
    def error(self) -> float:
        """Its standard error."""
        return self.estimate.error

    @property
    def scale(self) -> float:
        """The bias for shares of which sqrt(a b / (1 - b)) is 1."""
        return float(np.sqrt(self.left * self.power))


class AbstractLight(abc.ABC):
    """A light way to an average effect, for one comparison."""

    @abc.abstractmethod
    def average(self, sample: Sample, chances: Any = None, splits: int | None = 1) -> Average:
        """Return the average effect; chances: the treatments' model, where it is known already."""

    @abc.abstractmethod
    def chances(self, sample: Sample) -> Any:
        """Return the model of who is treated how, for `average`."""

    @abc.abstractmethod
    def placebo(self, sample: Sample, chances: Any, rng: np.random.Generator) -> Sample:
        """Return the rows with treatments drawn anew, by how likely each was for the row.

        So treatments depend on the covariates as before and have the same shares, but no effect.
        Whole clusters draw together where whole clusters were treated alike.
        """

    @abc.abstractmethod
    def planted(self, sample: Sample, size: float, where: Bool[np.ndarray, " n"]) -> Sample:
        """Return the rows with an effect added to the outcomes of those treated, where flagged."""


@dataclass(frozen=True)
class LightArms(AbstractLight):
    """One arm against another, by doubly robust scores."""

    t0: int
    t1: int

    def chances(self, sample):
        if sample.design is not None:
            return sample.design
        return quick_chances(sample.x, sample.t, sample.weight, sample.clusters)

    def average(self, sample, chances=None, splits=1):
        chances = self.chances(sample) if chances is None else chances
        own = sample.x, sample.y, sample.t, sample.weight, sample.clusters
        share, arms = sample.share, [self.t0, self.t1]
        expected = outcome_model(*own, splits)[:, arms].mean(axis=0)
        mine = np.stack([sample.t == arm for arm in arms])
        often = mine / chances[:, arms].T
        often = often / np.maximum(often @ share, LEAST)[:, None]
        levels = expected + often * (sample.y - expected)
        score = levels[1] - levels[0]
        left = float(share @ (mine * (sample.y - expected) ** 2).sum(axis=0))
        power = float(share @ (often**2).sum(axis=0))
        estimate = _mean_of(score, sample)
        return Average(score, estimate, left, power, levels)

    def planted(self, sample, size, where):
        return replace(sample, y=sample.y + size * ((sample.t == self.t1) & where))

    def placebo(self, sample, chances, rng):
        chances = _alike(chances, sample)
        level = _alike(rng.random(len(sample)), sample, first=True)
        drawn = (level[:, None] > chances.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return replace(sample, t=drawn.astype(float))


@dataclass(frozen=True)
class LightDoses(AbstractLight):
    """One dose against another, along a straight line; doses are places from 0 to 1."""

    t0: float
    t1: float

    def chances(self, sample):
        one = np.zeros(len(sample))
        own = sample.x, sample.t, one, sample.weight, sample.clusters
        return outcome_model(*own, 1)[0, 0]

    def average(self, sample, chances=None, splits=1):
        expected = self.chances(sample) if chances is None else chances
        one, share = np.zeros(len(sample)), sample.share
        own = sample.x, sample.y, one, sample.weight, sample.clusters
        left_of_y = sample.y - outcome_model(*own, splits)[:, 0].mean(axis=0)
        left_of_t, gap = sample.t - expected, self.t1 - self.t0
        square = max(float(share @ left_of_t**2), LEAST)
        slope = float(share @ (left_of_t * left_of_y)) / square
        off = left_of_y - slope * left_of_t
        score = gap * (slope + left_of_t * off / square)
        estimate = _mean_of(score, sample)
        return Average(score, estimate, float(share @ off**2), gap**2 / square)

    def planted(self, sample, size, where):
        rise = sample.t / (self.t1 - self.t0)
        return replace(sample, y=sample.y + size * rise * where)

    def placebo(self, sample, chances, rng):
        """Return the rows with what covariates do not explain of the doses exchanged."""
        expected = _alike(chances, sample)
        left = sample.t - expected
        if not sample.by_cluster:
            drawn = rng.permutation(left)
        else:
            first = np.unique(sample.units, return_index=True)[1]
            drawn = rng.permutation(left[first])[sample.units]
        return replace(sample, t=np.clip(expected + drawn, 0, 1))


def _mean_of(score: np.ndarray, sample: Sample) -> Estimate:
    variance, freedom = variance_of_mean(score, sample.share, sample.clusters)
    return Estimate(float(sample.share @ score), float(np.sqrt(variance)), freedom)


def _alike(values: np.ndarray, sample: Sample, *, first: bool = False) -> np.ndarray:
    """Return values that clusters share, where whole clusters were treated: the mean, or `first`'s.

    first: take the value of each cluster's first row.
    """
    if not sample.by_cluster:
        return values
    units = sample.units
    if first:
        return values[np.unique(units, return_index=True)[1]][units]
    columns = values.reshape(len(values), -1).T
    mean = [np.bincount(units, column) / np.bincount(units) for column in columns]
    return np.stack(mean, axis=-1)[units].reshape(values.shape)
