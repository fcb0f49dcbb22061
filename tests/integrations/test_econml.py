"""Our methods in EconML's own tools, at the version of the extra."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from pairnet import LinearTLearner
from pairnet.integrations.econml import EconMLAdapter

pytestmark = [
    pytest.mark.bridge("econml"),
    pytest.mark.filterwarnings("ignore"),  # those of EconML and its packages are for their authors
]
ROWS = 600


def a_study(arms=2, seed=0):
    """Effects of arm a are a (1 + 2 [x0 > 0]). Returns X, t, y, effects of arm 1."""
    rng = np.random.default_rng(seed)
    X, t = rng.normal(size=(ROWS, 3)), rng.integers(0, arms, ROWS)
    tau = 1 + X[:, 0]
    return X, t, X[:, 1] + t * tau + 0.3 * rng.normal(size=ROWS), tau


X, T, Y, TAU = a_study()


@pytest.fixture(scope="module")
def adapter():
    return EconMLAdapter(LinearTLearner(members=5, bootstrap=True)).fit(Y, T, X=X)


@pytest.fixture(scope="module")
def theirs():
    from econml.dml import LinearDML

    return LinearDML(discrete_treatment=True, random_state=0).fit(Y, T, X=X)


@pytest.mark.parametrize("arms", [2, 3])
@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 1)], ids=["vector", "column"])
def test_answers_have_the_shapes_of_econml(arms, shape):
    from econml.dml import LinearDML

    x, t, y, _ = a_study(arms)
    y, t = y.reshape(shape), t.reshape(shape)
    ours = EconMLAdapter(LinearTLearner(members=5, bootstrap=True)).fit(y, t, X=x)
    theirs = LinearDML(discrete_treatment=True, random_state=0).fit(y, t, X=x)
    questions = [
        lambda model: model.effect(x[:5]),
        lambda model: model.effect(x[:5], T0=1, T1=0),
        lambda model: model.effect_interval(x[:5], alpha=0.1),
        lambda model: model.effect_inference(x[:5]).point_estimate,
        lambda model: model.effect_inference(x[:5]).stderr,
        lambda model: model.const_marginal_effect(x[:5]),
        lambda model: model.const_marginal_effect_interval(x[:5]),
        lambda model: model.const_marginal_effect_inference(x[:5]).conf_int(alpha=0.1),
        lambda model: model.const_marginal_ate(x[:5]),
        lambda model: model.const_marginal_ate_interval(x[:5]),
        lambda model: model.const_marginal_ate_inference(x[:5]).mean_point,
        lambda model: model.const_marginal_ate_inference(x[:5]).conf_int_mean(),
        lambda model: model.marginal_effect(t[:5], x[:5]),
        lambda model: model.marginal_ate(t[:5], x[:5]),
        lambda model: model.ate(x[:5]),
        lambda model: model.ate_interval(x[:5]),
        lambda model: model.ate_inference(x[:5]).mean_point,
    ]
    for question in questions:
        assert np.shape(question(ours)) == np.shape(question(theirs))
    near = ours.const_marginal_effect(x) - theirs.const_marginal_effect(x)
    assert np.abs(near).mean() < 0.15
    frame = lambda model: model.const_marginal_effect_inference(x[:5]).summary_frame()
    assert frame(ours).shape == frame(theirs).shape


def test_results_of_inference_say_the_same_as_intervals(adapter):
    results = adapter.effect_inference(X[:50])
    for alpha in (0.01, 0.1, 0.5):
        np.testing.assert_allclose(
            results.conf_int(alpha=alpha), adapter.effect_interval(X[:50], alpha=alpha), rtol=1e-6
        )
    outside = (results.conf_int(0.05)[0] > 0) | (results.conf_int(0.05)[1] < 0)
    np.testing.assert_array_equal(outside, results.pvalue() < 0.05)


def test_the_r_scorer_takes_it_scores_its_effects_and_makes_ensembles(adapter, theirs):
    from econml.score import RScorer

    scorer = RScorer(
        model_y=LinearRegression(),
        model_t=LogisticRegression(),
        discrete_treatment=True,
        random_state=0,
    ).fit(Y, T, X=X)
    upside_down = EconMLAdapter(LinearTLearner()).fit(-Y, T, X=X)
    scores = [scorer.score(model) for model in (adapter, theirs, upside_down)]
    assert scores[0] == pytest.approx(scores[1], abs=0.03)
    assert scores[2] < 0 < scores[0]
    assert scorer.best_model([upside_down, adapter])[0] is adapter
    ensemble, score, _ = scorer.ensemble([adapter, theirs, upside_down], return_scores=True)
    assert score > scores[0] - 0.03
    assert np.abs(ensemble.effect(X) - TAU).mean() < 0.15


@pytest.mark.parametrize("arms", [2, 3])
def test_the_dr_tester_finds_that_its_effects_are_right(arms):
    from econml.validate import DRTester

    x, t, y, _ = a_study(arms)
    model = EconMLAdapter(LinearTLearner()).fit(y, t, X=x)
    new, new_t, new_y, _ = a_study(arms, seed=1)
    tester = DRTester(
        model_regression=LinearRegression(), model_propensity=LogisticRegression(), cate=model
    ).fit_nuisance(new, new_t, new_y, x, t, y)
    found = tester.evaluate_all(new, x, n_bootstrap=20)
    assert all(abs(slope - 1) < 0.1 for slope in found.blp.params)
    assert all(value > 0.8 for value in found.cal.cal_r_squared)
    assert all(value > 0 for value in found.qini.params)


@pytest.mark.parametrize("uncertain", [False, True])
def test_tree_interpreters_find_the_column_that_effects_hang_on(adapter, uncertain):
    from econml.cate_interpreter import SingleTreeCateInterpreter, SingleTreePolicyInterpreter

    tree = SingleTreeCateInterpreter(include_model_uncertainty=uncertain, max_depth=1)
    tree.interpret(adapter, X)
    assert tree.tree_model_.tree_.feature[0] == 0
    leaves = [tree.node_dict_[leaf]["mean"].item() for leaf in (1, 2)]
    assert leaves[0] < 1 < leaves[1]
    options = {"include_model_uncertainty": uncertain, "risk_level": 0.1 if uncertain else None}
    policy = SingleTreePolicyInterpreter(max_depth=1, **options)
    policy.interpret(adapter, X, sample_treatment_costs=1.0)
    assert policy.tree_model_.tree_.feature[0] == 0
    treated = policy.treat(X).ravel() == 1
    assert X[treated, 0].min() > X[~treated, 0].max()


def test_policy_trees_take_its_effects(adapter):
    from econml.policy import DRPolicyTree, PolicyTree

    rewards = np.column_stack([np.zeros(ROWS), adapter.effect(X)])
    tree = PolicyTree(max_depth=1, honest=False).fit(X, rewards)
    assert tree.tree_.feature[0] == 0
    effects = adapter.const_marginal_effect(X)
    judged = DRPolicyTree(
        max_depth=1,
        model_regression=LinearRegression(),
        model_propensity=LogisticRegression(),
        random_state=0,
        honest=False,
    ).fit(Y, T, X=effects)
    treats = judged.predict(np.array([[-1.5], [1.5]]))
    assert treats.tolist() == [0, 1]


def test_shap_values_add_up_to_each_effect(adapter):
    pytest.importorskip("shap", reason="the shap extra is not installed")
    found = adapter.shap_values(X[:40], feature_names=["a", "b", "c"], background_samples=20)
    [(_, by_treatment)] = found.items()
    [(treatment, explanation)] = by_treatment.items()
    assert treatment == "T0_1"
    assert explanation.feature_names == ["a", "b", "c"]
    total = explanation.base_values + explanation.values.sum(axis=1)
    np.testing.assert_allclose(total, adapter.effect(X[:40]), atol=1e-4)
    assert np.abs(explanation.values).mean(axis=0).argmax() == 0
    x, t, y, _ = a_study(3)
    three = EconMLAdapter(LinearTLearner()).fit(
        pd.Series(y, name="gain"), pd.Series(t, name="arm"), X=x
    )
    found = three.shap_values(x[:10], background_samples=10)
    assert list(found) == ["gain"]
    assert list(found["gain"]) == ["arm_1", "arm_2"]
