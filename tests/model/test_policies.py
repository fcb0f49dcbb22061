"""Whom to treat, asked of a model: plans, what their rule gains, trees, and the order of the rows."""

import numpy as np
import pandas as pd
import pytest

from models_by_hand import model_of, remembered
from pairnet import LinearSLearner, LinearTLearner
from pairnet.core.treatments import Arms, Dose
from pairnet.metrics import qini_curve, rate
from pairnet.policy import policy_value

RNG = np.random.default_rng(0)
N = 400
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N),
        "member": RNG.random(N) < 0.5,
        "price": RNG.integers(1, 6, N).astype(float),
    }
)
ARM = RNG.choice(["none", "small", "large"], N)
EFFECT = {
    "none": 0 * PEOPLE["age"],
    "small": 2.0 - PEOPLE["member"],
    "large": 4.0 * PEOPLE["member"],
}
SPEND = 0.1 * PEOPLE["age"] + np.choose(
    [("none", "small", "large").index(arm) for arm in ARM], [*EFFECT.values()]
)
SPEND = SPEND + RNG.normal(size=N)
CLUSTERS = np.arange(N) // 4


@pytest.fixture(scope="module")
def shop():
    """A model of three arms, some of whose members have not seen some rows."""
    return LinearTLearner(members=5, bootstrap=True).fit(PEOPLE, SPEND, treatment=ARM)


@pytest.fixture(scope="module")
def two():
    """A model of two arms that has seen all of its rows, and rows that it has not seen."""
    some = np.flatnonzero(ARM != "small")
    first, other = some[::2], some[1::2]
    model = LinearTLearner().fit(PEOPLE.iloc[first], SPEND.iloc[first], treatment=ARM[first])
    return model, PEOPLE.iloc[other], SPEND.iloc[other], ARM[other]


def by_hand(*formulas, draws=None, treatment=None, t=None, y=None):
    """A method whose model is known: two arms, even chances."""
    x = np.arange(8.0)
    t = np.arange(8) % 2 if t is None else t
    memory = remembered(x, t, y, draws=draws, treatment=treatment)
    method = LinearTLearner()
    method.model_ = model_of(memory, *formulas)
    return method, x[:, None]


def test_a_plan_spends_its_budget_on_those_who_gain_most_per_cost():
    method, X = by_hand(lambda x, t: t * (x[:, 0] - 2))
    found = method.policy(X, budget=6, cost=2, T0=0, T1=1)
    assert found.treatment.tolist() == [0, 0, 0, 0, 0, 1, 1, 1]
    assert (found.spent, found.gain.sum(), found.bound) == (6, 3 + 4 + 5, 12)
    assert method.policy(X, T0=0, T1=1).treatment.tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    fewer = method.policy(X, goal="min", cost=1, budget=1, T0=0, T1=1)
    assert fewer.treatment.tolist() == [1, 0, 0, 0, 0, 0, 0, 0]
    dear = np.array([1.0, 1, 1, 1, 1, 9, 9, 9])
    assert method.policy(X, budget=3, cost=dear, T0=0).treatment.tolist() == [
        0,
        0,
        0,
        1,
        1,
        0,
        0,
        0,
    ]
    worth = method.policy(X, cost=4, worth=1, T0=0)
    assert worth.treatment.tolist() == [0, 0, 0, 0, 0, 0, 0, 1]


def test_a_plan_has_the_form_of_the_table_and_shows_as_one(shop):
    found = shop.policy(PEOPLE.iloc[5:9], budget=20, cost={"small": 2, "large": 5})
    assert found.treatment.index.tolist() == [5, 6, 7, 8]
    assert found.plan().columns.tolist() == ["treatment", "gain", "cost"]
    assert found.plan()["cost"].sum() == found.spent <= 20
    assert "Spent:" in str(found)
    assert str(found.price) != "0"
    assert set(found.frame()["treatment"]) <= {"none", "small", "large"}
    assert found.treated.sum() == (found.treatment != "none").sum()


def test_costs_are_numbers_columns_or_names_of_covariates(shop):
    paid = lambda cost, X=PEOPLE: shop.policy(X, cost=cost).plan()
    given = paid({"small": "price", "large": 5})
    wanted = np.select(
        [given["treatment"] == "small", given["treatment"] == "large"], [PEOPLE["price"], 5.0], 0.0
    )
    assert given["cost"].to_numpy() == pytest.approx(wanted)
    by_row = paid({"small": PEOPLE["price"], "large": 5})
    assert given.equals(by_row)
    named = shop.policy(PEOPLE[:50], budget=60, cost="price")
    assert named.value is not None  # the rows of the fit have prices, too
    unknown = shop.policy(PEOPLE[:50], budget=60, cost=PEOPLE["price"][:50])
    assert unknown.value is None
    assert "what treating the rows of the fit costs is not known" in str(unknown)
    assert np.array_equal(named.labels, unknown.labels)


