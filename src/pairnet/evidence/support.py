"""What an effect rests on: for each row, the observed rows most like it under either treatment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from sklearn.neighbors import NearestNeighbors

from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Dose, Treatment
from pairnet.evidence.memory import Training
from pairnet.tables import AbstractTable, opened
from pairnet.training import Fitted, Plan
from pairnet.training.scaling import Scaling

BLOCK = 20_000  # rows looked at together: what is held is rows x partners, never rows x rows
YARDSTICK = 2000  # the most training rows whose distances to their own neighbours say what is near
NEAR, FAR = (
    0.95,
    0.995,
)  # shares of the rows under a treatment that lie so near to their own neighbours under it
SOME, LITTLE = 0.25, 0.05  # overlap below which a row is thin, and below which it is extrapolating
# rows of the rarer treatment among those around a row, were it as common there as it is overall
EXPECTED = 10
WINDOW = 0.1  # of the range of doses: rows within so much of a dose were treated alike
VERDICTS = np.array(["well supported", "thin", "extrapolating"])

Place = Callable[[np.ndarray], np.ndarray]  # covariates [n d] -> positions [n h]


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest observed rows under one treatment, nearest first; where there are too few, row -1
    at infinity.

    `rows` are numbers of rows in the table of the fit, `treatments` what they received, and
    distances are in units of the typical distance of a training row to its own neighbours.
    """

    rows: Int[np.ndarray, "n k"]
    distances: Float[np.ndarray, "n k"]
    outcomes: Float[np.ndarray, "n k"]
    treatments: np.ndarray  # [n k], labels or doses


@dataclass(frozen=True, eq=False)
class Support:
    """For each row: its nearest partners under T0 and T1, the local overlap, and a verdict.

    overlap: how common the rarer of the two treatments is among rows like this one, against how
    common it is overall; 1 means as common or more, 0 that nobody like it received it. For arms it
    is the smaller of what the rows around say and what a light model of all rows says. verdict:
    "well supported"; "thin" where the k-th partner under T0 or T1 is farther than 95 % of the rows
    under that treatment are from their own k-th neighbour under it, or the overlap below 0.25;
    "extrapolating" where it is farther than 99.5 % are, or the overlap below 0.05. So what is near
    depends on how many were treated so: were treatments drawn by lot, few rows are marked, however
    rare one is.
    """

    T0: Nearest
    T1: Nearest
    overlap: Float[np.ndarray, " n"]
    verdict: np.ndarray  # [n] of VERDICTS
    table: AbstractTable  # that was asked about

    def frame(self) -> Any:
        """Return everything as a frame, one line a row: of the library of the frame asked about,
        else of pandas."""
        columns: dict[str, np.ndarray] = {"verdict": self.verdict, "overlap": self.overlap}
        for name, side in (("T0", self.T0), ("T1", self.T1)):
            for k in range(side.rows.shape[1]):
                what = {"row": side.rows, "treatment": side.treatments, "outcome": side.outcomes}
                what["distance"] = side.distances
                columns |= {f"{name}_{word}_{k + 1}": values[:, k] for word, values in what.items()}
        return self.table.like(columns)


def support(
    fitted: Fitted,
    training: Training,
    treatment: Treatment,
    x: Float[np.ndarray, "n d"],
    t0: np.ndarray,
    t1: np.ndarray,
    k: int,
    space: str,
    table: AbstractTable | None = None,
) -> Support:
    """Look up the evidence for every row, block by block."""
    place = _places(fitted, training, space)
    z = place(training.x)
    own = _apart(z, k)
    unit = float(np.median(own[own > 0])) if (own > 0).any() else 1.0
    each = [np.broadcast_to(t, len(x)) for t in (t0, t1)]
    labels = _labels(training, treatment)
    parts: list[list] = []
    for start in range(0, len(x), BLOCK):
        stop = min(start + BLOCK, len(x))
        at = place(x[start:stop])
        first, second = (t[start:stop] for t in each)
        sides = [_partners(at, t, z, training, treatment, k) for t in (first, second)]
        parts.append([*sides[0], *sides[1], _overlap(at, first, second, z, training, treatment)])
    d0, i0, far0, d1, i1, far1, around = (
        np.concatenate(values) for values in zip(*parts, strict=True)
    )
    overlap = np.minimum(around, _chance(x, each, training, treatment))
    lacking = (overlap < SOME).astype(int) + (overlap < LITTLE)
    grade = np.maximum(np.maximum(far0, far1), lacking)
    side = lambda d, i: Nearest(
        _of(training.row, i, -1), d / unit, _of(training.y, i, np.nan), labels(i)
    )
    return Support(
        side(d0, i0), side(d1, i1), overlap, VERDICTS[grade], opened(x if table is None else table)
    )


