"""Light averages: right on tables whose effect is known, and quick to change."""

from dataclasses import replace

import numpy as np
import pytest

from pairnet.evidence.light import LightArms, LightDoses, Sample

RNG = np.random.default_rng(0)
N = 800
X = RNG.normal(size=(N, 3))
CHANCE = 1 / (1 + np.exp(-X[:, 0]))
T = (RNG.random(N) < CHANCE).astype(float)
Y = X[:, 0] + 2 * T * (1 + X[:, 1]) + RNG.normal(size=N)
SAMPLE = Sample(X, T, Y, np.ones(N))
LIGHT = LightArms(0, 1)


def test_an_average_of_arms_is_near_the_truth_and_says_how_near():
    found = LIGHT.average(SAMPLE)
    truth = 2 * (1 + X[:, 1]).mean()
    assert abs(found.value - truth) < 3 * found.error
    assert found.value == pytest.approx(found.score.mean())
    assert found.value == pytest.approx(np.diff(found.levels.mean(axis=1))[0])
    assert Y[T == 1].mean() - Y[T == 0].mean() > truth + 5 * found.error  # confounded


def test_an_average_of_doses_is_the_slope_times_their_distance():
    dose = np.clip(0.5 + 0.15 * X[:, 0] + 0.15 * RNG.normal(size=N), 0, 1)
    sample = Sample(X, dose, 3 * dose + X[:, 0] + RNG.normal(size=N), np.ones(N))
    found = LightDoses(0.2, 0.6).average(sample)
    assert abs(found.value - 3 * 0.4) < 3 * found.error
    assert LightDoses(0.6, 0.2).average(sample).value == pytest.approx(-found.value)


def test_placebo_treatments_depend_on_covariates_and_have_no_effect():
    chances = LIGHT.chances(SAMPLE)
    rng, real = np.random.default_rng(0), LIGHT.average(SAMPLE)
    drawn = [LIGHT.placebo(SAMPLE, chances, rng) for _ in range(5)]
    assert all(abs(one.t.mean() - T.mean()) < 0.06 for one in drawn)
    assert all(np.corrcoef(one.t, X[:, 0])[0, 1] > 0.2 for one in drawn)
    values = [LIGHT.average(one).value for one in drawn]
    assert abs(np.mean(values)) < 2 * real.error < real.value / 4


def test_whole_clusters_draw_placebos_together():
    clusters = np.arange(N) // 4
    t = T[clusters * 4]
    sample = replace(SAMPLE, t=t, clusters=clusters)
    placebo = LIGHT.placebo(sample, LIGHT.chances(sample), np.random.default_rng(0)).t
    assert sample.by_cluster
    assert (placebo == placebo[clusters * 4]).all()
    assert (placebo != t).any()
    assert not replace(SAMPLE, clusters=clusters).by_cluster
    dose = replace(sample, t=RNG.random(N)[clusters * 4])
    light = LightDoses(0.0, 1.0)
    drawn = light.placebo(dose, light.chances(dose), np.random.default_rng(0)).t
    assert (drawn == drawn[clusters * 4]).all()


def test_known_chances_draw_the_placebos():
    design = np.column_stack([1 - CHANCE, CHANCE])
    sample = replace(SAMPLE, design=design)
    assert LIGHT.chances(sample) is design
    rng = np.random.default_rng(0)
    often = np.mean([LIGHT.placebo(sample, design, rng).t for _ in range(400)], axis=0)
    assert np.abs(often - CHANCE).max() < 0.12


def test_weights_count_as_rows_do():
    twice = np.where(np.arange(N) < 100, 2.0, 1.0)
    weighted = LIGHT.average(replace(SAMPLE, weight=twice)).value
    rows = np.concatenate([np.arange(N), np.arange(100)])
    assert weighted == pytest.approx(LIGHT.average(SAMPLE.rows(rows)).value, abs=0.1)


def test_a_planted_effect_moves_the_average_by_its_share():
    where = X[:, 2] > 0
    planted = LIGHT.planted(SAMPLE, 3.0, where)
    moved = LIGHT.average(planted).value - LIGHT.average(SAMPLE).value
    assert moved == pytest.approx(3 * where.mean(), abs=0.1)
    dose = replace(SAMPLE, t=RNG.random(N))
    light = LightDoses(0.0, 0.5)
    everyone = np.ones(N, bool)
    moved = light.average(light.planted(dose, 3.0, everyone)).value - light.average(dose).value
    assert moved == pytest.approx(3.0, abs=0.02)


def test_the_scale_of_a_regression_is_its_error_times_the_root_of_its_freedom():
    """With chances that are known and constant, and outcomes that are lines in the treatment."""
    t = np.arange(N) % 2
    design = np.full((N, 2), 0.5)
    sample = Sample(X[:, :1], t.astype(float), t + RNG.normal(size=N), np.ones(N), None, design)
    found = LIGHT.average(sample)
    assert found.scale == pytest.approx(found.error * np.sqrt(N), rel=0.02)
