"""Stacks: who is weighed by what, what they promise, and what happens when a learner fails."""

import itertools
import re
import warnings
from dataclasses import dataclass
from unittest import mock

import numpy as np
import polars as pl
import pytest

from checks import QUICK, SMALL, easy_dose_problem, easy_problem
from pairnet import (
    DRNet,
    LinearSLearner,
    LinearTLearner,
    PairNet,
    RALearner,
    Stack,
    TARNet,
    TreeXLearner,
    VCNet,
    load,
)
from pairnet.core.errors import BadInput
from pairnet.core.notices import notice
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms
from pairnet.core.types import Rows
from pairnet.engines import AbstractEngine, Here
from pairnet.evidence.support import DISAGREE
from pairnet.learners.by_member import ByMember
from pairnet.learners.mixture import CONSTANT, shown
from pairnet.methods.stack import PRESETS, for_arms, for_doses
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.training import Plan, pilots

RNG = np.random.default_rng(0)
LINES = (LinearSLearner(), LinearTLearner())
NET = TARNet(plan=QUICK, **SMALL)
VC = VCNet(plan=QUICK, **SMALL)


class Flat(AbstractPredictor):
    """Expects one outcome under each arm, whoever the row is."""

    def __init__(self, levels):
        self.levels = np.asarray(levels, float)

    def outcome(self, x, t):
        return np.broadcast_to(self.levels[np.asarray(t, int)], len(x))[None]

    def stored(self):
        return Stored({}, {"levels": self.levels})


@dataclass(kw_only=True, eq=False, repr=False)
class Says(ByMember):
    """A learner that says the same whatever it sees, or fails."""

    effect_said: float = 0.0
    fails: bool = False
    warns: bool = False

    def learn_member(self, rows, treatment, outcome, seed):
        if self.warns:
            notice("it is not sure")
        if self.fails:
            raise RuntimeError("it did not like the rows.")
        level = float(np.mean(rows.y))
        return Flat([level - self.effect_said / 2, level + self.effect_said / 2])

    def restore_member(self, stored, treatment, outcome, width):
        return Flat(stored.arrays["levels"])


def weight_of(stack, name):
    return sum(voice.weight for voice in stack.weights_ if voice.learner.startswith(name))


def problem(n=400, effect=lambda x: 1 + x[:, 0], noise=0.3, seed=0, base=lambda x: x[:, 1]):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    t = (rng.random(n) < 1 / (1 + np.exp(-x[:, 1]))).astype(int)
    return x, t, base(x) + t * effect(x) + noise * rng.normal(size=n), effect(x)


@pytest.fixture(scope="module")
def lines():
    x, t, y, _ = problem()
    return Stack(learners=LINES).fit(x, y, treatment=t)


def test_effects_are_differences_of_outcomes_and_weighted_means_of_the_learners(lines):
    x = RNG.normal(size=(50, 3))
    effect = lines.effect(x)
    difference = lines.predict_outcome(x, treatment=1) - lines.predict_outcome(x, treatment=0)
    assert np.allclose(effect, difference)
    by_learner, weights = lines.ask(x).by_learner
    assert np.isclose(weights.sum(), 1)
    shift = lines.model_.predictor.shift
    assert shift[0] == 0
    assert shift[1] != 0
    assert np.allclose(weights @ by_learner + shift[1], effect)


def test_the_level_of_effects_is_half_way_between_both_mixtures_or_that_of_effects():
    x, t, y, _ = problem(effect=lambda x: 1 + 0.1 * x[:, 0], base=lambda x: x[:, 1] ** 2, noise=1)
    models = {
        level: Stack(learners=[LinearTLearner()], level=level).fit(x, y, treatment=t)
        for level in ("both", "effects")
    }
    for level, model in models.items():
        averages = {voice.learner: voice.averages[0] for voice in model.weights_}
        by_effects = sum(voice.weight * voice.averages[0] for voice in model.weights_)
        by_outcomes = averages["LinearTLearner()"]  # which alone tells outcomes
        shift = model.model_.predictor.shift
        assert shift[0] == 0
        assert np.isclose(shift[1], (by_outcomes - by_effects) / 2 if level == "both" else 0)
    moved = models["both"].effect(x) - models["effects"].effect(x)
    assert np.allclose(moved, models["both"].model_.predictor.shift[1])
    assert abs(moved[0]) > 1e-4


