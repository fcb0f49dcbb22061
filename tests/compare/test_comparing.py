"""Scoring without truth: the pair loss of any model with its standard error, and methods ranked by
it."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LinearRegression

from checks import easy_dose_problem, easy_problem, small
from pairnet import Stack, VCNet
from pairnet.compare.ranking import compare, suited
from pairnet.core.treatments import Arms, Dose
from pairnet.methods import LinearSLearner, methods
from pairnet.metrics import pair_loss, pair_loss_score

X, T, Y, TAU = easy_problem(n=300)


class Linear(BaseEstimator):
    """A model of another library, behind the two calls that are needed: one regression for each
    treatment."""

    def __init__(self, useful=True):
        self.useful = useful

    def fit(self, X, y, *, treatment):
        encoded = self._encoded(X, treatment)
        self.model_ = LinearRegression().fit(encoded, y)
        return self

    def predict_outcome(self, X, *, treatment):
        return self.model_.predict(self._encoded(X, treatment))

    def _encoded(self, X, t):
        x = np.asarray(X)
        t = np.asarray(t, float)[:, None]
        return np.hstack([x, t, x * t]) if self.useful else np.zeros((len(t), 1))


def outcome_of(x, t, tau):
    return x[:, 1] + t * tau


def test_the_score_is_the_pair_loss_of_all_pairs_and_smaller_for_the_better_model():
    good = pair_loss_score(Y, treatment=T, outcomes=outcome_of(X, T, TAU))
    bad = pair_loss_score(Y, treatment=T, outcomes=outcome_of(X, T, TAU.mean()))
    assert good.loss == pytest.approx(pair_loss(Y, outcome_of(X, T, TAU), T))
    assert good.loss == pytest.approx(2 * 0.3**2, rel=0.2)
    assert bad.loss > good.loss + 3 * bad.error


def test_the_standard_error_is_that_of_repeated_samples():
    """Outcomes are noise alone, so that 400 new tables show how much the score varies."""
    rng = np.random.default_rng(0)
    tables = [(rng.integers(0, 3, 120), rng.normal(size=120)) for _ in range(400)]
    scores = [pair_loss_score(y, treatment=t, outcomes=np.zeros(120)) for t, y in tables]
    said, found = (
        np.mean([score.error for score in scores]),
        np.std([score.loss for score in scores]),
    )
    assert said == pytest.approx(found, rel=0.15)


def test_influence_is_what_a_little_more_weight_does():
    weight = np.random.default_rng(0).uniform(0.5, 2, 40)
    x, t, y, _ = easy_problem(n=40, arms=3)
    score = lambda w: pair_loss_score(y, treatment=t, outcomes=x[:, 1], sample_weight=w)
    step = 1e-5
    for row in (0, 7, 23):
        more = weight.copy()
        more[row] += step
        slope = (score(more).loss - score(weight).loss) / step
        assert slope == pytest.approx(
            score(weight).influence[row] / weight.sum(), rel=1e-3, abs=1e-6
        )


def test_effects_alone_are_scored_against_the_nearest_row_of_the_other_arm():
    good = pair_loss_score(Y, treatment=T, effects=TAU, X=X)
    flat = pair_loss_score(Y, treatment=T, effects=np.full(300, TAU.mean()), X=X)
    assert flat.loss > good.loss + 2 * flat.error
    swapped = pair_loss_score(Y, treatment=np.array(["b", "a"])[T], effects=-TAU, X=X)
    assert swapped.loss == pytest.approx(good.loss)


def test_doses_are_scored_too():
    x, t, y, tau = easy_dose_problem()
    place = (t - 10) / 50
    good = pair_loss_score(y, treatment=t, outcomes=outcome_of(x, place, tau))
    assert good.loss == pytest.approx(2 * 0.3**2, rel=0.2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "one of the two"),
        ({"outcomes": Y, "effects": TAU}, "one of the two"),
        ({"outcomes": Y[:9]}, "outcomes must hold one value per row"),
        ({"effects": TAU}, "with the covariates X"),
        ({"effects": TAU, "X": X[:3]}, "a row of covariates for each outcome"),
    ],
)
def test_what_cannot_be_scored_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        pair_loss_score(Y, treatment=T, **options)
    with pytest.raises(ValueError, match="at least two arms"):
        pair_loss_score(Y, treatment=np.zeros(300), outcomes=Y)


def test_rows_in_another_order_are_refused():
    with pytest.raises(ValueError, match="y has the rows of X in another order"):
        compare({"line": Linear()}, pd.DataFrame(X), pd.Series(Y)[::-1], treatment=T)


def test_methods_are_ranked_by_held_out_pairs_in_words():
    found = compare({"flat": Linear(False), "line": Linear(), "twin": Linear()}, X, Y, treatment=T)
    assert [line.method for line in found.lines][-1] == "flat"
    best, second, last = found.lines
    assert best.behind == 0
    assert second.noise
    assert not last.noise
    assert best.explained > 0.9
    assert found.rows == 300
    assert "within noise; it is better than flat beyond noise." in found.sentence
    assert found.frame().loc["flat", "behind"] == pytest.approx(last.loss - best.loss)
    assert str(found).count("\n") == 4


def test_where_there_is_nothing_to_learn_it_says_so():
    noise = np.random.default_rng(0).normal(size=300)
    assert "little to learn" in compare({"line": Linear()}, X, noise, treatment=T).sentence


def test_pairnet_is_compared_with_the_same_network_without_pairs():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    found = compare({"pairs": small(), "factual": small("tarnet")}, frame, Y, treatment=T, folds=1)
    assert found.rows == 100
    assert any(
        word in found.sentence for word in ("Pairs help", "Pairs do not help", "Whether pairs help")
    )
    assert "pairs" in found.sentence
    assert "factual" in found.sentence


def test_what_cannot_be_compared_is_said():
    x, t, y, _ = easy_dose_problem()
    with pytest.raises(ValueError, match="as arms, .* as a dose"):
        compare({"a": small(treatment="arms"), "b": VCNet()}, x, y, treatment=np.round(t, -1))
    with pytest.raises(ValueError, match="folds must be"):
        compare({"line": Linear()}, X, Y, treatment=T, folds=0)
    with pytest.raises(ValueError, match="at least one method"):
        compare([], X, Y, treatment=T)
    with pytest.raises((KeyError, ValueError), match="tarnett"):
        compare(["tarnett"], X, Y, treatment=T)


class Effects(Linear):
    """Linear outcomes, to whose differences between arms something is added."""

    def __init__(self, useful=True, added=0.0):
        super().__init__(useful)
        self.added = added

    def predict_outcome(self, X, *, treatment):
        return super().predict_outcome(X, treatment=treatment) + self.added * treatment


def test_effects_are_scored_by_the_r_loss():
    found = compare({"off": Effects(added=2.0), "line": Effects()}, X, Y, treatment=T)
    by_name = {line.method: line for line in found.lines}
    # the loss of a constant error is its square times the variance of the arm
    assert by_name["off"].r - by_name["line"].r == pytest.approx(4 * 0.25, rel=0.3)
    assert by_name["line"].r_error > 0
    assert "By the R-loss, which looks at effects alone, line comes first" in found.sentence
    assert "R-loss" in str(found)


def test_doses_have_no_r_loss():
    x, t, y, _ = easy_dose_problem(150)
    found = compare([LinearSLearner(treatment="dose")], x, y, treatment=t, folds=1)
    assert found.lines[0].r is None
    assert "R-loss" not in str(found) + found.sentence


@pytest.mark.parametrize("kind", [Arms, Dose])
def test_where_no_method_is_named_the_stack_is_compared_with_learners(kind):
    column = T if kind is Arms else easy_dose_problem()[1]
    names = suited(column, "auto")
    assert names[0] == "stack"
    assert {"pairnet", "linearslearner"} < set(names)
    assert any(name.startswith("tree") for name in names)
    assert all(kind in methods[name]().takes for name in names)


def test_a_stack_is_compared_like_any_method():
    cheap = Stack(learners=[LinearSLearner()], members=2)
    found = compare({"line": LinearSLearner(), "stack": cheap}, X, Y, treatment=T, folds=2)
    assert {line.method for line in found.lines} == {"line", "stack"}
    assert all(np.isfinite([line.r, line.r_error]).all() for line in found.lines)
