"""Intervals for the difference of two outcomes, from pairs of rows that were kept out of training.

Rows that no member trained on show how far off the model is: r = y - mu(x, t). For two such rows, i
under T1 and j under T0, |r_i - r_j| is the error of the predicted difference of the pair; the
interval reaches as far as the share 1 - alpha of these errors. Rows weigh 1 / P(t | x), so that
those seen under T1 stand for all rows. The row asked about takes part with an error that may be
anything (weighted split conformal prediction: Tibshirani et al., 2019; Lei & Candes, 2021). So
where a treatment is too rare, the interval is infinite.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from pairnet.inference.resampling import generator

# The most rows of each treatment whose pairs calibrate an interval: 4 million pairs are enough.
MOST_HELD_OUT = 2000
NEAR_SHARE, NEAR_ROWS = 0.2, 50  # held-out rows near a dose: this share of them, or this many


class HeldOut(NamedTuple):
    """Held-out residuals under one treatment with their weights, and the weights of rows asked."""

    residual: Float[np.ndarray, " h"]
    weight: Float[np.ndarray, " h"]
    own: Float[np.ndarray, " n"]


def nearest_rows(t: Float[np.ndarray, " h"], value: float) -> np.ndarray:
    """Return the positions of the rows whose doses are nearest to one, and of all with these doses.

    Rows are in the order of their covariates, so that some of those with the same dose would be
    unlike the others.
    """
    gap = np.abs(t - value)
    count = min(len(gap), max(NEAR_ROWS, round(NEAR_SHARE * len(gap))))
    order = np.argsort(gap, kind="stable")
    return order[np.isin(t[order], t[order[:count]])]


def pair_reach(first: HeldOut, second: HeldOut, alpha: float) -> Float[np.ndarray, " n"]:
    """Return how far the interval of each row asked about reaches from its middle.

    It is the weighted quantile of the pairs' errors, among them the row's own, which is infinite.
    """
    some = [_at_most(side, MOST_HELD_OUT) for side in (first, second)]
    error = np.abs(some[1].residual[:, None] - some[0].residual[None, :]).reshape(-1)
    weight = (some[1].weight[:, None] * some[0].weight[None, :]).reshape(-1)
    order = np.argsort(error)
    share = np.cumsum(weight[order])
    others = np.ones(len(first.own))  # the share of pairs without the row asked about
    for side in (first, second):
        others *= side.weight.sum() / (side.weight.sum() + side.own)
    if len(error) == 0:
        return np.full(len(first.own), np.inf)
    place = np.searchsorted(share, (1 - alpha) / others * share[-1])
    return np.append(error[order], np.inf)[place]


def _at_most(side: HeldOut, count: int) -> HeldOut:
    if len(side.residual) <= count:
        return side
    some = generator(0).choice(len(side.residual), count, replace=False)
    return side._replace(residual=side.residual[some], weight=side.weight[some])
