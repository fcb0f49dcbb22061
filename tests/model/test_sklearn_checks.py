"""scikit-learn's own checks of an estimator, for every method, on models that are really trained.

Its checks know no treatment, so rows are treated in turns. They make tables of fifteen sizes; a
network learns from all of them in one size, so that its programs are compiled once.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import programs
from checks import small_version
from pairnet import Plan, TARNet
from pairnet.core.treatments import Arms
from pairnet.core.types import Rows
from pairnet.learners.networked import NetworkEstimator
from pairnet.methods import methods
from pairnet.model.predictor import AbstractPredictor
from pairnet.tables import opened

ROWS, COLUMNS = 150, 30  # the most that its tables have
# Half of the rows to validate, so that few rows are enough.
SHORT = {"phi": (2,), "mu": (2,), "plan": Plan(validation=0.5, longest=4, patience=2, warm_up=1)}

OTHER_WORDS = "it is refused, in our own words, which say more than the pattern that is looked for"
REASONS = {
    "check_n_features_in_after_fitting": OTHER_WORDS,
    "check_estimators_empty_data_messages": OTHER_WORDS,
    "check_requires_y_none": OTHER_WORDS,
    "check_fit2d_1sample": OTHER_WORDS,
    "check_sample_weight_equivalence_on_dense_data": "rows treated in turns by the wrapper: repeating a row moves others",
}
OF_REGRESSORS = {
    "check_supervised_y_2d": "one outcome a row is taken from a column as it is, without a warning",
}
OF_NETWORKS = {
    "check_parameters_default_constructible": "plan is a frozen dataclass: a value, but not of a type on the list",
}


class Treated:
    """A method that treats rows in turns: with two arms or, if it takes no arms, with many doses."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, treatment=self.turns(X), sample_weight=sample_weight)

    def score(self, X, y, sample_weight=None):
        return super().score(X, y, treatment=self.turns(X), sample_weight=sample_weight)

    def turns(self, X):
        row = np.arange(opened(X).rows)
        return row % 2 if Arms in self.takes else 10 * (0.618 * row % 1)


class InOneSize(Treated):
    """The same, learning and answering in one size: rows are repeated, and columns of 0 added.

    What makes it a regressor is checked of the others, which are quicker.
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.estimator_type = None
        return tags

    def learn(self, rows, treatment, outcome, **given):
        place = np.arange(ROWS) % len(rows.t)
        share = np.bincount(place)[place]
        large = Rows(wide(rows.x)[place], rows.t[place], rows.y[place], rows.weight[place] / share)
        return Cut(super().learn(large, treatment, outcome, **given))


class Cut(AbstractPredictor):
    """A predictor that is asked about one number of rows and columns, whatever the question's."""

    def __init__(self, whole):
        self.whole = whole

    def outcome(self, x, t):
        return self.whole.outcome(*large(x, t))[:, : len(x)]

    def effect(self, x, t0, t1):
        return self.whole.effect(*large(x, t0, t1))[:, : len(x)]

    def stored(self):
        return self.whole.stored()


def wide(x):
    return np.hstack([x, np.zeros((len(x), COLUMNS - x.shape[1]))])


def large(x, *treatments):
    place = np.arange(ROWS) % len(x)
    return wide(x)[place], *(np.broadcast_to(t, len(x))[place] for t in treatments)


def treated(name, kind):
    """Return a method that treats rows in turns; its class can be pickled, as a check asks."""
    way = InOneSize if issubclass(kind, NetworkEstimator) else Treated
    made = type(f"Treated{kind.__name__}", (way, kind), {"__module__": __name__})
    globals()[made.__name__] = made
    options = SHORT | ({"base": TARNet(phi=(2,), mu=(2,))} if name == "pairnet" else {})
    return small_version(made, **options)


@pytest.mark.usefixtures("as_people_have_it")  # one of its checks sets all parameters to -1
@pytest.mark.parametrize("name", methods)
@pytest.mark.filterwarnings("ignore:The covariate .* repeats")  # as some of its tables are made
def test_scikit_learns_own_checks(name):
    method = treated(name, methods[name])
    is_network = isinstance(method, NetworkEstimator)
    wanted = REASONS | (OF_NETWORKS if is_network else OF_REGRESSORS)
    results = check_estimator(method, expected_failed_checks=wanted, on_skip=None, on_fail=None)
    programs.let_go()
    failed = {
        each["check_name"]: each["exception"] for each in results if each["status"] == "failed"
    }
    assert not failed, "\n".join(f"{check}: {error}" for check, error in failed.items())
    excused = {each["check_name"] for each in results if each["status"] == "xfail"}
    # Trees may find no effect in few rows, however these are weighted.
    unneeded = set(wanted) - excused - {"check_sample_weight_equivalence_on_dense_data"}
    assert not unneeded, "a reason for a check that does apply"
    assert len(results) > 40
