"""scikit-learn's tools: pipelines, searches and cross-validation.

Training is replaced by a straight line (fits of networks are tested elsewhere), so that the many
fits take no time.
"""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from checks import easy_problem
from pairnet import LinearTLearner, PairNet, StratifiedByTreatment, TARNet
from pairnet.learners import networked
from pairnet.training import Fitted
from pairnet.training.fitted import Reader
from pairnet.training.scaling import Scaling

X, T, Y, _ = easy_problem(80)


class Line(Fitted):
    """A straight line for each arm in place of networks."""

    coefficients: np.ndarray

    def reader(self):
        """Return what is asked."""
        return LineReader(self)


class LineReader(Reader):
    """Reads a line instead of networks."""

    def outcome(self, x, t):
        """Return 1, x, t and their products, times coefficients."""
        outcome = _terms(x, t) @ self.fitted.coefficients
        return np.broadcast_to(outcome, (*self.offset.shape, len(x)))

    def effect(self, x, t0, t1):
        """Return a difference of outcomes."""
        return self.outcome(x, t1) - self.outcome(x, t0)


def _terms(x, t):
    t = np.broadcast_to(np.asarray(t, float), len(x))[:, None]
    return np.concatenate([np.ones((len(x), 1)), x, t, t * x], axis=1)


def fit_line(recipe, rows, plan, keys, *, members=1, draws=None, report=None):
    x, t, y, weight = rows.x[0], rows.t[0], rows.y[0], np.sqrt(rows.weight[0])
    solved = np.linalg.lstsq(_terms(x, t) * weight[:, None], y * weight, rcond=None)[0]
    scaling = Scaling.of(rows.x, rows.y, rows.weight, plan, recipe.outcome)
    zeros = np.zeros((1, members))
    rounds, strength = {"mu": zeros.astype(np.int32)}, np.ones(1)
    return Line({}, recipe.reading, scaling, zeros, rounds, zeros, strength, solved)


@pytest.fixture(autouse=True)
def lines(monkeypatch):
    monkeypatch.setattr(networked, "fit_recipe", fit_line)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_a_pipeline_passes_the_treatment_on(routing):
    steps = [("scale", StandardScaler()), ("model", TARNet())]
    pipe = Pipeline(steps).fit(X, Y, treatment=T)
    assert np.allclose(pipe.predict(X), TARNet().fit(X, Y, treatment=T).effect(X))
    assert np.isfinite(pipe.score(X, Y, treatment=T))


def test_a_pipeline_without_routing_takes_it_by_its_steps_name():
    pipe = Pipeline([("scale", StandardScaler()), ("model", TARNet())]).fit(
        X, Y, model__treatment=T
    )
    assert pipe.predict(X).shape == (80,)


def test_a_search_over_hyperparameters_passes_the_treatment_on(routing):
    search = GridSearchCV(PairNet(base=TARNet()), {"base__l2": [0.1, 1.0], "alpha": [0, 2]}, cv=2)
    search.fit(pd.DataFrame(X, columns=["a", "b", "c"]), Y, treatment=T)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_estimator_.feature_names_in_.tolist() == ["a", "b", "c"]


def test_cross_validation_passes_treatment_and_weights_on(routing):
    model = TARNet().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
    found = cross_validate(
        model,
        X,
        Y,
        params={"treatment": T, "sample_weight": np.ones(80)},
        cv=3,
        error_score="raise",
    )
    assert np.isfinite(found["test_score"]).all()


@pytest.mark.parametrize("where", ["fit", "score"])
def test_without_routing_it_explains_itself(where):
    model = TARNet().fit(X, Y, treatment=T)
    with pytest.raises(
        ValueError, match=rf"treatment is missing: {where} must know.*enable_metadata_routing=True"
    ):
        getattr(model, where)(X, Y)
    with pytest.raises(
        ValueError, match="treatment is missing: score must know.*enable_metadata_routing"
    ):
        GridSearchCV(TARNet(), {"l2": [0.1]}, cv=2, error_score="raise").fit(X, Y, treatment=T)


def test_without_routing_a_search_says_what_to_switch_on_beside_its_nan():
    with pytest.warns(
        UserWarning,
        match="(?s)Scoring failed.*treatment is missing: score.*enable_metadata_routing",
    ):
        cross_validate(TARNet(), X, Y, params={"treatment": T}, cv=2)
    with pytest.raises(
        ValueError, match="(?s)fits failed.*treatment is missing: fit.*enable_metadata_routing"
    ):
        cross_validate(TARNet(), X, Y, cv=2)


# The tools that inspect a model: what they show of it is the effect.
PEOPLE = pd.DataFrame({"age": X[:, 0], "member": X[:, 1] > 0})
GAIN = 1 + 3 * PEOPLE["member"]


@pytest.fixture(scope="module")
def straight():
    return LinearTLearner().fit(PEOPLE, X[:, 0] + T * GAIN, treatment=T)


def test_partial_dependence_is_that_of_the_effect(straight):
    found = partial_dependence(straight, PEOPLE, ["member"])
    assert found["average"][0] == pytest.approx([1, 4], abs=0.1)
    named = LinearTLearner().fit(PEOPLE, Y, treatment=np.array(["a", "b"])[T])
    with pytest.raises(ValueError, match="T0 and T1 must say which arms to compare"):
        partial_dependence(named, PEOPLE, ["age"])


def test_importance_needs_a_score_that_knows_the_treatment(straight):
    with pytest.raises(ValueError, match="permutation_importance passes none on: say scoring="):
        permutation_importance(straight, PEOPLE, Y)
    score = lambda model, rows, y: model.score(rows, y, treatment=T)
    outcome = X[:, 0] + T * GAIN
    found = permutation_importance(straight, PEOPLE, outcome, scoring=score, random_state=0)
    assert (found["importances_mean"] > 0).all()
    moved = lambda model, rows, y: -np.mean((model.effect(rows) - GAIN) ** 2)
    of_effect = permutation_importance(straight, PEOPLE, Y, scoring=moved, random_state=0)
    age, member = of_effect["importances_mean"]
    assert member > 100 * abs(age)


def test_scores_of_folds_are_those_of_the_folds_own_models(routing):
    folds = StratifiedByTreatment(3)
    found = cross_val_score(
        LinearTLearner(), PEOPLE, Y, params={"treatment": T}, cv=folds, error_score="raise"
    )
    for (seen, unseen), score in zip(folds.split(PEOPLE, Y, treatment=T), found, strict=True):
        model = LinearTLearner().fit(PEOPLE.iloc[seen], Y[seen], treatment=T[seen])
        own = model.score(PEOPLE.iloc[unseen], Y[unseen], treatment=T[unseen])
        assert score == pytest.approx(own)


@pytest.mark.parametrize(("output", "library"), [("pandas", "pandas"), ("polars", "polars")])
def test_a_pipeline_hands_its_names_on_where_its_output_is_a_frame(output, library, routing):
    table = PEOPLE.assign(sex=np.where(X[:, 2] > 0, "f", "m"))
    steps = (StandardScaler(), ["age"]), (OneHotEncoder(sparse_output=False), ["member", "sex"])
    pipe = make_pipeline(make_column_transformer(*steps), LinearTLearner())
    plain = clone(pipe).fit(table, Y, treatment=T)
    pipe.set_output(transform=output).fit(table, Y, treatment=T)
    assert pipe[-1].feature_names_in_.tolist() == pipe[:-1].get_feature_names_out().tolist()
    assert type(pipe.predict(table)).__module__.startswith(library)
    np.testing.assert_allclose(pipe.predict(table), plain.predict(table), atol=1e-5)