def test_weights_name_every_learner_and_add_up_to_1(lines):
    voices = lines.weights_
    assert {v.learner for v in voices} == {"LinearSLearner()", "LinearTLearner()", CONSTANT}
    assert np.isclose(sum(v.weight for v in voices), 1)
    assert np.isclose(sum(v.outcome_weight for v in voices), 1)
    assert [v.weight for v in voices] == sorted((v.weight for v in voices), reverse=True)
    assert all(v.factual > 0 and v.pair > 0 and v.r > 0 for v in voices)
    assert "weight" in str(voices)
    assert CONSTANT in str(voices)


def test_the_learner_that_fits_the_table_speaks_and_the_others_do_not():
    x, t, y, tau = problem()
    stack = Stack(learners=[LinearSLearner(), Says(effect_said=5.0)]).fit(x, y, treatment=t)
    assert weight_of(stack, "LinearSLearner") > 0.9
    assert np.abs(stack.effect(x) - tau).mean() < 0.15


def test_a_table_without_differences_gets_one_effect():
    x, t, y, _ = problem(effect=lambda x: np.full(len(x), 2.0), base=lambda x: np.sin(2 * x[:, 1]))
    stack = Stack(learners=[TreeXLearner()]).fit(x, y, treatment=t)
    alone = TreeXLearner(members=5, bootstrap=True).fit(x, y, treatment=t)
    assert weight_of(stack, CONSTANT) > 0.5
    assert stack.effect(x).std() < 0.5 * alone.effect(x).std()
    assert abs(stack.effect(x).mean() - 2) < 0.2


def test_a_fold_model_does_not_see_its_fold(lines):
    draws = lines.training_.draws
    assert draws.shape == (5, 400)
    assert (draws.sum(axis=0) == 4).all()
    by_arm = [draws[:, lines.training_.t == arm].sum(axis=1) for arm in (0, 1)]
    assert all(np.ptp(counts) <= 1 for counts in by_arm)


def test_it_hangs_on_the_seed_and_not_on_the_order_the_units_or_names(lines):
    x, t, y, _ = problem()
    new, order = RNG.normal(size=(20, 3)), RNG.permutation(len(y))
    fit = lambda x, y, t, **more: Stack(learners=LINES, **more).fit(x, y, treatment=t)
    effect = lines.effect(new)
    assert np.array_equal(fit(x, y, t).effect(new), effect)
    assert np.allclose(fit(x[order], y[order], t[order]).effect(new), effect)
    scaled = fit(x * [2, 10, 0.1], 100 * y - 7, t).effect(new * [2, 10, 0.1])
    assert np.allclose(scaled, 100 * effect, rtol=1e-6)
    named = fit(x, y, np.array(["no drug", "drug"])[t]).effect(new, T0="no drug", T1="drug")
    assert np.allclose(named, effect)
    as_frame = lambda table, names: pl.DataFrame(table, schema=list(names))
    for names in ("abc", "zyx"):
        other = fit(as_frame(x, names), y, t)
        assert np.array_equal(other.effect(as_frame(new, names)), effect)
    assert not np.allclose(fit(x, y, t, seed=1).effect(new), effect)


class Backwards(AbstractEngine):
    """Hands back results in another order than tasks were given."""

    name = "backwards"

    def run(self, tasks):
        yield from reversed(list(Here().run(tasks)))


def test_it_does_not_hang_on_the_engine(lines):
    x, t, y, _ = problem()
    other = Stack(learners=LINES).fit(x, y, treatment=t, engine=Backwards(2))
    assert np.array_equal(other.effect(x), lines.effect(x))
    weights = lambda stack: [voice._replace(seconds=0) for voice in stack.weights_]
    assert weights(other) == weights(lines)


