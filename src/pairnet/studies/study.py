"""What a study is: rows of many realisations, the truth behind them, and which rows train and
test."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import Array, Rows
from pairnet.studies.files import Damaged, File

DOSES = (
    0.01 + np.arange(64) / 64
)  # where the response to doses is recorded, as the reference data do


class Figure(NamedTuple):
    """A number that the study is known to have: `pairnet data check` and the tests measure it
    anew."""

    what: str
    expected: float
    within: float  # how far off it may be
    measure: Callable[[Study], Any]  # a number


@dataclass(frozen=True, kw_only=True)
class About:
    """What can be said of a study without loading it."""

    rows: str
    covariates: str
    treatment: str
    realisations: str
    source: str
    licence: str
    files: tuple[File, ...] = ()
    instead: tuple[File, ...] = ()  # files that serve as well
    figures: tuple[Figure, ...] = ()

    def is_here(self, folder: str | os.PathLike[str] | None = None) -> bool:
        """Tell whether the study can be loaded on this machine: its files, or those that serve as
        well, are there."""
        complete = lambda files: all(file.optional or file.find(folder) for file in files)
        return complete(self.files) or bool(self.instead and complete(self.instead))


@dataclass(frozen=True, kw_only=True)
class Study:
    """Rows with a leading axis of realisations, and the truth on a grid of treatments.

    Covariates that realisations share lack that axis (`rows.x` is [n d]). `train` and `test` are
    row numbers, the same for all realisations [a] or its own for each [r a].
    """

    name: str
    description: str
    rows: Rows
    mu: Float[
        np.ndarray, "r n g"
    ]  # noise-free outcome of every row under every treatment of the grid
    mean: Float[np.ndarray, "r n"]  # noise-free outcome of every row under its own treatment
    treatment: Arms | Dose
    train: Int[np.ndarray, "*r a"]
    test: Int[np.ndarray, "*r b"]
    columns: tuple[str, ...]
    propensity: Float[np.ndarray, "r n k"] | None = None  # P(arm | x), where it is known
    about: About | None = None

    @property
    def grid(self) -> Float[np.ndarray, " g"]:
        """The treatments at which the truth is known: positions of arms, or doses."""
        return np.arange(float(len(self.treatment))) if isinstance(self.treatment, Arms) else DOSES

    def part(self, index: Int[np.ndarray, "*r m"]) -> Rows:
        """Return the rows at `index` of every realisation: `study.part(study.train)`."""
        rows = self.rows
        x = rows.x[index] if rows.x.ndim == 2 else _at(rows.x, index)
        return Rows(x, _at(rows.t, index), _at(rows.y, index), _at(rows.weight, index))

    def truth(self, index: Int[np.ndarray, "*r m"]) -> Float[np.ndarray, "r m g"]:
        """Return the noise-free outcomes of the rows at `index`, under every treatment of the
        grid."""
        return _at(self.mu, index)

    def own(self, index: Int[np.ndarray, "*r m"]) -> Float[np.ndarray, "r m"]:
        """Return the noise-free outcomes of the rows at `index` under the treatments that they
        received."""
        return _at(self.mean, index)

    def effect(
        self, index: Int[np.ndarray, "*r m"], t0: int = 0, t1: int = 1
    ) -> Float[np.ndarray, "r m"]:
        """Return the true effect of the treatment at position t1 of the grid against the one at
        t0."""
        truth = self.truth(index)
        return truth[..., t1] - truth[..., t0]

    def take(self, realisations: Int[np.ndarray, " k"]) -> Study:
        """Return these realisations alone, in this order, counted from 0."""
        own = lambda index: index if index.ndim == 1 else index[realisations]
        rows = self.rows
        x = rows.x if rows.x.ndim == 2 else rows.x[realisations]
        return dataclasses.replace(
            self,
            rows=Rows(x, rows.t[realisations], rows.y[realisations], rows.weight[realisations]),
            mu=self.mu[realisations],
            mean=self.mean[realisations],
            train=own(self.train),
            test=own(self.test),
            propensity=None if self.propensity is None else self.propensity[realisations],
        )

    def describe(self) -> str:
        """Say what the study is, where it comes from and under which licence."""
        lines = [f"{self.name}: {self.description}"]
        if self.about:
            lines += [f"Source: {self.about.source}", f"Licence: {self.about.licence}"]
        return "\n".join(lines)

    def frames(self) -> list:
        """Return one pandas data frame a realisation: covariates by name, treatment, outcome, truth
        and split."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "Data frames need pandas, which is not installed: pip install pandas."
            ) from error
        labels = (
            list(self.treatment.labels)
            if isinstance(self.treatment, Arms)
            else [f"{dose:g}" for dose in DOSES]
        )
        frames = []
        for k in range(len(self)):
            x = self.rows.x if self.rows.x.ndim == 2 else self.rows.x[k]
            t = self.rows.t[k]
            split = np.full(len(t), "unused", object)
            for word, index in (("test", self.test), ("train", self.train)):
                split[index if index.ndim == 1 else index[k]] = word
            frame = pd.DataFrame(x, columns=list(self.columns))
            frame["treatment"] = (
                np.asarray(self.treatment.labels)[t.astype(int)]
                if isinstance(self.treatment, Arms)
                else t
            )
            frame["outcome"] = self.rows.y[k]
            truth = pd.DataFrame(self.mu[k], columns=[f"mu({label})" for label in labels])
            frames.append(pd.concat([frame, truth, pd.Series(split, name="split")], axis=1))
        return frames

    def __len__(self) -> int:
        return len(self.rows.t)


