"""What a stack makes of its learners' answers about rows that they have not seen."""

from dataclasses import dataclass

import numpy as np
import pytest

from checks import easy_dose_problem, easy_problem
from pairnet import LinearSLearner, LinearTLearner, Stack, TreeSLearner, load
from pairnet.core.errors import BadInput
from ridge import RidgeArms

X, T, Y, TAU = easy_problem(n=200)


@dataclass(kw_only=True, eq=False, repr=False)
class Lost(RidgeArms):
    """A learner that has no numbers."""

    def learn_member(self, rows, treatment, outcome, seed):
        lines = super().learn_member(rows, treatment, outcome, seed)
        lines.lines[:] = np.nan
        return lines


def stack(*learners, **options):
    return Stack(members=3, learners=learners, **options)


def test_a_learner_without_numbers_is_left_out_with_a_notice():
    with pytest.warns(UserWarning, match=r"Lost\(\) is left out of the stack: it has no number"):
        model = stack(LinearSLearner(), Lost()).fit(X, Y, treatment=T)
    assert np.allclose(model.effect(X), stack(LinearSLearner()).fit(X, Y, treatment=T).effect(X))
    assert "Lost()" not in {voice.learner for voice in model.weights_}


def test_if_no_learner_has_numbers_the_error_says_so():
    with pytest.raises(BadInput, match="learners must have one that has a number for every row"):
        stack(Lost(), Lost(strength=2.0)).fit(X, Y, treatment=T)


@pytest.mark.parametrize("weight", [None, np.random.default_rng(0).uniform(0.2, 3, 200)])
def test_outcomes_are_at_the_level_of_the_rows_whatever_their_weights(weight):
    model = stack(LinearSLearner(), LinearTLearner()).fit(X, Y, treatment=T, sample_weight=weight)
    residual = Y - model.predict_outcome(X, treatment=T)
    assert abs(np.average(residual, weights=weight)) < 1e-8


def test_outcomes_of_doses_are_at_the_level_of_the_rows():
    x, t, y, _ = easy_dose_problem(n=200)
    model = stack(LinearSLearner(), TreeSLearner(longest=20), treatment="dose")
    model.fit(x, y, treatment=t)
    assert abs(np.mean(y - model.predict_outcome(x, treatment=t))) < 1e-8


def test_where_all_rows_have_one_effect_the_stack_says_so():
    rng = np.random.default_rng(3)
    x, t = rng.normal(size=(400, 5)), np.arange(400) % 2
    y = np.sin(2 * x[:, 0]) + 1.5 * t + 0.5 * rng.normal(size=400)
    model = stack(LinearTLearner(), LinearSLearner()).fit(x, y, treatment=t)
    alone = LinearTLearner().fit(x, y, treatment=t)
    assert abs(model.effect(x).mean() - 1.5) < 0.2
    assert model.effect(x).std() < alone.effect(x).std() / 2


def test_seeds_that_add_up_to_more_than_a_seed_are_seeds_still(tmp_path):
    most = 2**32 - 1
    model = stack(LinearTLearner(seed=most), LinearSLearner(), seed=most)
    own = model.own_learners(model.fit(X, Y, treatment=T).treatment_)
    for learner in own:
        learner.check()
    model.save(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").effect(X), model.effect(X))
