"""Our methods as an estimator of DoWhy, in DoWhy's own model and refuters."""

import numpy as np
import pandas as pd
import pytest

from pairnet import LinearSLearner, LinearTLearner

pytestmark = [
    pytest.mark.bridge("dowhy"),
    pytest.mark.filterwarnings("ignore"),  # those of DoWhy and its packages are for their authors
]
NAME = "backdoor.pairnet.integrations.dowhy.PairNetEstimator"
SURE = LinearTLearner(members=5, bootstrap=True)
ROWS = 600


def a_table(treatment=int, seed=0):
    """w drives treatment and outcome; the effect is 1 + 2 m, for a modifier m."""
    rng = np.random.default_rng(seed)
    w, m = rng.normal(size=(2, ROWS))
    place = np.where(rng.random(ROWS) < 0.5, "city", "land")
    t = rng.random(ROWS) < 1 / (1 + np.exp(-1.5 * w))
    y = 2 * w + (place == "city") + t * (1 + 2 * m) + 0.3 * rng.normal(size=ROWS)
    return pd.DataFrame({"w": w, "place": place, "m": m, "t": t.astype(treatment), "y": y})


def a_model(table, **others):
    from dowhy import CausalModel

    own = {"common_causes": ["w", "place"], "effect_modifiers": ["m"]} | others
    return CausalModel(table, "t", "y", **own)


def estimated(model, learner=SURE, estimand=None, **others):
    params = {"init_params": {"model": learner}} | others.pop("params", {})
    estimand = estimand or model.identify_effect(proceed_when_unidentifiable=True)
    return model.estimate_effect(estimand, method_name=NAME, method_params=params, **others)


@pytest.fixture(scope="module")
def study():
    table = a_table()
    model = a_model(table)
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    return table, model, estimand, estimated(model, estimand=estimand)


def test_the_average_effect_and_its_interval(study):
    table, _, _, estimate = study
    truth = (1 + 2 * table["m"]).mean()
    assert estimate.value == pytest.approx(truth, abs=0.1)
    low, high = estimate.get_confidence_intervals()
    assert low < estimate.value < high
    wide, wider = estimate.get_confidence_intervals(confidence_level=0.99)
    assert wide < low < high < wider
    assert estimate.get_standard_error() == pytest.approx((high - low) / 2 / 1.96, rel=0.1)
    assert "t+m+w+place | m" in str(estimate)


def test_it_is_our_doubly_robust_average(study):
    table, _, _, estimate = study
    own = SURE.__class__(members=5, bootstrap=True)
    columns = ["m", "w", "place"]
    own.fit(table[columns], table["y"], treatment=table["t"])
    assert estimate.value == pytest.approx(own.ate(table[columns], kind="doubly robust"))
    plugin = estimated(study[1], params={"kind": "plugin"})
    assert plugin.value == pytest.approx(own.ate(table[columns]))
    assert plugin.get_confidence_intervals() == pytest.approx(own.ate_interval(table[columns]))


def test_effect_modifiers_have_effects_of_their_own(study):
    table, _, _, estimate = study
    groups = estimate.conditional_estimates
    assert len(groups) == 5
    assert groups.is_monotonic_increasing
    middles = table.groupby(pd.qcut(table["m"], 5), observed=True)["m"].mean()
    np.testing.assert_allclose(groups.to_numpy(), 1 + 2 * middles.to_numpy(), atol=0.2)
    np.testing.assert_allclose(estimate.cate_estimates, 1 + 2 * table["m"], atol=0.3)


def test_modifiers_may_be_words(study):
    table, _, _, _ = study
    model = a_model(table, effect_modifiers=["place"], common_causes=["w", "m"])
    by_place = estimated(model, LinearTLearner()).conditional_estimates
    tau = (1 + 2 * table["m"]).groupby(table["place"]).mean()
    assert by_place.index.tolist() == ["city", "land"]
    np.testing.assert_allclose(by_place.to_numpy(), tau.to_numpy(), atol=0.15)


def test_whom_the_average_is_for(study):
    table, model, estimand, _ = study
    asked = lambda units: estimated(model, estimand=estimand, target_units=units).value
    tau = 1 + 2 * table["m"]
    assert asked("att") == pytest.approx(tau[table["t"] == 1].mean(), abs=0.15)
    assert asked("atc") == pytest.approx(tau[table["t"] == 0].mean(), abs=0.15)
    some = lambda rows: rows["m"] > 1
    assert asked(some) == pytest.approx(tau[table["m"] > 1].mean(), abs=0.2)
    modifiers_alone = pd.DataFrame({"m": [1.0, 2.0]})
    assert asked(modifiers_alone) == pytest.approx(4, abs=0.2)
    with pytest.raises(ValueError, match="target_units must be one of ate, att, atc, got 'all'"):
        asked("all")