def test_the_rule_of_a_plan_is_judged_by_members_that_have_not_seen_the_row():
    """Each row was drawn by one of two members; what they say of these rows is not heard."""
    draws = np.zeros((2, 8), int)
    draws[0, :4] = draws[1, 4:] = 1
    seen = lambda rows: lambda x, t: t * (14 + np.where(rows(x[:, 0]), 1, -1) * x[:, 0])
    y = RNG.normal(size=8)
    method, X = by_hand(seen(lambda x: x < 4), seen(lambda x: x >= 4), draws=draws, y=y)
    order = method.targeting(X, T0=0, T1=1)
    assert order.priority == pytest.approx(np.tile([12.0, 11, 10, 9], 2))  # at one level
    found = method.policy(X, T0=0, cost=10.6, worth=1)
    assert found.treated.all()  # by both members 14, of which 10.6 is spent
    own = method.policy_value(np.tile([1, 1, 0, 0], 2), X, T0=0)["nobody"].value
    assert found.value["nobody"].value == pytest.approx(own - 10.6 / 2)
    assert found.value.share == pytest.approx([0.5])


def test_treating_all_is_the_doubly_robust_average(shop):
    for arm in ("small", "large"):
        found = shop.policy_value(arm)["nobody"]
        sides = {"T0": "none", "T1": arm, "kind": "doubly robust"}
        assert found.value == pytest.approx(shop.ate(PEOPLE, **sides))
        ends = shop.ate_interval(PEOPLE, **sides)
        assert (found.lower, found.upper) == pytest.approx(ends, abs=0.01)


def test_a_policy_of_ones_own_is_judged_on_the_rows_of_the_fit_or_others(shop, two):
    own = np.where(PEOPLE["member"], "large", "small")
    found = shop.policy_value(own)
    assert found["nobody"].lower < 0.5 * (4 + 2) < found["nobody"].upper
    assert found["everybody large"].lower > 0
    assert shop.policy_value(own, PEOPLE)["nobody"] == found["nobody"]
    model, X, y, t = two
    judged = model.policy_value(np.where(X["member"], "large", "none"), X, y, treatment=t)
    assert judged["nobody"].lower < 2 < judged["nobody"].upper
    assert judged.rows == len(X)


def test_rows_with_outcomes_judge_a_plan_with_costs_by_row(two):
    model, X, y, t = two
    cost = np.where(X["member"], 1.0, 9.0)
    found = model.policy(X, y, treatment=t, budget=30, cost=cost)
    assert found.value.rows == len(X)
    assert found.value["nobody"].lower > 0
    seen = model.policy(X, budget=30, cost=1)
    assert seen.value is None
    assert "every member was trained on every row" in str(seen)
    after = model.policy(X, y, treatment=t, worth=2, cost=3).value
    assert after.after_cost
    assert after["nobody"].value == pytest.approx(0.5 * (2 * 4 - 3), abs=1.2)


def test_the_order_of_rows_has_the_numbers_of_the_metrics(shop):
    found = shop.targeting(T0="none", T1="large")
    assert found.rate().value == rate(found.scores, found.priority, weight=found.weight).value
    assert found.rate("qini").error >= rate(found.scores, found.priority, weighting="qini").error
    curve, plain = found.qini_curve(), qini_curve(found.scores, found.priority)
    assert curve.value == pytest.approx(plain.value)
    assert found.toc([0.5]).value[0] == pytest.approx(
        found.uplift_at_k(0.5).value - found.scores.mean()
    )
    assert found.auuc().value == pytest.approx(found.rate("qini").value + found.scores.mean() / 2)
    text = str(found)
    assert "RATE (AUTOC)" in text
    assert text.endswith("the order of the model is better than a random one (p < 0.001).")


def test_where_a_small_outcome_is_good_gains_are_the_other_way_round(two):
    model, X, y, t = two
    up = model.targeting(X, y, treatment=t)
    down = model.targeting(X, y, treatment=t, goal="min")
    assert down.scores == pytest.approx(-up.scores)
    assert down.rate("qini").value == pytest.approx(up.rate("qini").value)
    assert down.frame()["value"][0] == pytest.approx(-up.frame()["value"][0])


def test_clusters_and_weights_of_the_fit_count():
    own = {"treatment": ARM, "groups": CLUSTERS, "sample_weight": np.where(ARM == "none", 2, 1)}
    model = LinearTLearner(members=5, bootstrap=True).fit(PEOPLE, SPEND, **own)
    found = model.targeting(T0="none", T1="large")
    assert len(np.unique(found.clusters)) <= N // 4
    value = policy_value(found.scores, found.scores * 0 + 1, weight=found.weight)["nobody"].value
    assert found.frame()["value"][0] == pytest.approx(value)
    assert np.ptp(found.weight) > 0


def test_a_tree_says_in_words_who_gets_what(shop):
    found = shop.policy_tree(1, cost={"large": 1})
    assert dict(zip(found.rule, found.treatment, strict=True)) == {
        "member is yes": "large",
        "member is no": "small",
    }
    assert found.predict(PEOPLE.iloc[:3]).tolist() == [
        "large" if member else "small" for member in PEOPLE["member"][:3]
    ]
    assert found.value["nobody"].lower < 0.5 * (3 + 2) < found.value["nobody"].upper
    by_age = shop.policy_tree(2, columns=["age", "price"])
    assert not any("member" in rule for rule in by_age.rule)


