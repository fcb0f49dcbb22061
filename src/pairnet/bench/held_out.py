"""Scores that need no true effects, to choose between models (the experiment `pair-score`).

On test rows, with outcomes y, treatments t, estimated outcomes mu(x, t) and effects tau(x):

    factual   mean (y - mu)^2
    pair      mean ((y - y') - (mu - mu'))^2 over all pairs treated differently
    near      the same with each row's nearest partner only
    R         mean (y - m(x) - (t - e(x)) tau(x))^2                         (Nie and Wager, 2021)
    DR        mean (psi - tau(x))^2, psi the doubly robust pseudo-outcome    (Kennedy, 2023)

R and DR need models of their own, m(x) = E[y | x], e(x) = P(t = 1 | x) and mu_t(x): kernel ridge
regressions and a logistic regression, fitted to the training rows, the same ones for every method.
For doses R is y - m(x) - (mu(x, t) - mean of mu(x, T) over the doses T that rows like x receive),
and there is no DR."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from pairnet.bench.evaluate import Scores
from pairnet.core.folders import NoHome, cache_folder
from pairnet.core.robust import doubly_robust_score
from pairnet.core.types import Rows
from pairnet.core.writing import whole
from pairnet.metrics import pair_loss
from pairnet.studies import Study

JUDGED = ("ihdp", "acic2016", "ihdp-dose")  # the studies that have the scores R and DR
NEAR = 2000  # the most test rows for which nearest partners are looked for
CLIP = 0.05  # how far propensities are kept from 0 and 1
CENTRES = 300  # kernels in the models of outcomes and doses
SPREAD = np.linspace(0.05, 0.95, 10)  # quantiles that stand for the doses rows like x receive


def held_out_scores(study: Study, scores: Scores) -> dict[str, np.ndarray]:
    """Return the scores on test rows, one a realisation; smaller is better in all of them."""
    test, train = study.part(study.test), study.part(study.train)
    values = [
        _scores_of_one(study, scores, _one(train, k), _one(test, k), k) for k in range(len(study))
    ]
    names = dict.fromkeys(name for value in values for name in value)
    return {name: np.asarray([value[name] for value in values if name in value]) for name in names}


def _scores_of_one(
    study: Study, scores: Scores, train: _Table, test: _Table, k: int
) -> dict[str, float]:
    predicted, response = scores.outcome_out[k], scores.response_out
    values = {"factual_score": float(np.mean((test.y - predicted) ** 2))}
    if len(np.unique(test.t)) > 1:  # a study may leave all test rows untreated: they have no pairs
        values["pair_score"] = pair_loss(test.y, predicted, test.t)
        if len(test.t) <= NEAR and response is None:
            values["near_pair_score"] = _near_pair_loss(test, predicted)
    if study.name not in JUDGED:
        return values
    if response is None:
        models = _remembered(_models_of_arms, train, test)
        return values | _of_arms(test, scores.effect_out[k], models)
    models = _remembered(_models_of_doses, train, test)
    return values | _of_doses(test, predicted, response[k], study.grid, models)


_Models = dict[str, np.ndarray]  # what models of outcomes and treatments say of the test rows


class _Table(NamedTuple):
    """The rows of one realisation."""

    x: np.ndarray
    t: np.ndarray
    y: np.ndarray


def _one(rows: Rows, k: int) -> _Table:
    return _Table(
        np.asarray(rows.x if rows.x.ndim == 2 else rows.x[k]),
        np.asarray(rows.t[k]),
        np.asarray(rows.y[k]),
    )


def _near_pair_loss(rows: _Table, predicted: np.ndarray) -> float:
    """Return the pair loss over each row and its nearest row of another arm."""
    from scipy.spatial.distance import cdist

    x = np.asarray(rows.x, np.float64)
    spread = x.std(axis=0)
    x = x / np.where(spread > 0, spread, 1)
    apart = np.where(rows.t[:, None] == rows.t[None, :], np.inf, cdist(x, x))
    residual = rows.y - predicted
    return float(np.mean((residual - residual[apart.argmin(axis=1)]) ** 2))


def _of_arms(rows: _Table, effect: np.ndarray, models: _Models) -> dict[str, float]:
    m, e, mu0, mu1 = (models[name] for name in ("m", "e", "mu0", "mu1"))
    t, y = rows.t, rows.y
    residuals, mine, chances = (y - mu0, y - mu1), (1 - t, t), (1 - e, e)
    pseudo = doubly_robust_score(mu1 - mu0, residuals, mine, chances)
    return {
        "r_score": float(np.mean((y - m - (t - e) * effect) ** 2)),
        "dr_score": float(np.mean((pseudo - effect) ** 2)),
    }


def _of_doses(
    rows: _Table, own: np.ndarray, response: np.ndarray, grid: np.ndarray, models: _Models
) -> dict[str, float]:
    steps = (models["doses"] - grid[0]) / (grid[1] - grid[0])  # the grid has even steps
    place = np.clip(steps, 0, len(grid) - 1)
    low = np.floor(place).astype(int)
    high = np.minimum(low + 1, len(grid) - 1)
    at = lambda index: np.take_along_axis(response, index, 1)
    between = at(low) * (1 - (place - low)) + at(high) * (place - low)
    residual = rows.y - models["m"] - (own - between.mean(axis=1))
    return {"r_score": float(np.mean(residual**2))}


def _remembered(fit: Callable[[_Table, _Table], _Models], train: _Table, test: _Table) -> _Models:
    """Return the predictions for test rows by models of the training rows.

    They are kept on disk, since every method needs them.
    """
    content = hashlib.sha256(
        b"".join(np.ascontiguousarray(v).tobytes() for v in (train.x, train.t, train.y, test.x))
    )
    place = lambda: cache_folder() / "nuisance" / f"{content.hexdigest()[:32]}.npz"
    damage = (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error)
    with suppress(*damage), np.load(place()) as stored:
        return dict(stored)
    models = fit(train, test)
    with suppress(OSError, NoHome):  # without a place to keep them, only speed is lost
        place().parent.mkdir(parents=True, exist_ok=True)
        with whole(place()) as stream:
            np.savez(stream, **models)  # type: ignore[arg-type]
    return models


def _regress(x: np.ndarray, y: np.ndarray):
    """Fit a ridge regression on the covariates and on kernels around some rows.

    Its penalty is chosen by leaving one row out.
    """
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeCV
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.preprocessing import FunctionTransformer, StandardScaler

    kernels = Nystroem(gamma=0.5 / x.shape[1], n_components=min(CENTRES, len(x)), random_state=0)
    features = make_union(FunctionTransformer(), kernels)
    return make_pipeline(StandardScaler(), features, RidgeCV(alphas=np.logspace(-3, 3, 13))).fit(
        x, y
    )


def _models_of_arms(train: _Table, test: _Table) -> _Models:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    chance = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)).fit(
        train.x, train.t
    )
    e = np.clip(chance.predict_proba(test.x)[:, 1], CLIP, 1 - CLIP)
    mu = [
        _regress(train.x[train.t == arm], train.y[train.t == arm]).predict(test.x) for arm in (0, 1)
    ]
    return {"m": _regress(train.x, train.y).predict(test.x), "e": e, "mu0": mu[0], "mu1": mu[1]}


def _models_of_doses(train: _Table, test: _Table) -> _Models:
    centre = _regress(train.x, train.t)
    left = np.quantile(train.t - centre.predict(train.x), SPREAD)
    doses = np.clip(centre.predict(test.x)[:, None] + left, 0, 1)
    return {"m": _regress(train.x, train.y).predict(test.x), "doses": doses}
