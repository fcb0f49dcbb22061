"""Tables made here, whose effects have one shape each: a sine, steps, lines, products, ..."""

from __future__ import annotations

from collections.abc import Callable
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
)

USED = 4  # so many numbers make outcome and effect: columns, or directions through all columns
SHARE, RARE = 0.3, 0.05  # how many are treated
ABOUT = About(
    rows="any",
    covariates="any",
    treatment="2 arms or a dose",
    realisations="any",
    source="made by this package",
    licence="Apache-2.0",
)


class Shape(NamedTuple):
    """What makes one kind of table."""

    base: Callable[..., np.ndarray]  # of four standard normal numbers: the untreated outcome
    effect: Callable[..., np.ndarray]  # likewise: what the treatment, or the largest dose, adds
    rise: Callable[[np.ndarray], np.ndarray]  # of the dose: which part of the effect it has
    of: str = "directions"  # the four are the "first" columns, "any" columns, or "directions"
    treated: float = SHARE


_above = lambda a: np.where(a > 0.3, 1.0, -1.0)
_bend = lambda dose: np.sin(np.pi / 2 * dose)
_smooth = lambda a, b, c, d: a + np.sin(b) + np.tanh(c) * d / 2
_gentle = lambda a, b, c, d: 1 + np.tanh(a) + np.sin(d)
SHAPES = {
    "sine": Shape(
        base=lambda a, b, c, d: b + c / 2,
        effect=lambda a, b, c, d: 1 + a + np.sin(2 * c),
        rise=_bend,
        of="first",
    ),
    "steps": Shape(
        base=lambda a, b, c, d: _above(a) + _above(b) * _above(c) / 2,
        effect=lambda a, b, c, d: 1 + 0.8 * _above(b) - 0.6 * _above(d),
        rise=lambda dose: np.minimum(np.floor(3 * dose), 2) / 2,
        of="any",
    ),
    "lines": Shape(
        base=lambda a, b, c, d: a + b / 2,
        effect=lambda a, b, c, d: 1 + 0.8 * b + 0.6 * c,
        rise=lambda dose: dose,
    ),
    "constant": Shape(
        base=lambda a, b, c, d: a + np.sin(2 * b) + np.tanh(c) * d,
        effect=lambda a, b, c, d: np.ones_like(a),
        rise=_bend,
    ),
    "products": Shape(
        base=lambda a, b, c, d: a * b + c / 2,
        effect=lambda a, b, c, d: 1 + c * d,
        rise=_bend,
        of="any",
    ),
    "sparse": Shape(base=_smooth, effect=_gentle, rise=_bend, of="any"),
    "rare": Shape(base=_smooth, effect=_gentle, rise=_bend, treated=RARE),
    "smooth": Shape(base=_smooth, effect=_gentle, rise=_bend),
}


