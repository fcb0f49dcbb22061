"""TCGA with doses: gene expression of tumours, with a simulated drug dose and response.

The recipe is that of Bica et al. (SCIGAN, 2020).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Dose
from pairnet.studies.files import File, matrix_of, read_npz
from pairnet.studies.study import DOSES, About, Figure, Study, choose, described, observed

RUNS = 10
TEST = 0.2
SCALE, NOISE = 10.0, 0.2  # of outcomes
NO_OPTIMUM = 1e-3  # an optimal dose at or below this is none
ORIGINAL = File(path="tcga/tcga.npy")
MIRNA = File(
    path="tcga_standin/tcga_mirna_log2rpm.npz",
    sha256="97214de4307add4a6ef6eee69ab9f2f6c3429de4c3701f19d49d66da442c84ea",
)
RNASEQ = File(
    path="tcga_standin/tcga_rnaseq_top4000.npz",
    sha256="5c9f1be6a3395a47e1f1b9e6c615adecb030a0a2229ca463c8138928bb41352c",
)
RECIPE = "recipe of Bica et al. (SCIGAN, 2020)"
FIGURES = (
    Figure("sd of the noise", NOISE, 0.01, lambda study: (study.rows.y - study.mean).std()),
    Figure("norm of a row", 1.0, 1e-6, lambda study: np.linalg.norm(study.rows.x, axis=1).mean()),
)


@described(
    About(
        rows="7727 + 1932",
        covariates="4000",
        treatment="a dose",
        realisations="3 x 10 (version, seed)",
        source=f"SCIGAN's matrix of The Cancer Genome Atlas, {RECIPE}; the matrix has no public "
        "address",
        licence="as the matrix's owner states",
        files=(ORIGINAL,),
    )
)
def tcga_dose(
    *,
    version: int = 0,
    matrix: Any = None,
    realisations: Iterable[int] | None = None,
    share: float = 1.0,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Gene expression of tumours with a simulated dose; SCIGAN's matrix has no public address.

    matrix: any matrix of patients x genes [n d], or the path of one (npy); left out,
    `tcga/tcga.npy` is read. Columns are scaled to [0, 1], then rows to length 1. share: how many of
    the training rows to keep (the paper: 1 and 0.1).

    With a_j = v_j.x of random unit vectors v_1, v_2, v_3, the mean outcome is 10 times, by the
    paper's number 0: a_1 + 12 (a_2 d - a_3 d^2);  1: a_1 + sin(pi d a_2 / a_3);  2: a_1 + 12 d (d -
    0.75 a_2 / a_3)^2 (the authors' code numbers 0 and 2 the other way round). Doses are Beta(2, 1 /
    d*) around the best dose d*. Deviation: vectors are uniform, as in the code; the paper says
    normal, and prints a_3 for a_2 in version 0.
    """
    if matrix is None:
        matrix = ORIGINAL.need("tcga-dose", folder)
    values = matrix_of(matrix, "tcga-dose")
    genes = tuple(f"gene{k + 1}" for k in range(values.shape[-1]))
    return recipe(values, genes, "tcga-dose", "patients with doses", version, realisations, share)


