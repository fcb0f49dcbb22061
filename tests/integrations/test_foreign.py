"""Models of other libraries among our learners: by themselves, in a stack, in `compare`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression

from pairnet import Foreign, LinearTLearner, Stack
from pairnet.compare import compare
from pairnet.metrics import pair_loss_score

ROWS = 500


class TwoLines:
    """A regression an arm, without the words of any library."""

    control_name = None

    def _fit(self, x, t, y, **weights):
        self.arms = sorted(set(t.tolist()))
        rows = {arm: t == arm for arm in self.arms}
        own = lambda arm: {name: values[rows[arm]] for name, values in weights.items()}
        self.lines = {
            arm: LinearRegression().fit(x[rows[arm]], y[rows[arm]], **own(arm)) for arm in self.arms
        }
        return self

    def _effects(self, x, control):
        base = self.lines[control].predict(x)
        others = [arm for arm in self.arms if arm != control]
        return np.stack([self.lines[arm].predict(x) - base for arm in others], axis=1)


class OfCausalML(TwoLines):
    """Has the interface that CausalML documents: fit(X, treatment, y, p), predict(X)."""

    def __init__(self, control_name=0):
        self.control_name = control_name

    def fit(self, X, treatment, y, p=None):
        return self._fit(X, treatment, y)

    def predict(self, X, treatment=None, y=None, p=None):
        return self._effects(X, self.control_name)


class OfEconML(TwoLines):
    """Has the interface that EconML documents: fit(Y, T, *, X), effect(X, T0=, T1=)."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, Y, T, *, X=None, sample_weight=None):
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return self._fit(X, T, Y, **weights)

    def effect(self, X=None, *, T0=0, T1=1):
        return self.lines[T1].predict(X) - self.lines[T0].predict(X)


class OfMetaLearners(TwoLines):
    """Has the interface that metalearners documents: fit(X, y, w), predict(X, is_oos)."""

    def fit(self, X, y, w):
        return self._fit(X, w, y)

    def predict(self, X, is_oos):
        assert is_oos
        assert self.arms == list(range(len(self.arms)))
        return self._effects(X, 0)[..., None]


class OfScikitUplift(TwoLines):
    """Has the interface that scikit-uplift documents: fit(X, y, treatment), predict(X)."""

    def fit(self, X, y, treatment, estimator_fit_params=None):
        return self._fit(X, treatment, y)

    def predict(self, X):
        return self._effects(X, 0)[:, 0]


def a_study(labels, seed=0):
    """Effects of the arm at place a are a (1 + x0), against the first."""
    rng = np.random.default_rng(seed)
    X, place = rng.normal(size=(ROWS, 3)), rng.choice(len(labels), ROWS, p=None)
    y = X[:, 1] + place * (1 + X[:, 0]) + 0.2 * rng.normal(size=ROWS)
    return X, np.asarray(labels)[place], y


MODELS = [
    (OfCausalML(), [0, 1]),
    (OfCausalML(), [0, 1, 2]),
    (OfCausalML("b"), ["a", "b", "c"]),
    (OfEconML(), [0, 1]),
    (OfEconML(), ["a", "b", "c"]),
    (OfMetaLearners(), ["a", "b", "c"]),
    (OfScikitUplift(), ["no", "yes"]),
]


@pytest.mark.parametrize(
    ("model", "labels"), MODELS, ids=lambda value: getattr(type(value), "__name__", None)
)
def test_every_dialect_is_fitted_and_asked_in_its_own_words(model, labels):
    X, t, y = a_study(labels)
    ours = Foreign(model).fit(X, y, treatment=t)
    first, *others = labels
    for place, label in enumerate(others, 1):
        truth = place * (1 + X[:, 0])
        assert np.abs(ours.effect(X, T0=first, T1=label) - truth).mean() < 0.1
        assert np.abs(ours.effect(X, T0=label, T1=first) + truth).mean() < 0.1
    for place, label in enumerate(labels):
        outcome = X[:, 1] + place * (1 + X[:, 0])
        assert np.abs(ours.predict_outcome(X, treatment=label) - outcome).mean() < 0.25
    assert "lines" not in model.__dict__  # what people passed stays as it was