def test_learners_side_by_side_say_what_they_say_here(lines):
    x, t, y, _ = problem()
    both = [Says(fails=True), *LINES]
    with pytest.warns(UserWarning, match=r"Says\(fails=True\) is left out.*did not like the rows"):
        stack = Stack(learners=both).fit(x, y, treatment=t, engine=Backwards(2))
    assert np.array_equal(stack.effect(x), lines.effect(x))
    noisy = Stack(learners=[Says(warns=True), *LINES])
    with pytest.warns(UserWarning, match="it is not sure"):
        noisy.fit(x, y, treatment=t, engine=Backwards(2))


def test_side_by_side_the_first_learner_that_does_not_fail_is_there_whatever_the_time():
    x, t, y, _ = problem(200)
    stack = Stack(learners=[Says(fails=True), *LINES], time_limit=1e-6)
    with pytest.warns(UserWarning, match="left out") as warned:
        stack.fit(x, y, treatment=t, engine=Backwards(2))
    assert [str(one.message).partition(" is left out")[0] for one in warned] == [
        "Says(fails=True)",
        "LinearTLearner()",
    ]
    assert weight_of(stack, "LinearSLearner") > 0


class Stopped(AbstractEngine):
    """Gives the results of the first tasks; then somebody presses Ctrl-C."""

    name = "stopped"

    def run(self, tasks):
        yield from Here().run(itertools.islice(tasks, self.workers - 1))
        raise KeyboardInterrupt


def test_ctrl_c_keeps_the_learners_that_are_done():
    x, t, y, _ = problem(200)
    with pytest.warns(UserWarning, match="Interrupted: the stack has the learners that are done"):
        stack = Stack(learners=LINES).fit(x, y, treatment=t, engine=Stopped(2))
    assert {voice.learner for voice in stack.weights_} == {"LinearSLearner()", CONSTANT}
    with pytest.raises(KeyboardInterrupt):
        Stack(learners=LINES[:1]).fit(x, y, treatment=t, engine=NothingDone(2))


class NothingDone(AbstractEngine):
    """Somebody presses Ctrl-C at once."""

    name = "nothing-done"

    def run(self, tasks):
        raise KeyboardInterrupt
        yield


def told(**options):
    """Return what a stack of lines, and of learners that fail, reports as it learns."""
    x, t, y, _ = problem(100)
    rows, stages = Rows(x, t.astype(float), y, np.ones(100)), []
    stack = Stack(learners=[LINES[0], Says(fails=True), LINES[1]], members=2, **options)
    tell = lambda stage, finished, total, rounds: stages.append(stage.split(": "))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        stack.learn(rows, Arms((0, 1)), Gaussian(), report=tell)
    return stages


def test_progress_names_the_learner_and_what_is_left():
    names = ["LinearSLearner (1 of 3)", "Says(fails=True) (2 of 3)", "LinearTLearner (3 of 3)"]
    stages = told()
    assert stages[:3] == [[name, "waiting"] for name in names]
    ends = [stage for stage in stages if stage[1] in ("done", "left out")]
    assert ends == [[names[0], "done"], [names[1], "left out"], [names[2], "done"]]
    assert [names[2], "members"] in stages
    timed = [part for name, part in told(time_limit=3600.0) if name == names[2]]
    assert any(re.fullmatch(r"members, 0:5\d:\d\d left", part) for part in timed), timed
    late = told(time_limit=1e-6)
    assert late[-2:] == [[names[1], "left out"], [names[2], "left out"]]


def test_a_learner_that_fails_is_left_out_with_a_notice():
    x, t, y, _ = problem()
    with pytest.warns(UserWarning, match=r"Says\(fails=True\) is left out.*did not like the rows"):
        stack = Stack(learners=[Says(fails=True), LinearSLearner()]).fit(x, y, treatment=t)
    assert weight_of(stack, "LinearSLearner") > 0.9


