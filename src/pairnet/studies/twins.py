"""Twins: mortality in the first year, where both outcomes are known (US births, 1989-91)."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Arms
from pairnet.studies.files import File, numbers, read_csv
from pairnet.studies.study import (
    About,
    Figure,
    Study,
    described,
    for_each,
    observed,
    under_own_arm,
    whole_seeds,
)

PAIRS, TEST = 11_400, 5_700
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)
SIZES = (500, 1000, 4000, 5700)
RISKS = (
    *("anemia", "cardiac", "lung", "diabetes", "herpes", "hydra", "hemo", "chyper", "phyper"),
    *("eclamp", "incervix", "pre4000", "dtotord", "preterm", "renal", "rh", "uterine", "othermr"),
)
NUMBERS = ("dmage", "mpcb", "cigar", "drink", "wtgain", "gestat", "dmeduc", "nprevist")
CATEGORIES = ("adequacy", "pldel", "resstatb")
OUTCOMES = ("outcome(t=0)", "outcome(t=1)")
UNKNOWN_RISK, UNKNOWN_NUMBER, SURVIVED = (8, 9), 99, 9999
FILE = File(
    path="twins/Twin_Data.csv.gz",
    sha256="0128e5dfdeb468e85fd2818330beff49d4d433b7f7d56d3eb678f87ab15b00a9",
    url="https://bitbucket.org/mvdschaar/mlforhealthlabpub/raw/0b0190bcd38a76c405c805f1ca774971fcd85233/data/twins/Twin_Data.csv.gz",
)
_effect = lambda study: study.mu[0, :, 1] - study.mu[0, :, 0]
FIGURES = (
    Figure("mortality of the lighter twin", 0.1769, 5e-5, lambda study: study.mu[0, :, 0].mean()),
    Figure("mortality of the heavier twin", 0.1608, 5e-5, lambda study: study.mu[0, :, 1].mean()),
    Figure(
        "pairs that the heavier alone survived", 674, 0, lambda study: (_effect(study) == -1).sum()
    ),
    Figure(
        "pairs that the lighter alone survived", 490, 0, lambda study: (_effect(study) == 1).sum()
    ),
    Figure("error of predicting the mean effect", 0.319, 5e-4, lambda study: _effect(study).std()),
)
ABOUT = About(
    rows="500 to 5700 + 5700",
    covariates="30 (39 encoded)",
    treatment="2 arms",
    realisations="4 x 5 x 5 (size, share, seed)",
    source="NBER linked birth / infant death data 1989-91; table of Yoon et al. (GANITE, 2018)",
    licence="none stated",
    files=(FILE,),
    figures=FIGURES,
)


@described(ABOUT)
def twins(
    *,
    size: int = 5700,
    share: float | Iterable[float] = SHARES,
    seeds: Iterable[int] = range(5),
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Mortality of 11,400 pairs of twins; the heavier twin is treated, and both outcomes are real.

    The paper's 100 runs are sizes 500, 1000, 4000 and 5700 x treated shares 0.1 to 0.9 x seeds 0 to
    4; a study holds one size. A seed draws which twin of each pair is seen, and halves the pairs
    into train and test. The truth is the recorded outcome, 0 or 1: even the best effects have an
    error of about 0.32. Covariates are scaled to [0, 1].
    """
    shares = [share] if isinstance(share, int | float) else list(share)
    if not shares or not all(0 < value < 1 for value in shares):
        raise BadInput("twins: share", f"must be between 0 and 1, got {shares}")
    if not 1 <= size <= PAIRS - TEST:
        raise BadInput(
            "twins: size", f"must be between 1 and {PAIRS - TEST} (the paper: {SIZES}), got {size}"
        )
    seeds = whole_seeds(seeds, "twins")
    columns, x, mu = _read(folder)
    drawn = [_draw(value, seed, size) for value in shares for seed in seeds]
    t, train, test = (np.stack(values) for values in zip(*drawn, strict=True))
    truth = for_each(len(t), mu)
    y = under_own_arm(truth, t)
    return Study(
        name="twins",
        description=f"Twins: treated shares {shares} x {len(seeds)} seeds, {size} + {TEST} pairs, "
        "39 covariates",
        rows=observed(x, t, y),
        mu=truth,
        mean=y,
        treatment=Arms((0, 1)),
        train=train,
        test=test,
        columns=columns,
    )


def _draw(share: float, seed: int, size: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw who is treated, and halve the pairs as scikit-learn's `train_test_split` does."""
    treated = np.random.RandomState(seed).binomial(1, share, size=PAIRS)
    order = np.random.RandomState(seed).permutation(PAIRS)
    return treated, order[TEST : TEST + size], order[:TEST]


def _read(folder) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Read the table; a category becomes one column a level, and all columns go from 0 to 1."""
    path = FILE.need("twins", folder)
    text = read_csv(path, PAIRS, (*NUMBERS, "dmar", *RISKS, *CATEGORIES, *OUTCOMES))
    table = _filled({name: numbers(column, path) for name, column in text.items()})
    columns = {name: table[name] for name in (*NUMBERS, "dmar", *RISKS)}
    for name in CATEGORIES:
        columns |= {
            f"{name}_{level:g}": (table[name] == level).astype(float)
            for level in np.unique(table[name])
        }
    x = np.stack(list(columns.values()), axis=1)
    x = (x - x.min(axis=0)) / np.where(np.ptp(x, axis=0) > 0, np.ptp(x, axis=0), 1)
    died = np.stack([table[name] < SURVIVED for name in OUTCOMES], axis=-1).astype(float)
    return tuple(columns), x, died


def _filled(table: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Fill in missing values: risks by the commonest value, numbers by the mean.

    Deviation, kept because the published runs have it: the count `dtotord` is cleaned as if it were
    a risk.
    """
    filled = dict(table)
    for name in RISKS:
        values, count = np.unique(table[name], return_counts=True)
        is_unknown = np.isin(table[name], UNKNOWN_RISK)
        filled[name] = np.where(is_unknown, values[np.argmax(count)], table[name])
    for name in NUMBERS[2:]:
        is_known = table[name] != UNKNOWN_NUMBER
        filled[name] = np.where(is_known, table[name], table[name][is_known].mean())
    return filled
