"""LinearSLearner: one ridge regression in which the treatment bends every slope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairnet.core.treatments import Arms, Dose
from pairnet.learners.linear import Linear, fitted_slopes, functions_of
from pairnet.learners.ridge import Columns


@dataclass(kw_only=True, eq=False, repr=False)
class LinearSLearner(Linear):
    """One ridge regression for all rows; the treatment interacts with every covariate (no network).

    Slopes are shared, and each arm adds slopes of its own; for doses, slopes are splines of the
    dose. What the treatment adds has a penalty of its own, so that effects that do not differ
    between rows are found to be alike. Both penalties are chosen by five-fold cross-validation. If
    outcomes are yes / no, their log odds are lines.
    """

    takes: ClassVar[tuple[type, ...]] = (Arms, Dose)

    def lines(self, rows, treatment, fold, yes_no):
        values = functions_of(rows.t, treatment)
        first = int(treatment.whole_range)  # the first function of doses is 1: the shared slopes
        own = values[:, first:, None] * rows.x[:, None, :]
        columns = Columns(values, rows.x, own.reshape(len(values), -1))
        found = fitted_slopes(columns, rows, fold, yes_no)
        count, width = values.shape[1], rows.x.shape[1]
        levels, shared, added = np.split(found, [count, count + width])
        slopes = np.zeros((count, width))
        slopes[first:] = added.reshape(-1, width)
        slopes[: first or None] += shared
        return np.column_stack([levels, slopes])
