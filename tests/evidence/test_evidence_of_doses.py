"""Intervals and evidence where the treatment is a dose."""

import numpy as np
import pytest

from checks import QUICK, SMALL, easy_dose_problem
from pairnet import PairNet, VCNet

X, T, Y, TAU = easy_dose_problem(n=400)


@pytest.fixture(scope="module")
def dosed():
    base = VCNet(**SMALL, l2=0.1)
    return PairNet(base=base, members=3, bootstrap=True, calibration=0.3, plan=QUICK).fit(
        X, Y, treatment=T
    )


def test_doses_have_both_intervals_but_no_doubly_robust_average(dosed):
    for kind in ("bootstrap", "conformal"):
        lower, upper = dosed.effect_interval(X[:20], T0=20, T1=50, kind=kind)
        assert np.all(lower < upper)
    low, high = dosed.ate_interval(X)
    assert low < dosed.ate(X) < high
    with pytest.raises(ValueError, match="for arms; this model has doses"):
        dosed.ate(X, kind="doubly robust")
    with pytest.raises(ValueError, match="must be single doses"):
        dosed.effect_interval(X, T0=np.full(400, 20.0), T1=50, kind="conformal")


def test_partners_of_a_dose_received_nearly_that_dose(dosed):
    found = dosed.support(X[:30], T0=20, T1=50)
    assert np.all(np.abs(found.T0.treatments - 20) <= 5.5)
    assert np.all(np.abs(found.T1.treatments - 50) <= 5.5)
    assert np.mean(found.verdict == "well supported") > 0.5
    with pytest.warns(UserWarning, match="outside the doses"):
        outside = dosed.support(X[:3], T0=20, T1=500)
    assert set(outside.verdict) == {"extrapolating"}
    assert np.all(outside.T1.rows == -1)
    assert np.isinf(outside.T1.distances).all()
    assert outside.frame().shape[0] == 3


def test_overlap_and_balance_cut_doses_into_three_groups(dosed):
    seen = dosed.overlap()
    assert len(seen.groups) == 3
    assert np.ptp(seen.rows) <= 2
    assert dosed.covariate_balance().before.shape == (3,)