def _places(fitted: Fitted, training: Training, space: str) -> Place:
    """Return how rows are placed: by standardised covariates, or by the first member's
    representation."""
    if space == "representation":
        return lambda x: fitted.represent(x)[0, 0].astype(np.float32)
    if space != "covariates":
        raise ValueError(f"space must be 'covariates' or 'representation', got {space!r}.")
    scaling = Scaling.of(training.x, training.y, training.weight, Plan(), Gaussian())
    return lambda x: np.asarray(scaling.x(x))


def _nearest(query: np.ndarray, reference: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    found = NearestNeighbors(n_neighbors=k, algorithm="brute").fit(reference).kneighbors(query)
    return np.asarray(found[0], np.float64), np.asarray(found[1], int)


def _alike(training: Training, treatment: Treatment, t: float) -> np.ndarray:
    """Tell which training rows received t, or a dose near it."""
    return np.abs(training.t - t) <= (WINDOW if isinstance(treatment, Dose) else 0)


def _groups(treatment: Treatment, *columns: np.ndarray):
    """Yield each combination of treatments with its rows; doses are rounded to hundredths of the
    range."""
    rounded = np.stack([np.round(t, 2) if isinstance(treatment, Dose) else t for t in columns])
    kinds, which = np.unique(rounded, axis=1, return_inverse=True)
    for position, kind in enumerate(kinds.T.tolist()):
        yield kind, np.flatnonzero(which.reshape(-1) == position)


def _apart(z: np.ndarray, k: int) -> np.ndarray:
    """Return how far rows are from their own k-th neighbour among them: all rows, or some that are
    spread over all."""
    some = z[:: -(-len(z) // YARDSTICK)]  # rows are in the order of their covariates
    return _nearest(some, z, min(k + 1, len(z)))[0][:, -1]  # a row is its own nearest


def _partners(at, t, z, training, treatment, k) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the distances and positions of each row's k nearest training rows under t, and how far
    that is.

    The rows under t say themselves what is far: 0 is near, 1 farther than most are from one
    another, 2 farther than nearly all. Where too few received t to say so, everything is far.
    """
    distance, index = np.full((len(at), k), np.inf), np.full((len(at), k), -1)
    far = np.full(len(at), 2)
    for (value,), rows in _groups(treatment, t):
        alike = np.flatnonzero(_alike(training, treatment, value))
        count = min(k, len(alike))
        if count:
            d, i = _nearest(at[rows], z[alike], count)
            distance[rows, :count], index[rows, :count] = d, alike[i]
        if len(alike) > k:
            ends = np.quantile(_apart(z[alike], k), (NEAR, FAR))
            far[rows] = np.searchsorted(ends, distance[rows, -1])
    return distance, index, far


def _overlap(at, t0, t1, z, training, treatment) -> np.ndarray:
    """Return how common the rarer of two treatments is around each row, against how common it is
    overall."""
    overlap = np.ones(len(at))
    for values, rows in _groups(treatment, t0, t1):
        alike = [_alike(training, treatment, value) for value in values]
        either = np.flatnonzero(alike[0] | alike[1])
        shares = [side[either].mean() if len(either) else 0.0 for side in alike]
        if min(shares) == 0:
            overlap[rows] = 0
            continue
        around = min(len(either), int(np.ceil(EXPECTED / min(shares))))
        _, index = _nearest(at[rows], z[either], around)
        local = [
            side[either][index].mean(axis=1) / share
            for side, share in zip(alike, shares, strict=True)
        ]
        overlap[rows] = np.minimum(1, np.minimum(*local))
    return overlap


def _chance(x, each, training, treatment) -> np.ndarray:
    """Return how likely the rarer of two arms is for each row, against how common it is: gaps that
    are too narrow, or covariates too many, for the rows around to show."""
    if isinstance(treatment, Dose):
        return np.ones(len(x))
    relative = training.propensity.relative(x)
    sides = [np.take_along_axis(relative, arm.astype(int)[:, None], axis=1)[:, 0] for arm in each]
    return np.minimum(1, np.minimum(*sides))


def _labels(training: Training, treatment: Treatment) -> Callable[[np.ndarray], np.ndarray]:
    """Return the function that says what training rows received, in the user's words."""
    received = (
        np.asarray(treatment.amount(training.t))
        if isinstance(treatment, Dose)
        else np.asarray(treatment.labels)[training.t.astype(int)]
    )
    return lambda index: _of(received, index, None)


def _of(values: np.ndarray, index: np.ndarray, absent: Any) -> np.ndarray:
    """Return values at positions; position -1 is nobody."""
    found = values[np.maximum(index, 0)]
    return found if (index >= 0).all() else np.where(index >= 0, found, absent)
