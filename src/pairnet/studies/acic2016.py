"""ACIC 2016: a birth cohort with simulated treatments and outcomes (Dorie et al., 2019)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.folders import data_folders
from pairnet.core.treatments import Arms
from pairnet.studies.files import Damaged, File, numbers, read_csv, read_npz
from pairnet.studies.study import (
    About,
    Figure,
    Study,
    choose,
    described,
    observed,
    under_own_arm,
)

ROWS, TRAIN, SEEDS, SEEDS_OF_PAPER = 4802, 4000, 100, 10
SETTINGS = (2, 7, 26)
LETTERS = ("x_2", "x_21", "x_24")
COVARIATES = tuple(f"x_{k}" for k in range(1, 59))
OUTCOMES = ("z", "y0", "y1", "mu0", "mu1")
HASHES = {
    (2, "seeds001-010"): "bbce3b44f72d46d8bc004220acaa315d06802662b27b2788223e2ad6d1916392",
    (2, "seeds011-100_f32"): "78fc3b7d00d18af1ee13f3341a998614ddcfcc6c627b726fa7bf259d74c71157",
    (7, "seeds001-010"): "237a6fecdc6dfb3141e33c73b0cba5424c93abb3d77002e79246b8fffd6661ac",
    (7, "seeds011-100_f32"): "67e012089d9e1cf0085ede31ac860a8b541d168185ca79e63d0c8f62c6c63718",
    (26, "seeds001-010"): "ebf07b126c2fe5242237005d51a9c4d21bc5b8ad51bba76e08771d5ac5c08f28",
    (26, "seeds011-100_f32"): "0be0a6b2dbfdff135a6929c13396c27e99d72b1df9ad7ebd909221b5a11275ed",
}
PACKED = {
    (setting, part): File(
        path=f"acic2016/acic2016_s{setting}_{part}.npz",
        sha256=sha256,
        optional=part != "seeds001-010",
    )
    for (setting, part), sha256 in HASHES.items()
}
COMPACT = File(
    path="acic2016/acic2016_x.csv.gz",
    sha256="e26382b0358d1d499c01b7a72d9a1926fec0090bad07db64018a0dc27104fe07",
)
ORIGINAL = File(  # the competition's archive: x.csv, and a folder of zymu_*.csv for each setting
    path="acic2016/data_cf_all/x.csv",
    url="https://drive.usercontent.google.com/download?id=0B7pG5PPgj6A3N09ibmFwNWE1djA&export=download&confirm=t",
    unpack=True,
)


def _treated(study: Study, ten: slice) -> np.ndarray:
    return np.asarray(study.rows.t[ten]).sum(axis=1)


def _mean_effect(study: Study, ten: slice) -> np.ndarray:
    return (study.mu[ten, :, 1] - study.mu[ten, :, 0]).mean(axis=1)


def _spread_of_effects(study: Study, ten: slice) -> np.ndarray:
    return (study.mu[ten, :, 1] - study.mu[ten, :, 0]).std(axis=1)


def _spread_of_outcomes(study: Study, ten: slice) -> np.ndarray:
    return np.asarray(study.rows.y[ten]).std(axis=1)


# what is measured, how, how far off it may be, and its least and most in each setting
RANGES: tuple[tuple[str, Callable, float, tuple], ...] = (
    ("treated, of 4802", _treated, 0, ((924, 1497), (906, 1544), (1242, 1769))),
    ("mean effect", _mean_effect, 0.051, ((2.3, 4.8), (2.8, 5.3), (2.3, 5.5))),
    ("sd of effects", _spread_of_effects, 0.051, ((0, 0), (4.6, 7.7), (1.9, 7.4))),
    ("sd of outcomes", _spread_of_outcomes, 0.051, ((5.0, 5.9), (4.3, 6.5), (5.0, 6.5))),
)


def _figures() -> Iterator[Figure]:
    """Yield the smallest and largest value of every measure over each setting's first ten seeds."""
    for what, measure, within, values in RANGES:
        for place, setting in enumerate(SETTINGS):
            ten = slice(10 * place, 10 * place + 10)
            for end, expected in zip((np.min, np.max), values[place], strict=True):
                value = lambda study, end=end, measure=measure, ten=ten: float(
                    end(measure(study, ten))
                )
                yield Figure(f"setting {setting}: {end.__name__} {what}", expected, within, value)


ABOUT = About(
    rows="4000 + 802",
    covariates="58 (79 encoded)",
    treatment="2 arms",
    realisations="3 x 100 (setting, seed)",
    source="Dorie et al. (2019), ACIC 2016 challenge, settings 2, 7 and 26 (those of the paper)",
    licence="none stated; made with aciccomp2016 (GPL-2 or later)",
    files=(COMPACT, *PACKED.values()),
    instead=(ORIGINAL,),
    figures=tuple(_figures()),
)


