"""What is known of how a table came about: rows that belong together, and chances of the arms."""

import numpy as np
import pandas as pd
import pytest

import pairnet
from checks import easy_dose_problem
from pairnet import LinearSLearner, LinearTLearner, Stack
from pairnet.core.errors import BadInput
from pairnet.inference.clusters import fold_of_clusters, strata_of_clusters
from pairnet.inference.resampling import bootstrap, kept_out
from pairnet.inference.splits import fold_of
from pairnet.learners.folds import fold_of_rows

RNG = np.random.default_rng(3)
VILLAGES, EACH = 40, 10
N = VILLAGES * EACH
VILLAGE = np.repeat(np.arange(VILLAGES), EACH)
OWN = RNG.normal(size=VILLAGES)
X = RNG.normal(size=(N, 2))
CHANCE = 1 / (1 + np.exp(-X[:, 0]))
T = (RNG.random(N) < CHANCE).astype(int)
Y = X[:, 0] + T * (1 + OWN[VILLAGE]) + RNG.normal(size=N)
ROBUST = {"kind": "doubly robust"}


def fit(members=3, method=LinearTLearner, t=T, **known):
    with pytest.warns(UserWarning, match="Intervals from 3 members are poor"):
        return method(members=members, bootstrap=True).fit(X, Y, treatment=t, **known)


@pytest.fixture(scope="module")
def by_rows():
    return fit()


@pytest.fixture(scope="module")
def by_village():
    return fit(groups=VILLAGE)


@pytest.fixture(scope="module")
def by_lot():
    return fit(propensity=CHANCE)


# Clusters.


def test_no_fold_cuts_a_cluster_and_every_arm_is_in_two_folds():
    for fold in (fold_of(T * 1.0, 1, VILLAGE), fold_of_rows(T.astype(float), 2, 0, 5, VILLAGE)):
        assert all(len(np.unique(fold[own == VILLAGE])) == 1 for own in range(VILLAGES))
        assert np.bincount(fold[::EACH]).tolist() == [8] * 5
        assert all(len(np.unique(fold[arm == T])) >= 2 for arm in (0, 1))
    assert not np.array_equal(fold_of(T * 1.0, 0, VILLAGE), fold_of(T * 1.0, 1, VILLAGE))


def test_an_arm_in_two_clusters_is_never_in_one_fold_alone():
    t = np.zeros(N)
    t[VILLAGE == 3], t[VILLAGE == 30] = 1, 1
    for seed in range(30):
        fold = fold_of_clusters(t, VILLAGE, 5, np.random.default_rng(seed))
        assert len(np.unique(fold[t == 1])) == 2
    with pytest.raises(BadInput, match="hold at least 50 different groups, one a fold, got 40"):
        fold_of_clusters(t, VILLAGE, 50, np.random.default_rng(0))
    with pytest.raises(BadInput, match="hold some arm too rarely"):
        fold_of_clusters((VILLAGE == 3) * 1.0, VILLAGE, 5, np.random.default_rng(0))


def test_clusters_are_drawn_and_kept_out_as_a_whole():
    draws = bootstrap(T[None].astype(float), 2, 4, seed=0, least=2, clusters=VILLAGE)[0]
    of_village = draws.reshape(4, VILLAGES, EACH)
    assert np.ptp(of_village, axis=2).max() == 0
    assert of_village[:, :, 0].sum(axis=1).tolist() == [VILLAGES] * 4
    out = kept_out(T.astype(float), 2, 0.2, 0, VILLAGE).reshape(VILLAGES, EACH).astype(int)
    assert np.ptp(out, axis=1).max() == 0
    assert out[:, 0].sum() == 8


def test_where_whole_clusters_are_treated_they_are_drawn_arm_by_arm():
    t = (VILLAGE < 12).astype(float)
    assert np.bincount(strata_of_clusters(t.astype(int), VILLAGE)[0]).tolist() == [28, 12]
    draws = bootstrap(t[None], 2, 5, seed=0, least=2, clusters=VILLAGE)[0]
    assert (draws[:, t == 1].sum(axis=1) == 12 * EACH).all()
    rare = bootstrap((VILLAGE < 2)[None] * 1.0, 2, 50, seed=0, least=EACH + 1, clusters=VILLAGE)[0]
    assert (rare[:, VILLAGE < 2] > 0).all()  # members need more rows than one of the two has


def test_clusters_of_one_row_change_nothing(by_rows):
    alone = fit(groups=[f"person {i}" for i in range(N)])
    assert alone.training_.clusters is None
    for options in ({}, ROBUST, {"target": "treated", **ROBUST}):
        assert alone.ate_interval(X, **options) == by_rows.ate_interval(X, **options)


def test_errors_by_cluster_know_that_villages_differ(by_rows, by_village):
    width = lambda model, **options: np.ptp(model.ate_interval(X, **options))
    for target in ("all", "treated", "overlap"):
        of_rows, of_villages = (
            width(model, target=target, **ROBUST) for model in (by_rows, by_village)
        )
        assert of_villages > 1.2 * of_rows
    assert by_village.ask(X).doubly_robust.freedom == pytest.approx(VILLAGES - 1, abs=4)


def test_names_of_clusters_do_not_matter(by_village):
    names = np.array([f"v{(7 * own) % VILLAGES}" for own in VILLAGE])
    assert fit(groups=names).ate_interval(X, **ROBUST) == by_village.ate_interval(X, **ROBUST)


