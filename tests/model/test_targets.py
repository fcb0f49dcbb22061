"""Whose average effect a fitted model is asked for: all rows', the treated's, the untreated's."""

import numpy as np
import pytest

from models_by_hand import AGE, CHANCES, TREATED, model_of, remembered
from pairnet import LinearTLearner
from pairnet.core.errors import BadInput
from pairnet.core.treatments import Dose
from pairnet.inference.targets import TARGETS
from pairnet.model.leading import extrapolated, leading_target
from pairnet.model.question import ask, ask_memory

RNG = np.random.default_rng(7)
N = 1500
X = RNG.normal(size=(N, 3))
CHANCE = 1 / (1 + np.exp(-1.2 * X[:, 0]))
T = (RNG.random(N) < CHANCE).astype(int)
TAU = 1 + X[:, 0]
Y = X[:, 0] + X[:, 1] + T * TAU + RNG.normal(size=N)
TRUTH = {
    "all": TAU.mean(),
    "treated": TAU[T == 1].mean(),
    "untreated": TAU[T == 0].mean(),
    "overlap": np.average(TAU, weights=CHANCE * (1 - CHANCE)),
}
SLOPE = lambda x, t: x[:, 0] * t


@pytest.fixture(scope="module")
def fitted():
    return LinearTLearner(members=5, bootstrap=True).fit(X, Y, treatment=T)


@pytest.mark.parametrize("target", TARGETS)
def test_averages_of_every_target_are_near_the_truth(fitted, target):
    question = fitted.ask(X, target=target)
    for kind, estimate in (
        ("bootstrap", question.average),
        ("doubly robust", question.doubly_robust),
    ):
        assert abs(estimate.value - TRUTH[target]) < 3 * estimate.error
        assert estimate.error < 0.2
        low, high = fitted.ate_interval(X, target=target, kind=kind, alpha=0.01)
        assert low < estimate.value < high


def test_of_the_rows_of_the_fit_it_is_known_who_was_treated(fitted):
    effect = fitted.effect(X)
    assert fitted.ate(X, target="treated") == pytest.approx(effect[T == 1].mean())
    assert fitted.ate(X, target="untreated") == pytest.approx(effect[T == 0].mean())
    order = RNG.permutation(N)
    for kind in ("plugin", "doubly robust"):
        of = lambda rows, kind=kind: fitted.ate(rows, target="treated", kind=kind)
        assert of(X[order]) == pytest.approx(of(X))


def test_other_rows_count_by_their_chances(fitted):
    new = RNG.normal(size=(4000, 3))
    chance = 1 / (1 + np.exp(-1.2 * new[:, 0]))
    truth = np.average(1 + new[:, 0], weights=chance)
    for kind in ("plugin", "doubly robust"):
        assert fitted.ate(new, target="treated", kind=kind) == pytest.approx(truth, abs=0.2)


def test_a_target_is_another_average_of_the_same_question(fitted):
    question = fitted.ask(X)
    plain = question.doubly_robust
    other = question.targeting("overlap")
    assert other.members is question.members
    assert other.doubly_robust.value != plain.value
    assert other.targeting("all").doubly_robust.value == plain.value
    assert question.targeting("all") is question


def test_rows_asked_about_count_by_their_weight(fitted):
    weight = RNG.integers(1, 4, N)
    repeated = np.repeat(X, weight, axis=0)
    for kind in ("plugin", "doubly robust"):
        assert fitted.ate(X, sample_weight=weight, kind=kind) == pytest.approx(
            fitted.ate(repeated, kind=kind)
        )
    assert fitted.ate(X, sample_weight=weight, target="treated") == pytest.approx(
        np.average(fitted.effect(X), weights=weight * T)
    )


def test_by_hand_the_average_among_the_treated_is_that_of_the_treated():
    model = model_of(remembered(AGE, TREATED, chances=CHANCES), lambda x, t: (1 + x[:, 0]) * t)
    question = ask_memory(model)
    assert question.mean == 1.5
    assert question.targeting("treated").mean == 1.75  # three of the four are old
    assert question.targeting("untreated").mean == 1.25
    assert question.targeting("overlap").mean == 1.5
    assert question.targeting("treated").comparing(1, 0).mean == -1.25  # whoever received 0


def test_an_average_of_several_arms_at_once_or_of_doses_has_no_target():
    memory = remembered(np.arange(6.0), np.arange(6) % 2)
    with pytest.raises(BadInput, match="target must be 'all' where rows are asked about different"):
        ask(model_of(memory, SLOPE), np.ones((2, 1)), 0, [0, 1], "treated")
    dosed = remembered(np.arange(4.0), [0, 0.2, 0.5, 1], treatment=Dose(0.0, 10.0, (2.0, 8.0)))
    with pytest.raises(BadInput, match="target must be 'all' for doses"):
        ask(model_of(dosed, SLOPE), np.ones((2, 1)), target="overlap")


def test_a_target_that_no_row_belongs_to_is_refused():
    chances = np.tile([1.0, 0.0], (6, 1))
    model = model_of(remembered(np.arange(6.0), np.arange(6) % 2, chances=chances), SLOPE)
    with pytest.raises(BadInput, match="'treated' has no rows: none of those asked about received"):
        _ = ask(model, np.full((3, 1), 9.0), 0, 1, "treated").mean


def test_a_summary_leads_with_the_treated_where_most_others_are_unlike_them():
    """Two hundred treated and as many like them, and a thousand people like none of them."""
    x = np.concatenate([RNG.normal(size=(400, 2)), RNG.normal(6, 1, size=(1000, 2))])
    t = np.concatenate([np.arange(400) % 2, np.zeros(1000)])
    fitted = LinearTLearner().fit(x, x[:, 0] + t, treatment=t.astype(int))
    question = fitted.ask(x)
    assert leading_target(question) == "treated"
    assert leading_target(question.comparing(1, 0)) == "untreated"  # the same people
    assert extrapolated(question) > 0.5
    assert extrapolated(question.targeting("treated")) < 0.1
    by_lot = LinearTLearner().fit(x[:400], x[:400, 0] + t[:400], treatment=t[:400].astype(int))
    assert leading_target(by_lot.ask(x[:400])) == "all"
