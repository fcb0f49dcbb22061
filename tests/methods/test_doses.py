"""Methods that learn the effect of a dose, and what they refuse."""

import warnings
from functools import partial

import numpy as np
import pytest

from checks import QUICK, SMALL, easy_dose_problem
from pairnet import DRNet, PairNet, Plan, TARNet, VCNet
from pairnet.core.treatments import Dose

X, T, Y, TAU = easy_dose_problem()


@pytest.mark.parametrize(
    "options", [{"targeted": 1.0}, {"hsic": 1.0}, {"targeted": 0.5, "hsic": 0.5}], ids=str
)
def test_vcnet_learns_with_its_options(options):
    method = VCNet(**SMALL, l2=0.1, plan=QUICK, **options).fit(X, Y, treatment=T)
    assert np.corrcoef(method.effect(X), TAU)[0, 1] > 0.8


@pytest.mark.parametrize(
    "base", [DRNet(**SMALL, l2=0.1), VCNet(**SMALL, l2=0.1)], ids=["drnet", "vcnet"]
)
@pytest.mark.parametrize("options", [{}, {"form": "drawn", "space": "psi"}], ids=["batch", "drawn"])
def test_pairs_go_on_both_networks(base, options):
    method = PairNet(base=base, plan=QUICK, **options).fit(X, Y, treatment=T)
    assert np.corrcoef(method.effect(X), TAU)[0, 1] > 0.8


def test_pairnet_takes_many_numbers_as_a_dose_and_says_so(monkeypatch):
    for base in (TARNet, VCNet):  # what it takes by itself, but small
        monkeypatch.setattr(f"pairnet.methods.pairnet.{base.__name__}", partial(base, **SMALL))
    with pytest.warns(UserWarning, match="taken as a dose, and PairNet trains VCNet"):
        method = PairNet(plan=Plan(longest=5, warm_up=0)).fit(X, Y, treatment=T)
    assert method.treatment_ == Dose(T.min(), T.max())
    assert method.fitted_.networks["mu"].network.degree == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PairNet(plan=Plan(longest=5, warm_up=0), treatment="dose").fit(X, Y, treatment=T)
    few = np.round(T / 20)  # three values
    assert len(PairNet(plan=Plan(longest=5, warm_up=0)).fit(X, Y, treatment=few).treatment_) == len(
        np.unique(few)
    )


@pytest.mark.parametrize(
    ("method", "t", "message"),
    [
        (
            TARNet(treatment="dose"),
            T,
            "TARNet compares arms; it cannot learn from doses. Use VCNet",
        ),
        (
            VCNet(treatment="arms"),
            np.round(T / 20),
            "VCNet learns from doses; it cannot compare arms",
        ),
        (
            VCNet(),
            np.where(T > 30, "much", "little"),
            "treatment must be numbers to be a dose, got text",
        ),
        (VCNet(), np.full(300, 3.0), "at least two values, got only the dose 3 in all 300 rows"),
        (VCNet(), np.where(T > 50, np.nan, T), "treatment has missing values"),
        (DRNet(bins=0), T, "DRNet.bins must be a whole number, at least 1, got 0"),
        (VCNet(knots=(0.5, 2.0)), T, "VCNet.knots must be a tuple of shares"),
        (VCNet(degree=0), T, "VCNet.degree must be a whole number, at least 1"),
        (VCNet(hsic=-1.0), T, "VCNet.hsic must be 0 or more"),
        (PairNet(window=0.0), T, "PairNet.window must be above 0"),
        (
            PairNet().set_params(window_in="mg"),
            T,
            "PairNet.window_in must be 'range', 'dose' or 'quantile'",
        ),
        (
            PairNet(form="transport", space="covariates", treatment="dose"),
            T,
            "PairNet.form must be 'batch' or 'drawn' for doses",
        ),
    ],
    ids=lambda value: (
        type(value).__name__ if isinstance(value, TARNet | VCNet | DRNet | PairNet) else ""
    ),
)
def test_what_cannot_be_is_refused(method, t, message):
    with pytest.raises(ValueError, match=message):
        method.fit(X, Y, treatment=t)


def test_rows_of_weight_zero_do_not_set_the_range_of_doses():
    t, weight = np.r_[T, 1000.0], np.r_[np.ones(300), 0.0]
    method = VCNet(**SMALL, plan=Plan(longest=5, warm_up=0))
    method.fit(np.vstack([X, X[:1]]), np.r_[Y, 5.0], treatment=t, sample_weight=weight)
    assert method.treatment_ == Dose(T.min(), T.max())


def test_the_paper_has_a_plan_for_arms_and_one_for_doses():
    assert Plan.published("dose").learning_rate == 10 * Plan.published().learning_rate
    assert isinstance(PairNet.published(treatment="dose").base, VCNet)
    with pytest.raises(ValueError, match=r"PairNet.base must be TARNet\(\)"):
        PairNet.published(base=VCNet)
    with pytest.raises(
        ValueError, match="PairNet over TARNet compares arms; it cannot learn from doses"
    ):
        PairNet(base=TARNet(), treatment="dose").fit(X, Y, treatment=T)


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match="There are 5 rows: expected at least 7"):
        VCNet().fit(X[:5], Y[:5], treatment=T[:5])