def test_it_has_the_face_of_our_methods():
    X, t, y = a_study([0, 1])
    table = pd.DataFrame(X, columns=["a", "b", "c"]).assign(sex=np.where(X[:, 2] > 0, "f", "m"))
    table.loc[3, "c"] = np.nan
    model = Foreign(OfEconML(), members=5, bootstrap=True).fit(table, y, treatment=t)
    low, high = model.ate_interval(table)
    assert low < 1 + X[:, 0].mean() < high
    assert model.score(table, y, treatment=t) > -0.5
    assert len(model.support(table[:5]).frame()) == 5
    assert clone(model).members == 5
    ours = LinearTLearner().fit(table, y, treatment=t)
    assert model.score(table, y, treatment=t) == pytest.approx(
        ours.score(table, y, treatment=t), rel=0.3
    )


@pytest.mark.parametrize("model", [OfEconML(), OfCausalML()], ids=["by weight", "by repeating"])
def test_weights_count_rows(model):
    X, t, y = a_study([0, 1])
    times = np.random.default_rng(1).integers(0, 3, ROWS)
    rows = np.repeat(np.arange(ROWS), times)
    weighted = Foreign(model).fit(X, y, treatment=t, sample_weight=times)
    repeated = Foreign(model).fit(X[rows], y[rows], treatment=t[rows])
    np.testing.assert_allclose(weighted.effect(X), repeated.effect(X), atol=1e-6)


def test_a_model_without_a_seed_gets_that_of_the_member():
    X, t, y = a_study([0, 1])
    seeds = lambda model: [one.model.random_state for one in model.model_.predictor.members]
    assert seeds(Foreign(OfEconML(), members=2, seed=7).fit(X, y, treatment=t)) == [7, 8]
    assert seeds(Foreign(OfEconML(3), members=2).fit(X, y, treatment=t)) == [3, 3]


def test_a_stack_weighs_it_and_says_what_cannot_be_saved(tmp_path):
    X, t, y = a_study([0, 1])
    y = y + 5 * t * (X[:, 2] > 0)  # which no line knows

    class Knows(OfCausalML):
        def predict(self, X, treatment=None, y=None, p=None):
            return (1 + X[:, :1]) + 5 * (X[:, 2:] > 0)

    stack = Stack(learners=[LinearTLearner(), Foreign(Knows())]).fit(X, y, treatment=t)
    assert stack.weights_[0].learner == "Knows()"
    assert stack.weights_[0].weight > 0.8
    truth = 1 + X[:, 0] + 5 * (X[:, 2] > 0)
    assert np.abs(stack.effect(X) - truth).mean() < 0.4
    with pytest.raises(
        ValueError, match="Knows is a model of another library, which cannot be saved"
    ):
        stack.save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_nothing_of_it_is_saved_even_where_it_has_no_weight(tmp_path):
    X, t, y = a_study([0, 1])

    class Lost(OfCausalML):
        def predict(self, X, treatment=None, y=None, p=None):
            return 1000.0 * np.sin(50 * X[:, 1:2])

    learners = [LinearTLearner(), Foreign(Lost())]
    stack = Stack(learners=learners, level="effects").fit(X, y, treatment=t)
    assert {voice.learner: voice.weight for voice in stack.weights_}["Lost()"] == 0
    for model in (stack, Foreign(Lost()).fit(X, y, treatment=t)):
        with pytest.raises(ValueError, match="Lost is a model of another library, which cannot be"):
            model.save(tmp_path / "model")
        assert not (tmp_path / "model").exists()


def test_compare_ranks_it_by_its_effects():
    X, t, y = a_study([0, 1])

    class Nothing(OfCausalML):
        def predict(self, X, treatment=None, y=None, p=None):
            return np.zeros((len(X), 1))

    found = compare([LinearTLearner(), Foreign(OfEconML()), Foreign(Nothing())], X, y, treatment=t)
    lines = {line.method: line for line in found.lines}
    assert found.lines[-1].method == "nothing"
    assert lines["ofeconml"].r == pytest.approx(lines["lineartlearner"].r, rel=0.02)
    assert lines["nothing"].r > 2 * lines["ofeconml"].r