@pytest.mark.parametrize("treatment", [int, bool])
def test_the_four_refuters(treatment):
    table = a_table(treatment)
    model = a_model(table)
    estimand = model.identify_effect(proceed_when_unidentifiable=True)
    estimate = estimated(model, LinearTLearner(), estimand)
    refuted = lambda name, **more: (
        model.refute_estimate(
            estimand, estimate, method_name=name, random_state=0, **more
        ).new_effect
    )
    assert refuted(
        "placebo_treatment_refuter", placebo_type="permute", num_simulations=2
    ) == pytest.approx(0, abs=0.3)
    if treatment is bool:
        return  # of flags the last refuter fails in DoWhy: it writes numbers into their column
    assert refuted("random_common_cause", num_simulations=2) == pytest.approx(
        estimate.value, abs=0.05
    )
    assert refuted("data_subset_refuter", subset_fraction=0.8, num_simulations=2) == pytest.approx(
        estimate.value, abs=0.15
    )
    strong = {
        "confounders_effect_on_treatment": "binary_flip",
        "confounders_effect_on_outcome": "linear",
        "effect_strength_on_treatment": 0.3,
        "effect_strength_on_outcome": 3.0,
    }
    np.random.seed(0)  # noqa: NPY002 (DoWhy draws from it)
    assert abs(refuted("add_unobserved_common_cause", **strong) - estimate.value) > 0.3


def test_without_members_that_lack_rows_dowhy_draws_its_own_intervals(study):
    table, model, estimand, _ = study
    params = {"kind": "plugin"}
    estimate = estimated(model, LinearTLearner(), estimand, params=params)
    np.random.seed(0)  # noqa: NPY002 (DoWhy draws from it)
    low, high = estimate.get_confidence_intervals(num_simulations=20)
    assert low < (1 + 2 * table["m"]).mean() < high
    assert high - low < 1


def test_doses_and_columns_of_the_fit():
    table = a_table()
    dose = np.random.default_rng(1).uniform(0, 4, ROWS)
    table = table.assign(
        t=dose, y=table["w"] + dose * (1 + table["m"]), village=np.arange(ROWS) // 20
    )
    model = a_model(table)
    estimate = estimated(
        model,
        LinearSLearner(treatment="dose", members=3, bootstrap=True),
        params={"fit_params": {"groups": "village"}},
        treatment_value=3,
        control_value=1,
    )
    assert estimate.value == pytest.approx(2 * (1 + table["m"]).mean(), abs=0.1)
    low, high = estimate.get_confidence_intervals()
    assert low < estimate.value < high
    assert len(estimate.estimator.model_.training_.clusters) == ROWS


def test_its_class_is_used_without_a_causal_model_too(study):
    from pairnet.integrations.dowhy import PairNetEstimator

    table, _, estimand, estimate = study
    estimand.set_identifier_method("backdoor")
    own = PairNetEstimator(estimand, model=SURE).fit(table, effect_modifier_names=["m"])
    assert own.estimate_effect(table).value == pytest.approx(estimate.value)
    assert own.effect(table.assign(m=1.0)).mean() == pytest.approx(3, abs=0.1)


def test_wrong_use_is_told_in_words(study):
    from pairnet.integrations.dowhy import PairNetEstimator

    table, model, estimand, _ = study
    with pytest.raises(
        ValueError, match="model must be a method of pairnet, as PairNet.., got 'stack'"
    ):
        estimated(model, "stack", estimand)
    with pytest.raises(ValueError, match="init_params has .'folds'., which nobody knows here"):
        PairNetEstimator(estimand, init_params={"folds": 3})
    with pytest.raises(ValueError, match="kind must be 'doubly robust' or 'plugin', got 'best'"):
        PairNetEstimator(estimand, kind="best")
    with pytest.raises(
        ValueError, match="T1 names no arm of this model: expected one of 0, 1, got 2"
    ):
        estimated(model, estimand=estimand, treatment_value=2)
    with pytest.raises(ValueError, match="There is nothing to adjust for and no effect modifier"):
        estimated(a_model(table, common_causes=[], effect_modifiers=[]))
