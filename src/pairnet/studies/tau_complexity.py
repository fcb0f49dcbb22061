"""Effects simpler than, as complex as, or more complex than the outcomes.

The setups are those of Curth and van der Schaar (2021).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Arms
from pairnet.studies.acic2016 import COMPACT, LETTERS, ORIGINAL, covariates
from pairnet.studies.study import About, Study, choose, described, observed, under_own_arm

UNTREATED, TREATED, TEST = 2000, 200, 500
LINEAR, NONLINEAR = 0.6, 0.3  # the chance that a term is used
BEND = 0.1  # the weight of squares and products
CONTINUOUS = 20  # a column with at least this many values has a square
CELLS = {
    "simpler": ("A", 0.1),
    "comparable": ("B", 0.4),
    "complex": ("B", 0.8),
}
ABOUT = About(
    rows="2200 + 500",
    covariates="55",
    treatment="2 arms",
    realisations="any",
    source="Curth and van der Schaar (2021), setups A and B, on the covariates of acic2016; "
    "made by this package",
    licence="Apache-2.0; of the covariates: see acic2016",
    files=(COMPACT,),
    instead=(ORIGINAL,),
)


@described(ABOUT)
def tau_complexity(
    *,
    effect: Literal["simpler", "comparable", "complex"] | None = "simpler",
    setup: Literal["A", "B"] | None = None,
    rho: float | None = None,
    realisations: Iterable[int] | int = 10,
    folder: str | os.PathLike[str] | None = None,
) -> Study:
    """Outcomes on ACIC's covariates, and effects simpler, as complex or more complex than those.

    mu0 is a sum of linear terms, squares and products, each there by chance. Setup A adds a linear
    effect that uses each covariate with probability `rho`; setup B gives mu1 each term of mu0 with
    probability 1 - `rho`, so that the effect is made of the terms that are gone. The mean effect is
    0; 200 treated and 2000 untreated rows, at random.

    effect: "simpler" is A with rho 0.1, "comparable" B with 0.4, "complex" B with 0.8 (the PairNet
    paper does not say which cells it used); or give setup and rho.
    """
    letter, chance = _cell(effect, setup, rho)
    names, x = _numeric_covariates(folder)
    bent = np.array([len(np.unique(column)) >= CONTINUOUS for column in x.T])
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    wanted = range(1, realisations + 1) if isinstance(realisations, int) else realisations
    chosen = choose(wanted, 1000, "tau-complexity has realisations")
    made = [_realisation(x, bent, letter, chance, np.random.default_rng([k, 2021])) for k in chosen]
    t, y, mu, order = (np.stack(values) for values in zip(*made, strict=True))
    return Study(
        name="tau-complexity",
        description=f"setup {letter}, rho {chance}: {len(chosen)} realisations of 2200 + 500 rows, "
        f"{x.shape[1]} covariates",
        rows=observed(x, t, y),
        mu=mu,
        mean=under_own_arm(mu, t),
        treatment=Arms((0, 1)),
        train=order[:, : UNTREATED + TREATED],
        test=order[:, -TEST:],
        columns=names,
    )


def _cell(effect: str | None, setup: str | None, rho: float | None) -> tuple[str, float]:
    """Return the setup and rho asked for, by these two values or by a word."""
    if (setup is None) != (rho is None):
        raise BadInput("", "tau-complexity: give both setup and rho, or neither.")
    if setup is None or rho is None:
        if effect not in CELLS:
            raise BadInput(
                "tau-complexity: effect", f"must be one of {', '.join(CELLS)}, got {effect!r}"
            )
        return CELLS[effect]
    if setup not in ("A", "B") or not 0 <= rho <= 1:
        raise BadInput(
            "tau-complexity: setup",
            f"must be 'A' or 'B' and rho between 0 and 1, got {setup!r} and {rho}",
        )
    return setup, rho


def _numeric_covariates(folder) -> tuple[tuple[str, ...], np.ndarray]:
    """Read the covariates of acic2016 without its columns of letters."""
    names, x = covariates(folder)
    letters = tuple(f"{letter}_" for letter in LETTERS)
    kept = [k for k, name in enumerate(names) if not name.startswith(letters)]
    return tuple(names[k] for k in kept), x[:, kept]


def _realisation(
    x: np.ndarray, bent: np.ndarray, setup: str, rho: float, rng: np.random.Generator
) -> tuple[np.ndarray, ...]:
    """Draw the terms, who is treated, and the noise."""
    n, d = x.shape
    order = rng.permutation(n)
    t = np.zeros(n)
    t[order[UNTREATED : UNTREATED + TREATED]] = 1
    terms, used = _terms(x, bent, rng)
    mu0 = rng.choice(np.arange(-1, 1.25, 0.25)) + _sum(terms, used)
    if setup == "A":
        tau = x @ (rng.random(d) < rho)
    else:
        tau = -_sum(terms, [term & (rng.random(len(term)) < rho) for term in used])
    mu = np.stack([mu0, mu0 + tau - tau.mean()], axis=-1)
    return t, np.where(t == 1, mu[:, 1], mu[:, 0]) + rng.normal(size=n), mu, order


def _terms(
    x: np.ndarray, bent: np.ndarray, rng: np.random.Generator
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return linear terms, squares and products of pairs, and a draw of which are used."""
    d = x.shape[1]
    mates = rng.permutation(d)[: d - d % 2].reshape(-1, 2)
    terms = [x, BEND * x[:, bent] ** 2, BEND * x[:, mates[:, 0]] * x[:, mates[:, 1]]]
    shares = (LINEAR, NONLINEAR, NONLINEAR)
    used = [rng.random(term.shape[1]) < share for term, share in zip(terms, shares, strict=True)]
    return terms, used


def _sum(terms: list[np.ndarray], used: list[np.ndarray]) -> np.ndarray:
    """Return the sum of the used columns of the terms."""
    return sum(term @ columns for term, columns in zip(terms, used, strict=True))
