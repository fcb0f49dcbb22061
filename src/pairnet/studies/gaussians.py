"""Two Gaussians: the toy setting of the paper's Figure 2, where arms overlap only in part."""

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

ABOUT = About(
    rows="any",
    covariates="1",
    treatment="2 arms",
    realisations="any",
    source="the PairNet paper, section 4.1 and Figure 2 (ICML 2024); made by this package",
    licence="Apache-2.0",
)


@described(ABOUT)
def gaussians(
    *, realisations: int = 10, rows: int = 500, test: int = 500, noise: float = 0.5, seed: int = 0
) -> Study:
    """The paper's toy setting: x is N(-1, 1) in one arm and N(1, 1) in the other.

    So the arms overlap in part. The paper looks at the distributions alone and gives no outcomes;
    ours are mu0 = sin(2 x) + x and an effect of 1 + x / 2. The arms are equally large.
    """
    check_sizes(
        "gaussians", realisations=realisations, rows=rows, test=test, noise=noise, seed=seed
    )
    for_x, for_noise = streams(seed, 2)
    t = np.broadcast_to(np.arange(rows + test) % 2, (realisations, rows + test))
    x = for_x.normal(size=t.shape) + 2 * t - 1
    mu0 = np.sin(2 * x) + x
    mu = np.stack([mu0, mu0 + 1 + x / 2], axis=-1)
    mean = under_own_arm(mu, t)
    return Study(
        name="gaussians",
        description=f"{realisations} samples of {rows} + {test} rows, N(-1, 1) against N(1, 1)",
        rows=observed(x[..., None], t, mean + noise * for_noise.normal(size=t.shape)),
        mu=mu,
        mean=mean,
        treatment=Arms((0, 1)),
        train=np.arange(rows),
        test=np.arange(rows, rows + test),
        columns=("x",),
    )
