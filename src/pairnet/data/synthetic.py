"""A confounded table made here, whose true effects are known."""

from __future__ import annotations

import numpy as np
from scipy import stats

from pairnet.data.study import Study, observed
from pairnet.treatments import Arms


def synthetic(
    *,
    realisations: int = 10,
    rows: int = 1000,
    test: int = 500,
    covariates: int = 10,
    arms: int = 2,
    treated: float = 0.3,
    confounding: float = 1.0,
    complexity: float = 0.5,
    noise: float = 1.0,
    binary: bool = False,
    seed: int = 0,
) -> Study:
    """A confounded table made here: outcomes and effects are smooth and non-linear, and known exactly.

    Half of the covariates are normal, half are 0 or 1. Who is treated depends on the same covariates as the outcome
    (`confounding`; 0 is a randomised trial, and about the share `treated` is not in the first arm). The outcome bends
    and interacts; each further arm adds an effect that is a tame function of some covariates plus `complexity` times a
    wild one. `binary` makes the outcome 0 or 1 with that function as its log odds.
    """
    made = [
        _realisation(np.random.default_rng([seed, k]), rows + test, covariates, arms, treated, confounding, complexity)
        for k in range(realisations)
    ]
    x, t, mu, draw = (np.stack(values) for values in zip(*made, strict=True))
    at = t[..., None]
    if binary:
        mu = 1 / (1 + np.exp(-(mu - mu[..., :1].mean(axis=1, keepdims=True)) / 2))
        uniform = stats.norm.cdf(draw)
        y = (uniform < np.take_along_axis(mu, at, 2)[..., 0]).astype(float)
    else:
        y = np.take_along_axis(mu, at, 2)[..., 0] + noise * draw
    return Study(
        name="synthetic",
        description=f"{realisations} confounded tables of {rows} + {test} rows, {covariates} covariates, {arms} arms",
        rows=observed(x, t, y),
        mu=mu,
        treatment=Arms(tuple(range(arms))),
        train=np.arange(rows),
        test=np.arange(rows, rows + test),
    )


def _realisation(rng, n, d, arms, treated, confounding, complexity):
    x = rng.normal(size=(n, d))
    x[:, d // 2 :] = x[:, d // 2 :] > 0.5
    pick = lambda: rng.normal(size=d) / np.sqrt(d)
    shared = pick()
    base = 2 * x @ shared + np.sin(2 * x @ pick()) + 2 * np.tanh(x @ pick()) * (x @ pick()) + np.exp(x @ pick() / 2)
    mu, logit = [base], [np.zeros(n)]
    for _ in range(1, arms):
        tame, wild = x @ pick(), np.sin(3 * x @ pick()) + (x @ pick()) ** 2
        mu.append(base + 1 + 2 * np.tanh(tame) + complexity * wild)
        logit.append(confounding * 2 * (x @ (shared + 0.5 * pick())))
    logits = np.stack(logit, axis=1)
    logits[:, 1:] -= logits[:, 1:].mean(axis=0) - np.log(treated / (1 - treated) / (arms - 1))
    t = np.argmax(logits + rng.gumbel(size=logits.shape), axis=1)
    return x, t, np.stack(mu, axis=1), rng.normal(size=n)
