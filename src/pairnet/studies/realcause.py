"""RealCause: LaLonde's men, outcomes drawn from fitted generative models (Neal et al., 2020)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Arms
from pairnet.studies.files import Damaged, File, numbers, read_csv, read_npz
from pairnet.studies.study import About, Figure, Study, choose, described, observed

FIRST, SAMPLES = 10, 20  # of the hundred samples there are, those numbered 10 to 29 are used
REPORTED, DEVELOPMENT = range(10, 20), range(20, 30)
ROWS = {"cps": 16_177, "psid": 2675}
COVARIATES = ("age", "education", "black", "hispanic", "married", "nodegree", "re74", "re75")
OUTCOMES = ("t", "y", "ite")
PUBLIC = "https://raw.githubusercontent.com/bradyneal/realcause/master/realcause_datasets"
PACKED = {
    "cps": File(
        path="realcause/lalonde_cps.npz",
        sha256="d46581c47c0578b9359b5d4608282a5c19ad86f318164bd3d8b59caaaac85dab",
    ),
    "psid": File(
        path="realcause/lalonde_psid.npz",
        sha256="9deea688286e8f24ae8303a99c0330fa162464a432871b89743b783f3719b421",
    ),
}
ORIGINAL = {
    (dataset, sample): File(
        path=f"realcause/lalonde_{dataset}_sample{sample}.csv",
        url=f"{PUBLIC}/lalonde_{dataset}_sample{sample}.csv",
    )
    for dataset in ROWS
    for sample in range(FIRST, FIRST + SAMPLES)
}
_effects = lambda study: study.mu[..., 1] - study.mu[..., 0]
FIGURES = (  # of the ten reported samples with controls of CPS
    Figure("share of treated", 0.010459, 5e-7, lambda study: np.mean(study.rows.t)),
    Figure("mean effect", -7003.21, 0.005, lambda study: _effects(study).mean()),
    Figure("sd of effects", 10_811.78, 0.005, lambda study: _effects(study).std()),
    Figure("mean outcome", 14_722.79, 0.005, lambda study: np.mean(study.rows.y)),
)
ABOUT = About(
    rows="14559 + 1618 (cps), 2407 + 268 (psid)",
    covariates="8",
    treatment="2 arms",
    realisations="20 (samples 10 to 29)",
    source="RealCause (Neal, Huang and Raghupathi, 2020), realcause_datasets, on LaLonde (1986)",
    licence="MIT (RealCause)",
    files=tuple(PACKED.values()),
    instead=tuple(ORIGINAL.values()),
    figures=FIGURES,
)


@described(ABOUT)
def realcause(
    *,
    dataset: str = "cps",
    samples: Iterable[int] = REPORTED,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Earnings of men in a job training and of controls from a survey, drawn from fitted models.

    The untreated men are those of CPS (16,177 rows, 1 % treated) or PSID (2,675, 6.5 %), so that
    the arms hardly overlap. The samples share the covariates; treatments and both outcomes, in
    dollars, are drawn anew. Samples 10 to 19 are for reports, 20 to 29 for development:
    `samples=range(20, 30)`. A tenth of the rows tests, by the split that the field uses.

    The true effect of a row is the difference of two drawn outcomes, noise and all, as in the
    published results. No method can have an error much below the spread of such a difference given
    the covariates: about 8,730 with CPS and 13,910 with PSID, by the spread over the 20 samples.

    Reads packed npz files, or `lalonde_{dataset}_sample{number}.csv` of the authors' repository.
    """
    if dataset not in ROWS:
        raise BadInput("realcause: dataset", f"must be one of {', '.join(ROWS)}, got {dataset!r}")
    chosen = FIRST + choose(samples, SAMPLES, "realcause has samples", FIRST)
    table = _read(dataset, chosen, folder)
    rows = ROWS[dataset]
    order = np.stack([np.random.default_rng(42 + k).permutation(rows) for k in chosen])
    train = int(0.9 * rows)
    other = table.y + np.where(table.t == 1, -1, 1) * table.effect
    both = np.stack([table.y, other], axis=-1)
    mu = np.where(table.t[..., None] == 1, both[..., ::-1], both)
    return Study(
        name="realcause",
        description=f"RealCause, LaLonde with controls of {dataset.upper()}: {len(chosen)} samples "
        f"of {train} + {rows - train} rows, 8 covariates",
        rows=observed(table.x, table.t, table.y),
        mu=mu,
        mean=table.y,
        treatment=Arms((0, 1)),
        train=order[:, :train],
        test=order[:, train:],
        columns=COVARIATES,
    )


class Table(NamedTuple):
    """What files hold of some samples."""

    x: np.ndarray  # [n 8]
    t: np.ndarray  # [s n]
    y: np.ndarray  # [s n], in dollars
    effect: np.ndarray  # [s n]: what the treated outcome that was drawn exceeds the untreated by


def _read(dataset: str, samples: np.ndarray, folder) -> Table:
    """Read the packed file of a dataset if it is on this machine, else those of its authors."""
    packed = PACKED[dataset].find(folder)
    if packed is None:
        return _original(dataset, samples, folder)
    outcomes = dict.fromkeys(("t", "y", "effect"), (SAMPLES, ROWS[dataset]))
    stored = read_npz(packed, {"x": (ROWS[dataset], len(COVARIATES)), **outcomes})
    return Table(
        stored["x"], *(stored[name][samples - FIRST].astype(np.float64) for name in outcomes)
    )


def _original(dataset: str, samples: np.ndarray, folder) -> Table:
    """Read the authors' files, one a sample."""
    columns = (*COVARIATES, *OUTCOMES)
    tables: list[np.ndarray] = []
    for sample in samples:
        path = ORIGINAL[dataset, int(sample)].need("realcause", folder)
        text = read_csv(path, ROWS[dataset], columns)
        table = np.stack([numbers(text[name], path) for name in columns], axis=-1)
        if not np.isin(table[:, -3], (0, 1)).all():
            raise Damaged(path, "must hold 0 or 1 in column t")
        if tables and not np.array_equal(table[:, :-3], tables[0][:, :-3]):
            raise Damaged(path, "must hold the same covariates as the file of another sample")
        tables.append(table)
    t, y, effect = np.moveaxis(np.stack(tables)[..., -3:], -1, 0)
    # these were written as 32-bit numbers: so read, they are those of the packed file
    y, effect = (value.astype(np.float32).astype(np.float64) for value in (y, effect))
    return Table(tables[0][:, :-3], t, y, effect)
