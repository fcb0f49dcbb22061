"""Is one method better than another? One-sided tests on the errors of both."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.missing import as_floats


class PairedTest(NamedTuple):
    """The outcome of `paired_test`."""

    difference: float  # mean of rival - reference: above 0, the reference is better
    p_value: float


def paired_test(reference: np.ndarray, rival: np.ndarray) -> PairedTest:
    """Test, paired and one-sided, that the reference's errors are smaller (t-test).

    A p-value below 0.05 says that they are.
    """
    from scipy import stats

    difference = as_floats(rival) - as_floats(reference)
    if len(difference) < 2:
        raise BadInput("", f"A paired test needs at least two replications, got {len(difference)}.")
    if np.ptp(difference) == 0:
        p = 0.5 if difference[0] == 0 else float(difference[0] < 0)
        return PairedTest(float(difference[0]), p)
    result = stats.ttest_1samp(difference, 0.0, alternative="greater")
    return PairedTest(float(difference.mean()), float(result.pvalue))


def welch_test(reference: np.ndarray, rival: np.ndarray) -> float:
    """Return the p-value of a one-sided Welch test that the reference's errors are smaller.

    The test is unpaired. The paper calls its test paired, but its code does this one. If
    replications are shared, `paired_test` is sharper.
    """
    from scipy import stats

    a, b = as_floats(reference), as_floats(rival)
    if np.ptp(a) == 0 and np.ptp(b) == 0:
        return 0.5 if a[0] == b[0] else float(a[0] > b[0])
    return float(stats.ttest_ind(a, b, equal_var=False, alternative="less").pvalue)
