"""The kinds of tables of `shapes`: each has the shape that it says, and all have one size."""

import numpy as np
import pytest
from scipy import special

from pairnet.core.treatments import Dose
from pairnet.studies import load
from pairnet.studies.shapes import SHAPES
from pairnet.studies.stack import stack

kinds = pytest.mark.parametrize("kind", list(SHAPES))


def large(kind, **options):
    return load("shapes", kind=kind, **{"realisations": 2, "rows": 20_000, "test": 0} | options)


def effects(study):
    return study.mu[..., -1] - study.mu[..., 0]


def explained(columns, values):
    """The share of the variance of values that a straight line through columns has."""
    columns = np.c_[columns, np.ones(len(columns))]
    residual = values - columns @ np.linalg.lstsq(columns, values, rcond=None)[0]
    return 1 - residual.var() / values.var()


def telling(study, values):
    """How many columns go up or down with the values."""
    x = study.rows.x[0]
    return sum(abs(np.corrcoef(column, values)[0, 1]) > 0.05 for column in x.T)


@kinds
def test_outcomes_and_effects_of_all_kinds_have_one_scale(kind):
    study = load("shapes", kind=kind, realisations=20)
    assert 1 < np.median(study.rows.y.std(axis=1)) < 2
    assert effects(study).mean() == pytest.approx(1, abs=0.1)
    spread = effects(study).std(axis=1).mean()
    assert spread < 1e-9 if kind == "constant" else 0.8 < spread < 1.3
    assert study.rows.t.mean() == pytest.approx(0.05 if kind == "rare" else 0.3, abs=0.01)
    assert (study.rows.y - study.mean).std() == pytest.approx(0.5, abs=0.01)


def test_the_sine_is_the_one_it_says():
    study = large("sine", covariates=8)
    x1, x2, x3 = (study.rows.x[..., k] for k in range(3))
    assert np.allclose(effects(study), 1 + x1 + np.sin(2 * x3))
    assert np.allclose(study.mu[..., 0], x2 + x3 / 2)
    assert study.columns[:3] == ("x1", "x2", "x3")


def test_steps_have_few_values():
    study = large("steps")
    assert len(np.unique(effects(study).round(9))) == 4
    assert len(np.unique(study.mu[..., 0].round(9))) == 4


def test_lines_are_straight():
    study = large("lines")
    for values in (study.mu[0, :, 0], effects(study)[0]):
        assert explained(study.rows.x[0], values) == pytest.approx(1)


def test_a_constant_effect_has_an_outcome_that_bends():
    study = large("constant")
    assert np.allclose(effects(study), 1)
    assert explained(study.rows.x[0], study.mu[0, :, 0]) < 0.7


def test_products_are_seen_by_no_line():
    study = large("products")
    x = study.rows.x[0]
    assert explained(x, effects(study)[0]) < 0.01
    pairs = np.stack([x[:, i] * x[:, j] for i in range(20) for j in range(i)], axis=1)
    assert explained(np.c_[x, pairs], effects(study)[0]) == pytest.approx(1)


def test_few_columns_matter_where_it_is_sparse():
    sparse, smooth = large("sparse", covariates=50), large("smooth", covariates=50)
    for study, fewest, most in ((sparse, 1, 4), (smooth, 15, 50)):
        assert fewest <= telling(study, study.mu[0, :, 0]) <= most
        assert fewest <= telling(study, effects(study)[0]) <= most


@kinds
def test_realisations_differ_and_do_not_depend_on_how_many_there_are(kind):
    few, many = large(kind, rows=50), large(kind, rows=50, realisations=5)
    for name in ("x", "t", "y"):
        assert np.array_equal(getattr(few.rows, name), getattr(many.rows, name)[:2])
    assert not np.array_equal(many.mu[0], many.mu[1])
    assert not np.array_equal(few.rows.x, large(kind, rows=50, seed=1).rows.x)


def test_tables_of_all_kinds_are_stacked():
    each = [load("shapes", kind=kind, realisations=2, rows=30, test=10) for kind in SHAPES]
    all_kinds = stack(each)
    assert len(all_kinds) == 2 * len(SHAPES)
    assert all_kinds.train.tolist() == list(range(30))  # shared
    for k, study in enumerate(each):
        assert np.array_equal(all_kinds.mu[2 * k : 2 * k + 2], study.mu)
        assert np.array_equal(study.rows.x, each[0].rows.x)
        assert f"shapes: {list(SHAPES)[k]}" in study.describe()


@kinds
def test_who_is_treated_depends_on_the_outcome_unless_it_is_a_trial(kind):
    told = lambda study: np.corrcoef(study.mu[0, :, 0], study.rows.t[0])[0, 1]
    trial = large(kind, confounding=0.0, treated=0.4)
    assert np.allclose(trial.propensity[..., 1], 0.4)
    assert abs(told(trial)) < 0.03
    assert told(large(kind)) > (0.15 if kind == "rare" else 0.3)
    assert told(large(kind, dose=True)) > 0.15


@kinds
def test_doses_bring_the_effect_little_by_little(kind):
    study = large(kind, dose=True, rows=2000)
    arms = large(kind, rows=2000)
    assert study.treatment == Dose(0.0, 1.0)
    assert study.rows.t.min() >= 0
    assert study.rows.t.max() <= 1
    assert study.rows.t.mean() == pytest.approx(0.05 if kind == "rare" else 0.3, abs=0.02)
    part = (study.mu - arms.mu[..., :1])[..., ::21] / effects(arms)[
        ..., None
    ]  # doses 0.01, 0.34, 0.67, 0.99
    dose = study.grid[::21]
    rise = {"lines": dose, "steps": [0, 0.5, 0.5, 1]}.get(kind, np.sin(np.pi / 2 * dose))
    assert np.allclose(np.median(part, axis=1), rise)


def test_yes_and_no_have_the_chances_of_the_truth():
    study = large("constant", binary=True)
    assert set(np.unique(study.rows.y)) == {0, 1}
    assert study.rows.y.mean() == pytest.approx(study.mean.mean(), abs=0.01)
    odds = special.logit(study.mu)
    assert np.allclose(odds[..., 1] - odds[..., 0], 1)
    likely = study.mean > 0.8
    assert study.rows.y[likely].mean() == pytest.approx(study.mean[likely].mean(), abs=0.02)
