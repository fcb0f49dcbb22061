"""The weights of a stack: what they are by hand, by brute force, and where the answer is known."""

import itertools

import numpy as np
import pytest

from pairnet.learners import weighing
from pairnet.learners.weighing import NU, Task, alike, clipped, one_effect, pairs, residuals

RNG = np.random.default_rng(0)
N = 60


def task(learners, seed=0, noise=0.5):
    """Return a task whose learners are all wrong, each in its own way."""
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=N)
    answers = truth[:, None] * rng.uniform(0.3, 1.2, learners) + noise * rng.normal(
        size=(N, learners)
    )
    return Task(answers, truth + 0.2 * rng.normal(size=N), rng.uniform(0.5, 2, N))


def criterion(task, shares, nu):
    """Return (1 - nu) times the loss of the mixture, plus nu times the mean loss of its parts."""
    mixture = np.average((task.target - task.answers @ shares) ** 2, weights=task.weight)
    alone = [np.average((task.target - own) ** 2, weights=task.weight) for own in task.answers.T]
    return (1 - nu) * mixture + nu * np.dot(shares, alone)


def by_brute_force(task, nu, steps=200):
    """Return the best of all shares on a fine grid."""
    count = task.answers.shape[1]
    grid = itertools.product(range(steps + 1), repeat=count - 1)
    every = [np.array([*some, steps - sum(some)]) / steps for some in grid if sum(some) <= steps]
    return min(every, key=lambda shares: criterion(task, shares, nu))


@pytest.mark.parametrize("nu", [0.0, NU])
@pytest.mark.parametrize(("learners", "seed"), [(2, 0), (2, 1), (3, 2), (3, 3)])
def test_shares_are_those_of_a_search_over_all_shares(learners, seed, nu):
    own = task(learners, seed)
    steps = 400 if learners == 2 else 60
    shares, best = own.shares(nu), by_brute_force(own, nu, steps)
    assert criterion(own, shares, nu) <= criterion(own, best, nu) + 1e-6
    assert np.allclose(shares, best, atol=1.5 / steps + weighing.LEAST_SHARE)


def test_the_search_has_something_to_find():
    """Shares inside of the simplex and on its edge both occur among the tasks that are searched."""
    every = [
        task(learners, seed).shares(0.0) for learners, seed in [(2, 0), (2, 1), (3, 2), (3, 3)]
    ]
    assert any(((shares > 0.05) & (shares < 0.95)).any() for shares in every)
    assert not np.allclose(task(3, 2).shares(0.0), task(3, 2).shares(NU), atol=1e-3)


@pytest.mark.parametrize("seed", range(5))
def test_with_nu_1_the_best_learner_has_all(seed):
    own = task(4, seed)
    shares = own.shares(1.0)
    assert shares[own.losses.argmin()] == 1
    assert shares.sum() == 1


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("learners", [1, 2, 5, 9])
def test_shares_add_to_1_and_are_never_below_0_in_any_unit(learners, scale):
    plain = task(learners, 5)
    shares = Task(plain.answers * scale, plain.target * scale, plain.weight).shares()
    assert np.isclose(shares.sum(), 1)
    assert (shares >= 0).all()
    assert np.allclose(shares, plain.shares(), atol=1e-6)


def test_a_share_too_small_to_hear_is_none():
    for seed in range(20):
        shares = task(6, seed).shares()
        assert ((shares == 0) | (shares >= weighing.LEAST_SHARE)).all()


def test_a_perfect_learner_has_all():
    own = task(3)
    answers = np.column_stack([own.answers, own.target])
    assert Task(answers, own.target, own.weight).shares().tolist() == [0, 0, 0, 1]


def test_two_learners_that_say_the_same_have_together_what_one_had():
    own = task(2, 1)
    twice = Task(own.answers[:, [0, 1, 1]], own.target, own.weight).shares(0.0)
    once = own.shares(0.0)
    assert np.allclose([twice[0], twice[1] + twice[2]], once, atol=1e-3)


def test_learners_that_all_say_nothing_weigh_the_same():
    nothing = Task(np.zeros((N, 4)), RNG.normal(size=N), np.ones(N))
    assert nothing.shares().tolist() == [0.25] * 4


def test_a_row_of_weight_2_is_two_rows():
    own = task(3, 4)
    weight = 1.0 + (np.arange(N) % 2)
    rows = np.repeat(np.arange(N), weight.astype(int))
    twice = Task(own.answers[rows], own.target[rows], np.ones(len(rows)))
    weighed = Task(own.answers, own.target, weight)
    assert np.allclose(weighed.losses, twice.losses)
    assert np.allclose(weighed.shares(), twice.shares())


def test_losses_are_mean_squares_by_hand():
    own = Task(np.array([[1.0, 2.0], [3.0, 0.0]]), np.array([2.0, 3.0]), np.array([1.0, 3.0]))
    assert np.allclose(own.losses, [(1 * 1 + 3 * 0) / 4, (1 * 0 + 3 * 9) / 4])


