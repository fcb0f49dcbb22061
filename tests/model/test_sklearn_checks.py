"""scikit-learn's own checks of an estimator, on small networks that are really trained."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from pairnet import Plan, TARNet
from pairnet.tables import opened

SHORT = Plan(
    validation=0.5, longest=100, patience=50, warm_up=10
)  # half to validate, so that few rows are enough


@dataclass(kw_only=True, eq=False, repr=False)
class Treated(TARNet):
    """TARNet that treats every second row, since scikit-learn's checks know no treatment."""

    plan: Plan = SHORT
    phi: tuple[int, ...] = (8,)
    mu: tuple[int, ...] = (8,)

    def fit(self, X, y, sample_weight=None):
        return super().fit(
            X, y, treatment=np.arange(opened(X).rows) % 2, sample_weight=sample_weight
        )

    def score(self, X, y, sample_weight=None):
        return super().score(
            X, y, treatment=np.arange(opened(X).rows) % 2, sample_weight=sample_weight
        )


OTHER_WORDS = "it is refused, in our own words, which say more than the pattern that is looked for"
REASONS = {
    "check_n_features_in_after_fitting": OTHER_WORDS,
    "check_estimators_empty_data_messages": OTHER_WORDS,
    "check_requires_y_none": OTHER_WORDS,
    "check_fit2d_1sample": OTHER_WORDS,
    "check_parameters_default_constructible": "plan is a frozen dataclass: a value, but not of a type on the list",
    "check_sample_weight_equivalence_on_dense_data": "rows treated in turns by the wrapper: repeating a row moves others",
}


@pytest.mark.filterwarnings(
    "ignore:The covariate .* repeats the outcome"
)  # as some of its tables are made
@parametrize_with_checks([Treated()], expected_failed_checks=lambda estimator: REASONS)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)
