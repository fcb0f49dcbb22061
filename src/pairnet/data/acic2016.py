"""ACIC 2016: the covariates of a birth cohort with simulated treatments and outcomes (Dorie et al., 2019)."""

from __future__ import annotations

import csv
import gzip
import os
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from pairnet.data.files import find, read_npz
from pairnet.data.study import Study, choose, observed
from pairnet.treatments import Arms

ROWS, TRAIN = 4802, 4000


def acic2016(
    *,
    setting: int | Iterable[int] = (2, 7, 26),
    seeds: Iterable[int] | None = range(1, 11),
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Covariates of a birth cohort, simulated outcomes; settings 2, 7 and 26, seeds 1 to 100 each (the paper: 10).

    The first 4000 rows train. Letters are one-hot encoded (58 columns become 79) and all columns are standardised
    on the training rows. All realisations share the covariates.
    """
    settings = [setting] if isinstance(setting, int) else list(setting)
    parts = [_setting(number, seeds, folder) for number in settings]
    t, y, mu = (np.concatenate(values) for values in zip(*parts, strict=True))
    x = _covariates(find("acic2016", "acic2016_x.csv.gz", folder))
    x = (x - x[:TRAIN].mean(axis=0)) / np.where(x[:TRAIN].std(axis=0) > 0, x[:TRAIN].std(axis=0), 1)
    return Study(
        name="acic2016",
        description=f"ACIC 2016, settings {settings}: {len(t)} realisations of 4000 + 802 rows, 79 covariates",
        rows=observed(x, t, y),
        mu=mu,
        treatment=Arms((0, 1)),
        train=np.arange(TRAIN),
        test=np.arange(TRAIN, ROWS),
    )


def _setting(number: int, seeds: Iterable[int] | None, folder) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Read the chosen seeds of one setting: the paper's ten come in one file, the other ninety in a second."""
    if number not in (2, 7, 26):
        raise ValueError(f"acic2016 has settings 2, 7 and 26 here, got {number}.")
    chosen = choose(seeds, 100, f"acic2016, setting {number},")
    names = dict.fromkeys(("z", "y0", "y1", "mu0", "mu1"), (None, ROWS))
    read = []
    for name, mine in (("seeds001-010", chosen[chosen < 10]), ("seeds011-100_f32", chosen[chosen >= 10] - 10)):
        if len(mine):
            stored = read_npz(find("acic2016", f"acic2016_s{number}_{name}.npz", folder), names)
            read.append({key: array[mine].astype(np.float64) for key, array in stored.items()})
    z, y0, y1, mu0, mu1 = (np.concatenate([part[key] for part in read]) for key in names)
    return z, np.where(z == 1, y1, y0), np.stack([mu0, mu1], axis=-1)


def _covariates(path: Path) -> np.ndarray:
    """Read the covariates; columns of letters become one column a level but the first, appended at the end."""
    with gzip.open(path, "rt", newline="") as stream:
        header, *lines = csv.reader(stream)
    if len(lines) != ROWS or len(header) != 58:
        raise ValueError(f"{path} must hold {ROWS} rows and 58 columns, got {len(lines)} and {len(header)}.")
    columns = np.asarray(lines).T
    numeric, encoded = [], []
    for column in columns:
        if column[0].isalpha():
            encoded += [column == level for level in np.unique(column)[1:]]
        else:
            numeric.append(column.astype(np.float64))
    return np.stack([*numeric, *encoded], axis=1).astype(np.float64)
