"""LinearSLearner: one ridge regression in which the treatment bends every slope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from jaxtyping import Float
from scipy.linalg import helmert

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
        shared, added = _mixed(values.shape[1], treatment.whole_range)
        own = (values @ added)[:, :, None] * rows.x[:, None, :]
        columns = Columns(values, rows.x, own.reshape(len(values), -1))
        found = fitted_slopes(columns, rows, fold, yes_no)
        count, width = values.shape[1], rows.x.shape[1]
        levels, of_all, of_some = np.split(found, [count, count + width])
        slopes = np.outer(shared, of_all) + added @ of_some.reshape(added.shape[1], width)
        return np.column_stack([levels, slopes])


def _mixed(count: int, is_dose: bool) -> tuple[Float[np.ndarray, " k"], Float[np.ndarray, "k e"]]:
    """Return the functions of the treatment that are mixed: for shared slopes, and for added ones.

    Arms add slopes whose sum is 0. Of the functions of a dose the first is 1, and the others add.
    """
    if is_dose:
        return np.eye(count)[0], np.eye(count)[:, 1:]
    return np.ones(count), helmert(count).T
