"""A confounded table made here, of any size, whose true effects are known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import special

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Arms, Dose
from pairnet.studies.study import (
    DOSES,
    About,
    Study,
    check_sizes,
    described,
    observed,
    streams,
    under_own_arm,
)

COMMONEST, RAREST = 0.5, 0.03  # how often the flags among the covariates are 1
ABOUT = About(
    rows="any",
    covariates="any",
    treatment="arms or a dose",
    realisations="any",
    source="made by this package",
    licence="Apache-2.0",
)


@described(ABOUT)
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
    """A confounded table made here, whose outcomes and effects are smooth, non-linear and known.

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
    _check_options(covariates, arms, overlap, treated)
    shape = (realisations, rows + test)
    for_x, for_function, for_treatment, for_noise = streams(seed, 4)
    x = _covariates(for_x, *shape, covariates)
    kinds = 1 if dose else arms - 1
    surface = _surface(for_function, x, kinds, confounding, complexity)
    if dose:
        assignment = _assign_doses(for_treatment, surface, overlap)
    else:
        assignment = _assign_arms(for_treatment, surface, treated, overlap)
    mu, mean = assignment.mu, assignment.mean
    if binary:
        mu, mean = _chances(surface.base, mu, mean)
        y = (for_noise.random(shape) < mean).astype(float)
    else:
        y = mean + noise * for_noise.normal(size=shape)
    kind = "a dose" if dose else f"{arms} arms"
    return Study(
        name="confounded",
        description=f"{realisations} confounded tables of {rows} + {test} rows, {covariates} "
        f"covariates, {kind}",
        rows=observed(x, assignment.t, y),
        mu=mu,
        mean=mean,
        treatment=assignment.treatment,
        train=np.arange(rows),
        test=np.arange(rows, rows + test),
        columns=tuple(f"x{k + 1}" for k in range(covariates)),
        propensity=assignment.propensity,
    )


def _check_options(covariates: int, arms: int, overlap: float, treated: float) -> None:
    if covariates < 1 or arms < 2:
        raise BadInput(
            "covariates", f"must be at least 1 and arms at least 2, got {covariates} and {arms}"
        )
    if not 0 <= overlap <= 1 / arms:
        raise BadInput("overlap", f"must be between 0 and 1 / arms = {1 / arms:.3g}, got {overlap}")
    if not 0 < treated < 1:
        raise BadInput("treated", f"must be a share between 0 and 1, got {treated}")


class Surface(NamedTuple):
    """The functions of the covariates that make outcomes and treatments, at every row."""

    base: np.ndarray  # [r n]: the outcome under the first arm, or without a dose
    tame: list[np.ndarray]  # [r n] for each further arm, or for the dose: a gentle effect
    wild: list[np.ndarray]  # likewise: an effect that bends
    drive: np.ndarray  # [r n k]: what drives a row into each further arm, or to a large dose


class Assignment(NamedTuple):
    """Who was treated how, and the noise-free outcomes that follow."""

    treatment: Arms | Dose
    t: np.ndarray  # [r n]
    mu: np.ndarray  # [r n g], under every treatment
    mean: np.ndarray  # [r n], under the row's own
    propensity: np.ndarray | None = None


def _surface(
    rng: np.random.Generator, x: np.ndarray, kinds: int, confounding: float, complexity: float
) -> Surface:
    """Draw the functions, each along random directions of the covariates."""
    shape = (len(x), 5 + 4 * kinds, x.shape[-1])
    directions = rng.normal(size=shape) / np.sqrt(x.shape[-1])
    score = x @ np.swapaxes(directions, 1, 2)  # along all directions at once
    level, a, b, c, d = (score[..., k] for k in range(5))
    of_kind = [[score[..., 5 + 4 * kind + k] for k in range(4)] for kind in range(kinds)]
    return Surface(
        base=2 * level + np.sin(2 * a) + 2 * np.tanh(b) * c + np.exp(d / 2),
        tame=[1 + 2 * np.tanh(e) for e, *_ in of_kind],
        wild=[complexity * (np.sin(3 * f) + g**2) for _, f, g, _ in of_kind],
        drive=np.stack([2 * confounding * (level + 0.5 * h) for *_, h in of_kind], axis=-1),
    )


def _assign_arms(
    rng: np.random.Generator, surface: Surface, treated: float, overlap: float
) -> Assignment:
    """Draw each row's arm; each further arm adds its tame and its wild effect."""
    base, drive = surface.base, surface.drive
    propensity = _propensity(drive, treated, overlap)
    below = rng.random(base.shape)[..., None] > np.cumsum(propensity[..., :-1], axis=-1)
    t = below.sum(axis=-1)
    effects = zip(surface.tame, surface.wild, strict=True)
    mu = np.stack([base, *(base + tame + wild for tame, wild in effects)], axis=-1)
    arms = Arms(tuple(range(drive.shape[-1] + 1)))
    return Assignment(arms, t, mu, under_own_arm(mu, t), propensity)


def _assign_doses(rng: np.random.Generator, surface: Surface, overlap: float) -> Assignment:
    """Draw each row's dose; the parts of the effect depend on it."""
    t = _doses(rng, surface.drive[..., 0], overlap)
    parts = np.stack([surface.base, surface.tame[0], surface.wild[0]], axis=-1)
    mean = np.sum(parts * np.moveaxis(_curves(t), 0, -1), axis=-1)
    return Assignment(Dose(0.0, 1.0), t, parts @ _curves(DOSES), mean)


def _chances(base: np.ndarray, mu: np.ndarray, mean: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return outcomes as chances, whose log odds are half of the outcomes less their centre."""
    centre = base.mean(axis=1, keepdims=True)
    return special.expit((mu - centre[..., None]) / 2), special.expit((mean - centre) / 2)


def _covariates(rng: np.random.Generator, realisations: int, n: int, d: int) -> np.ndarray:
    """Draw normal columns, then flags of growing frequency."""
    x = rng.normal(size=(realisations, n, d))
    normal = (d + 1) // 2
    x[..., normal:] = x[..., normal:] > -special.ndtri(np.linspace(RAREST, COMMONEST, d - normal))
    return x


def _propensity(drive: np.ndarray, treated: float, overlap: float) -> np.ndarray:
    """Return P(arm | x), a softmax of the drives.

    They are centred so that about the share `treated` is in other arms than the first.
    """
    arms = drive.shape[-1] + 1
    centred = drive - drive.mean(axis=-2, keepdims=True)
    odds = np.log(treated / (1 - treated) / (arms - 1))
    logits = np.concatenate([np.zeros_like(drive[..., :1]), centred + odds], axis=-1)
    return overlap + (1 - arms * overlap) * special.softmax(logits, axis=-1)


def _curves(dose: np.ndarray) -> np.ndarray:
    """Return the weights of the base, the tame and the wild part of the outcome at a dose."""
    return np.stack([np.ones_like(dose), np.sin(np.pi / 2 * dose), 4 * dose * (1 - dose)])


def _doses(rng: np.random.Generator, drive: np.ndarray, overlap: float) -> np.ndarray:
    """Draw doses that rise with the drive; the share `overlap` of them is uniform."""
    centre = special.expit(drive - drive.mean(axis=1, keepdims=True))
    dose = rng.beta(1 + 3 * centre, 1 + 3 * (1 - centre))
    return np.where(rng.random(drive.shape) < overlap, rng.random(drive.shape), dose)
