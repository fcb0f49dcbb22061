"""Linear learners: outcomes are lines in the covariates, whose penalty the rows choose."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int
from scipy.special import expit
from threadpoolctl import threadpool_limits  # scikit-learn brings it

from pairnet.core.outcomes import Bernoulli
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows
from pairnet.learners.by_member import ByMember
from pairnet.learners.folds import fold_of_rows
from pairnet.learners.ridge import Columns, logistic_ridge, ridge
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.training import Plan
from pairnet.training.scaling import Scaling

KNOTS = (1 / 3, 2 / 3)  # places of doses at which parabolas join


def functions_of(t: Any, treatment: Treatment) -> Float[np.ndarray, "*t k"]:
    """Return the values of functions of the treatment, of which outcomes are made.

    For arms each is 1 in its arm. Those of a dose are 1, t, t^2 and (t - knot)+^2, as in VCNet.
    """
    t = np.asarray(t, np.float64)
    if not treatment.whole_range:
        return (t[..., None] == np.arange(treatment.strata)).astype(np.float64)
    bends = [np.maximum(t - knot, 0) ** 2 for knot in KNOTS]
    return np.stack([np.ones_like(t), t, t**2, *bends], axis=-1)


@dataclass(kw_only=True, eq=False, repr=False)
class Linear(ByMember):
    """Methods whose outcomes are lines in the covariates; of yes / no it is their log odds.

    Covariates are standardised as for networks. Slopes have a penalty, levels have none.
    """

    @abc.abstractmethod
    def lines(
        self, rows: Rows, treatment: Treatment, fold: Int[np.ndarray, " n"], yes_no: bool
    ) -> Float[np.ndarray, "k p"]:
        """Return a line for each function of the treatment, its level first."""

    def learn_member(self, rows, treatment, outcome, seed):
        x, t, y, weight = (np.asarray(v, np.float64) for v in (rows.x, rows.t, rows.y, rows.weight))
        scaling = Scaling.of(x, y, weight, Plan(), outcome)
        standard = (x - scaling.centre) / scaling.spread
        own = Rows(standard, t, (y - scaling.location) / scaling.unit, weight)
        yes_no = isinstance(outcome, Bernoulli)
        fold = fold_of_rows(t, treatment.strata, seed)
        with threadpool_limits(1):  # the same digits whatever the machine; members are tasks
            lines = self.lines(own, treatment, fold, yes_no)
        slopes = lines[:, 1:] * scaling.unit / scaling.spread
        levels = lines[:, 0] * scaling.unit - slopes @ scaling.centre
        # The functions of arms add up to 1, and the first function of doses is 1.
        levels[: 1 if treatment.whole_range else None] += scaling.location
        return Lines(np.column_stack([levels, slopes]), treatment, yes_no)

    def restore_member(self, stored, treatment, outcome, width):
        lines = stored.arrays["lines"]
        wanted = (functions_of(np.zeros(()), treatment).shape[-1], width + 1)
        if lines.shape != wanted or not np.isfinite(lines).all():
            raise ValueError(f"its lines are {lines.shape}, expected finite numbers {wanted}")
        return Lines(lines, treatment, isinstance(outcome, Bernoulli))


def fitted_slopes(
    columns: Columns, rows: Rows, fold: Int[np.ndarray, " n"], yes_no: bool
) -> Float[np.ndarray, " p"]:
    """Return the coefficients of a ridge regression, or of a logistic one for yes / no."""
    fit = logistic_ridge if yes_no else ridge
    return fit(columns, np.asarray(rows.y), np.asarray(rows.weight), fold)


class Lines(AbstractPredictor):
    """A line in the covariates for each function of the treatment, its level first.

    An outcome is the sum of the lines times the values of their functions; where outcomes are yes /
    no, the sum is the log odds of yes.
    """

    def __init__(self, lines: Float[np.ndarray, "k p"], treatment: Treatment, yes_no: bool):
        self.lines, self.treatment, self.yes_no = lines, treatment, yes_no

    def outcome(self, x, t):
        values = functions_of(t, self.treatment)
        if values.ndim == 1:  # one treatment for all rows
            return self._mean(_heights(x, (values @ self.lines)[None]).T)
        return self._mean(np.sum(_heights(x, self.lines) * values, axis=1)[None])

    def curve(self, x, t):
        values = functions_of(t, self.treatment)
        by_row = np.broadcast_to(values, (len(x), *values.shape[-2:]))
        return self._mean(np.einsum("nk,ngk->ng", _heights(x, self.lines), by_row)[None])

    def stored(self):
        return Stored({}, {"lines": self.lines})

    def _mean(self, score: np.ndarray) -> np.ndarray:
        return expit(score) if self.yes_no else score


def _heights(x: np.ndarray, lines: np.ndarray) -> Float[np.ndarray, "n k"]:
    return x @ lines[:, 1:].T + lines[:, 0]
