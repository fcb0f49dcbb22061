"""Pilots: the noise, the penalty that held-out rows choose, and what is left as it was."""

import dataclasses

import numpy as np
import pytest

from checks import QUICK, SMALL, easy_dose_problem, easy_problem
from pairnet import DRLearner, PairNet, TARNet, VCNet
from pairnet.core.outcomes import Bernoulli, Gaussian
from pairnet.core.treatments import Arms
from pairnet.core.types import Rows, number
from pairnet.losses import Penalty, has_chosen_penalty
from pairnet.losses.penalty import ChosenPenalty, with_strength
from pairnet.model.predictor import Stored
from pairnet.training import Plan, once, pilots
from pairnet.training.pilots import ERRORS, STRENGTHS, WEAKEST

X, T, Y, _ = easy_problem(n=200)
AS_BEFORE = dataclasses.replace(QUICK, penalty="rows")


@pytest.fixture
def trained(monkeypatch):
    """Note the strengths of the penalties of every stage that is really trained."""
    seen, fit_stage = [], pilots.fit_stage

    def noted(stage, *arguments, **options):
        strength = arguments[-1]
        seen.append(None if strength is None else np.asarray(strength).tolist())
        return fit_stage(stage, *arguments, **options)

    monkeypatch.setattr(pilots, "fit_stage", noted)
    monkeypatch.setattr(once, "_results", type(once._results)())
    return seen


def chosen(loss, slack=0.2, noise=1.0, bootstrap=False):
    """Return the strength that follows from held-out losses of pilots, strong to weak."""
    return float(pilots._chosen(np.array([loss]), slack, np.array([noise]), bootstrap)[0])


def test_the_strongest_penalty_that_is_good_enough_is_chosen():
    assert chosen([1.0, 0.99, 0.98, 0.97]) == 1
    assert chosen([1.3, 1.1, 1.0, 1.05]) == STRENGTHS[1]
    assert chosen([1.3, 1.1, 1.0, 1.05], slack=0.5) == 1
    assert chosen([1.0, 2.0, 3.0, 4.0], slack=0.0) == 1


def test_none_is_weaker_than_a_quarter_and_none_stronger_than_one():
    assert chosen([9.0, 9.0, 9.0, 1.0]) == WEAKEST == 1 / 4
    assert chosen([9.0, 1.0, 1.0, 1.0], noise=0.1) == 1


def test_a_strength_is_counted_in_units_of_the_noise():
    """The stages that follow divide squares of the outcome by the noise's square."""
    assert np.isclose(chosen([9.0, 9.0, 1.0, 1.0], noise=0.4), STRENGTHS[2] / 0.4**2)
    plain = pilots._chosen(np.array([[9.0, 1.0, 1.0, 1.0]]), 0.2, None, False)
    assert plain.tolist() == [STRENGTHS[1]]  # an outcome without a unit


def test_bootstrapped_members_have_the_weakest_penalty_that_is_good_enough():
    assert chosen([1.0, 1.05, 1.5, 2.0], bootstrap=True) == STRENGTHS[1]
    assert chosen([1.0, 1.0, 1.0, 1.0], bootstrap=True) == WEAKEST


def strength_of(x, t, y, method=None):
    method = method or TARNet(**SMALL, plan=QUICK)
    return float(method.fit(x, y, treatment=t).fitted_.strength[0])


def test_where_outcomes_are_noise_the_penalty_stays_strong():
    rng = np.random.default_rng(0)
    y = rng.normal(size=len(X))
    method = TARNet(**SMALL, plan=QUICK).fit(X, y, treatment=T)
    noise = method.fitted_.scaling.unit / y.std()
    assert noise > 0.9
    assert np.allclose(method.fitted_.strength, min(1, 1 / noise[0] ** 2))  # the strongest of all


def test_where_held_out_rows_demand_it_the_penalty_is_a_quarter():
    """A wave under much noise: strong penalties make it vanish."""
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(240, 2)), np.arange(240) % 2
    y = 2 * np.sin(2 * x[:, 0]) + 1.2 * rng.normal(size=240)
    plan = Plan(patience=150, longest=800, warm_up=100, learning_rate=5e-3)
    assert strength_of(x, t, y, TARNet(phi=(32,), mu=(16,), plan=plan)) == WEAKEST


def test_every_open_penalty_of_a_method_has_the_strength_and_the_others_keep_theirs(trained):
    method = DRLearner(**SMALL, plan=QUICK).fit(X, Y, treatment=T)
    recipe = method.recipe(Gaussian(), Arms((0, 1)), len(X))
    is_open = {stage.name: stage.leaves_penalty_open for stage in recipe.stages}
    assert any(is_open.values())
    assert not is_open["pi"]  # a propensity has a penalty of its own
    assert trained == [list(STRENGTHS)]
    assert 1 / 4 <= method.fitted_.strength[0] <= 1


def test_a_strength_scales_chosen_penalties_alone():
    loss = 0.5 * ChosenPenalty() + 2.0 * Penalty()
    assert has_chosen_penalty(loss)
    settled = with_strength(loss, number(0.25))
    assert not has_chosen_penalty(settled)

    class Heavy:
        def penalty(self):
            return 8.0

    assert float(loss(Heavy(), None)) == 0.5 * 8 + 2 * 8
    assert float(settled(Heavy(), None)) == 0.25 * 0.5 * 8 + 2 * 8
    kept = with_strength(2.0 * Penalty(), number(0.25))
    assert float(kept(Heavy(), None)) == 16