def described(about: About) -> Callable[[Callable[..., Study]], Callable[..., Study]]:
    """Attach what is known of a study to the function that loads it, and to what it returns."""

    def attach(load: Callable[..., Study]) -> Callable[..., Study]:
        @functools.wraps(load)
        def loader(**options: Any) -> Study:
            try:
                return dataclasses.replace(load(**options), about=about)
            except Damaged as damaged:
                public = any(file.url for file in (*about.files, *about.instead))
                raise damaged.of(load.__name__.replace("_", "-"), public) from None

        loader.about = about  # type: ignore[attr-defined]
        return loader

    return attach


def observed(x: np.ndarray, t: np.ndarray, y: np.ndarray) -> Rows:
    """Return rows that all weigh the same."""
    return Rows(x, t.astype(np.float64), y.astype(np.float64), np.broadcast_to(1.0, t.shape))


def under_own_arm(values: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return, of values [r n k] under every arm, those [r n] under each row's own arm."""
    if not np.isin(t, np.arange(values.shape[2])).all():
        raise ValueError(
            f"Treatments must be 0 to {values.shape[2] - 1}, got {np.unique(t)[:5].tolist()}, ..."
        )
    return np.take_along_axis(values, t[..., None].astype(int), axis=2)[..., 0]


def choose(wanted: Any, available: int, name: str, first: int = 1) -> np.ndarray:
    """Return positions 0, 1, ... of the realisations asked for (counted from `first`), or of all.

    A range that starts at 0, as `range(10)`, means the first ones, whatever they are counted from.
    """
    if wanted is None:
        return np.arange(available)
    if isinstance(wanted, range) and wanted.start == 0:
        wanted = range(first, wanted.stop + first, wanted.step)
    numbers = np.atleast_1d(np.asarray(list(wanted) if not np.isscalar(wanted) else wanted))
    last = first + available - 1
    if (
        numbers.size == 0
        or numbers.dtype.kind not in "iu"
        or numbers.min() < first
        or numbers.max() > last
    ):
        few = ", ".join(map(repr, numbers[:10].tolist())) + ", ..." * (numbers.size > 10)
        hint = (
            f" They are counted from {first}: the first ten are range({first}, {first + 10})."
            * (0 in numbers)
        )
        raise ValueError(f"{name} {first} to {last}, got [{few}].{hint}")
    return numbers - first


def whole_seeds(seeds: Any, name: str) -> list[int]:
    """Return the seeds asked for, one or several, as whole numbers from 0 on."""
    numbers = np.atleast_1d(np.asarray(list(seeds) if not np.isscalar(seeds) else seeds))
    if numbers.size == 0 or numbers.dtype.kind not in "iu" or numbers.min() < 0:
        raise ValueError(
            f"{name}: seeds must be one or more whole numbers, 0 or above, got {numbers.tolist()}."
        )
    return numbers.tolist()


def check_sizes(
    name: str, *, realisations: int, rows: int, test: int, noise: float, seed: int
) -> None:
    """Raise for sizes that a study made here cannot have."""
    sizes = {
        "realisations": (realisations, 1),
        "rows": (rows, 1),
        "test": (test, 0),
        "seed": (seed, 0),
    }
    for what, (value, least) in sizes.items():
        if not isinstance(value, int | np.integer) or value < least:
            raise ValueError(
                f"{name}: {what} must be a whole number, at least {least}, got {value!r}."
            )
    if not 0 <= noise < np.inf:
        raise ValueError(f"{name}: noise must be 0 or more, got {noise!r}.")


def _at(values: Array, index: np.ndarray) -> np.ndarray:
    """Return the rows at `index` (shared [m], or one set a realisation [r m]) of values [r n
    ...]."""
    if index.ndim == 1:
        return np.take(
            values, index, axis=1
        )  # in the usual order of memory, whatever that of the values is
    return np.asarray(values[np.arange(len(index))[:, None], index])
