"""Attempts to refute the effect of a model, on tables whose effect and hidden cause are known."""

import numpy as np
import pandas as pd
import pytest

from pairnet import LinearSLearner, LinearTLearner, Stack, load
from pairnet.evidence.refutation import Refutation
from pairnet.model.question import ask_memory
from pairnet.model.refits import Again

RNG = np.random.default_rng(0)
N = 400
HIDDEN = RNG.normal(size=N)
PEOPLE = pd.DataFrame(
    {
        "age": RNG.normal(50, 10, N),
        "region": RNG.choice(["north", "south"], N),
        "before": HIDDEN + 0.1 * RNG.normal(size=N),
    }
)
DRIVE = (PEOPLE["age"] - 50) / 10 + HIDDEN
ARM = (RNG.random(N) < 1 / (1 + np.exp(-DRIVE))).astype(int).to_numpy()
SPEND = PEOPLE["age"] / 10 + 2 * HIDDEN + ARM * 1.5 + RNG.normal(size=N)
KNOWN = PEOPLE[["age", "region"]]
FEW = {"repeats": 3}


def fitted(X, y=SPEND, t=ARM, **more):
    return LinearTLearner(members=5, bootstrap=True).fit(X, y, treatment=t, **more)


@pytest.fixture(scope="module")
def seen():
    """A model that knows what the hidden cause did before, and what attempts to refute it found."""
    model = fitted(PEOPLE)
    return model, model.refute(**FEW)


@pytest.fixture(scope="module")
def blind():
    """A model that does not, and a refutation with a negative control."""
    model = fitted(KNOWN)
    return model, model.refute(PEOPLE, negative_controls=["before"], quick=True, **FEW)


def test_a_sound_effect_passes_and_all_attempts_are_there(seen):
    model, found = seen
    assert found.grade == "passes"
    assert found.lower < 1.5 < found.upper
    assert abs(found["placebo treatment"].found) < (found.upper - found.lower) / 2
    assert abs(found["shuffled outcome"].found) < (found.upper - found.lower) / 2
    planted = found["planted effect"]
    assert planted.found == pytest.approx(planted.expected, rel=0.3)
    assert abs(found["own method, placebo"].found) < 0.8
    half = found["own method, planted difference"]
    assert 0.3 < half.found / half.expected < 1.7
    assert found.value == pytest.approx(model.ate(PEOPLE, kind="doubly robust"), abs=1e-6)


def test_only_a_negative_control_sees_a_hidden_cause(blind):
    _, found = blind
    assert found.lower > 1.5  # the effect is wrong
    others = [attempt for attempt in found.attempts if not attempt.test.startswith("negative")]
    assert {attempt.verdict for attempt in others if attempt.of == "average"} == {"holds"}
    assert found["negative control before"].verdict == found.grade == "fails"
    assert found["negative control before"].found > 0.3


def test_a_control_among_the_covariates_is_no_covariate_then(seen):
    model, _ = seen
    by_name = model.refute(negative_controls="before", quick=True, **FEW)
    assert by_name["negative control before"].verdict == "fails"
    values = {"before": PEOPLE["before"].to_numpy()}
    given = fitted(KNOWN).refute(negative_controls=values, quick=True, **FEW)
    ours, theirs = (found["negative control before"].found for found in (by_name, given))
    assert ours == pytest.approx(theirs, rel=1e-3)


def test_a_control_that_nothing_hidden_drives_holds():
    noise = PEOPLE["age"] + RNG.normal(size=N)
    found = fitted(KNOWN).refute(negative_controls={"noise": noise}, quick=True, **FEW)
    assert found["negative control noise"].verdict == "holds"


def test_the_strongest_column_is_a_measure_of_hidden_causes(seen):
    _, found = seen
    assert 0 < found.robustness_of_interval < found.robustness < 1
    strongest = found.strongest[0]
    assert strongest.column == "before"
    assert strongest.outcome > 0.3
    assert strongest.treatment > 0.1
    assert found["hidden cause like the strongest"].of == "hidden"
    assert found.e_value is None


def test_quick_does_not_fit_the_method_again(blind):
    _, found = blind
    assert not [attempt for attempt in found.attempts if attempt.test.startswith("own method")]


def test_the_model_remembers_what_was_found_and_keeps_it_in_its_file(seen, tmp_path):
    model, found = seen
    model.save(tmp_path / "model")
    again = load(tmp_path / "model").refutation_
    assert isinstance(again, Refutation)
    assert fitted(KNOWN).refutation_ is None
    assert model.refute(quick=True, seed=3, **FEW).to_json() == model.refutation_.to_json()
    assert again["placebo treatment"] == found["placebo treatment"]


def test_the_same_seed_gives_the_same_attempts(blind):
    model, found = blind
    again = model.refute(PEOPLE, negative_controls=["before"], quick=True, **FEW)
    assert again.to_json() == found.to_json()


