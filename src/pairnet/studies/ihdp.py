"""IHDP: the Infant Health and Development Program with simulated outcomes (Hill, 2011)."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from pairnet.core.treatments import Arms
from pairnet.studies.files import File, read_npz
from pairnet.studies.study import (
    About,
    Figure,
    Study,
    choose,
    described,
    observed,
    under_own_arm,
)

TRAIN, TEST = 672, 75
IHDP_COLUMNS = (
    *("bw", "b.head", "preterm", "birth.o", "nnhealth", "momage", "sex", "twin", "b.marr"),
    *("mom.lths", "mom.hs", "mom.scoll", "cig", "first", "booze", "drugs", "work.dur", "prenatal"),
    *("ark", "ein", "har", "mia", "pen", "tex", "was"),
)
FILES = (
    # The known copy of the training rows differs from the published one in the order of its rows
    # alone.
    File(
        path="ihdp/ihdp_npci_1-100.train.npz",
        sha256="7de12181e8f94528ba498eca1054c312d80cc84a74952b5e97923ab6210449c9",
        url="https://www.fredjo.com/files/ihdp_npci_1-100.train.npz",
    ),
    File(
        path="ihdp/ihdp_npci_1-100.test.npz",
        sha256="a70a8acbcc4e8deb677cc9bf9e9dabeb17caaa37cdbb1d7ba06be7ffb929c41c",
        url="https://www.fredjo.com/files/ihdp_npci_1-100.test.npz",
        url_sha256="a70a8acbcc4e8deb677cc9bf9e9dabeb17caaa37cdbb1d7ba06be7ffb929c41c",
    ),
)
_treated = lambda study, index: study.part(index).t.sum(axis=1)
_spread = lambda study: study.effect(study.train).std(axis=1)
FIGURES = (
    Figure("fewest treated, of 672", 117, 0, lambda study: _treated(study, study.train).min()),
    Figure("most treated, of 672", 131, 0, lambda study: _treated(study, study.train).max()),
    Figure("fewest treated, of 75", 8, 0, lambda study: _treated(study, study.test).min()),
    Figure("most treated, of 75", 22, 0, lambda study: _treated(study, study.test).max()),
    Figure("mean effect", 4.54, 0.005, lambda study: study.effect(study.train).mean()),
    Figure("median sd of effects", 2.53, 0.005, lambda study: np.median(_spread(study))),
    Figure("largest sd of effects", 41.97, 0.005, lambda study: _spread(study).max()),
    Figure("realisations with sd > 1", 76, 0, lambda study: (_spread(study) > 1).sum()),
    Figure("sd of the noise", 1.0, 0.01, lambda study: (study.rows.y - study.mean).std()),
)
ABOUT = About(
    rows="672 + 75",
    covariates="25",
    treatment="2 arms",
    realisations="100",
    source="Hill (2011); npci, setting A; files of Johansson, www.fredjo.com",
    licence="none stated; made with npci (GPL-2 or later)",
    files=FILES,
    figures=FIGURES,
)


@described(ABOUT)
def ihdp(
    *, realisations: Iterable[int] | None = None, folder: str | os.PathLike[str] | None = None
) -> Study:
    """Real covariates of 747 infants, simulated outcomes; 100 realisations of 672 + 75 rows.

    The 672 rows train, the 75 test. Reads the published files `ihdp_npci_1-100.train.npz` and
    `.test.npz`; outcomes stay on their raw scale.
    """
    parts = []
    for file, rows in zip(FILES, (TRAIN, TEST), strict=True):
        shapes = {"x": (rows, 25, None), **dict.fromkeys(("t", "yf", "mu0", "mu1"), (rows, None))}
        parts.append(read_npz(file.need("ihdp", folder), shapes))
    chosen = choose(
        realisations, min(part["t"].shape[-1] for part in parts), "ihdp has realisations"
    )
    x, t, y, mu0, mu1 = (
        np.concatenate([np.moveaxis(part[name][..., chosen], -1, 0) for part in parts], axis=1)
        for name in ("x", "t", "yf", "mu0", "mu1")
    )
    mu = np.stack([mu0, mu1], axis=-1)
    return Study(
        name="ihdp",
        description=f"IHDP (Hill, 2011), setting A of npci: {len(chosen)} realisations of 672 + "
        "75 rows, 25 covariates",
        rows=observed(x, t, y),
        mu=mu,
        mean=under_own_arm(mu, t),
        treatment=Arms((0, 1)),
        train=np.arange(TRAIN),
        test=np.arange(TRAIN, TRAIN + TEST),
        columns=IHDP_COLUMNS,
    )