@described(
    About(
        rows="7154 + 1789",
        covariates="996",
        treatment="a dose",
        realisations="3 x 10 (version, seed)",
        source=f"STAND-IN for tcga-dose: micro RNA of TCGA (RTCGA.miRNASeq 0.99.4), {RECIPE}",
        licence="GPL-2 (RTCGA.miRNASeq)",
        files=(MIRNA,),
        figures=FIGURES,
    )
)
def tcga_mirna_dose(
    *,
    version: int = 0,
    realisations: Iterable[int] | None = None,
    share: float = 1.0,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """A stand-in for tcga-dose on micro RNA of 8943 tumours; its figures are not the paper's.

    The recipe is the same.
    """
    values, genes = _read(MIRNA, "tcga-mirna-dose", (8943, 996), folder)
    what = "tumours (micro RNA, a stand-in) with doses"
    return recipe(values, genes, "tcga-mirna-dose", what, version, realisations, share)


@described(
    About(
        rows="243 + 61",
        covariates="4000",
        treatment="a dose",
        realisations="3 x 10 (version, seed)",
        source=f"STAND-IN for tcga-dose: RNA of TCGA (RTCGA.rnaseq 20151101.0.4), {RECIPE}",
        licence="GPL-2 (RTCGA.rnaseq)",
        files=(RNASEQ,),
        figures=FIGURES,
    )
)
def tcga_rnaseq_dose(
    *,
    version: int = 0,
    realisations: Iterable[int] | None = None,
    share: float = 1.0,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """A stand-in for tcga-dose on RNA of 304 tumours; its figures are not the paper's.

    The recipe is the same.
    """
    values, genes = _read(RNASEQ, "tcga-rnaseq-dose", (304, 4000), folder)
    what = "tumours (RNA, a stand-in) with doses"
    return recipe(values, genes, "tcga-rnaseq-dose", what, version, realisations, share)


def _read(
    file: File, name: str, shape: tuple[int, int], folder
) -> tuple[np.ndarray, tuple[str, ...]]:
    stored = read_npz(file.need(name, folder), {"x": shape, "genes": shape[1:]})
    return stored["x"], tuple(stored["genes"].tolist())


def recipe(
    values: np.ndarray,
    genes: tuple[str, ...],
    name: str,
    what: str,
    version: int,
    realisations,
    share: float,
) -> Study:
    """Simulate doses and outcomes of patients.

    Realisation k + 1 is what the authors' code makes with numpy's seed 100 k.
    """
    if version not in (0, 1, 2):
        raise BadInput(name, f"has versions 0, 1 and 2 (the paper's numbers), got {version}")
    x = _scaled(values, name)
    if not 0 < share <= 1:
        raise BadInput(f"{name}: share", f"must be above 0 and at most 1, got {share}")
    chosen = choose(realisations, RUNS, f"{name} has realisations")
    made = [_run(x, version, 100 * int(k)) for k in chosen]
    t, y, mean, mu, order = (np.stack(values) for values in zip(*made, strict=True))
    test = round(TEST * len(x))
    kept = max(1, round(share * (len(x) - test)))
    return Study(
        name=name,
        description=f"{len(x)} {what}, version {version}: {len(chosen)} runs of {kept} + {test}, "
        f"{x.shape[1]} genes",
        rows=observed(x, t, y),
        mu=mu,
        mean=mean,
        treatment=Dose(0.0, 1.0),
        train=order[:, test : test + kept],
        test=order[:, :test],
        columns=genes,
    )


def _scaled(values: np.ndarray, name: str) -> np.ndarray:
    """Check the matrix; scale its columns to go from 0 to 1, then its rows to length 1."""
    if values.ndim != 2 or len(values) < 10:
        raise BadInput(
            f"{name}: matrix",
            f"must be patients x genes with at least 10 patients, got {values.shape}",
        )
    values = np.asarray(values, np.float64)
    if not np.isfinite(values).all():
        raise BadInput(f"{name}: matrix", "has missing or infinite values")
    low, span = values.min(axis=0), np.ptp(values, axis=0)
    x = (values - low) / np.where(span > 0, span, 1)
    x /= np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)
    return x


def _run(x: np.ndarray, version: int, seed: int) -> tuple[np.ndarray, ...]:
    """Draw vectors for all versions, then doses, outcomes and the split of one realisation."""
    rng = np.random.RandomState(seed)
    vectors = rng.uniform(0, 10, size=(3, 3, x.shape[1]))
    vectors /= np.linalg.norm(vectors, axis=-1, keepdims=True)
    a = vectors[{0: 2, 1: 1, 2: 0}[version]] @ x.T  # the code's number of the version
    best, mirrored = _best_dose(a, version)
    is_inside = (best > NO_OPTIMUM) & (best < 1)
    dose = rng.beta(2, np.where(is_inside, 1 / np.maximum(best, NO_OPTIMUM), 1.0))
    dose = np.where(mirrored, 1 - dose, dose)
    mean, mu = SCALE * _response(a, dose, version), SCALE * _response(a[..., None], DOSES, version)
    return dose, mean + NOISE * rng.normal(size=len(x)), mean, mu, rng.permutation(len(x))


def _response(a: np.ndarray, dose: np.ndarray, version: int) -> np.ndarray:
    a1, a2, a3 = a
    if version == 0:
        return a1 + 12 * (a2 * dose - a3 * dose**2)
    if version == 1:
        return a1 + np.sin(np.pi * dose * a2 / a3)
    return a1 + 12 * dose * (dose - 0.75 * a2 / a3) ** 2


def _best_dose(a: np.ndarray, version: int) -> tuple[np.ndarray, np.ndarray]:
    """Return every patient's best dose d*, and who has none: their doses are mirrored."""
    _, a2, a3 = a
    if version == 2:
        best = np.where(a2 / a3 >= 1, 0.25 * a2 / a3, 1.0)
        return best, np.zeros(best.shape, bool)
    best = a2 / (2 * a3) if version == 0 else a3 / (2 * a2)
    return best, best <= NO_OPTIMUM