@described(ABOUT)
def shapes(
    *,
    kind: str = "sine",
    realisations: int = 10,
    rows: int = 1000,
    test: int = 1000,
    covariates: int = 20,
    dose: bool = False,
    treated: float | None = None,
    confounding: float = 1.0,
    noise: float = 0.5,
    binary: bool = False,
    seed: int = 0,
) -> Study:
    """Tables whose effects have one shape each, for comparing methods on kinds of tables.

    Covariates are standard normal. Outcome and effect depend on four numbers: on columns, which
    each realisation draws, or on directions through all columns. The kinds are

    - sine: the effect is 1 + x1 + sin(2 x3), of fixed columns, and the outcome x2 + x3 / 2;
    - steps: outcome and effect are constant between steps, along columns;
    - lines: both are linear, along directions;
    - constant: the outcome bends along directions, and the effect is 1 for all;
    - products: the effect is one of two columns, of which neither alone tells anything;
    - smooth: both are gentle curves along directions;
    - sparse: the same curves, of four columns among many;
    - rare: as smooth, and 5 % are treated instead of 30 %.

    Effects have mean 1 and spread by about 1, outcomes by 1 to 2. All kinds have the same sizes,
    and with the same seed the same covariates, so that tables of several kinds can be stacked. Who
    is treated depends on the untreated outcome (`confounding` times it; 0 is a randomised trial);
    the share `treated` is, by default that of the kind.

    With `dose` the treatment is a dose in [0, 1] with mean `treated`: the effect rises with it from
    0 (in steps, along a line, or bent). `binary` makes the outcome 0 or 1, with the centred outcome
    as its log odds; `constant` is then one effect on these.
    """
    check_sizes("shapes", realisations=realisations, rows=rows, test=test, noise=noise, seed=seed)
    shape = _shape(kind)
    share = shape.treated if treated is None else treated
    _check_options(covariates, share)
    for_x, for_function, for_treatment, for_noise = streams(seed, 4)
    x = for_x.normal(size=(realisations, rows + test, covariates))
    parts = _parts(for_function, x, shape.of)
    base, effect = shape.base(*parts), shape.effect(*parts)
    drive = confounding * (base - base.mean(axis=1, keepdims=True))
    propensity = _propensity(drive, share)
    if dose:
        t = for_treatment.beta(5 * propensity, 5 * (1 - propensity))
        levels, own = shape.rise(DOSES), shape.rise(t)
    else:
        t = (for_treatment.random(base.shape) < propensity).astype(float)
        levels, own = np.arange(2.0), t
    mu, mean = base[..., None] + effect[..., None] * levels, base + effect * own
    if binary:
        centre = mean.mean(axis=1, keepdims=True)
        mu, mean = special.expit(mu - centre[..., None]), special.expit(mean - centre)
        y = (for_noise.random(base.shape) < mean).astype(float)
    else:
        y = mean + noise * for_noise.normal(size=base.shape)
    return Study(
        name="shapes",
        description=f"{kind}: {realisations} tables of {rows} + {test} rows, {covariates} "
        f"covariates, {'a dose' if dose else '2 arms'}",
        rows=observed(x, t, y),
        mu=mu,
        mean=mean,
        treatment=Dose(0.0, 1.0) if dose else Arms((0, 1)),
        train=np.arange(rows),
        test=np.arange(rows, rows + test),
        columns=tuple(f"x{k + 1}" for k in range(covariates)),
        propensity=None if dose else np.stack([1 - propensity, propensity], axis=-1),
    )


def _shape(kind: str) -> Shape:
    if kind not in SHAPES:
        raise BadInput("shapes: kind", f"must be one of {', '.join(SHAPES)}, got {kind!r}")
    return SHAPES[kind]


def _check_options(covariates: int, treated: float) -> None:
    if covariates < USED:
        raise BadInput("shapes: covariates", f"must be at least {USED}, got {covariates}")
    if not 0 < treated < 1:
        raise BadInput("shapes: treated", f"must be a share between 0 and 1, got {treated}")


def _parts(rng: np.random.Generator, x: np.ndarray, of: str) -> np.ndarray:
    """Return the four numbers [4 r n] that make outcome and effect; each is standard normal."""
    r, _, d = x.shape
    if of == "directions":
        directions = rng.normal(size=(r, USED, d))
        directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
        return np.moveaxis(x @ np.swapaxes(directions, 1, 2), -1, 0)
    columns = (
        np.argsort(rng.random((r, d)), axis=1) if of == "any" else np.tile(np.arange(d), (r, 1))
    )
    return np.moveaxis(np.take_along_axis(x, columns[:, None, :USED], axis=2), -1, 0)


def _propensity(drive: np.ndarray, share: float) -> np.ndarray:
    """Return chances whose log odds are the drive, moved so that their mean is the share."""
    odds = drive + special.logit(share)
    low, high = -drive.max(axis=1, keepdims=True), -drive.min(axis=1, keepdims=True)
    for _ in range(30):  # of the interval that holds the right move, half is left each time
        middle = (low + high) / 2
        is_far = special.expit(odds + middle).mean(axis=1, keepdims=True) > share
        low, high = np.where(is_far, low, middle), np.where(is_far, middle, high)
    return special.expit(odds + low)
