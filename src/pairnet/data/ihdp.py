"""IHDP: real covariates of the Infant Health and Development Program, simulated outcomes (Hill, 2011)."""

from __future__ import annotations

import os
from collections.abc import Iterable

import numpy as np

from pairnet.data.files import find, read_npz
from pairnet.data.study import Study, choose, observed
from pairnet.treatments import Arms


def ihdp(*, realisations: Iterable[int] | None = None, folder: str | os.PathLike[str] | None = None) -> Study:
    """Real covariates of 747 infants, simulated outcomes; 100 realisations, 672 rows to train and 75 to test.

    Reads the published files `ihdp_npci_1-100.train.npz` and `.test.npz`; outcomes stay on their raw scale.
    """
    parts = []
    for split, rows in (("train", 672), ("test", 75)):
        column = (rows, None)
        shapes = {"x": (rows, 25, None), **dict.fromkeys(("t", "yf", "mu0", "mu1"), column)}
        parts.append(read_npz(find("ihdp", f"ihdp_npci_1-100.{split}.npz", folder), shapes))
    stored = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    chosen = choose(realisations, stored["t"].shape[-1], "ihdp")
    by_realisation = {name: np.moveaxis(array[..., chosen], -1, 0) for name, array in stored.items()}
    return Study(
        name="ihdp",
        description=f"IHDP (Hill, 2011), setting A of npci: {len(chosen)} realisations of 672 + 75 rows, 25 covariates",
        rows=observed(by_realisation["x"], by_realisation["t"], by_realisation["yf"]),
        mu=np.stack([by_realisation["mu0"], by_realisation["mu1"]], axis=-1),
        treatment=Arms((0, 1)),
        train=np.arange(672),
        test=np.arange(672, 747),
    )