def test_if_all_learners_fail_the_last_one_says_why():
    x, t, y, _ = problem()
    stack = Stack(learners=[Says(fails=True)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(RuntimeError, match="did not like"):
            stack.fit(x, y, treatment=t)


def test_learners_that_cannot_take_the_treatment_are_left_out():
    x, t, y, _ = problem()
    with pytest.warns(UserWarning, match="DRNet.* is left out"):
        stack = Stack(learners=[LinearSLearner(), DRNet()]).fit(x, y, treatment=t)
    assert "DRNet" not in str(stack.weights_)


def test_a_learner_is_written_without_defaults_and_what_the_stack_sets():
    assert shown(TARNet(members=3, plan=Plan(longest=50))) == "TARNet(plan=Plan(longest=50))"
    assert shown(PairNet(base=DRNet(codes=8), seed=4)) == "PairNet(base=DRNet(codes=8))"


def test_when_time_is_over_the_first_learner_is_there():
    x, t, y, _ = problem(200)
    stack = Stack(learners=[LinearSLearner(), NET, PairNet()], time_limit=1e-6)
    with pytest.warns(UserWarning, match=r"TARNet\(.*\) and PairNet\(\) are left .* time limit"):
        stack.fit(x, y, treatment=t)
    assert "TARNet" not in str(stack.weights_)
    assert np.isfinite(stack.effect(x)).all()


def test_a_training_that_runs_ends_with_the_time():
    x, t, y, _ = problem(200)
    endless = TARNet(plan=Plan(patience=10**6, longest=10**6), **SMALL)
    stack = Stack(learners=[LinearSLearner(), endless, PairNet()], time_limit=1.0)
    with pytest.warns(UserWarning, match="time limit of 1 s is over"):
        stack.fit(x, y, treatment=t)
    assert weight_of(stack, "LinearSLearner") > 0


@pytest.mark.parametrize("weigh_by", ["r", "pair"])
@pytest.mark.parametrize("arms", [2, 3])
def test_it_takes_several_arms_and_either_loss(weigh_by, arms):
    x, t, y, tau = easy_problem(600, arms)
    learners = [LinearTLearner(), Says(effect_said=1.0)] if arms == 2 else [LinearTLearner()]
    stack = Stack(learners=learners, weigh_by=weigh_by).fit(x, y, treatment=t)
    effect = stack.effect(x, T0=0, T1=arms - 1)
    assert np.abs(effect - (arms - 1) * tau).mean() < 0.2 * arms
    assert weight_of(stack, "LinearTLearner") > 0.8


def test_outcomes_of_yes_or_no_stay_chances():
    x, t, y, _ = problem(800)
    yes = (y + RNG.normal(size=len(y)) > 0).astype(int)
    stack = Stack(learners=LINES).fit(x, yes, treatment=t)
    lower, upper = stack.effect_interval(x)
    assert (lower >= -1).all()
    assert (upper <= 1).all()
    assert (lower < upper).all()
    chance = stack.predict_outcome(x, treatment=1)
    assert (chance >= 0).all()
    assert (chance <= 1).all()


def test_doses():
    x, t, y, tau = easy_dose_problem(600)
    stack = Stack(learners=[LinearSLearner(), VC], treatment="dose").fit(x, y, treatment=t)
    assert np.abs(stack.effect(x, T0=10.0, T1=60.0) - tau).mean() < 0.3
    assert stack.weights_[0].r is None
    response = stack.dose_response(x[:5], [10.0, 60.0])
    assert np.allclose(response[:, 1] - response[:, 0], stack.effect(x[:5], T0=10.0, T1=60.0))
    assert np.isfinite(stack.marginal_effect(30.0, x)).all()


def test_the_r_loss_is_refused_for_doses():
    x, t, y, _ = easy_dose_problem(100)
    with pytest.raises(BadInput, match="weigh_by must be 'pair' or 'auto' for doses"):
        Stack(learners=[LinearSLearner()], treatment="dose", weigh_by="r").fit(x, y, treatment=t)


def test_a_saved_stack_says_the_same(tmp_path):
    x, t, y, _ = problem(200)
    stack = Stack(learners=[LinearSLearner(), NET, TreeXLearner(longest=20)]).fit(x, y, treatment=t)
    stack.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert np.array_equal(again.effect(x), stack.effect(x))
    assert str(again.weights_) == str(stack.weights_)
    assert np.allclose(again.effect_interval(x), stack.effect_interval(x))
    assert again.get_params()["learners"][1].plan == QUICK


def test_replications_are_fitted_as_if_alone():
    tables = [problem(200, seed=seed)[:3] for seed in (1, 2)]
    x, t, y = (np.stack(values) for values in zip(*tables, strict=True))
    rows = Rows(x, t.astype(float), y, np.ones_like(y))
    stack = Stack(learners=[LinearSLearner(), NET], members=3)
    together = stack.fit_replications(rows, Arms((0, 1))).effect(x, np.zeros(()), np.ones(()))
    for k in range(2):
        own = Rows(*(values[k : k + 1] for values in (rows.x, rows.t, rows.y, rows.weight)))
        alone = stack.fit_replications(own, Arms((0, 1)), numbers=[k])
        assert np.allclose(alone.effect(x[k], np.zeros(()), np.ones(()))[0], together[k], atol=1e-4)


def test_equal_trainings_are_done_once():
    x, t, y, _ = problem(200)
    with mock.patch.object(pilots, "fit_stage", side_effect=pilots.fit_stage) as trained:
        Stack(learners=[NET, RALearner(plan=QUICK, **SMALL)], seed=17).fit(x, y, treatment=t)
    assert trained.call_count == 1


def test_intervals_hold_the_truth_where_lines_are_right():
    held, average = [], []
    for seed in range(8):
        x, t, y, tau = problem(300, seed=100 + seed, noise=1.0)
        stack = Stack(learners=LINES, seed=seed).fit(x, y, treatment=t)
        lower, upper = stack.effect_interval(x)
        held.append(((lower <= tau) & (tau <= upper)).mean())
        low, high = stack.ate_interval(x)
        average.append(low <= tau.mean() <= high)
    assert np.mean(held) > 0.8
    assert np.sum(average) >= 7


def test_the_support_shows_how_far_learners_lie_apart(lines):
    x = RNG.normal(size=(50, 3))
    support, (by_learner, weights) = lines.support(x), lines.ask(x).by_learner
    middle = weights @ by_learner
    assert np.allclose(support.disagreement**2, weights @ (by_learner - middle) ** 2)
    assert "disagreement" in support.frame().columns


def test_learners_disagree_where_they_lie_farther_apart_than_effects_are_large(lines):
    support = lines.support(RNG.normal(size=(4, 3)) / 10)
    assert (support.verdict == "well supported").all()
    effect, apart = np.array([2.0, 0.1, 0.1, -2.0]), np.array([1.0, 1.0, 0.2, 3.0])
    doubted = support.doubted(effect, apart)
    assert (doubted.verdict == DISAGREE).tolist() == [False, True, False, True]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"bootstrap": True}, "fold models"),
        ({"members": 1}, "number of folds"),
        ({"learners": []}, "a list of methods"),
        ({"learners": [Stack()]}, "a list of methods"),
        ({"learners": [TARNet(l2=-1.0)]}, "l2"),
        ({"time_limit": 0.0}, "above 0"),
    ],
)
def test_nonsense_is_refused(wrong, words):
    x, t, y, _ = problem(100)
    with pytest.raises(BadInput, match=words):
        Stack(**wrong).fit(x, y, treatment=t)


@pytest.mark.parametrize("of", [for_arms, for_doses])
def test_a_larger_preset_has_all_learners_of_a_smaller_one(of):
    names = [[repr(learner) for learner in of(preset)] for preset in PRESETS]
    for small, large in itertools.pairwise(names):
        assert large[: len(small)] == small