def test_with_a_penalty_of_ones_own_there_is_one_pilot(trained):
    method = TARNet(**SMALL, plan=QUICK, l2=0.1).fit(X, Y, treatment=T)
    assert trained == [None]
    assert method.fitted_.strength.tolist() == [1]


def test_an_open_penalty_has_a_pilot_for_each_strength(trained):
    TARNet(**SMALL, plan=QUICK).fit(X, Y, treatment=T)
    assert trained == [list(STRENGTHS)]


def test_equal_pilots_are_trained_once(trained):
    for method in (TARNet(**SMALL, plan=QUICK), PairNet(base=TARNet(**SMALL), plan=QUICK)):
        method.fit(X, Y, treatment=T)
    assert len(trained) == 1
    TARNet(**SMALL, plan=QUICK).fit(X, Y + X[:, 0], treatment=T)  # another table
    assert len(trained) == 2
    TARNet(**SMALL, plan=QUICK, seed=1).fit(X, Y, treatment=T)
    assert len(trained) == 3


def test_with_a_penalty_by_rows_a_fit_is_that_of_300_divided_by_rows_bit_for_bit(trained):
    fit = lambda plan, l2: TARNet(**SMALL, plan=plan, l2=l2).fit(X, Y, treatment=T)
    before, by_hand = fit(AS_BEFORE, None), fit(QUICK, 300 / len(X))
    assert trained == [None, None]
    assert np.array_equal(before.effect(X), by_hand.effect(X))
    assert before.fitted_.scaling.unit == by_hand.fitted_.scaling.unit
    assert not np.array_equal(before.effect(X), fit(AS_BEFORE, 100 / len(X)).effect(X))


def test_the_published_plan_and_raw_outcomes_have_no_pilots(trained):
    plan = Plan.published(longest=2)
    assert plan.penalty == "rows"
    TARNet(**SMALL, plan=plan).fit(X, Y, treatment=T)
    raw = dataclasses.replace(QUICK, scale="raw")
    TARNet(**SMALL, plan=raw).fit(X, Y, treatment=T)
    assert trained == []


def test_yes_or_no_outcomes_choose_a_penalty_without_a_noise(trained):
    method = TARNet(**SMALL, plan=QUICK).fit(X, Y > 0, treatment=T)
    assert isinstance(method.model_.outcome, Bernoulli)
    assert trained == [list(STRENGTHS)]
    assert method.fitted_.strength[0] in STRENGTHS[:2]
    assert method.fitted_.scaling.unit == 1


def test_for_doses_the_best_penalty_is_taken(monkeypatch):
    x, t, y, _ = easy_dose_problem(n=200)
    slacks, choose = [], pilots._chosen
    noted = lambda loss, slack, *others: slacks.append(slack) or choose(loss, slack, *others)
    monkeypatch.setattr(pilots, "_chosen", noted)
    VCNet(**SMALL, plan=QUICK).fit(x, y, treatment=t)
    TARNet(**SMALL, plan=QUICK).fit(X, Y, treatment=T)
    held_out = QUICK.schedule(len(X), int(np.bincount(T).min())).shape.held_out
    assert slacks[0] == 0
    assert np.isclose(slacks[1], ERRORS * np.sqrt(2 / held_out))


def test_members_and_replications_have_the_strength_of_their_own_table():
    rng = np.random.default_rng(0)
    fit = lambda y, **more: TARNet(**SMALL, plan=QUICK, **more).fit(X, y, treatment=T).fitted_
    several = fit(Y, members=3)
    assert several.strength.shape == (1,)
    assert several.strength == fit(Y).strength  # pilots are the table's, not the members'
    y = np.stack([Y, rng.normal(size=len(Y))])
    t = np.stack([T, T]).astype(float)
    rows = Rows(np.stack([X, X]), t, y, np.ones(t.shape))
    together = TARNet(**SMALL, plan=QUICK).fit_replications(rows, Arms((0, 1)))
    assert together.strength.shape == (2,)
    assert together.of(1).strength == together.strength[1]


@pytest.mark.usefixtures("as_people_have_it")
def test_a_plan_knows_two_penalties():
    for scale, penalty, chooses in [
        ("noise", "chosen", True),
        ("noise", "rows", False),
        ("raw", "chosen", False),
    ]:
        assert Plan(scale=scale, penalty=penalty).chooses_penalty == chooses
    with pytest.raises(ValueError, match=r"Plan\.penalty must be 'chosen'"):
        Plan(penalty="best")


def restored(method, **changes):
    """Restore a model from what it would be saved as, with changes; None takes a part out."""
    stored = method.model_.predictor.stored()
    json = {name: value for name, value in (stored.json | changes).items() if value is not None}
    model = method.model_
    return method.restore(
        Stored(json, stored.arrays), model.treatment, model.outcome, len(model.schema.features)
    )


def test_a_model_saved_without_a_strength_is_read_and_a_wrong_one_is_refused():
    method = TARNet(**SMALL, plan=QUICK, l2=0.1).fit(X, Y, treatment=T)
    assert restored(method, strength=0.5).fitted.strength.tolist() == [0.5]
    before = restored(method, strength=None)
    assert before.fitted.strength.tolist() == [1]
    ask = lambda predictor: predictor.effect(X, np.zeros(()), np.ones(()))
    assert np.array_equal(ask(before), ask(method.model_.predictor))
    for wrong in (0, -1.0, float("inf"), float("nan"), "1", True):
        with pytest.raises(ValueError, match="strength of its penalty"):
            restored(method, strength=wrong)
