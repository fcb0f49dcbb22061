"""Effects at X where the fit also had controls W: the mean over the W of rows like it.

A model of X and W says tau(x, w). EconML's `effect(X)` knows X alone, so what it asks for is
E[tau(x, W) | X = x]. It is estimated from tau(x, w_j) of rows j of the fit whose X is near x: as
the height at x of a line through them, with a penalty on its slopes (local linear regression; Fan,
1992). The effect is asked at x itself; only who has which W is taken from the near rows. So the
answer is that of the model wherever W does not change effects. Rows at the same distance are taken
by lots.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy import stats

from pairnet.inference import averages, intervals
from pairnet.inference.intervals import Ends, Estimate
from pairnet.inference.resampling import generator
from pairnet.model.model import Model
from pairnet.tables import Schema, opened

NEAR_ROOT = 5.0  # times the root of the rows of the fit: how many rows count as near
FEWEST_NEAR = 50
PENALTY = 3.0  # on the slopes of the lines, times columns by rows, in units of their spread
MOST_SLOPES = 64  # with more columns of X there are no lines, and near rows count alike
MOST_LEANING = 2.0  # how far outside of its near rows, in their spreads, a line may be asked
ROUNDING = 1e-12  # of squares: what is smaller than this is no spread
USUAL = 0.05  # the level of the interval from which standard errors are read
MOST_AT_ONCE = 200_000  # rows that a model is asked about together
LOTS = 11  # a stream of random numbers beside those of pairnet.inference.resampling


class Uncertain(NamedTuple):
    """Numbers with their standard errors, whose spread is that of Student's distribution."""

    value: np.ndarray
    error: np.ndarray
    freedom: float  # infinite for the normal distribution


@dataclass(frozen=True, eq=False)
class Answers:
    """What every member says of rows and, of a stack, every learner with its weight."""

    model: Model
    members: Float[np.ndarray, "m n"]
    by_learner: tuple[Float[np.ndarray, "p n"], Float[np.ndarray, " p"]] | None
    is_effect: bool = True  # a difference of outcomes, and not a slope

    @property
    def value(self) -> Float[np.ndarray, " n"]:
        """What the model says: the mean of the members."""
        return self.members.mean(axis=0)

    @property
    def uncertain(self) -> Uncertain:
        """The values with their standard errors."""
        self.model.need_interval()
        freedom = len(self.members) - 1.0 if self.by_learner is None else np.inf
        lower, upper = intervals.of_answers(self.members, self.by_learner, USUAL)
        reach = stats.t.ppf(1 - USUAL / 2, freedom)
        return Uncertain(self.value, (upper - lower) / 2 / reach, freedom)

    @property
    def together(self) -> Answers:
        """The mean over the rows, as if it were one row."""
        mean = lambda values: values.mean(axis=1, keepdims=True)
        learned = self.by_learner
        by_learner = None if learned is None else (mean(learned[0]), learned[1])
        return replace(self, members=mean(self.members), by_learner=by_learner)

    def interval(self, alpha: float) -> Ends:
        """Return the lower and upper ends of every row's interval."""
        intervals.check_level(alpha)
        self.model.need_interval()
        lower, upper = intervals.of_answers(self.members, self.by_learner, float(alpha))
        return self._inside(lower), self._inside(upper)

    @property
    def average(self) -> Estimate:
        """The average of people of whom the rows are a sample, with its error."""
        self.model.need_interval()
        if self.by_learner is None:
            return averages.of_members(self.members)
        return averages.of_folds(self.members, *self.by_learner)

    def average_interval(self, alpha: float) -> tuple[float, float]:
        """Return the interval around that average."""
        intervals.check_level(alpha)
        low, high = self._inside(np.array(intervals.around(self.average, float(alpha))))
        return float(low), float(high)

    def _inside(self, values: np.ndarray) -> np.ndarray:
        return self.model.outcome.effect_inside(values) if self.is_effect else values


Ask = Callable[..., Answers]


