"""Folds that hold every arm, for `compare` and for scikit-learn's searches."""

import importlib.util
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pairnet
from checks import easy_dose_problem, easy_problem
from pairnet import GroupedByTreatment, StratifiedByTreatment
from pairnet.compare.folds import folds_of
from pairnet.core.treatments import Arms, Dose
from ridge import RidgeArms

X, T, Y, _ = easy_problem(90, arms=3)
RARE = np.where(np.arange(90) < 6, 2, np.arange(90) % 2)  # arm 2 has the first 6 rows
SEARCH = {"param_grid": {"strength": [0.1, 10.0]}}


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_every_fold_has_each_arm_in_its_share_and_every_row_is_scored_once():
    folds = list(StratifiedByTreatment(3).split(X, Y, treatment=RARE))
    for train, score in folds:
        assert not set(train) & set(score)
        assert np.bincount(RARE[score]).tolist() == [14, 14, 2]
        assert np.bincount(RARE[train]).tolist() == [28, 28, 4]
    assert sorted(np.concatenate([score for _, score in folds])) == list(range(90))


def test_folds_of_doses_have_each_third_in_its_share():
    x, t, _, _ = easy_dose_problem(90)
    low, high = np.quantile(t, [1 / 3, 2 / 3])
    splits = list(StratifiedByTreatment(3).split(x, treatment=t))
    splits += folds_of(t, Dose.of(t), 3, seed=1)
    for _, score in splits:
        thirds = ((t[score] < low).sum(), (t[score] > high).sum())
        assert thirds == (10, 10)


def test_the_seed_decides_and_compare_has_the_same_folds():
    split = lambda **options: list(StratifiedByTreatment(3, **options).split(X, treatment=T))
    same = lambda some, others: all(
        np.array_equal(part, other)
        for fold, another in zip(some, others, strict=True)
        for part, other in zip(fold, another, strict=True)
    )
    assert same(split(seed=4), split(seed=4))
    assert not same(split(seed=4), split(seed=5))
    assert same(split(seed=4), folds_of(T, Arms.of(T), 3, seed=4))


def test_a_search_whose_folds_hold_every_arm_has_scores(routing):
    names = np.array(["none", "some", "much"])[RARE]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    search = GridSearchCV(RidgeArms(), **SEARCH, cv=StratifiedByTreatment(3))
    search.fit(frame, Y, treatment=pd.Series(names))
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    pipe = make_pipeline(StandardScaler(), RidgeArms())
    scores = cross_val_score(
        pipe, X, Y, params={"treatment": names}, cv=StratifiedByTreatment(2), error_score="raise"
    )
    assert np.isfinite(scores).all()


def test_rows_of_a_group_stay_together(routing):
    groups = np.arange(90) // 3
    params = {"treatment": T, "groups": groups}
    for train, score in StratifiedByTreatment(3).split(X, Y, groups, treatment=T):
        assert not set(groups[train]) & set(groups[score])
    scores = cross_val_score(RidgeArms(), X, Y, params=params, cv=StratifiedByTreatment(3))
    assert np.isfinite(scores).all()
    one_arm_each = np.where(RARE == 2, 0, 1 + np.arange(90))
    with pytest.raises(ValueError, match="groups cannot stay together: a fold would have no rows"):
        list(StratifiedByTreatment(3).split(X, Y, one_arm_each, treatment=RARE))


WAY_OUT = r"cv=pairnet\.StratifiedByTreatment\(\) puts every arm into every fold"
SORTED = (np.arange(90) >= 45).astype(int)
UNEVEN = [(np.arange(45), np.arange(45, 90)), (np.r_[:40, 50:90], np.arange(40, 50))]


