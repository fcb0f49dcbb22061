"""What a study is: rows of many realisations, the truth behind them, and how they are split."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, cast, runtime_checkable

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.registry import name_of
from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import Array, Rows
from pairnet.studies.files import Damaged, File

# where the response to doses is recorded, as in the reference data
DOSES = 0.01 + np.arange(64) / 64


class Figure(NamedTuple):
    """A number that a study is known to have; `pairnet data check` and tests measure it again."""

    what: str
    expected: float
    within: float  # the tolerance
    measure: Callable[[Study], Any]  # a number


@dataclass(frozen=True, kw_only=True)
class About:
    """What is known about a study without loading it."""

    rows: str
    covariates: str
    treatment: str
    realisations: str
    source: str
    licence: str
    files: tuple[File, ...] = ()
    instead: tuple[File, ...] = ()  # equivalent files
    figures: tuple[Figure, ...] = ()

    def is_here(self, folder: str | os.PathLike[str] | None = None) -> bool:
        """Tell whether the files of the study, or equivalent ones, are on this machine."""
        complete = lambda files: all(file.optional or file.find(folder) for file in files)
        return complete(self.files) or bool(self.instead and complete(self.instead))


@dataclass(frozen=True, kw_only=True)
class Study:
    """Rows with a leading axis of realisations, and the truth on a grid of treatments.

    Covariates that realisations share lack that axis (`rows.x` is [n d]). `train` and `test` are
    row numbers: the same for all realisations [a], or each realisation's own [r a].
    """

    name: str
    description: str
    rows: Rows
    # noise-free outcomes of every row, under every treatment of the grid and under its own
    mu: Float[np.ndarray, "r n g"]
    mean: Float[np.ndarray, "r n"]
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
        """Return noise-free outcomes of the rows at `index` under every treatment of the grid."""
        return _at(self.mu, index)

    def own(self, index: Int[np.ndarray, "*r m"]) -> Float[np.ndarray, "r m"]:
        """Return noise-free outcomes of the rows at `index` under their own treatments."""
        return _at(self.mean, index)

    def effect(
        self, index: Int[np.ndarray, "*r m"], t0: int = 0, t1: int = 1
    ) -> Float[np.ndarray, "r m"]:
        """Return true effects of the treatment at position t1 of the grid against that at t0."""
        truth = self.truth(index)
        return truth[..., t1] - truth[..., t0]

    def take(self, realisations: Int[np.ndarray, " k"]) -> Study:
        """Return only these realisations, in this order, counted from 0."""
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
        """Write what the study is, where it comes from and under which licence."""
        lines = [f"{self.name}: {self.description}"]
        if self.about:
            lines += [f"Source: {self.about.source}", f"Licence: {self.about.licence}"]
        return "\n".join(lines)

    def frames(self) -> list:
        """Return one pandas data frame a realisation.

        Columns are the covariates by name, treatment, outcome, the truth, and the split.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "Data frames need pandas, which is not installed: pip install pandas."
            ) from error
        if isinstance(self.treatment, Arms):
            arms = np.asarray(self.treatment.labels)
            labels, decode = list(self.treatment.labels), lambda t: arms[t.astype(int)]
        else:
            labels, decode = [f"{dose:g}" for dose in DOSES], lambda t: t
        frames = []
        for k in range(len(self)):
            x = self.rows.x if self.rows.x.ndim == 2 else self.rows.x[k]
            frame = pd.DataFrame(x, columns=list(self.columns))
            frame["treatment"] = decode(self.rows.t[k])
            frame["outcome"] = self.rows.y[k]
            truth = pd.DataFrame(self.mu[k], columns=[f"mu({label})" for label in labels])
            split = pd.Series(self._split(k), name="split")
            frames.append(pd.concat([frame, truth, split], axis=1))
        return frames

    def _split(self, realisation: int) -> np.ndarray:
        """Return a word for each row of a realisation: train, test or unused."""
        words = np.full(self.rows.t.shape[1], "unused", object)
        for word, index in (("test", self.test), ("train", self.train)):
            words[index if index.ndim == 1 else index[realisation]] = word
        return words

    def __len__(self) -> int:
        return len(self.rows.t)


@runtime_checkable
class Loader(Protocol):
    """A function that loads a study, and what is known about the study without loading it."""

    about: About

    def __call__(self, **options: Any) -> Study: ...


