"""The paper's one-dimensional motivating study (section 4, Figure 1)."""

from __future__ import annotations

import numpy as np

from pairnet.core.treatments import Arms
from pairnet.studies.study import About, Study, check_sizes, described, observed, under_own_arm

ABOUT = About(
    rows="any",
    covariates="1",
    treatment="2 arms",
    realisations="any",
    source="the PairNet paper, section 4 (ICML 2024); made by this package",
    licence="Apache-2.0",
)


@described(ABOUT)
def gp(
    *,
    realisations: int = 1,
    rows: int = 5,
    test: int = 0,
    shift: float = 0.6,
    noise: float = 0.0,
    seed: int = 0,
) -> Study:
    """The paper's one-dimensional study: Gaussian-process outcomes, a simpler effect, a shift in x.

    Kernel exp(-w |x - x'|^2) with w = 1 for mu0 and w = 0.2 for tau; `rows` in each arm, x ~
    N(-shift/2, 0.5^2) in arm 0 and N(shift/2, 0.5^2) in arm 1. The test points are the training
    points, as in the paper, or `test` even steps over their range.
    """
    check_sizes("gp", realisations=realisations, rows=rows, test=test, noise=noise, seed=seed)
    rng = np.random.default_rng([seed, 1])
    x = _points(rng, (realisations, rows), test, shift)
    t = np.r_[np.repeat([0, 1], rows), np.arange(test) % 2][None].repeat(realisations, axis=0)
    mu0, tau = sample(x, 1.0, rng), sample(x, 0.2, rng)
    mu = np.stack([mu0, mu0 + tau], axis=-1)
    mean = under_own_arm(mu, t)
    y = mean + noise * rng.normal(size=t.shape)
    train = np.arange(2 * rows)
    return Study(
        name="gp",
        description=f"{realisations} samples of a one-dimensional Gaussian process, {rows} rows "
        "in each arm",
        rows=observed(x[..., None], t, y),
        mu=mu,
        mean=mean,
        treatment=Arms((0, 1)),
        train=train,
        test=np.arange(2 * rows, 2 * rows + test) if test else train,
        columns=("x",),
    )


def _points(
    rng: np.random.Generator, shape: tuple[int, int], test: int, shift: float
) -> np.ndarray:
    """Draw the points of both arms, and add even steps over their range to test."""
    x = np.concatenate([rng.normal(side * shift / 2, 0.5, shape) for side in (-1, 1)], axis=1)
    even = np.linspace(x.min(axis=1), x.max(axis=1), test, axis=1)
    return np.concatenate([x, even], axis=1)


def sample(x: np.ndarray, w: float, rng: np.random.Generator) -> np.ndarray:
    """Draw one function a realisation from a Gaussian process, at the points x [r n].

    Its kernel is exp(-w |x - x'|^2).
    """
    kernel = np.exp(-w * (x[:, :, None] - x[:, None, :]) ** 2)
    values, vectors = np.linalg.eigh(kernel)
    draws = np.sqrt(np.maximum(values, 0)) * rng.normal(size=x.shape)
    return np.einsum("rij,rj->ri", vectors, draws)
