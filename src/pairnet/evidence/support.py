"""What an effect rests on: for each row, the observed rows most like it under either treatment."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import count_of
from pairnet.core.listing import Shown
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Treatment
from pairnet.evidence.memory import Memory
from pairnet.evidence.places import SAME, Places
from pairnet.tables import AbstractTable, opened
from pairnet.training.plan import Plan
from pairnet.training.scaling import Scaling

MOST_KNOWN = 100  # treatments whose yardsticks are kept
BLOCK = 20_000  # rows that are looked up at a time
YARDSTICK = 2000  # the most rows whose distances to neighbours define what is near
NEAR, FAR = 0.95, 0.995  # shares of a treatment's rows that have their own neighbours as near
ENOUGH = 40  # rows under a treatment that tell well enough what is far
SOME, LITTLE = 0.25, 0.05  # a row with less overlap is thin, or extrapolating
EXPECTED = 10  # rows of the rarer treatment around a row, if it is as common as overall
DISAGREE = "learners disagree"  # a further verdict, for stacks
VERDICTS = np.array(["well supported", "thin", "extrapolating"])
SAMPLED = 2000  # the most rows that are looked up for a statement on all rows: a random sample
TYPICAL = 0.5  # learners that lie apart by less than this share of a typical effect agree
MANY, MOST = 0.05, 0.5  # a larger share of rows that extrapolate is said, or bears the average

Place = Callable[[np.ndarray], np.ndarray]  # covariates [n d] -> positions [n h]


@dataclass(frozen=True, eq=False, repr=False)
class NearestRows:
    """The nearest observed rows under one treatment, nearest first; too few are filled up with -1.

    `rows` are numbers of rows in the table of the fit, `treatments` what they received (labels or
    doses), and distances are in units of the typical distance of a training row to its own
    neighbours; the distance of row -1 is infinite.
    """

    rows: Int[np.ndarray, "n k"]
    distances: Float[np.ndarray, "n k"]
    outcomes: Float[np.ndarray, "n k"]
    treatments: np.ndarray

    def __repr__(self) -> str:
        rows, partners = self.rows.shape
        return f"NearestRows: {partners} partners of {count_of(rows)}"


@dataclass(frozen=True, eq=False, repr=False)
class Support(Shown):
    """For each row: its nearest partners under T0 and T1, the local overlap, and a verdict.

    overlap: how common the rarer of the two treatments is among rows like this one, compared with
    how common it is overall; 1 means as common or more, 0 that nobody like the row received it. For
    arms it is the smaller of two values: by the rows around, and by a light model of all rows.
    verdict: "well supported"; "thin" if the k-th partner under T0 or T1 is farther than 95 % of the
    rows under that treatment are from their own k-th neighbour under it, or if the overlap is below
    0.25; "extrapolating" if it is farther than 99.5 % are, or the overlap is below 0.05. So what
    counts as near depends on how many rows had the treatment: if treatments were drawn by lot, few
    rows are marked, however rare a treatment is. (Where 40 rows or more had it, both shares are
    raised by their standard error.)

    Stacks have the verdict "learners disagree", too: rows like this one are there, but the learners
    that speak lie farther apart than the row's effect and than half of a typical one.
    disagreement: how far they lie apart (None for one method).

    Ties: rows with the same covariates are one neighbourhood, at distance 0 of one another. The
    overlap counts all of them, however many they are, and so it does with rows that lie equally
    far. Of more rows than k that lie equally near, the partners shown are some, with low, middling
    and high outcomes.
    """

    T0: NearestRows
    T1: NearestRows
    overlap: Float[np.ndarray, " n"]
    verdict: np.ndarray  # [n] of VERDICTS
    table: AbstractTable  # that was asked about
    disagreement: Float[np.ndarray, " n"] | None = None

    def doubted(
        self,
        effect: Float[np.ndarray, " n"],
        disagreement: Float[np.ndarray, " n"],
        typical: Float[np.ndarray, " k"] | None = None,
    ) -> Support:
        """Return the same for a stack, whose learners may disagree about a row's effect.

        typical: effects that tell how large a typical one is; None: those of these rows.
        """
        usual = TYPICAL * np.sqrt(np.mean((effect if typical is None else typical) ** 2))
        doubt = (disagreement > np.abs(effect)) & (disagreement > usual)
        verdict = np.where(doubt & (self.verdict == VERDICTS[0]), DISAGREE, self.verdict)
        return replace(self, verdict=verdict, disagreement=disagreement)

    def share(self, verdict: str) -> float:
        """Return the share of the rows that have a verdict."""
        return float(np.mean(self.verdict == verdict))

    def _lines(self) -> list[list[str]]:
        names = [*VERDICTS.tolist(), *[DISAGREE] * (self.disagreement is not None)]
        counts = [(name, f"{(self.verdict == name).sum():,}") for name in names]
        shares = [f"{100 * self.share(name):.0f} %" for name in names]
        lines = [[*count, share] for count, share in zip(counts, shares, strict=True)]
        return [["verdict", "rows", "share"], *lines]

    def notes(self) -> tuple[str, ...]:
        """Say where the partners of each row are."""
        return ("frame() has the nearest partners of each row.",)

    def frame(self) -> Any:
        """Return everything as a frame, one line a row.

        The frame is of the same library as the frame that was asked about, or else of pandas.
        """
        columns: dict[str, np.ndarray] = {"verdict": self.verdict, "overlap": self.overlap}
        if self.disagreement is not None:
            columns["disagreement"] = self.disagreement
        for name, side in (("T0", self.T0), ("T1", self.T1)):
            for k in range(side.rows.shape[1]):
                parts = {"row": side.rows, "treatment": side.treatments, "outcome": side.outcomes}
                parts["distance"] = side.distances
                columns |= {f"{name}_{word}_{k + 1}": part[:, k] for word, part in parts.items()}
        return self.table.like(columns)


def some_of(rows: int) -> Int[np.ndarray, " s"]:
    """Return the rows that stand for all, always the same ones."""
    return np.random.default_rng(0).permutation(rows)[:SAMPLED]


@functools.lru_cache(maxsize=2)
def by_covariates(memory: Memory) -> Place:
    """Return the function that places rows by their standardised covariates.

    No model can bend this space.
    """
    scaling = Scaling.of(memory.x, memory.y, memory.weight, Plan(), Gaussian())
    return lambda x: np.asarray(scaling.x(x))


@functools.lru_cache(maxsize=2)  # for those who ask about many blocks of rows one by one
def surroundings(memory: Memory, place: Place, k: int) -> _Surroundings:
    """Return the rows of a fit, ready to be searched for the k nearest to others."""
    z = place(memory.x)
    return _Surroundings(memory, z, Places.of(z), k)


def support(
    memory: Memory,
    place: Place,
    x: Float[np.ndarray, "n d"],
    t0: np.ndarray,
    t1: np.ndarray,
    k: int,
    table: AbstractTable | None = None,
) -> Support:
    """Look up the evidence for every row, block by block."""
    around = surroundings(memory, place, k)
    by_row = [np.broadcast_to(t, len(x)) for t in (t0, t1)]
    parts: list[list] = []
    for start in range(0, len(x), BLOCK):
        stop = min(start + BLOCK, len(x))
        at = Places.of(place(x[start:stop]))
        first, second = (t[start:stop] for t in by_row)
        sides = [around.partners(at, t) for t in (first, second)]
        parts.append([*sides[0], *sides[1], around.overlap(at, first, second)])
    d0, i0, far0, d1, i1, far1, local = (np.concatenate(v) for v in zip(*parts, strict=True))
    overlap = np.minimum(local, _chance(memory, x, by_row))
    lacking = (overlap < SOME).astype(int) + (overlap < LITTLE)
    grade = np.maximum(np.maximum(far0, far1), lacking)
    return Support(
        T0=around.nearest_rows(d0, i0),
        T1=around.nearest_rows(d1, i1),
        overlap=overlap,
        verdict=VERDICTS[grade],
        table=opened(x if table is None else table),
    )


class _Partners(NamedTuple):
    distance: np.ndarray  # [n k]
    place: np.ndarray  # [n k], of remembered rows; -1 where there are too few
    far: np.ndarray  # [n], 0 is near, 1 farther than most are from one another, 2 than nearly all


@dataclass(frozen=True, eq=False)
class _Surroundings:
    """Remembered rows at their places; they are searched for the nearest to other rows."""

    memory: Memory
    z: np.ndarray
    places: Places
    k: int

    @property
    def treatment(self) -> Treatment:
        return self.memory.treatment

    def partners(self, at: Places, t: np.ndarray) -> _Partners:
        """Return each row's k nearest rows under t, their distances, and how far that is.

        The rows under t themselves define what is far. If too few rows received t, everything is
        far.
        """
        n = len(at.place)
        distance, index = np.full((n, self.k), np.inf), np.full((n, self.k), -1)
        far = np.full(n, 2)
        for (value,), rows in self._groups(t):
            alike = np.flatnonzero(self.treatment.alike(self.memory.t, value))
            count = min(self.k, len(alike))
            asked, which = np.unique(at.place[rows], return_inverse=True)
            if count:
                d, i = self.places.nearest_rows(at.z[asked], alike, count)
                distance[rows, :count], index[rows, :count] = d[which], i[which]
            if len(alike) > self.k:
                far[rows] = np.searchsorted(self.ends(value), distance[rows, -1])
        return _Partners(distance, index, far)

    @functools.cached_property
    def known_ends(self) -> dict[float, np.ndarray]:
        """The distances of `ends`, by treatments that were asked about."""
        return {}

    def ends(self, value: float) -> np.ndarray:
        """Return up to which distances rows are near, and from which on far, under a treatment."""
        if value not in self.known_ends:
            alike = np.flatnonzero(self.treatment.alike(self.memory.t, value))
            if len(self.known_ends) >= MOST_KNOWN:
                self.known_ends.clear()
            self.known_ends[value] = _ends(self._apart(alike))
        return self.known_ends[value]

    @functools.cached_property
    def unit(self) -> float:
        """The typical distance of a row of the fit to its own neighbours."""
        own = self._apart(np.arange(len(self.z)))
        return float(np.median(own[own > 0])) if (own > 0).any() else 1.0

    def overlap(self, at: Places, t0: np.ndarray, t1: np.ndarray) -> np.ndarray:
        """Return how common the rarer treatment is around each row, against how common overall."""
        overlap = np.ones(len(at.place))
        for values, rows in self._groups(t0, t1):
            alike = [self.treatment.alike(self.memory.t, value) for value in values]
            either = np.flatnonzero(alike[0] | alike[1])
            shares = [side[either].mean() if len(either) else 0.0 for side in alike]
            if min(shares) == 0:
                overlap[rows] = 0
                continue
            around = min(len(either), int(np.ceil(EXPECTED / min(shares))))
            asked, which = np.unique(at.place[rows], return_inverse=True)
            local = self.places.shares(at.z[asked], either, tuple(alike), around)
            relative = (local / np.array(shares)[:, None]).min(axis=0)
            overlap[rows] = np.minimum(1, relative)[which]
        return overlap

    def nearest_rows(self, distance: np.ndarray, index: np.ndarray) -> NearestRows:
        """Return partners in the user's words: rows of the table, outcomes, treatments."""
        received = self.treatment.label_of(self.memory.t)
        return NearestRows(
            _at(self.memory.row, index, -1),
            distance / self.unit,
            _at(self.memory.y, index, np.nan),
            _at(received, index, None),
        )

    def _apart(self, rows: np.ndarray) -> np.ndarray:
        """Return how far some rows are from their k-th neighbour among them: all, or a sample."""
        some = rows[:: -(-len(rows) // YARDSTICK)]  # rows are in the order of their covariates
        one_more = min(self.k + 1, len(rows))  # a row is its own nearest
        return self.places.distances(self.z[some], rows, one_more)

    def _groups(self, *columns: np.ndarray) -> Iterator[tuple[list[float], np.ndarray]]:
        """Yield each combination of treatments with its rows; doses are rounded."""
        rounded = np.stack([self.treatment.rounded(t) for t in columns])
        kinds, which = np.unique(rounded, axis=1, return_inverse=True)
        for position, kind in enumerate(kinds.T.tolist()):
            yield kind, np.flatnonzero(which.reshape(-1) == position)


def _ends(apart: np.ndarray) -> np.ndarray:
    """Return the distances up to which rows are near, and from which on they are far.

    A share that is read off some rows is raised by its standard error, so that chance does not mark
    many other rows at once. Few rows get no such credit.
    """
    shares = np.array([NEAR, FAR])
    if len(apart) >= ENOUGH:
        shares = np.minimum(1, shares + np.sqrt(shares * (1 - shares) / len(apart)))
    return np.quantile(apart, shares) * (1 + SAME)


def _chance(memory: Memory, x: np.ndarray, arms: list[np.ndarray]) -> np.ndarray:
    """Return how likely the rarer of two arms is for each row, against how common it is.

    This shows gaps that the rows around do not show, since the gaps are narrow or covariates many.
    """
    if memory.treatment.whole_range:
        return np.ones(len(x))
    relative = memory.propensity.relative(x)
    sides = [np.take_along_axis(relative, arm.astype(int)[:, None], axis=1)[:, 0] for arm in arms]
    return np.minimum(1, np.minimum(*sides))


def _at(values: np.ndarray, index: np.ndarray, absent: Any) -> np.ndarray:
    """Return values at positions; position -1 is nobody."""
    chosen = values[np.maximum(index, 0)]
    return chosen if (index >= 0).all() else np.where(index >= 0, chosen, absent)