def test_residuals_of_two_arms_by_hand():
    """y - m - (t - e) tau, of one learner that says tau = 2 and one that says -1."""
    effects = np.array([[[0.0, 2.0], [0.0, -1.0]]] * 2)
    t, y, expected = np.array([1, 0]), np.array([5.0, 1.0]), np.array([3.0, 2.0])
    chances = np.array([[0.75, 0.25], [0.4, 0.6]])
    own = residuals(effects, t, y, expected, chances, np.ones(2))
    assert np.allclose(own.target, [2, -1])
    assert np.allclose(own.answers, [[0.75 * 2, 0.75 * -1], [-0.6 * 2, -0.6 * -1]])
    by_hand = [((2 - 1.5) ** 2 + (-1 + 1.2) ** 2) / 2, ((2 + 0.75) ** 2 + (-1 - 0.6) ** 2) / 2]
    assert np.allclose(own.losses, by_hand)


def test_residuals_of_three_arms_by_hand():
    """y - m - sum_a (1[t = a] - e_a) tau_a, with tau = (0, 2, 5) for all rows."""
    effects = np.array([[[0.0, 2.0, 5.0]]] * 3)
    chances = np.array([[0.5, 0.3, 0.2]] * 3)  # so 1.6 is expected
    own = residuals(effects, np.array([0, 1, 2]), np.zeros(3), np.ones(3), chances, np.ones(3))
    assert np.allclose(own.answers[:, 0], [0 - 1.6, 2 - 1.6, 5 - 1.6])
    assert np.allclose(own.target, -1)


@pytest.mark.parametrize("arms", [2, 3])
def test_the_learner_that_knows_the_effects_has_no_residual_and_all_weight(arms):
    rng = np.random.default_rng(1)
    chances = clipped(rng.dirichlet(np.full(arms, 3.0), 200))
    t = np.array([rng.choice(arms, p=own) for own in chances])
    tau = np.column_stack([np.zeros(200), rng.normal(size=(200, arms - 1))])
    base = rng.normal(size=200)
    y = base + tau[np.arange(200), t]
    expected = base + (chances * tau).sum(axis=1)
    effects = np.stack([tau, np.zeros_like(tau), 2 * tau], axis=1)
    own = residuals(effects, t, y, expected, chances, rng.uniform(0.5, 2, 200))
    assert np.isclose(own.losses[0], 0)
    assert own.shares().tolist() == [1, 0, 0]


@pytest.mark.parametrize("arms", [2, 3, 4])
def test_one_effect_recovers_a_constant_effect_without_noise(arms):
    rng = np.random.default_rng(2)
    t, chances = np.arange(120) % arms, clipped(rng.dirichlet(np.full(arms, 2.0), 120))
    effect = np.array([0.0, 1.5, -2.0, 7.0])[:arms]
    base = rng.normal(size=120)
    expected = base + chances @ effect
    found = one_effect(t, base + effect[t], expected, chances, rng.uniform(0.5, 2, 120))
    assert np.allclose(found, effect)


def test_one_effect_has_the_least_r_loss_of_all_constants():
    rng = np.random.default_rng(3)
    t, chances = np.arange(N) % 2, clipped(rng.dirichlet([2.0, 2.0], N))
    y, expected, weight = rng.normal(size=N) + t, rng.normal(size=N), rng.uniform(0.5, 2, N)
    found = one_effect(t, y, expected, chances, weight)[1]
    near = found + np.array([0.0, -0.1, -0.01, 0.01, 0.1])
    effects = np.stack([np.zeros((N, 5)), np.tile(near, (N, 1))], axis=2)
    losses = residuals(effects, t, y, expected, chances, weight).losses
    assert losses.argmin() == 0


def test_the_task_of_pairs_is_the_mean_over_all_pairs_up_to_the_factor_2():
    rng = np.random.default_rng(4)
    y, own, weight = rng.normal(size=N), rng.normal(size=(N, 3)) + 5, rng.uniform(0.5, 2, N)
    off = (y[:, None] - y)[..., None] - (own[:, None] - own)
    together = weight[:, None] * weight
    brute = np.einsum("ij,ijc->c", together, off**2) / together.sum()
    assert np.allclose(2 * pairs(own, y, weight).losses, brute)


def test_pairs_do_not_see_the_level():
    rng = np.random.default_rng(5)
    y, own, weight = rng.normal(size=N), rng.normal(size=(N, 3)), rng.uniform(0.5, 2, N)
    plain, moved = pairs(own, y, weight), pairs(own + np.array([9, -4, 100]), y - 30, weight)
    assert np.allclose(plain.losses, moved.losses)
    assert np.allclose(plain.shares(), moved.shares())


def test_alike_makes_arms_weigh_the_same():
    t, weight = np.array([0, 0, 0, 1, 2, 2]), np.array([1.0, 2.0, 1.0, 5.0, 3.0, 1.0])
    even = alike(t, weight)
    assert np.allclose(np.bincount(t, even), 1)
    assert np.isclose(even[1] / even[0], 2)  # within an arm weights keep their proportions


def test_clipped_chances_are_off_0_and_add_up_to_1():
    chances = clipped(np.array([[1.0, 0.0], [0.3, 0.7], [0.001, 0.999]]))
    assert np.allclose(chances.sum(axis=1), 1)
    assert chances.min() > 0.9 * weighing.LEAST_CHANCE
    assert chances[1].tolist() == [0.3, 0.7]