@pytest.fixture
def as_imported():
    """Warnings as after an import of pairnet: tests import it where warnings are caught."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        home = importlib.util.find_spec("pairnet.model.face")
        home.loader.exec_module(importlib.util.module_from_spec(home))
        yield


@pytest.mark.usefixtures("as_imported", "routing")
@pytest.mark.parametrize("labels", [RARE, SORTED], ids=["rare", "sorted"])
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_search_whose_folds_lack_an_arm_stops_and_says_how_to_split(labels, jobs):
    """With a rare arm scores fail, and fits of sorted rows: all of them with 2 folds, some with 3."""
    for folds in (2, 3):
        with joblib.parallel_backend("threading"), pytest.raises(Exception, match=WAY_OUT):
            GridSearchCV(RidgeArms(), **SEARCH, cv=KFold(folds), n_jobs=jobs).fit(
                X, Y, treatment=labels
            )


@pytest.mark.usefixtures("as_imported", "routing")
def test_so_does_a_cross_validation():
    for count in (cross_val_score, cross_validate):
        with pytest.raises(FitFailedWarning, match=WAY_OUT):
            count(RidgeArms(), X, Y, params={"treatment": SORTED}, cv=UNEVEN)
        with pytest.raises(UserWarning, match=WAY_OUT):
            count(RidgeArms(), X, Y, params={"treatment": RARE}, cv=3)


@pytest.mark.usefixtures("as_imported", "routing")
def test_a_search_goes_on_after_other_errors_and_where_people_ask_for_nan():
    good_and_bad = {"param_grid": {"strength": [0.1, -1.0]}}
    warnings.filterwarnings("ignore", "One or more of the test scores are non-finite")
    with pytest.warns(FitFailedWarning, match="strength must be"):
        search = GridSearchCV(RidgeArms(), **good_and_bad, cv=3).fit(X, Y, treatment=T)
    assert search.best_params_ == {"strength": 0.1}
    warnings.simplefilter("ignore", FitFailedWarning)
    scores = cross_val_score(RidgeArms(), X, Y, params={"treatment": SORTED}, cv=UNEVEN)
    assert np.isnan(scores).tolist() == [True, False]


def test_without_routing_it_explains_itself():
    search = GridSearchCV(RidgeArms(), **SEARCH, cv=StratifiedByTreatment(3))
    with pytest.raises(ValueError, match="treatment is missing: split must .*enable_metadata_rou"):
        search.fit(X, Y, treatment=T)


@pytest.mark.parametrize(
    ("folds", "labels", "message"),
    [
        (1, T, "folds must be a whole number from 2 to half of the rows .45., got 1"),
        (7, RARE, "folds must be at most 6, since 2 has 6 rows, one for each fold"),
        (3, T[:-1], "treatment must hold one value per row"),
        (3, np.zeros(90, int), "treatment must take at least two values"),
    ],
)
def test_folds_that_cannot_be_are_told_in_words(folds, labels, message):
    with pytest.raises(ValueError, match=message):
        list(StratifiedByTreatment(folds).split(X, Y, treatment=labels))


def test_it_is_a_value_that_shows_its_settings():
    assert repr(StratifiedByTreatment(4, seed=2)).startswith("StratifiedByTreatment(folds=4, ")
    assert StratifiedByTreatment(4).get_n_splits() == 4
    assert "StratifiedByTreatment" in dir(pairnet)


@pytest.mark.usefixtures("routing")
def test_groups_stay_together_in_a_search_and_cannot_be_forgotten():
    person = np.arange(90) // 3
    splits = list(GroupedByTreatment(3).split(X, Y, person, treatment=T))
    for train, score in splits:
        assert not {*person[train]} & {*person[score]}
        assert len(np.unique(T[score])) == 3
    assert sorted(np.concatenate([score for _, score in splits])) == list(range(90))
    same = StratifiedByTreatment(3).split(X, Y, person, treatment=T)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(splits, same, strict=True))
    search = GridSearchCV(RidgeArms(), **SEARCH, cv=GroupedByTreatment(3), error_score="raise")
    found = search.fit(X, Y, treatment=T, groups=person).cv_results_["mean_test_score"]
    assert np.isfinite(found).all()
    with pytest.raises(ValueError, match="groups are missing: GroupedByTreatment must know which"):
        search.fit(X, Y, treatment=T)
