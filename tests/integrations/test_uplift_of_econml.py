"""Where EconML defines the same, its figures are the same."""

import numpy as np
import pytest

from pairnet.metrics import qini_coefficient, rate, toc


@pytest.mark.bridge("econml")
@pytest.mark.filterwarnings("ignore")  # those of EconML's packages are for their authors
@pytest.mark.parametrize("metric", ["toc", "qini"])
def test_curves_and_coefficients_are_those_of_econml(metric):
    """Its integral is a sum over percentiles; with many of them it is the area."""
    from econml.validate.utils import calc_uplift

    rng = np.random.default_rng(0)
    effect = rng.normal(size=1000)
    scores, percentiles = effect + rng.normal(size=1000), np.linspace(0.1, 99.9, 999)
    found = calc_uplift(effect, effect, scores, percentiles, metric, n_bootstrap=10)
    coefficient, _, curve = found
    shares = np.array([np.mean(effect >= q) for q in np.percentile(effect, percentiles)])
    some = np.arange(0, 999, 100)
    at = shares[some] if metric == "qini" else 1
    ours = toc(scores, effect, shares=shares[some])
    assert at * ours.value == pytest.approx(curve["value"][some], abs=1e-9)
    area = (rate if metric == "toc" else qini_coefficient)(scores, effect)
    assert area.value == pytest.approx(coefficient, abs=0.01)
