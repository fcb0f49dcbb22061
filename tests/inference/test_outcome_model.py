"""A light model of outcomes: cross-fitted, linear where that is best, the mean where nothing is."""

import numpy as np
import pytest

from pairnet.inference.outcome_model import MOST_FEATURES, outcome_model
from pairnet.inference.propensity import PropensityModel
from pairnet.inference.splits import MANY, SPLITS, SPLITS_OF_MANY, fold_of, splits_of


def table(n=400, d=3, seed=0):
    rng = np.random.default_rng(seed)
    x, t = rng.normal(size=(n, d)), rng.integers(0, 2, n).astype(float)
    return x, t, rng.normal(size=n), np.ones(n)


def test_it_finds_lines_and_bends_of_each_arm():
    x, t, noise, weight = table(1000)
    truth = np.stack([2 * x[:, 0], np.maximum(x[:, 1], 0) * 3])
    y = np.where(t == 1, truth[1], truth[0]) + 0.1 * noise
    expected = outcome_model(x, y, t, weight)
    assert expected.shape == (SPLITS, 2, 1000)
    assert np.sqrt(((expected - truth) ** 2).mean(axis=(0, 2))).max() < 0.25


def test_where_covariates_say_nothing_it_stays_near_the_mean():
    x, t, noise, weight = table(400, d=20)
    expected = outcome_model(x, noise, t, weight)
    assert expected.std() < 0.25


def test_a_row_does_not_judge_itself():
    """Its own outcome, however large, leaves what is expected of it as it was."""
    x, t, noise, weight = table(100)
    moved = noise.copy()
    moved[7] += 1e6
    before, after = (outcome_model(x, y, t, weight * 1.0) for y in (noise, moved))
    others = np.delete(np.arange(100), 7)
    assert np.abs(after[:, :, others] - before[:, :, others]).max() > 1000
    assert np.abs(after[:, int(t[7]), 7] - before[:, int(t[7]), 7]).max() < 10


def test_rows_count_by_their_weight():
    x, t, noise, weight = table(200)
    y = np.where(noise > 1, 1000.0, noise)
    quiet = outcome_model(x, y, t, np.where(noise > 1, 1e-9, 1.0))
    assert np.abs(quiet).max() < 10
    assert np.abs(outcome_model(x, y, t, weight)).max() > 50


def test_more_columns_than_are_used_leave_the_mean_of_each_arm():
    x, t, noise, weight = table(60, d=MOST_FEATURES + 1)
    expected = outcome_model(x, noise + 5 * t, t, weight)
    assert expected[:, 1].mean() - expected[:, 0].mean() == pytest.approx(5, abs=1)
    assert expected[:, 0].std() < 0.3


def test_constant_columns_do_no_harm():
    x, t, noise, weight = table(60)
    x[:, 1] = 4
    assert np.isfinite(outcome_model(x, noise, t, weight)).all()


def test_splits_differ_and_every_fold_holds_each_arm():
    t = np.repeat([0.0, 1.0], [90, 10])
    first, second = fold_of(t, 0), fold_of(t, 1)
    assert (first != second).any()
    for fold in (first, second):
        assert [np.bincount(fold[t == arm]).tolist() for arm in (0, 1)] == [[18] * 5, [2] * 5]
    assert splits_of(MANY) == SPLITS
    assert splits_of(MANY + 1) == SPLITS_OF_MANY


def test_chances_come_from_several_splits_the_first_as_always():
    x, t, _, weight = table(200)
    model = PropensityModel(x, t, weight)
    assert model.splits.shape == (SPLITS, 200, 2)
    assert np.array_equal(model.splits[0], model.chances)
    assert (np.ptp(model.splits, axis=0) > 0).any()
    assert np.allclose(model.splits.sum(axis=2), 1)
