"""LinearTLearner: a ridge regression of its own for each arm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pairnet.learners.linear import Linear, fitted_slopes
from pairnet.learners.ridge import Columns


@dataclass(kw_only=True, eq=False, repr=False)
class LinearTLearner(Linear):
    """A ridge regression of its own for each arm; nothing is shared (no network).

    Outcomes are lines in the covariates, or their log odds are if they are yes / no. Each arm has a
    penalty of its own, chosen by five-fold cross-validation.
    """

    def lines(self, rows, treatment, fold, yes_no):
        lines = []
        for arm in range(treatment.strata):
            own = np.flatnonzero(rows.t == arm)
            mine = rows.take(own)
            columns = Columns(np.ones((len(own), 1)), mine.x, np.zeros((len(own), 0)))
            lines.append(fitted_slopes(columns, mine, fold[own], yes_no))
        return np.stack(lines)