@dataclass(frozen=True, eq=False)
class Controlled:
    """A fitted model whose last covariates are controls: they are not known of new rows.

    width: how many columns of the table of the fit are known of new rows, the first ones; None is
    all of them.
    """

    model: Model
    width: int | None = None
    seed: int = 0

    @cached_property
    def schema(self) -> Schema:
        """What the columns are that are known of new rows."""
        schema = self.model.schema
        return (
            schema if self.width is None else replace(schema, columns=schema.columns[: self.width])
        )

    def encoded(self, X: Any) -> Float[np.ndarray, "n d"]:
        """Return the known covariates of new rows as numbers; without any, there is one row."""
        if self.width == 0:
            return np.zeros((1, 0))
        return self.schema.encode(opened(X))

    def effects(self, x: Float[np.ndarray, "n d"], t0: np.ndarray, t1: np.ndarray) -> Answers:
        """Return the effects of rows; treatments are inside numbers, for all rows or one a row."""
        return self._asked(self._effects, x, t0, t1)

    def slopes(self, x: Float[np.ndarray, "n d"], t: np.ndarray) -> Answers:
        """Return how fast the outcomes of rows change with the dose, at the place t."""
        return self._asked(self._slopes, x, t)

    def _asked(self, ask: Ask, x: np.ndarray, *treatments: np.ndarray) -> Answers:
        if self.width is None:
            return ask(x, *treatments)
        near = self._near(x)
        step = max(1, MOST_AT_ONCE // near.shape[1] // (1 + x.shape[1] // 16))
        parts = []
        for start in range(0, len(x), step):
            some = slice(start, start + step)
            own = [t[some, None] if t.ndim else t for t in treatments]
            parts.append(self._averaged(ask, x[some], near[some], own))
        together = lambda values: np.concatenate(values, axis=1)
        members = together([part.members for part in parts])
        learned = [part.by_learner for part in parts if part.by_learner is not None]
        by_learner = (together([e for e, _ in learned]), learned[0][1]) if learned else None
        return replace(parts[0], members=members, by_learner=by_learner)

    def _effects(self, x: np.ndarray, t0: np.ndarray, t1: np.ndarray) -> Answers:
        model = self.model
        inside = model.outcome.effect_inside
        learned = model.by_learner(x, t0, t1)
        by_learner = None if learned is None else (inside(learned[0]), learned[1])
        return Answers(model, inside(model.effects(x, t0, t1)), by_learner)

    def _slopes(self, x: np.ndarray, t: np.ndarray) -> Answers:
        model = self.model
        by_learner = model.each_learner(lambda part: part.slope(x, t) / model.treatment.span)
        return Answers(model, model.slopes(x, t), by_learner, is_effect=False)

    def _averaged(
        self, ask: Ask, x: np.ndarray, near: Int[np.ndarray, "n k"], own: list[np.ndarray]
    ) -> Answers:
        """Return answers about rows, averaged over the controls of the rows that are near."""
        rows, count = near.shape
        width, memory = x.shape[1], self.model.memory
        share = shares(x, memory.x[near, :width], memory.weight[near])
        known = np.repeat(x, count, axis=0)
        controls = memory.x[near.reshape(-1), width:]
        by_row = [np.broadcast_to(t, near.shape).reshape(-1) if t.ndim else t for t in own]
        all_of = ask(np.hstack([known, controls]), *by_row)
        mean = lambda values: np.einsum("mnk,nk->mn", values.reshape(-1, rows, count), share)
        learned = all_of.by_learner
        by_learner = None if learned is None else (mean(learned[0]), learned[1])
        return replace(all_of, members=mean(all_of.members), by_learner=by_learner)

    def _near(self, x: np.ndarray) -> Int[np.ndarray, "n k"]:
        """Return the rows of the fit that are near each row; all of them where nothing is known."""
        from scipy.spatial import cKDTree

        memory = self.model.memory
        if x.shape[1] == 0:
            return np.tile(np.arange(len(memory)), (len(x), 1))
        count = min(len(memory), max(FEWEST_NEAR, math.ceil(NEAR_ROOT * len(memory) ** 0.5)))
        lots = generator(self.seed, LOTS).permutation(len(memory))
        known = memory.x[lots, : x.shape[1]]
        spread = known.std(axis=0)
        unit = np.where(spread > 0, spread, 1.0)
        found = cKDTree(known / unit).query(x / unit, k=count)[1]
        return lots[found.reshape(len(x), count)]


def shares(
    x: Float[np.ndarray, "n d"], near: Float[np.ndarray, "n k d"], weight: Float[np.ndarray, "n k"]
) -> Float[np.ndarray, "n k"]:
    """Return how much each near row counts for the height of a line at x; they add up to 1."""
    share = weight / weight.sum(axis=1, keepdims=True)
    count, width = near.shape[1:]
    if not 0 < width <= MOST_SLOPES:
        return share
    middle = np.einsum("nk,nkd->nd", share, near)
    off = near - middle[:, None]
    spread = np.einsum("nk,nkd,nke->nde", share, off, off, optimize=True)
    size = np.einsum("ndd->nd", spread)
    varies = size > ROUNDING * (size + middle**2)
    unit = np.sqrt(np.where(varies, size, 1.0))
    off, aside = off / unit[:, None], np.where(varies, x - middle, 0.0) / unit
    spread = spread / (unit[:, :, None] * unit[:, None, :])
    spread = spread + PENALTY * width / count * np.eye(width)
    lean = np.linalg.solve(spread, aside[:, :, None])[:, :, 0]
    far = np.sqrt(np.maximum(np.einsum("nd,nd->n", aside, lean), 1e-12))
    lean = lean * np.minimum(1.0, MOST_LEANING / far)[:, None]
    return np.asarray(share * (1 + np.einsum("nkd,nd->nk", off, lean)))
