"""Does the predicted difference between effects show in outcomes?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pairnet.core.listing import Listing
from pairnet.metrics.least_squares import Coefficient, least_squares
from pairnet.metrics.passed import numbers, weights

SAME = 1e-5  # of the largest effect: a smaller difference of effects is rounding
AVERAGE, DIFFERENCES = "average", "differences"


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationTest(Listing):
    """How effects of a model agree with those that outcomes show.

    average: the average in outcomes as a multiple of the model's average (None if that is 0).
    differences: by how much effects in outcomes differ where the model's differ by 1 (None if the
    model's effects are all the same). 1 is well calibrated, 0 says that the model's differences are
    nothing.
    """

    average: Coefficient | None
    differences: Coefficient | None

    @property
    def bears_out(self) -> bool:
        """Whether outcomes bear out that effects differ as predicted: the interval is above 0."""
        return self.differences is not None and self.differences.lower > 0

    @property
    def sentence(self) -> str:
        """Write what outcomes say of the differences between effects."""
        if self.differences is None:
            return "The model says the same effect for all rows: there is no difference to judge."
        value, _, lower, upper, _ = self.differences
        shown = (
            "where the model's effects differ by 1, those in outcomes differ by "
            f"{_two(value)} (95 % interval {_two(lower)} to {_two(upper)})"
        )
        if lower > 0:
            return f"Outcomes bear out that effects differ: {shown}. {_size(lower, upper)}"
        if upper < 0:
            return f"Outcomes say the opposite of how effects should differ: {shown}."
        return f"Outcomes do not bear out that effects differ: {shown}. {_lack(upper)}"

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line for the average, and one for the differences."""
        both = {AVERAGE: self.average, DIFFERENCES: self.differences}
        found = {name: line for name, line in both.items() if line is not None}
        values = np.asarray(list(found.values()), float).reshape(len(found), 5).T
        names = ("coefficient", "error", "lower", "upper", "p")
        return {"term": np.asarray(list(found), object), **dict(zip(names, values, strict=True))}

    def notes(self):
        return (self.sentence,)


def calibration_test(
    scores: Any,
    effects: Any,
    *,
    weight: Any = None,
    clusters: Any = None,
) -> CalibrationTest:
    """Test whether the differences between predicted effects show in outcomes.

    It is the regression of doubly robust scores on the mean of the effects, and on each row's
    effect less that mean, with robust errors: the best linear predictor of Chernozhukov, Demirer,
    Duflo and Fernandez-Val (2018), "Generic machine learning inference on heterogeneous treatment
    effects". Two coefficients of 1 say that the effects can be taken at their word. Intervals are
    95 %.

    scores: doubly robust scores, one a row. effects: what a model that has not seen the row says of
    it; `model.calibration_test()` takes care of that. clusters: a label a row.
    """
    effect = numbers("effects", effects)
    score = numbers("scores", scores, len(effect))
    own = weights(weight, len(score))
    mean = float(np.average(effect, weights=own))
    off = effect - mean
    size = float(np.abs(effect).max())
    terms = {AVERAGE: np.full(len(effect), mean)} if abs(mean) > 0 else {}
    differ = float(np.ptp(off[own > 0])) > SAME * size
    terms |= {DIFFERENCES: off} if differ else {}
    # Without a mean to speak of, a constant takes the place of the average.
    design = terms if terms.keys() >= {AVERAGE} else {"constant": np.ones(len(effect)), **terms}
    fit = least_squares(score, np.stack(list(design.values()), 1), list(design), own, clusters)
    average, differences = (fit[name] if name in terms else None for name in (AVERAGE, DIFFERENCES))
    return CalibrationTest(average, differences)


def _size(lower: float, upper: float) -> str:
    if upper < 1:
        return "They are smaller than the model says."
    if lower > 1:
        return "They are larger than the model says."
    return "The interval holds 1, which is what the model says."


def _lack(upper: float) -> str:
    if upper < 1:
        return "If they do, it is by less than the model says."
    return "The interval holds 0 (effects do not differ) and 1 (they differ as the model says)."


def _two(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")
