"""Relevant and irrelevant covariates, for the choice of a pair's space (the paper's Appendix L)."""

from __future__ import annotations

import numpy as np

from pairnet.core.treatments import Arms
from pairnet.studies.study import (
    About,
    Study,
    check_sizes,
    described,
    observed,
    streams,
    under_own_arm,
)

COVARIATES, RELEVANT = 10, 5
ABOUT = About(
    rows="any",
    covariates="10",
    treatment="2 arms",
    realisations="any",
    source="the PairNet paper, Appendix L (ICML 2024); made by this package",
    licence="Apache-2.0",
)


@described(ABOUT)
def relevant_covariates(
    *, realisations: int = 10, rows: int = 500, test: int = 500, noise: float = 1.0, seed: int = 0
) -> Study:
    """Ten normal covariates, of which five matter, in cubic outcomes with a quadratic effect.

    mu0 is a sum over the first five covariates of random polynomials of degree three, the effect of
    random polynomials of degree two; coefficients are N(0, 1) over the square root of five, cubes
    weigh a third. The paper gives neither coefficients nor an assignment: here half are treated,
    more likely where the first covariate is large.
    """
    check_sizes(
        "relevant-covariates",
        realisations=realisations,
        rows=rows,
        test=test,
        noise=noise,
        seed=seed,
    )
    for_x, for_function, for_treatment, for_noise = streams(seed, 4)
    shape = (realisations, rows + test)
    x = for_x.normal(size=(*shape, COVARIATES))
    mu = _outcomes(x, for_function)
    treated = 1 / (1 + np.exp(-x[..., 0]))
    t = (for_treatment.random(shape) < treated).astype(int)
    mean = under_own_arm(mu, t)
    return Study(
        name="relevant-covariates",
        description=f"{realisations} tables of {rows} + {test} rows; five of ten covariates matter",
        rows=observed(x, t, mean + noise * for_noise.normal(size=shape)),
        mu=mu,
        mean=mean,
        treatment=Arms((0, 1)),
        train=np.arange(rows),
        test=np.arange(rows, rows + test),
        columns=tuple(f"x{k + 1}" for k in range(COVARIATES)),
        propensity=np.stack([1 - treated, treated], axis=-1),
    )


def _outcomes(x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the polynomials, and return the outcomes under both arms."""
    relevant = x[..., :RELEVANT]
    powers = np.stack([relevant, relevant**2, relevant**3 / 3], axis=-1)
    weight = rng.normal(size=(len(x), 2, RELEVANT, 3)) / np.sqrt(RELEVANT)
    weight[:, 1, :, 2] = 0  # no cubes in the effect
    mu0, tau = np.moveaxis(np.einsum("rnik,rjik->rjn", powers, weight), 1, 0)
    return np.stack([mu0, mu0 + 1 + tau], axis=-1)
