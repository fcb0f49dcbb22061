"""Average responses to a dose, corrected by residuals of doses nearby."""

import numpy as np
import pytest
from scipy import stats

from pairnet.inference.dose_density import MOST_RARE, rarity
from pairnet.inference.responses import Residuals, doubly_robust

PLACE = np.linspace(0, 1, 200)


def residuals(values, weight=1.0, unseen=True, place=PLACE):
    """Residuals of one member, or of several."""
    members = np.atleast_2d(np.asarray(values, float))
    return Residuals(
        place=place,
        weight=np.broadcast_to(weight, len(place)).astype(float),
        members=members,
        unseen=np.broadcast_to(unseen, members.shape),
    )


def confounded_doses(n, seed=0, share=0.6):
    """Covariates, and doses that rise with the first of them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    return x, stats.norm.cdf(share * x[:, 0] + np.sqrt(1 - share**2) * rng.normal(size=n))


def test_residuals_along_a_line_are_corrected_exactly_also_at_the_ends():
    line = residuals(3 - 2 * PLACE)
    for at in (0.0, 0.3, 1.0):
        found = line.correction(at)
        assert found.value == pytest.approx(3 - 2 * at)
        assert found.error == pytest.approx(0, abs=1e-6)


def test_beyond_the_observed_doses_the_correction_is_that_of_the_nearest_end():
    line = residuals(3 - 2 * PLACE)
    assert line.correction(1.7).value == pytest.approx(line.correction(1.0).value)


def test_only_doses_nearby_correct():
    far = residuals(np.where(PLACE > 0.8, 100.0, 1.0))
    assert far.correction(0.2).value == pytest.approx(1, abs=1e-3)


def test_only_members_that_have_not_seen_a_row_judge_it():
    seen = np.zeros((2, 200), bool)
    seen[0] = seen[1, ::2] = True  # every other row has been seen by both
    judged = residuals([np.full(200, 50.0), np.where(seen[1], 70.0, 2.0)], unseen=~seen)
    assert judged.correction(0.5).value == pytest.approx(2)
    assert judged.correction(0.5, np.array([True, False])).value == 0  # nobody is left to judge


def test_the_error_is_that_of_a_mean_of_so_many_rows():
    rng = np.random.default_rng(0)
    found = [residuals(rng.normal(size=200)).correction(0.5) for _ in range(400)]
    values, errors = (np.array([getattr(f, name) for f in found]) for name in ("value", "error"))
    assert values.std() == pytest.approx(np.sqrt((errors**2).mean()), rel=0.12)
    assert found[0].freedom < 100  # of the 200 rows those nearby


def test_doses_that_are_all_alike_but_one_have_a_correction():
    place = np.r_[np.full(99, 0.0), 1.0]
    found = residuals(np.full(100, 2.0), place=place)
    assert found.correction(0.0).value == pytest.approx(2)
    assert found.correction(0.5).value == pytest.approx(2)


def test_the_luck_of_members_widens_the_error():
    """Members that differ, each judging its own half of the rows."""
    half = np.stack([np.arange(200) < 100, np.arange(200) >= 100])
    alike, apart = ([np.full(200, level) for level in levels] for levels in ((0, 0), (-1, 1)))
    errors = [
        doubly_robust(np.zeros((2, 50)), residuals(values, unseen=half), 0.2).error
        for values in (alike, apart)
    ]
    assert errors[0] == 0
    assert errors[1] > 0.5


def test_doses_drawn_by_lot_are_equally_rare_for_everybody():
    rng = np.random.default_rng(0)
    rare = rarity(rng.normal(size=(500, 4)), rng.beta(1, 3, 500), np.ones(500))
    assert np.abs(rare - 1).max() < 0.25


def test_rarity_does_not_depend_on_how_doses_are_measured():
    x, dose = confounded_doses(300)
    assert np.allclose(rarity(x, dose, np.ones(300)), rarity(x, np.exp(5 * dose), np.ones(300)))


def test_rarity_is_the_ratio_of_the_densities():
    x, dose = confounded_doses(2000)
    score = stats.norm.ppf(dose)
    truth = stats.norm.pdf(score) / (stats.norm.pdf((score - 0.6 * x[:, 0]) / 0.8) / 0.8)
    found = rarity(x, dose, np.ones(2000))
    usual = truth < 5
    assert np.abs(np.log(found / truth))[usual].mean() < 0.15
    assert found.max() <= MOST_RARE


def test_weighted_by_rarity_people_of_every_dose_are_like_all_people():
    x, dose = confounded_doses(2000)
    rare = rarity(x, dose, np.ones(2000))
    for low in (0.2, 0.4, 0.6):
        near = (dose > low) & (dose < low + 0.2)
        before, after = x[near, 0].mean(), np.average(x[near, 0], weights=rare[near])
        assert abs(after) < 0.4 * abs(before) + 0.06


def test_doses_that_covariates_give_away_are_as_rare_as_the_limit_allows():
    x = np.linspace(-1, 1, 200)[:, None]
    rare = rarity(x, x[:, 0] ** 3, np.ones(200))
    assert np.isfinite(rare).all()
    assert (rare <= MOST_RARE).all()
