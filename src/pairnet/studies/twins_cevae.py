"""Twins lighter than 2 kg, with a simulated treatment (CEVAE: Louizos et al., 2017)."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Arms
from pairnet.studies.files import Damaged, File, numbers, read_csv
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

PAIRS = 11_984
GESTATION = tuple(f"gestatcat{k}{copy}" for copy in ("", ".1", ".2") for k in range(1, 11))
OTHER = (
    *("eclamp", "bord", "othermr", "dmar", "csex", "cardiac", "uterine", "lung", "diabetes"),
    *("herpes", "anemia", "hydra", "chyper", "phyper", "incervix", "pre4000", "preterm", "renal"),
    *("rh", "hemo", "tobacco", "alcohol", "orfath", "adequacy", "drink5", "mpre5", "meduc6"),
    *("mrace", "ormoth", "frace", "birattnd", "stoccfipb_reg", "mplbir_reg", "cigar6", "mager8"),
    *("pldel", "brstate_reg", "feduc6", "dfageq", "nprevistq", "data_year", "crace", "birmon"),
    *("dtotord_min", "dlivord_min"),
)
COVARIATES = (*GESTATION, *OTHER)
FILE = File(
    path="twins/twins_cevae_11984.csv.gz",
    sha256="832ae9959acf476b07ddd44e17efbc6f96649cb54f1e54f66dfe5fb72e939cff",
)
FIGURES = (
    Figure("mortality of the lighter twin", 0.1894, 5e-5, lambda study: study.mu[0, :, 0].mean()),
    Figure("mortality of the heavier twin", 0.1642, 5e-5, lambda study: study.mu[0, :, 1].mean()),
)
ABOUT = About(
    rows="5992 + 5992",
    covariates="75",
    treatment="2 arms",
    realisations="any",
    source="Louizos et al. (CEVAE, 2017); table of RealCause (Neal et al., 2020), "
    "datasets/twins.csv",
    licence="MIT (RealCause)",
    files=(FILE,),
    figures=FIGURES,
)


@described(ABOUT)
def twins_cevae(
    *,
    size: int = PAIRS // 2,
    seeds: Iterable[int] = range(5),
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Mortality of 11,984 pairs of twins below 2 kg; which twin is seen was simulated once.

    It depends on the covariates. A seed halves the pairs into train and test; `size` keeps so many
    of the first half. The thirty `gestatcat` columns are three noisy copies of one covariate.
    """
    if not 1 <= size <= PAIRS // 2:
        raise BadInput("twins-cevae: size", f"must be between 1 and {PAIRS // 2}, got {size}")
    seeds = whole_seeds(seeds, "twins-cevae")
    table = _read(folder)
    order = np.stack([np.random.RandomState(seed).permutation(PAIRS) for seed in seeds])
    for_all = lambda values: for_each(len(seeds), values)
    t, mu = for_all(table["T"]), for_all(np.stack([table["y0"], table["y1"]], axis=-1))
    y = under_own_arm(mu, t)
    return Study(
        name="twins-cevae",
        description=f"Twins below 2 kg: {len(seeds)} splits of {size} + {PAIRS - PAIRS // 2} "
        "pairs, 75 covariates",
        rows=observed(np.stack([table[name] for name in COVARIATES], axis=1), t, y),
        mu=mu,
        mean=y,
        treatment=Arms((0, 1)),
        train=order[:, PAIRS - PAIRS // 2 :][:, :size],
        test=order[:, : PAIRS - PAIRS // 2],
        columns=COVARIATES,
        propensity=for_all(np.stack([1 - table["Propensity"], table["Propensity"]], axis=-1)),
    )


def _read(folder) -> dict[str, np.ndarray]:
    """Read the columns of the table."""
    path = FILE.need("twins-cevae", folder)
    text = read_csv(path, PAIRS, (*COVARIATES, "T", "y0", "y1", "Propensity"))
    table = {name: numbers(column, path) for name, column in text.items()}
    if not np.isin(table["T"], (0, 1)).all():
        raise Damaged(path, "must hold 0 or 1 in column T")
    return table
