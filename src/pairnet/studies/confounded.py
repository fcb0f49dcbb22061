"""A confounded table made here, of any size, whose true effects are known."""

from __future__ import annotations

import numpy as np
from scipy import special

from pairnet.core.treatments import Arms, Dose
from pairnet.studies.study import (
    DOSES,
    About,
    Study,
    check_sizes,
    described,
    observed,
    under_own_arm,
)

COMMONEST, RAREST = 0.5, 0.03  # how often the flags among the covariates are 1


@described(
    About(
        rows="any",
        covariates="any",
        treatment="arms or a dose",
        realisations="any",
        source="made by this package",
        licence="Apache-2.0",
    )
)
def confounded(
    *,
    realisations: int = 10,
    rows: int = 1000,
    test: int = 500,
    covariates: int = 10,
    arms: int = 2,
    dose: bool = False,
    treated: float = 0.3,
    confounding: float = 1.0,
    overlap: float = 0.0,
    complexity: float = 0.5,
    noise: float = 1.0,
    binary: bool = False,
    seed: int = 0,
) -> Study:
    """A confounded table made here: outcomes and effects are smooth and non-linear, and known
    exactly.

    Half of the covariates are normal, half are 0 or 1, from rare (3 %) to common (50 %). Who is
    treated depends on the same covariates as the outcome (`confounding`; 0 is a randomised trial,
    in which the share `treated` is not in the first arm), and every arm has at least the
    probability `overlap`. The outcome bends and interacts; each further arm adds an effect that is
    a tame function of some covariates plus `complexity` times a wild one. With `dose` the treatment
    is a dose in [0, 1]: the tame part of its effect rises with the dose, the wild one is largest in
    the middle. `binary` makes the outcome 0 or 1 with that function as its log odds.
    """
    check_sizes(
        "confounded", realisations=realisations, rows=rows, test=test, noise=noise, seed=seed
    )
    if covariates < 1 or arms < 2:
        raise ValueError(
            f"covariates must be at least 1 and arms at least 2, got {covariates} and {arms}."
        )
    if not 0 <= overlap <= 1 / arms:
        raise ValueError(f"overlap must be between 0 and 1 / arms = {1 / arms:.3g}, got {overlap}.")
    if not 0 < treated < 1:
        raise ValueError(f"treated must be a share between 0 and 1, got {treated}.")
    shape = (realisations, rows + test)
    # A stream of random numbers for each thing: the first realisations are the same however many
    # there are.
    for_x, for_function, for_treatment, for_noise = (
        np.random.default_rng([seed, stream]) for stream in range(4)
    )
    x = _covariates(for_x, *shape, covariates)
    kinds = 1 if dose else arms - 1
    weights = for_function.normal(size=(realisations, 5 + 4 * kinds, covariates)) / np.sqrt(
        covariates
    )
    score = x @ np.swapaxes(weights, 1, 2)  # every direction of every function, at once
    level, a, b, c, d = (score[..., k] for k in range(5))
    base = 2 * level + np.sin(2 * a) + 2 * np.tanh(b) * c + np.exp(d / 2)
    of_kind = [[score[..., 5 + 4 * kind + k] for k in range(4)] for kind in range(kinds)]
    tame = [1 + 2 * np.tanh(e) for e, *_ in of_kind]
    wild = [complexity * (np.sin(3 * f) + g**2) for _, f, g, _ in of_kind]
    drive = np.stack([2 * confounding * (level + 0.5 * h) for *_, h in of_kind], axis=-1)

    treatment: Arms | Dose
    if dose:
        treatment, propensity = Dose(0.0, 1.0), None
        t = _doses(for_treatment, drive[..., 0], overlap)
        parts, curves = np.stack([base, tame[0], wild[0]], axis=-1), _curves(DOSES)
        mu, mean = parts @ curves, np.sum(parts * np.moveaxis(_curves(t), 0, -1), axis=-1)
    else:
        treatment = Arms(tuple(range(arms)))
        propensity = _propensity(drive, treated, overlap)
        t = (for_treatment.random(shape)[..., None] > np.cumsum(propensity[..., :-1], axis=-1)).sum(
            axis=-1
        )
        mu = np.stack([base, *(base + i + j for i, j in zip(tame, wild, strict=True))], axis=-1)
        mean = under_own_arm(mu, t)
    if binary:
        centre = base.mean(axis=1, keepdims=True)
        mu, mean = special.expit((mu - centre[..., None]) / 2), special.expit((mean - centre) / 2)
        y = (for_noise.random(shape) < mean).astype(float)
    else:
        y = mean + noise * for_noise.normal(size=shape)
    kind = "a dose" if dose else f"{arms} arms"
    return Study(
        name="confounded",
        description=f"{realisations} confounded tables of {rows} + {test} rows, {covariates} "
        f"covariates, {kind}",
        rows=observed(x, t, y),
        mu=mu,
        mean=mean,
        treatment=treatment,
        train=np.arange(rows),
        test=np.arange(rows, rows + test),
        columns=tuple(f"x{k + 1}" for k in range(covariates)),
        propensity=propensity,
    )


def _covariates(rng: np.random.Generator, realisations: int, n: int, d: int) -> np.ndarray:
    """Normal columns, then flags of growing frequency."""
    x = rng.normal(size=(realisations, n, d))
    normal = (d + 1) // 2
    x[..., normal:] = x[..., normal:] > -special.ndtri(np.linspace(RAREST, COMMONEST, d - normal))
    return x


def _propensity(drive: np.ndarray, treated: float, overlap: float) -> np.ndarray:
    """P(arm | x): a softmax of the drives, centred so that about the share `treated` leaves the
    first arm."""
    arms = drive.shape[-1] + 1
    drive = (
        drive - drive.mean(axis=-2, keepdims=True) + np.log(treated / (1 - treated) / (arms - 1))
    )
    logits = np.concatenate([np.zeros_like(drive[..., :1]), drive], axis=-1)
    return overlap + (1 - arms * overlap) * special.softmax(logits, axis=-1)


def _curves(dose: np.ndarray) -> np.ndarray:
    """How much of the base, the tame and the wild part of the outcome there is at a dose."""
    return np.stack([np.ones_like(dose), np.sin(np.pi / 2 * dose), 4 * dose * (1 - dose)])


def _doses(rng: np.random.Generator, drive: np.ndarray, overlap: float) -> np.ndarray:
    """Doses that rise with the drive, of which the share `overlap` is uniform whatever the
    covariates."""
    centre = special.expit(drive - drive.mean(axis=1, keepdims=True))
    dose = rng.beta(1 + 3 * centre, 1 + 3 * (1 - centre))
    return np.where(rng.random(drive.shape) < overlap, rng.random(drive.shape), dose)