DOSE = Dose(0.0, 10.0)


def of_doses(**more):
    """Outcomes are best at the dose that is the row's first covariate; every dose was given."""
    place = np.linspace(0, 1, 8)
    hill = lambda x, t: -((10 * t - x[:, 0]) ** 2)
    method, X = by_hand(hill, treatment=DOSE, t=place, **more)
    return method, X


def test_doses_are_chosen_between_bounds_and_within_the_budget():
    method, X = of_doses()
    found = method.policy(X)
    assert found.treatment == pytest.approx(X[:, 0], abs=10 / 128)
    assert found.gain == pytest.approx(X[:, 0] ** 2, abs=0.01)
    assert method.policy(X, bounds=(2, 4)).treatment == pytest.approx(
        X[:, 0].clip(2, 4), abs=2 / 128
    )
    little = method.policy(X, budget=7, cost=1.0)
    assert little.spent == pytest.approx(7, abs=10 / 64)
    wanted = (X[:, 0] - 3.75).clip(0)  # where a unit more gains 7.5: these doses add up to 7
    assert little.treatment == pytest.approx(wanted, abs=0.2)
    fee = method.policy(X, cost=lambda dose: np.where(dose > 0, 10.0, 0.0), worth=1)
    assert (fee.treatment > 0).tolist() == [False] * 4 + [True] * 4


def test_a_rule_of_doses_is_judged_by_rows_that_had_nearly_that_dose():
    rng = np.random.default_rng(1)
    x, dose = rng.normal(size=(500, 2)), rng.uniform(-0.1, 10.1, 500).clip(0, 10)
    y = x[:, 0] + dose * x[:, 1] + rng.normal(size=500)
    model = LinearSLearner(members=5, bootstrap=True, treatment="dose").fit(x, y, treatment=dose)
    found = model.policy(x, bounds=(0, 8))
    gain, everybody = found.value["nobody"], found.value["everybody 8"]
    best = 8 * np.sqrt(1 / (2 * np.pi))  # E[max(8 x, 0)] of a normal x
    assert gain.lower < best < gain.upper
    assert gain.upper - gain.lower < 3
    assert everybody.lower < best < everybody.upper
    scaled = model.policy(x, bounds=(0, 8), cost=0.0, worth=3).value["nobody"]
    assert scaled.value == pytest.approx(3 * gain.value)
    assert scaled.error == pytest.approx(3 * gain.error)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.policy(PEOPLE, budget=5), "cost is needed beside budget: what does treating"),
        (lambda m: m.policy(PEOPLE, cost="ages"), "cost must name a covariate that is a number"),
        (lambda m: m.policy(PEOPLE, cost={"huge": 1}), "cost names 'huge', which is no arm"),
        (lambda m: m.policy(PEOPLE, cost=[1, 2]), r"cost must hold one value per row: expected"),
        (lambda m: m.policy(PEOPLE, cost=None, worth=1), "cost is needed beside worth"),
        (lambda m: m.policy(PEOPLE, bounds=(0, 1)), "bounds are for doses"),
        (lambda m: m.policy(PEOPLE, goal="more"), "goal must be 'max' or 'min', got 'more'"),
        (lambda m: m.policy(PEOPLE, T0="no"), "T0 names no arm of this model"),
        (lambda m: m.policy(PEOPLE, seed=-1), "seed must be a whole number, 0 or more"),
        (lambda m: m.policy_value(["none"] * 3), r"assigned must be one arm, or one per row"),
        (lambda m: m.policy_value("none", PEOPLE[:9]), "X must be the table of the fit"),
        (lambda m: m.policy_tree(7), "depth must be 1, 2 or 3, got 7"),
        (lambda m: m.policy_tree(cost=np.ones(N)), "cost of a tree may not be numbers by row"),
        (lambda m: m.policy_tree(columns=["ages"]), "columns must name covariates"),
        (lambda m: m.targeting(), "T0 and T1 must say which arms to compare"),
        (lambda m: m.targeting(PEOPLE[:9], T0="none", T1="large"), "y is needed beside X"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(ask, message, shop):
    with pytest.raises(ValueError, match=message):
        ask(shop)


def test_doses_have_no_order_and_no_tree():
    method, X = of_doses()
    for ask in (method.targeting, method.policy_tree, lambda: method.policy_value(1.0)):
        with pytest.raises(ValueError, match="is for arms; this model has doses"):
            ask()
    with pytest.raises(ValueError, match="T1 is for arms; of doses give bounds"):
        method.policy(X, T1=3)


def test_arms_without_a_name_for_untreated_must_be_named():
    method, X = by_hand(lambda x, t: t * x[:, 0], treatment=Arms(("a", "b")))
    with pytest.raises(ValueError, match="T0 and T1 must say which arms to compare"):
        method.policy(X)
    assert set(method.policy(X, T0="b", goal="min").treatment) == {"a", "b"}