def described(about: About) -> Callable[[Callable[..., Study]], Loader]:
    """Attach what is known about a study to the function that loads it, and to its result."""

    def attach(load: Callable[..., Study]) -> Loader:
        @functools.wraps(load)
        def loader(**options: Any) -> Study:
            try:
                return dataclasses.replace(load(**options), about=about)
            except Damaged as damaged:
                public = any(file.url for file in (*about.files, *about.instead))
                raise damaged.of(name_of(load), public) from None

        loader.about = about  # type: ignore[attr-defined]
        return cast(Loader, loader)

    return attach


def is_described(thing: object) -> bool:
    """Tell whether something is a function that `described` returned."""
    return callable(thing) and isinstance(getattr(thing, "about", None), About)


def observed(x: np.ndarray, t: np.ndarray, y: np.ndarray) -> Rows:
    """Return rows that all have the same weight."""
    return Rows(x, t.astype(np.float64), y.astype(np.float64), np.broadcast_to(1.0, t.shape))


def under_own_arm(values: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Return the values under each row's own arm [r n], given those under all arms [r n k]."""
    if not np.isin(t, np.arange(values.shape[2])).all():
        last, labels = values.shape[2] - 1, np.unique(t)[:5].tolist()
        raise ValueError(f"Treatments must be 0 to {last}, got {labels}, ...")
    return np.take_along_axis(values, t[..., None].astype(int), axis=2)[..., 0]


def choose(wanted: Any, available: int, name: str, first: int = 1) -> np.ndarray:
    """Return the positions of the realisations asked for (counted from `first`), or of all.

    Positions begin at 0. A range that starts at 0, as `range(10)`, means the first realisations,
    however they are numbered.
    """
    if wanted is None:
        return np.arange(available)
    if isinstance(wanted, range) and wanted.start == 0:
        wanted = range(first, wanted.stop + first, wanted.step)
    numbers = _listed(wanted)
    last = first + available - 1
    if _are_whole(numbers) and numbers.min() >= first and numbers.max() <= last:
        return numbers - first
    few = ", ".join(map(repr, numbers[:10].tolist())) + ", ..." * (numbers.size > 10)
    advice = f"They are counted from {first}: the first ten are range({first}, {first + 10})."
    raise BadInput(name, f"{first} to {last}, got [{few}]", advice * (0 in numbers))


def whole_seeds(seeds: Any, name: str) -> list[int]:
    """Return the seeds asked for, one or several, as whole numbers that are not negative."""
    numbers = _listed(seeds)
    if not _are_whole(numbers) or numbers.min() < 0:
        raise BadInput(
            f"{name}: seeds",
            f"must be one or more whole numbers, 0 or above, got {numbers.tolist()}",
        )
    return numbers.tolist()


def _listed(values: Any) -> np.ndarray:
    """Return one value, or several, as a list of them."""
    return np.atleast_1d(np.asarray(values if np.isscalar(values) else list(values)))


def _are_whole(numbers: np.ndarray) -> bool:
    return numbers.size > 0 and numbers.dtype.kind in "iu"


def check_sizes(
    name: str, *, realisations: int, rows: int, test: int, noise: float, seed: int
) -> None:
    """Raise for sizes that a generated study cannot have."""
    least = {"realisations": 1, "rows": 1, "test": 0, "seed": 0}
    sizes = {"realisations": realisations, "rows": rows, "test": test, "seed": seed}
    for what, size in sizes.items():
        if not isinstance(size, int | np.integer) or size < least[what]:
            raise BadInput(
                f"{name}: {what}", f"must be a whole number, at least {least[what]}, got {size!r}"
            )
    if not 0 <= noise < np.inf:
        raise BadInput(f"{name}: noise", f"must be 0 or more, got {noise!r}")


def streams(seed: int, count: int) -> tuple[np.random.Generator, ...]:
    """Return independent streams of random numbers, one for each thing that a study draws.

    With them, the first realisations are the same, however many there are.
    """
    return tuple(np.random.default_rng([seed, stream]) for stream in range(count))


def for_each(realisations: int, values: np.ndarray) -> np.ndarray:
    """Return values that all realisations share, with an axis of realisations."""
    return np.broadcast_to(values, (realisations, *values.shape))


def _at(values: Array, index: np.ndarray) -> np.ndarray:
    """Return the rows at `index` of values [r n ...].

    The index is shared [m], or each realisation has its own [r m].
    """
    if index.ndim == 1:  # in the usual order of memory
        return np.take(values, index, axis=1)
    return np.asarray(values[np.arange(len(index))[:, None], index])