def test_a_fitted_model_is_scored_on_other_rows():
    labels = [0, 1, 2]
    X, t, y = a_study(labels)
    new, new_t, new_y = a_study(labels, seed=1)
    fitted = OfCausalML().fit(X, t, y)
    loss = lambda model: (
        pair_loss_score(
            new_y, treatment=new_t, outcomes=Foreign(model).outcomes(new, new_y, treatment=new_t)
        ).loss
    )
    ours = LinearTLearner().fit(X, y, treatment=t)
    assert loss(fitted) == pytest.approx(-ours.score(new, new_y, treatment=new_t), rel=1)
    upside_down = OfCausalML().fit(X, t, -y)
    assert loss(upside_down) > 5 * loss(fitted)
    with pytest.raises(
        ValueError, match="model cannot say its effects of these rows .AttributeError"
    ):
        loss(OfCausalML())


class Plain:
    def fit(self, X, y):
        return self


WRONG = {
    "no model": (3, [0, 1], "model must be a model of EconML, CausalML.*got 3 with no fit"),
    "a class": (OfEconML, [0, 1], "model must be a model of EconML"),
    "a regression": (Plain(), [0, 1], r"with fit\(X, y\)"),
    "ours": (LinearTLearner(), [0, 1], "model is LinearTLearner, a method of this library"),
    "no such control": (
        OfCausalML("x"),
        [0, 1],
        "control_name='x', which is no arm: expected one of 0, 1",
    ),
    "three arms": (OfScikitUplift(), [0, 1, 2], "model compares two arms, and the treatment has 3"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_use_is_told_in_words(case, as_people_have_it):
    model, labels, message = WRONG[case]
    X, t, y = a_study(labels)
    with pytest.raises(ValueError, match=message):
        Foreign(model).fit(X, y, treatment=t)


def test_weights_that_cannot_be_passed_on_are_refused():
    X, t, y = a_study([0, 1])
    weight = np.random.default_rng(0).uniform(0.1, 1, ROWS)
    with pytest.raises(
        ValueError, match="sample_weight cannot be used by OfCausalML, whose fit takes"
    ):
        Foreign(OfCausalML()).fit(X, y, treatment=t, sample_weight=weight)
    with pytest.raises(ValueError, match="model of CausalML or scikit-uplift compares arms"):
        Foreign(OfCausalML(), treatment="dose").fit(X, y, treatment=weight)


@pytest.mark.bridge("econml")
@pytest.mark.filterwarnings("ignore")
def test_models_of_econml_itself():
    from econml.dml import CausalForestDML, LinearDML
    from econml.metalearners import XLearner

    X, t, y = a_study([0, 1])
    forest = CausalForestDML(discrete_treatment=True, n_estimators=8, n_jobs=1)
    learners = [LinearTLearner(), Foreign(forest), Foreign(XLearner(models=LinearRegression()))]
    stack = Stack(learners=learners, members=2).fit(X, y, treatment=t)
    assert {"CausalForestDML()", "XLearner()"} < {voice.learner for voice in stack.weights_}
    assert np.abs(stack.effect(X) - 1 - X[:, 0]).mean() < 0.15
    again = Stack(learners=learners, members=2).fit(X, y, treatment=t)
    np.testing.assert_array_equal(stack.effect(X), again.effect(X))
    dose = np.random.default_rng(1).uniform(0, 10, ROWS)
    response = X[:, 1] + dose * (1 + X[:, 0])
    line = Foreign(LinearDML(discrete_treatment=False), treatment="dose")
    line.fit(X, response, treatment=dose)
    assert np.abs(line.effect(X, T0=2, T1=3) - 1 - X[:, 0]).mean() < 0.1
    assert np.abs(line.predict_outcome(X, treatment=8.0) - X[:, 1] - 8 * (1 + X[:, 0])).mean() < 1
    with pytest.raises(ValueError, match="discrete_treatment=False, and the treatment has 3 arms"):
        Foreign(LinearDML()).fit(X, y, treatment=t + (X[:, 0] > 1))
    fitted = LinearDML(discrete_treatment=True, random_state=0).fit(y, t, X=X)
    new, new_t, new_y = a_study([0, 1], seed=1)
    outcomes = Foreign(fitted).outcomes(new, new_y, treatment=new_t)
    assert pair_loss_score(new_y, treatment=new_t, outcomes=outcomes).loss < 0.5