def test_yes_no_outcomes_have_an_e_value_and_planted_turns():
    bought = (SPEND - SPEND.median()) > 0
    found = fitted(PEOPLE, bought).refute(quick=True, **FEW)
    assert found.e_value > found.e_value_of_interval >= 1
    planted = found["planted effect"]
    assert abs(planted.expected) > 0.02
    assert planted.found == pytest.approx(planted.expected, abs=0.06)


def test_arms_are_compared_as_asked():
    arms = np.array(["none", "small", "large"])[np.where(RNG.random(N) < 0.3, 2, ARM)]
    model = fitted(PEOPLE, (SPEND - 1.5 * ARM).to_numpy() + 3 * (arms == "large"), arms)
    found = model.refute(T0="none", T1="large", quick=True, **FEW)
    assert (found.T0, found.T1) == ("none", "large")
    assert found.lower < 3 < found.upper
    with pytest.raises(ValueError, match="T0"):
        model.refute(quick=True)


def test_doses_are_refuted_along_a_straight_line():
    dose = np.clip(5 + DRIVE + RNG.normal(size=N), 0, 10)
    learner = LinearSLearner(treatment="dose", members=5, bootstrap=True)
    model = learner.fit(PEOPLE, SPEND - 1.5 * ARM + 0.5 * dose, treatment=dose)
    found = model.refute(T0=2, T1=6, **FEW)
    assert found.what == "straight-line effect"
    assert found.lower < 0.5 * 4 < found.upper
    planted = found["planted effect"]
    assert planted.found == pytest.approx(planted.expected, rel=0.2)
    assert 0 < found.robustness < 1


def test_known_chances_leave_nothing_to_hide():
    coin = (RNG.random(N) < 0.5).astype(int)
    model = fitted(KNOWN, (SPEND - 1.5 * ARM).to_numpy() + coin, coin, propensity=0.5)
    found = model.refute(quick=True, **FEW)
    assert found.robustness is None
    assert found.strongest == ()
    assert found.lower < 1 < found.upper


def test_clusters_count_as_one():
    villages = np.repeat(np.arange(N // 4), 4)
    arm = ARM[villages * 4]
    assert (arm == arm[villages * 4]).all()
    y = (SPEND - 1.5 * ARM).to_numpy() + 3 * RNG.normal(size=N)[villages]
    alone = fitted(PEOPLE, y, arm).refute(quick=True, **FEW)
    together = fitted(PEOPLE, y, arm, groups=villages).refute(quick=True, **FEW)
    assert together.upper - together.lower > 1.3 * (alone.upper - alone.lower)


def test_a_model_that_has_seen_all_rows_is_judged_by_the_light_method():
    model = LinearTLearner().fit(PEOPLE, SPEND, treatment=ARM)
    found = model.refute(quick=True, **FEW)
    assert "light method" not in [attempt.test for attempt in found.attempts]
    assert found.lower < 1.5 < found.upper
    again = Again(model, ask_memory(model.model_), 0.1)
    learned = again.learned(model.training_.t, model.training_.y)
    np.testing.assert_allclose(learned.effect, again.question.effect, rtol=1e-4)


def test_a_stack_learns_again_with_its_own_folds():
    stack = Stack(learners=[LinearTLearner(), LinearSLearner()], members=3)
    found = stack.fit(KNOWN, SPEND, treatment=ARM).refute(**FEW)
    assert found["own method, placebo"].verdict in ("holds", "doubtful")
    again = Again(stack, ask_memory(stack.model_), 0.1)
    learned = again.learned(stack.training_.t, stack.training_.y)
    np.testing.assert_allclose(learned.mean, again.question.mean, rtol=1e-3)


def test_a_method_that_cannot_be_fitted_again_is_told():
    model = fitted(KNOWN)

    class Broken(LinearTLearner):
        def learn(self, *args, **more):
            raise ValueError("no")

    again = Again(Broken(), ask_memory(model.model_), 0.1)
    (told,) = again.placebo(model.training_.t)
    assert told.verdict == "not done"
    assert "no" in told.about


def test_wrong_use_fails_in_words(seen):
    model, _ = seen
    with pytest.raises(ValueError, match="repeats must be a whole number, at least 3, got 1"):
        model.refute(repeats=1)
    with pytest.raises(ValueError, match="seed must be a whole number"):
        model.refute(seed=-1)
    with pytest.raises(ValueError, match="negative_controls must name columns of the table"):
        model.refute(negative_controls=["height"])
    with pytest.raises(ValueError, match="must be the table of the fit"):
        model.refute(
            PEOPLE[::-1].reset_index(drop=True).assign(extra=1.0), negative_controls=["extra"]
        )
    with pytest.raises(ValueError, match="negative_controls must hold one value a row"):
        model.refute(negative_controls={"extra": np.ones(3)})
    with pytest.raises(
        ValueError, match="negative_controls must hold at least 20 values that differ"
    ):
        model.refute(negative_controls={"extra": np.ones(N)})
    with pytest.raises(ValueError, match="must leave a covariate"):
        fitted(KNOWN[["age"]]).refute(negative_controls="age")
    with pytest.raises(ValueError, match="not fitted"):
        LinearTLearner().refute()
