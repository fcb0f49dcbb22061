"""What EconML calls results of inference, made of our answers.

A standard error is that of the model's own interval, whose spread is Student's where members are
few. EconML's results know the normal distribution alone, so their intervals are written anew.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from scipy import stats

from pairnet.core.errors import NotInstalled
from pairnet.inference.intervals import check_level
from pairnet.integrations.controls import Answers


def of_effect(answers: Answers, output: tuple[int, ...]) -> Any:
    """Return the results for one effect of each row."""
    return _results([answers], output, None)


def of_arms(arms: list[Answers], output: tuple[int, ...]) -> Any:
    """Return the results for the effects of several arms."""
    return _results(arms, output, (len(arms),))


def of_slope(answers: Answers, output: tuple[int, ...], treatment: tuple[int, ...]) -> Any:
    """Return the results for marginal effects of a dose."""
    return _results([answers], output, treatment)


def _results(
    arms: list[Answers], output: tuple[int, ...], treatment: tuple[int, ...] | None
) -> Any:
    each = [answers.uncertain for answers in arms]
    mean = [answers.together.uncertain for answers in arms]
    shape = (*output, *(treatment or ()))
    stacked = lambda parts: np.stack(parts, axis=-1).reshape(-1, *shape)
    found = _kind()(
        d_t=None if treatment is None else len(arms),
        d_y=1,
        pred=stacked([one.value for one in each]),
        pred_stderr=stacked([one.error for one in each]),
        mean_pred_stderr=stacked([one.error for one in mean])[0],
        inf_type="effect",
    )
    found.freedom = each[0].freedom
    return found


@functools.cache
def _kind() -> Any:
    """Return the class of results: EconML's for normal errors, with Student's distribution."""
    try:
        from econml.inference import NormalInferenceResults
    except ImportError:
        raise NotInstalled("Results of inference need", "EconML", "'pairnet[econml]'") from None

    class StudentInferenceResults(NormalInferenceResults):
        """Results whose errors have a number of degrees of freedom."""

        freedom = np.inf

        def conf_int(self, alpha=0.05):
            check_level(alpha)
            reach = stats.t.ppf(1 - alpha / 2, self.freedom) * self.stderr
            return self.point_estimate - reach, self.point_estimate + reach

        def pvalue(self, value=0):
            return 2 * stats.t.sf(np.abs(self.zstat(value)), self.freedom)

    return StudentInferenceResults
