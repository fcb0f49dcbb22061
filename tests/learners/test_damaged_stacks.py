"""Saved stacks whose checksums are right and whose content is not: loading says so in words."""

import copy
import dataclasses

import numpy as np
import pytest

from attacks.stacks import cheap_stack
from checks import easy_dose_problem, easy_problem
from pairnet import load
from pairnet.learners.mixture import CONSTANT
from pairnet.model.folder import BadModel, read, write
from pairnet.report.model import model_report

X, T, Y, _ = easy_problem(80)
STEPS = Y + 2 * (X[:, 0] > 0.3)  # so that lines and trees both speak


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A stack of two learners and of one effect for all rows; the content and arrays of its file."""
    stack = cheap_stack(members=2, level="effects").fit(X, STEPS, treatment=T)
    mixture = stack.model_.predictor
    voices = {voice.learner: voice for voice in mixture.voices}
    lines, trees = (
        next(v for v in mixture.voices if name in v.learner) for name in ("Linear", "Tree")
    )
    shares = {lines.learner: 0.5, trees.learner: 0.25, CONSTANT: 0.25}
    parts = [(name, "Linear" in str(about)) for name, about in enumerate(mixture.learners)]
    by_part = np.array([0.5 if is_line else 0.25 for _, is_line in parts])
    assert len(parts) == 2
    mixed = dataclasses.replace(
        mixture,
        weights=by_part,
        outcome_weights=np.array([0.5, 0.5]),
        constant=np.array([[0.0, 0.25], [0.0, 0.3]]),
        shift=np.array([0.0, 0.1]),
        voices=tuple(voices[name]._replace(weight=share) for name, share in shares.items()),
    )
    stack.model_ = dataclasses.replace(stack.model_, predictor=mixed)
    folder = tmp_path_factory.mktemp("models") / "model"
    stack.save(folder)
    content, arrays, _ = read(folder)
    return content, arrays, stack.effect(X)


def test_what_was_saved_can_be_loaded(saved, tmp_path):
    content, arrays, effect = saved
    write(tmp_path / "model", content, arrays)
    stack = load(tmp_path / "model")
    assert np.array_equal(stack.effect(X), effect)
    assert model_report(stack).html()


def voice(**changes):
    return lambda content: content["predictor"]["voices"][0].update(changes)


def predictor(**changes):
    return lambda content: content["predictor"].update(changes)


CONTENTS = {
    "a loss that is a text": (voice(factual="0.5"), "has shown is no numbers"),
    "a loss below 0": (voice(r=-1.0), "has shown is no numbers"),
    "a weight that is a text": (voice(weight="0.5"), "has shown is no numbers"),
    "seconds of no length": (voice(seconds=10**400), "has shown is no numbers"),
    "a weight that it has not": (voice(weight=0.4), "not those that its learners"),
    "averages of more arms": (voice(averages=[0.5, 0.5]), "no average effect of every arm"),
    "averages that are texts": (voice(averages=["a"]), "has shown is no numbers"),
    "a learner without a name": (voice(learner=3), "has no name"),
    "something more": (voice(execute="x"), "cannot be used"),
    "no voices": (predictor(voices=[]), "no shares of 1"),
    "an offset that is a text": (predictor(offset="0.5"), "offset is no number"),
    "one part less": (lambda c: c["predictor"]["parts"].pop(), "cannot be used"),
    "a learner less": (lambda c: c["predictor"]["learners"].pop(), "cannot be used"),
    "another learner": (
        lambda c: c["predictor"]["learners"].reverse(),
        "cannot be used",
    ),
    "other folds": (
        lambda c: c["predictor"]["learners"][0]["hyperparameters"].update(members=3),
        "another number of members",
    ),
}


@pytest.mark.parametrize("change", CONTENTS)
def test_a_stack_that_makes_no_sense_is_refused(change, saved, tmp_path):
    content, arrays, _ = copy.deepcopy(saved)
    make, why = CONTENTS[change]
    make(content)
    write(tmp_path / "model", content, arrays)
    with pytest.raises(BadModel, match=why):
        load(tmp_path / "model")


ARRAYS = {
    "weights beyond 1": ("weights", [200.0, 0.25], "weights are no shares"),
    "weights below 0": ("weights", [0.8, -0.05], "weights are no shares"),
    "weights of others": ("weights", [0.35, 0.4], "not those that its learners"),
    "levels below 0": ("outcome_weights", [1.5, -0.5], "outcome_weights are no shares"),
    "levels of nobody": ("outcome_weights", [0.0, 0.0], "outcome_weights are no shares"),
    "shares of arms beyond 1": ("arm_shares", [0.9, 0.9], "arm_shares are no shares"),
    "no number": ("constant", [[0.0, np.nan], [0.0, 0.3]], "constant"),
    "an effect of the first arm": ("constant", [[1.0, 0.2], [0.0, 0.3]], "nobody speaks for"),
    "three arms": ("constant", np.zeros((2, 3)), "constant are"),
    "a shift of the first arm": ("shift", [0.1, 0.1], "nobody speaks for"),
    "a shift that is no number": ("shift", [0.0, np.inf], "shift are"),
    "a shift of one arm more": ("shift", [0.0, 0.1, 0.1], "shift are"),
}


@pytest.mark.parametrize("change", ARRAYS)
def test_arrays_that_no_stack_has_are_refused(change, saved, tmp_path):
    content, arrays, _ = saved
    name, values, why = ARRAYS[change]
    changed = arrays | {f"mixture.{name}": np.array(values)}
    write(tmp_path / "model", content, changed)
    with pytest.raises(BadModel, match=why):
        load(tmp_path / "model")


def test_an_effect_for_all_needs_a_voice(saved, tmp_path):
    content, arrays, _ = copy.deepcopy(saved)
    voices = content["predictor"]["voices"]
    content["predictor"]["voices"] = [v for v in voices if v["learner"] != CONSTANT]
    weights = arrays["mixture.weights"] / arrays["mixture.weights"].sum()
    for one, weight in zip(content["predictor"]["voices"], weights, strict=True):
        one["weight"] = float(weight)
    write(tmp_path / "model", content, arrays | {"mixture.weights": weights})
    with pytest.raises(BadModel, match="nobody speaks for"):
        load(tmp_path / "model")


def test_a_treatment_against_itself_has_no_effect_to_the_last_bit():
    """One for all rows and one by row are computed in other ways."""
    stack = cheap_stack(members=2).fit(X, STEPS, treatment=T)
    assert (stack.effect(X, T0=np.ones(len(X), int), T1=1) == 0).all()
    low, high = stack.effect_interval(X, T0=np.ones(len(X), int), T1=1)
    assert (low == 0).all()
    assert (high == 0).all()
    x, dose, y, _ = easy_dose_problem(80)
    stack = cheap_stack(members=2, doses=True, treatment="dose").fit(x, y, treatment=dose)
    assert (stack.effect(x, T0=np.full(len(x), 20.0), T1=20.0) == 0).all()
