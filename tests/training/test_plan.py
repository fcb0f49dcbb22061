import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pairnet import Plan
from pairnet.core.outcomes import Bernoulli, Gaussian
from pairnet.training.scaling import Scaling


def test_the_published_plan_at_ihdps_size():
    schedule = Plan.published().schedule(672, 120)
    assert schedule.shape == (
        470,
        202,
        94,
        5,
        1,
    )  # five batches of 94, where the paper has four of 100 and one of 70
    assert (schedule.patience, schedule.longest, schedule.warm_up) == (10, 1000, 40)


def test_the_default_patience_is_a_hundred_epochs_at_ihdps_size():
    schedule = Plan().schedule(672, 120)
    assert schedule.shape == Plan.published().schedule(672, 120).shape
    assert schedule.patience == 100


def test_a_million_rows_need_few_passes_and_few_validation_rows():
    schedule = Plan().schedule(1_000_000, 300_000)
    shape = schedule.shape
    patience = schedule.patience / shape.rounds
    assert shape.held_out == 5000
    assert patience < 4  # passes over the rows
    assert shape.steps <= 50


def test_a_rare_arm_keeps_some_validation_rows():
    assert Plan().schedule(1_000_000, 300).shape.held_out * 300 / 1_000_000 >= 9.9


@given(st.integers(20, 3_000_000), st.sampled_from([Plan(), Plan.published(), Plan(batch_size=7)]))
def test_every_training_row_has_a_place_in_a_pass(rows, plan):
    shape = plan.schedule(rows, max(1, rows // 3)).shape
    assert shape.training + shape.held_out == rows
    assert (
        shape.training
        <= shape.batch * shape.steps * shape.rounds
        < shape.training + shape.steps * shape.rounds
    )


def test_flags_are_measured_by_their_range_and_numbers_by_their_spread():
    rng = np.random.default_rng(0)
    rare = (rng.random(400) < 0.02).astype(float)
    x = np.stack([rng.normal(3, 5, 400), rare, 7 * rare - 2, np.ones(400)], axis=1)[None]
    scaling = Scaling.of(x, rng.normal(size=(1, 400)), np.ones((1, 400)), Plan(), Gaussian())
    scaled = scaling.x(x)[0]
    assert np.isclose(scaled[:, 0].std(), 1, atol=1e-5)
    assert np.allclose(np.ptp(scaled[:, 1:3], axis=0), 1)
    assert np.allclose(scaled[:, 1], scaled[:, 2], atol=1e-6)  # whatever 0 and 1 were called
    assert np.allclose(scaled[:, 3], 0)


def test_scaling_there_and_back():
    rng = np.random.default_rng(0)
    x, y, weight = rng.normal(5, 3, (2, 50, 4)), rng.normal(100, 7, (2, 50)), np.ones((2, 50))
    scaling = Scaling.of(x, y, weight, Plan(), Gaussian()).in_noise(np.array([0.5, 2.0]))
    assert np.allclose(scaling.x(x).mean(1), 0, atol=1e-5)
    assert np.allclose(scaling.x(x).std(1), 1, atol=1e-5)
    assert np.allclose(scaling.y(y).std(1), [2, 0.5], atol=1e-5)
    assert np.allclose(
        scaling.y(y) * scaling.unit[:, None] + scaling.location[:, None], y, atol=1e-4
    )


@pytest.mark.parametrize(
    ("plan", "outcome"), [(Plan.published(), Gaussian()), (Plan(standardise=False), Bernoulli())]
)
def test_nothing_is_scaled_where_nothing_should_be(plan, outcome):
    x, y = np.full((1, 4, 2), 3.0), np.array([[0.0, 1, 1, 0]])
    scaling = Scaling.of(x, y, np.ones((1, 4)), plan, outcome)
    assert np.array_equal(scaling.x(x), x)
    assert np.array_equal(scaling.y(y), y)


def test_a_constant_covariate_stays_finite():
    x = np.concatenate(
        [np.full((1, 9, 1), 0.1), np.random.default_rng(0).normal(size=(1, 9, 1))], axis=2
    )
    scaling = Scaling.of(x, x[..., 1], np.ones((1, 9)), Plan(), Gaussian())
    assert np.allclose(scaling.x(x)[..., 0], 0, atol=1e-6)
