"""Shapley values of a function of rows: what each column adds to a row's value, on average.

A walk goes from a row of the background to the row that is explained, and takes over one column
after the other, in a random order. What a column changes on its way is its part in this walk, and
its Shapley value is its mean part over all orders and backgrounds (Strumbelj and Kononenko, 2014;
"interventional" in Lundberg and Lee, 2017). The parts of a walk add up to the difference between
its ends, so that the values of a row add up to its own value less the mean of the background.

Two things make few walks do. Orders come in pairs, one the reverse of the other, in which pairs of
columns cancel (Mitchell et al., 2022). And a sum of curves, one a column, is fitted to the
function: its Shapley values are known, so that chance only touches what the curves leave over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.inference.features import bent, standardised

Function = Callable[[Float[np.ndarray, "n d"]], Float[np.ndarray, " n"]]

MOST_AT_ONCE = 2**22  # numbers in the states that are asked at once: 32 MB
MOST_FITTED = 2000  # rows of the background that curves are fitted to
PENALTY = 1e-6  # of the curves, against the spread of the columns
SAME = 1e-12  # a column whose parts are smaller, against the function's spread, is not looked at


class Shares(NamedTuple):
    """The Shapley values of rows, by column, with the standard error that few walks leave.

    value: of the rows themselves. base: the mean of the background. A row's parts add up to its
    value less the base.
    """

    parts: Float[np.ndarray, "n c"]
    error: Float[np.ndarray, "n c"]
    value: Float[np.ndarray, " n"]
    base: float


@dataclass(frozen=True, eq=False)
class Background:
    """The rows that a row is compared with, how much each counts, and which number is whose.

    owner: the column of each encoded number, from 0 on. values: the function of the rows.
    """

    x: Float[np.ndarray, "b d"]
    share: Float[np.ndarray, " b"]
    owner: Int[np.ndarray, " d"]
    values: Float[np.ndarray, " b"]

    @classmethod
    def of(
        cls,
        function: Function,
        x: Float[np.ndarray, "b d"],
        weight: Float[np.ndarray, " b"],
        owner: Int[np.ndarray, " d"],
    ) -> Background:
        """Ask the function about the rows."""
        return cls(x, weight / weight.sum(), owner, np.asarray(function(x), float))

    @property
    def columns(self) -> int:
        """How many columns there are."""
        return int(self.owner.max()) + 1

    @property
    def base(self) -> float:
        """The mean of the function."""
        return float(self.share @ self.values)


def shapley_values(
    function: Function,
    x: Float[np.ndarray, "n d"],
    background: Background,
    walks: int = 64,
    seed: int = 0,
) -> Shares:
    """Return the Shapley values of rows, with so many walks a row (at least 4, in pairs).

    They are exact, without any chance, if so many walks can hold every order of the columns from
    every row of the background.
    """
    rng = np.random.default_rng(seed)
    value = np.asarray(function(x), float)
    parts, error = np.zeros((2, len(x), background.columns))
    curves = _curves(background)
    seen = np.zeros(background.columns)
    for rows, own in _planned(x, background, walks, rng):
        steps = _steps(function, x[rows], value[rows], background, own)
        seen = np.maximum(seen, np.abs(steps).max(axis=(0, 1), initial=0))
        parts[rows], error[rows] = _averaged(steps, x[rows], background, own, curves, value[rows])
    ignored = seen <= SAME * max(float(np.abs(background.values).max()), float(np.abs(value).max()))
    parts[:, ignored] = error[:, ignored] = 0
    return Shares(_closed(parts, error, value - background.base), error, value, background.base)


class _Walks(NamedTuple):
    """Walks of some rows: the place of each column in their orders, and where they start.

    share: how much the walks of a row count.
    """

    place: Int[np.ndarray, "n w c"]
    start: Int[np.ndarray, "n w"]
    share: Float[np.ndarray, " w"]
    exact: bool


def _planned(
    x: np.ndarray, background: Background, walks: int, rng: np.random.Generator
) -> Iterator[tuple[slice, _Walks]]:
    """Yield rows, some at a time, with their walks."""
    columns, others = background.columns, len(background.x)
    every = math.factorial(columns) * others if columns < 10 else math.inf
    exact = every <= walks
    count = int(every) if exact else 2 * max(walks // 2, 2)
    at_once = max(1, MOST_AT_ONCE // (count * columns * x.shape[1]))
    for begin in range(0, len(x), at_once):
        rows = slice(begin, min(begin + at_once, len(x)))
        size = rows.stop - rows.start
        plan = _every(background, size) if exact else _random(background, size, count, rng)
        yield rows, plan


def _every(background: Background, size: int) -> _Walks:
    """Return the walks of so many rows, in every order from every row of the background."""
    orders = np.asarray(list(permutations(range(background.columns)))).argsort(axis=1)
    others, count = len(background.x), len(orders)
    place, start = np.repeat(orders, others, axis=0), np.tile(np.arange(others), count)
    share = np.tile(background.share, count) / count
    alike = lambda array: np.broadcast_to(array, (size, *array.shape))
    return _Walks(alike(place), alike(start), share, exact=True)


def _random(background: Background, size: int, count: int, rng: np.random.Generator) -> _Walks:
    """Return so many random walks of each row, in pairs of orders; starts have even values."""
    columns = background.columns
    forward = rng.random((size, count // 2, columns)).argsort(axis=2).argsort(axis=2)
    place = np.stack([forward, columns - 1 - forward], axis=2).reshape(size, count, columns)
    by_value = np.argsort(background.values, kind="stable")
    ends = np.cumsum(background.share[by_value])
    level = (rng.random((size, 1)) + np.arange(count)) / count
    found = np.minimum(np.searchsorted(ends, level, side="right"), len(by_value) - 1)
    start = rng.permuted(by_value[found], axis=1)
    return _Walks(place, start, np.full(count, 1 / count), exact=False)


def _steps(
    function: Function, x: np.ndarray, value: np.ndarray, background: Background, walks: _Walks
) -> Float[np.ndarray, "n w c"]:
    """Return by how much each column moves the function in each walk.

    A column in which both ends are alike moves nothing, and is not asked about.
    """
    start, owner = background.x[walks.start], background.owner
    columns, shape = background.columns, walks.place.shape
    moved = np.zeros(shape, bool)
    for one in range(columns):
        mine = owner == one
        moved[..., one] = (start[..., mine] != x[:, None, mine]).any(axis=2)
    own_last = np.where(moved, walks.place, -1).max(axis=2, keepdims=True)
    asked = moved & (walks.place < own_last)  # after its last step a walk is where it ends
    row, walk, column = np.nonzero(asked)
    taken = walks.place[row, walk] <= walks.place[row, walk, column][:, None]
    states = np.where(taken[:, owner], x[row], start[row, walk])
    reached = np.full((*shape[:2], columns + 1), np.nan)  # by the place of the step
    reached[..., 0] = background.values[walks.start]
    if len(row):
        reached[row, walk, walks.place[row, walk, column] + 1] = function(states)
    done = np.arange(columns + 1) > own_last
    reached = np.where(done & (own_last >= 0), value[:, None, None], reached)
    known = np.where(np.isnan(reached), 0, np.arange(columns + 1))
    reached = np.take_along_axis(reached, np.maximum.accumulate(known, axis=2), axis=2)
    return np.take_along_axis(np.diff(reached, axis=2), walks.place, axis=2)


def _averaged(
    steps: np.ndarray,
    x: np.ndarray,
    background: Background,
    walks: _Walks,
    curves: Callable[[np.ndarray], np.ndarray],
    value: np.ndarray,
) -> tuple[Float[np.ndarray, "n c"], Float[np.ndarray, "n c"]]:
    """Return the mean parts of the rows, with what their curves say exactly, and their errors."""
    if walks.exact:
        parts = np.einsum("nwc,w->nc", steps, walks.share)
        return parts, np.zeros_like(parts)
    own, others = curves(x), curves(background.x)
    left = steps - (own[:, None] - others[walks.start])
    pairs = left.reshape(len(x), -1, 2, left.shape[2]).mean(axis=2)
    error = pairs.std(axis=1, ddof=1) / np.sqrt(pairs.shape[1])
    return pairs.mean(axis=1) + own - background.share @ others, error


def _closed(
    parts: Float[np.ndarray, "n c"], error: Float[np.ndarray, "n c"], whole: Float[np.ndarray, " n"]
) -> Float[np.ndarray, "n c"]:
    """Return parts that add up to the whole: what is missing goes where chance may have put it."""
    blame = np.where(error.sum(axis=1, keepdims=True) > 0, error, np.abs(parts))
    total = blame.sum(axis=1, keepdims=True)
    missing = (whole - parts.sum(axis=1))[:, None]
    return parts + missing * np.divide(blame, total, out=np.zeros_like(blame), where=total > 0)


def _curves(background: Background) -> Callable[[np.ndarray], Float[np.ndarray, "n c"]]:
    """Return a sum of curves, one a column, that is near the function: the height of each."""
    some = np.linspace(0, len(background.x) - 1, min(len(background.x), MOST_FITTED)).astype(int)
    known, root = background.x[some], np.sqrt(background.share[some])[:, None]
    features = bent(standardised(known, like=background.x))
    owner = np.tile(background.owner, features.shape[1] // len(background.owner))
    level = root.T @ (root * features) / (root.T @ root)
    own = root * (features - level)
    inner = own.T @ own
    inner[np.diag_indices_from(inner)] += PENALTY * max(float(np.trace(inner)), 1e-300)
    off = root[:, 0] * (background.values[some] - background.base)
    slopes = np.linalg.lstsq(inner, own.T @ off, rcond=None)[0]
    by_column = np.zeros((len(slopes), background.columns))
    by_column[np.arange(len(slopes)), owner] = slopes
    return lambda x: (bent(standardised(x, like=background.x)) - level) @ by_column


def interactions(
    function: Function,
    x: Float[np.ndarray, "n d"],
    background: Background,
    pairs: list[tuple[int, int]],
    draws: int = 16,
    seed: int = 0,
) -> Float[np.ndarray, " p"]:
    """Return how strongly pairs of columns act together, in units of the function.

    It is the root mean square over rows of the Shapley interaction index (Grabisch and Roubens,
    1999): by how much the two columns together move the function more than each alone. Two halves
    of the draws are multiplied, so that chance adds nothing on average.
    """
    rng, columns = np.random.default_rng(seed), background.columns
    row = np.repeat(np.arange(len(x)), draws)
    start = rng.choice(len(background.x), len(row), p=background.share)
    strength = []
    for pair in pairs:
        both = np.isin(np.arange(columns), pair)
        chance = rng.random((len(row), 1))
        taken = (rng.random((len(row), columns)) < chance) & ~both  # of every size alike
        states = []
        for own in ((), pair[:1], pair[1:], pair):
            mine = taken | np.isin(np.arange(columns), own)
            states.append(np.where(mine[:, background.owner], x[row], background.x[start]))
        neither, first, second, together = np.split(function(np.concatenate(states)), 4)
        index = (together - first - second + neither).reshape(len(x), 2, -1).mean(axis=2)
        strength.append(np.sqrt(max(float(np.mean(index[:, 0] * index[:, 1])), 0.0)))
    return np.asarray(strength)
