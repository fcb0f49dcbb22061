"""IHDP with doses: its covariates with a simulated dose and response (Nie et al., 2021)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Dose
from pairnet.studies.files import File, read_npz
from pairnet.studies.ihdp import IHDP_COLUMNS
from pairnet.studies.study import (
    DOSES,
    About,
    Figure,
    Study,
    choose,
    described,
    for_each,
    observed,
    streams,
)

ROWS, SPLITS, SPLITS_OF_PAPER = 747, 100, 50
NOISE_SD = 0.5  # of doses and outcomes; the paper prints its square
# as the code that made the table has it; near t = 1 the rest of pi's digits can be told
PI = 3.14159
FIRST, SECOND = [3, *range(6, 15)], list(range(15, 25))  # two groups of binary covariates
FILE = File(
    path="ihdp_continuous/ihdp_cont_giks.npz",
    sha256="83cca6201b7926009738f350127673acadf6b217e54c9e1efd593016c09b6602",
)
SHAPES = {
    "x": (ROWS, 25),
    "t": (ROWS,),
    "y": (ROWS,),
    "t_samples": (64,),
    "response": (ROWS, 64),
    "idx_train": (SPLITS, 471),
    "idx_test": (SPLITS, 276),
}
FIGURES = (
    Figure("sd of the noise", 0.499, 5e-4, lambda study: (study.rows.y[0] - study.mean[0]).std()),
    Figure("mean of the first group", 0.292336, 5e-7, lambda study: study.rows.x[:, FIRST].mean()),
    Figure(
        "largest difference between formula and stored response",
        0,
        3e-6,
        lambda study: np.abs(
            response(np.asarray(study.rows.x), DOSES[None, :]) - study.mu[0]
        ).max(),
    ),
)
ABOUT = About(
    rows="471 + 276",
    covariates="25",
    treatment="a dose",
    realisations="100 splits",
    source="Nie et al. (VCNet, 2021); the authors' table, GIKS_release",
    licence="Apache-2.0 (GIKS_release)",
    files=(FILE,),
    figures=FIGURES,
)


@described(ABOUT)
def ihdp_dose(
    *,
    realisations: Iterable[int] | None = range(1, SPLITS_OF_PAPER + 1),
    formula: Literal["stored", "code", "paper"] = "stored",
    seed: int = 0,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Covariates of 747 infants with a simulated dose; realisations are splits into 471 + 276 rows.

    formula: "stored" is the authors' table. "code" draws doses and outcomes anew (`seed`) from the
    formula of their code, which made that table; "paper" from the formula that the paper prints,
    where the exponential is added and so does not depend on the dose, constants differ, and the
    level and noise of the dose stand inside the tanh.
    """
    if formula not in ("stored", "code", "paper"):
        raise BadInput(
            "ihdp-dose: formula", f"must be 'stored', 'code' or 'paper', got {formula!r}"
        )
    stored = read_npz(FILE.need("ihdp-dose", folder), SHAPES)
    chosen = choose(realisations, SPLITS, "ihdp-dose has realisations")
    x = stored["x"].astype(np.float64)
    if formula == "stored":
        t, y, mu = (stored[name].astype(np.float64) for name in ("t", "y", "response"))
        mean = response(x, t)
    else:
        t, y, mean, mu = _simulated(x, formula, seed)
    for_all = lambda values: for_each(len(chosen), values)
    return Study(
        name="ihdp-dose",
        description=f"IHDP with doses ({formula}): {len(chosen)} splits of 471 + 276 rows, 25 "
        "covariates",
        rows=observed(x, for_all(t), for_all(y)),
        mu=for_all(mu),
        mean=for_all(mean),
        treatment=Dose(0.0, 1.0),
        train=stored["idx_train"][chosen].astype(int),
        test=stored["idx_test"][chosen].astype(int),
        columns=IHDP_COLUMNS,
    )


def response(
    x: Float[np.ndarray, "n 25"],
    t: Float[np.ndarray, "*m"],
    formula: Literal["stored", "code", "paper"] = "code",
) -> Float[np.ndarray, "*k"]:
    """Return noise-free outcomes of every row, under its dose [n] or under the same doses [1 g]."""
    level = x[:, FIRST].mean()
    wave = np.tanh(5 * (x[:, FIRST].mean(axis=1) - level))
    growth = np.exp(0.2 * (x[:, 0] - x[:, 5]))
    least = np.minimum(np.minimum(x[:, 1], x[:, 2]), x[:, 4])
    if formula == "paper":
        within, added = wave, growth / (0.5 + 5 * least)
    else:
        within, added = wave + growth / (0.1 + least), np.zeros(len(x))
    if t.ndim == 2:
        within, added = within[:, None], added[:, None]
    return np.sin(3 * PI * t) / (1.2 - t) * within + added


def _simulated(x: np.ndarray, formula, seed: int) -> tuple[np.ndarray, ...]:
    """Return doses, outcomes, and noise-free outcomes under each row's own and all doses."""
    for_dose, for_noise = streams(seed, 2)
    t = _dose(x, formula, for_dose)
    mean, mu = response(x, t, formula), response(x, DOSES[None, :], formula)
    return t, mean + NOISE_SD * for_noise.normal(size=ROWS), mean, mu


def _dose(x: np.ndarray, formula: str, rng: np.random.Generator) -> np.ndarray:
    """Draw every row's dose, a squashed score between 0 and 1."""
    three = x[:, [2, 4, 5]]
    ratio = x[:, 0] / (1 + x[:, 1]) + three.max(axis=1) / (0.2 + three.min(axis=1))
    group = x[:, SECOND].mean(axis=1)
    if formula == "paper":
        inside = 5 * (group - group.mean()) - 4 + NOISE_SD * rng.normal(size=ROWS)
        score = 2 * ratio + 2 * np.tanh(inside)
    else:
        level = np.tanh(5 * (group - x[:, FIRST].mean()))
        score = 2 * (ratio + level - 2 + NOISE_SD * rng.normal(size=ROWS))
    return 1 / (1 + np.exp(-score))