@described(ABOUT)
def acic2016(
    *,
    setting: int | Iterable[int] = SETTINGS,
    seeds: Iterable[int] | None = range(1, SEEDS_OF_PAPER + 1),
    published: bool = False,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Covariates of a birth cohort, simulated outcomes; settings 2, 7 and 26, seeds 1 to 100 each.

    `seeds=range(10)` are the first ten, those of the paper; `seeds=[1, 3]` are seeds 1 and 3. The
    first 4000 rows train. Letters are one-hot encoded (58 columns become 79) and all columns are
    standardised, on the training rows or, with `published`, on all rows, as the paper's code did.
    All realisations share the covariates. Reads packed npz files, or the competition's own `x.csv`
    and `{setting}/zymu_{seed}.csv` (in order of their names).
    """
    settings = list(setting) if isinstance(setting, Iterable) else [setting]
    if not settings or not set(settings) <= set(SETTINGS):
        raise BadInput("acic2016", f"has settings 2, 7 and 26, got {settings}")
    settings = [int(value) for value in settings]
    chosen = choose(seeds, SEEDS, "acic2016 has seeds")
    columns, x = covariates(folder)
    x = _standardised(x, x if published else x[:TRAIN])
    z, y0, y1, mu0, mu1 = (
        np.concatenate(values)
        for values in zip(*(_outcomes(s, chosen, folder) for s in settings), strict=True)
    )
    mu = np.stack([mu0, mu1], axis=-1)
    return Study(
        name="acic2016",
        description=f"ACIC 2016, settings {settings}: {len(z)} realisations of 4000 + 802 rows, "
        "79 covariates",
        rows=observed(x, z, np.where(z == 1, y1, y0)),
        mu=mu,
        mean=under_own_arm(mu, z),
        treatment=Arms((0, 1)),
        train=np.arange(TRAIN),
        test=np.arange(TRAIN, ROWS),
        columns=columns,
    )


def covariates(folder: str | os.PathLike[str] | None) -> tuple[tuple[str, ...], np.ndarray]:
    """Read the covariates; a column of letters becomes columns for all levels but the first.

    These stand after all others.
    """
    path = COMPACT.find(folder) or _original(folder)
    table = read_csv(path, ROWS, COVARIATES)
    numeric = {name: numbers(column, path) for name, column in table.items() if name not in LETTERS}
    encoded = {
        f"{name}_{level}": (table[name] == level).astype(np.float64)
        for name in LETTERS
        for level in np.unique(table[name])[1:]
    }
    both = numeric | encoded
    return tuple(both), np.stack(list(both.values()), axis=1)


def _standardised(x: np.ndarray, measured: np.ndarray) -> np.ndarray:
    """Return columns less their mean, over their spread; both are those of `measured` rows."""
    spread = measured.std(axis=0)
    return (x - measured.mean(axis=0)) / np.where(spread > 0, spread, 1)


def _outcomes(setting: int, seeds: np.ndarray, folder) -> list[np.ndarray]:
    """Read z, y0, y1, mu0 and mu1 [s 4802] of the chosen seeds of one setting.

    They come from packed files, if those are on this machine.
    """
    parts = (
        ("seeds001-010", np.flatnonzero(seeds < 10), 0),
        ("seeds011-100_f32", np.flatnonzero(seeds >= 10), 10),
    )
    wanted = [
        (PACKED[setting, name], places, first) for name, places, first in parts if len(places)
    ]
    result = [np.empty((len(seeds), ROWS)) for _ in OUTCOMES]
    packed = all(file.find(folder) for file, *_ in wanted)
    for file, places, first in wanted:
        if packed:
            stored = read_npz(file.need("acic2016", folder), dict.fromkeys(OUTCOMES, (None, ROWS)))
            read = [stored[name][seeds[places] - first] for name in OUTCOMES]
        else:
            read = _zymu(_original(folder).parent / str(setting), seeds[places])
        for column, values in zip(result, read, strict=True):
            column[places] = values
    return result


def _zymu(folder: Path, seeds: np.ndarray) -> list[np.ndarray]:
    """Read the competition's files of one setting; seed k is the k-th of the sorted names."""
    paths = sorted(folder.glob("zymu_*.csv"))
    if len(paths) <= seeds.max():
        raise Damaged(
            folder, f"must hold at least {seeds.max() + 1} files zymu_*.csv, got {len(paths)}"
        )
    tables = [(paths[seed], read_csv(paths[seed], ROWS, OUTCOMES)) for seed in seeds]
    return [np.stack([numbers(table[name], path) for path, table in tables]) for name in OUTCOMES]


def _original(folder) -> Path:
    """Return where the competition's x.csv is: in its archive's folder, or directly in ours."""
    beside = (base / "acic2016" / "x.csv" for base in data_folders(folder))
    return next((path for path in beside if path.is_file()), None) or ORIGINAL.need(
        "acic2016", folder
    )
