"""News with doses: bags of words, with a simulated reading time and satisfaction.

The recipe is that of Nie et al. (2021).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Dose
from pairnet.studies.files import File, matrix_of, read_npz
from pairnet.studies.study import (
    DOSES,
    About,
    Figure,
    Study,
    choose,
    described,
    for_each,
    observed,
)

SPLITS = 20
WORDS = 498  # the most frequent ones
ORIGINAL = File(path="news/news_pp.npy")
ORIGINAL_SPLITS = File(
    path="news/news_giks_noX.npz",
    sha256="55ca7e9c7c58718f4e6138740c431932de451f325d8ec17bf45e4c15f1365c05",
    optional=True,
)
ASSOCIATED_PRESS = File(
    path="news/news_standin_ap.npz",
    sha256="aaaee73cbec2bdb886649342f74722a88fcbecd5d4c6bb93192364f51d6a0b2d",
)
RECIPE = "recipe of Nie et al. (VCNet, 2021)"


@described(
    About(
        rows="2000 + 993",
        covariates="498",
        treatment="a dose",
        realisations="20 splits",
        source=f"New York Times articles (UCI bag of words), {RECIPE}; the matrix has no public "
        "address",
        licence="as the matrix's owner states",
        files=(ORIGINAL, ORIGINAL_SPLITS),
    )
)
def news_dose(
    *,
    matrix: Any = None,
    realisations: Iterable[int] | None = None,
    seed: int = 5,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """New York Times articles with a simulated dose; their word counts have no public address.

    matrix: any matrix of documents x words [n d], or the path of one (npy); left out,
    `news/news_pp.npy` is read. Columns are divided by their largest value. Realisations are splits,
    two thirds to train.

    With v1, v2, v3 random unit vectors and a = v2.x / v3.x: t ~ Beta(2, |2 a| + 1e-4) and y = 8 (t
    - 0.5)^2 sin(pi t / 2) [min(2, exp(0.3 (pi a - 1))) + 20 v1.x] + N(0, 0.5), as the authors' code
    has it. Deviation: the paper prints Beta(2, |1 / (2 a)|), 2 (min(2, exp(a - 0.3)) + 20 v1.x) (4
    (t - 0.5)^2 + sin(pi t / 2)) and 2858 words. Deviation: the stored "truth" of the reference data
    has noise in it, ours has none.
    """
    if matrix is None:
        matrix = ORIGINAL.need("news-dose", folder)
    counts = matrix_of(matrix, "news-dose")
    return recipe(counts, "news-dose", "documents with doses", realisations, seed, folder)


@described(
    About(
        rows="1499 + 745",
        covariates="498",
        treatment="a dose",
        realisations="20 splits",
        source=f"STAND-IN for news-dose: Associated Press articles (topicmodels 0.2-16), {RECIPE}",
        licence="GPL-2 (topicmodels)",
        files=(ASSOCIATED_PRESS,),
        figures=(
            Figure("documents", 2244, 0, lambda study: study.rows.t.shape[1]),
            Figure(
                "sd of the noise",
                float(np.sqrt(0.5)),
                0.03,
                lambda study: (study.rows.y - study.mean)[0].std(),
            ),
        ),
    )
)
def news_ap_dose(
    *,
    realisations: Iterable[int] | None = None,
    seed: int = 5,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """A stand-in for news-dose on Associated Press articles; its figures are not the paper's.

    The recipe is the same. It takes the 498 most frequent words of 2244 articles.
    """
    path = ASSOCIATED_PRESS.need("news-ap-dose", folder)
    counts = read_npz(path, {"counts": (2244, 2858)})["counts"][:, :WORDS]
    what = "Associated Press articles (a stand-in) with doses"
    return recipe(counts, "news-ap-dose", what, realisations, seed, folder)


def recipe(counts: np.ndarray, name: str, what: str, realisations, seed: int, folder) -> Study:
    """Simulate doses and outcomes of documents; `seed` is numpy's, 5 in the authors' code."""
    _check_counts(counts, name)
    x = counts / np.maximum(counts.max(axis=0), 1e-12)
    t, y, mean, mu = _simulated(x, seed)
    chosen = choose(realisations, SPLITS, f"{name} has realisations")
    train, test = _splits(len(x), folder)
    for_all = lambda values: for_each(len(chosen), values)
    return Study(
        name=name,
        description=f"{len(x)} {what}: {len(chosen)} splits of {train.shape[1]} + "
        f"{test.shape[1]}, {x.shape[1]} words",
        rows=observed(x, for_all(t), for_all(y)),
        mu=for_all(mu),
        mean=for_all(mean),
        treatment=Dose(0.0, 1.0),
        train=train[chosen],
        test=test[chosen],
        columns=tuple(f"word{k + 1}" for k in range(x.shape[1])),
    )


def _check_counts(counts: np.ndarray, name: str) -> None:
    if counts.ndim != 2 or len(counts) < 10:
        raise BadInput(
            f"{name}: matrix",
            f"must be documents x words with at least 10 documents, got {counts.shape}",
        )
    if not np.isfinite(counts).all() or (counts < 0).any():
        raise BadInput(
            f"{name}: matrix",
            "must hold counts, 0 or more; it has negative, missing or infinite values",
        )


def _simulated(x: np.ndarray, seed: int) -> tuple[np.ndarray, ...]:
    """Return doses, outcomes, and noise-free outcomes under each row's own and all doses."""
    n, d = x.shape
    rng = np.random.RandomState(seed)
    vectors = np.stack([rng.normal(0, 1, d) for _ in range(3)])
    a1, a2, a3 = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)) @ x.T
    ratio = a2 / np.where(a3 == 0, 1e-12, a3)
    t = rng.beta(2, np.abs(2 * ratio) + 1e-4)
    amount = np.exp(np.minimum(0.3 * (np.pi * ratio - 1), np.log(2))) + 20 * a1
    curve = lambda dose: 8 * (dose - 0.5) ** 2 * np.sin(np.pi / 2 * dose)
    mean, mu = curve(t) * amount, curve(DOSES) * amount[:, None]
    return t, mean + np.sqrt(0.5) * rng.normal(size=n), mean, mu


def _splits(n: int, folder) -> tuple[np.ndarray, np.ndarray]:
    """Return twenty splits: those stored for the original 2993 articles, or random ones."""
    if n == 2993 and (path := ORIGINAL_SPLITS.find(folder)):
        stored = read_npz(path, {"idx_train": (SPLITS, 2000), "idx_test": (SPLITS, 993)})
        return stored["idx_train"].astype(int), stored["idx_test"].astype(int)
    order = np.stack([np.random.RandomState(split).permutation(n) for split in range(SPLITS)])
    train = round(n * 2000 / 2993)
    return order[:, :train], order[:, train:]