def test_the_folds_of_a_stack_leave_clusters_whole():
    stack = Stack(members=2, learners=(LinearTLearner(), LinearSLearner()))
    stack.fit(X, Y, treatment=T, groups=VILLAGE)
    memory = stack.training_
    for own in range(VILLAGES):
        assert len(np.unique(memory.draws[:, memory.clusters == own], axis=1).T) == 1


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (VILLAGE // 10, "groups must hold at least 5 different groups, got 4"),
        (VILLAGE[:9], "groups must hold one value per row: expected shape"),
        (np.where(T == 1, 0, VILLAGE + 1), "all rows of 1 are in one"),
    ],
)
def test_clusters_that_say_nothing_are_refused(groups, message):
    with pytest.raises(BadInput, match=message):
        LinearTLearner().fit(X, Y, treatment=T, groups=groups)


# Known chances.


def test_chances_that_are_known_are_used_as_they_are(by_lot, by_rows):
    memory = by_lot.training_
    assert memory.propensity.chances[:, 1] == pytest.approx(CHANCE[memory.row])
    low, high = by_lot.ate_interval(X, **ROBUST)
    assert low < 1 + OWN.mean() < high
    assert by_lot.ate(X, **ROBUST) == pytest.approx(by_rows.ate(X, **ROBUST), abs=0.1)
    assert np.array_equal(by_lot.effect(X), by_rows.effect(X))  # members know nothing of it
    # of rows that nobody has drawn, the model of the chances speaks
    new = RNG.normal(size=(5, 2))
    assert memory.propensity.of(new) == pytest.approx(by_rows.training_.propensity.of(new))


def test_one_chance_for_all_makes_all_targets_of_new_rows_one():
    t = RNG.integers(0, 2, N)
    model = LinearTLearner().fit(X, Y, treatment=t, propensity=0.5)
    new = RNG.normal(size=(50, 2))
    plain = model.ate(new)
    for target in ("treated", "untreated", "overlap"):
        assert model.ate(new, target=target) == pytest.approx(plain)
    assert model.support(new).overlap.min() >= 0
    assert model.overlap().lacking == 0


@pytest.mark.parametrize(
    "known",
    [
        0.3,
        {"drug": 0.3, "placebo": 0.7},
        np.full(N, 0.3),
        np.tile([0.3, 0.7], (N, 1)),  # columns in the order of the alphabet
        pd.DataFrame({"placebo": np.full(N, 0.7), "drug": np.full(N, 0.3)}),
    ],
    ids=["number", "by arm", "by row", "array", "frame"],
)
def test_chances_may_be_said_in_many_ways(known):
    labels = np.where(T == 1, "drug", "placebo")
    memory = LinearTLearner().fit(X, Y, treatment=labels, propensity=known).training_
    drug = memory.treatment.labels.index("drug")
    assert memory.design[:, drug] == pytest.approx(0.3)
    assert memory.design[:, 1 - drug] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        (1.2, "propensity must lie between 0 and 1, got 1.2"),
        (1e-247, "between 0 and 1, at least 1e-09 from either, got 1e-247"),
        (np.where(np.arange(N) == 7, 0, 0.5), "between 0 and 1, got 0 in row 7"),
        (np.full(3, 0.5), "one value per row: expected shape"),
        ({0: 0.5}, "must name every arm: '1' is missing"),
        ({0: 0.5, 1: 0.6}, "must add up to 1 over the arms, got 1.1"),
        ({0: 0.5, "b": 0.5}, "names no arm: expected '0' and '1', got 'b'"),
        (np.full((N, 3), 0.3), "expected 400 rows and 2 arms, got shape"),
        (["a"] * N, "must hold numbers, got text"),
    ],
)
def test_chances_that_cannot_be_are_refused(known, message):
    with pytest.raises(BadInput, match=message):
        LinearTLearner().fit(X, Y, treatment=T, propensity=known)


def test_a_chance_must_say_of_which_arm_it_is_and_doses_have_none():
    with pytest.raises(BadInput, match="must name its arm: none of the arms says that it is the"):
        LinearTLearner().fit(X, Y, treatment=np.where(T == 1, "a", "b"), propensity=0.5)
    with pytest.raises(BadInput, match="must name its arm: there are 3 arms"):
        LinearTLearner().fit(X, Y, treatment=np.arange(N) % 3, propensity=0.5)
    x, dose, y, _ = easy_dose_problem()
    with pytest.raises(BadInput, match="propensity is for arms"):
        LinearSLearner(treatment="dose").fit(x, y, treatment=dose, propensity=0.5)


def test_what_is_known_is_saved_with_the_model(tmp_path):
    model = fit(groups=VILLAGE, propensity=CHANCE)
    model.save(tmp_path / "model")
    again = pairnet.load(tmp_path / "model")
    assert np.array_equal(again.training_.clusters, model.training_.clusters)
    assert again.training_.design == pytest.approx(model.training_.design)
    assert again.ate_interval(X, **ROBUST) == model.ate_interval(X, **ROBUST)


def test_weights_count_rows_as_often_as_they_say():
    weight = RNG.integers(1, 4, N)
    question = lambda model, rows, **more: model.ask(rows, **more).doubly_robust.value
    model = LinearTLearner().fit(X, Y, treatment=T, sample_weight=weight)
    assert model.training_.weight.mean() == pytest.approx(1)
    weighted = question(model, X, sample_weight=weight, target="treated")
    truth = np.average(OWN[VILLAGE] + 1, weights=weight * T)
    assert weighted == pytest.approx(truth, abs=0.3)
