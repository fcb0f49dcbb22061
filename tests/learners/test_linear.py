"""Linear learners: what is a line, they find; what is chosen, is the best for rows not seen."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from checks import easy_dose_problem, easy_problem
from pairnet import LinearSLearner, LinearTLearner, load
from pairnet.learners import ridge
from pairnet.learners.folds import FOLDS, fold_of_rows
from pairnet.learners.ridge import Columns

X, T, Y, TAU = easy_problem(n=400)
BOTH = (LinearTLearner, LinearSLearner)
few = settings(max_examples=6, deadline=None)
either = pytest.mark.parametrize("kind", BOTH)


def rmse(values):
    return np.sqrt(np.mean(np.square(values)))


def columns(n=60, own=2, seed=0):
    rng = np.random.default_rng(seed)
    x, t = rng.normal(size=(n, 3)), np.arange(n) % 2
    free = (t[:, None] == np.arange(2)).astype(float)
    table = Columns(free, x, x[:, :own] * t[:, None])
    y = 3 + t + x[:, 0] + rng.normal(size=n)
    return table, y, rng.uniform(0.5, 2, n), fold_of_rows(t.astype(float), 2, seed)


def solved(table, y, weight, penalty, multiple):
    """Return the coefficients of a ridge regression as books have them."""
    x, rows = table.together, weight.sum()
    penalties = rows * penalty * np.diag(table.penalties(multiple))
    return np.linalg.solve((x * weight[:, None]).T @ x + penalties, (x * weight[:, None]).T @ y)


def test_the_penalties_chosen_are_those_with_the_least_loss_on_rows_not_seen():
    table, y, weight, fold = columns()
    loss = {}
    for penalty in ridge.PENALTIES:
        for multiple in ridge.MULTIPLES:
            loss[penalty, multiple] = 0.0
            for number in range(FOLDS):
                seen, unseen = fold != number, fold == number
                some = Columns(*(part[seen] for part in table))
                found = solved(some, y[seen], weight[seen], penalty, multiple)
                left = y[unseen] - table.together[unseen] @ found
                loss[penalty, multiple] += np.sum(weight[unseen] * left**2)
    best = solved(table, y, weight, *min(loss, key=loss.get))
    assert np.allclose(ridge.ridge(table, y, weight, fold), best)


def test_with_more_columns_than_rows_the_answer_is_that_of_the_book():
    rng = np.random.default_rng(0)
    table = Columns(np.ones((30, 1)), rng.normal(size=(30, 50)), np.zeros((30, 0)))
    y, weight = table.shared[:, 0] + 5, np.ones(30)
    found = ridge.ridge(table, y, weight, np.arange(30) % FOLDS)
    far = [np.abs(found - solved(table, y, weight, p, 1.0)).max() for p in ridge.PENALTIES]
    assert min(far) < 1e-8


def test_log_odds_are_those_of_a_logistic_regression_with_the_same_penalty(monkeypatch):
    monkeypatch.setattr(ridge, "PENALTIES", np.array([0.03]))
    rng = np.random.default_rng(0)
    x, weight = rng.normal(size=(300, 3)), rng.uniform(0.5, 2, 300)
    y = (rng.random(300) < 1 / (1 + np.exp(1 - 2 * x[:, 0]))).astype(float)
    table = Columns(np.ones((300, 1)), x, np.zeros((300, 0)))
    found = ridge.logistic_ridge(table, y, weight, np.arange(300) % FOLDS)
    rate = np.average(y, weights=weight)
    strength = weight.sum() * 0.03 * rate * (1 - rate)
    theirs = LogisticRegression(C=1 / strength, tol=1e-8, max_iter=1000).fit(x, y, weight)
    assert np.allclose(found, [*theirs.intercept_, *theirs.coef_[0]], atol=1e-4)


def test_folds_hold_each_arm_in_its_share():
    t = np.repeat([0.0, 1.0], [403, 21])
    counts = [np.bincount(fold_of_rows(t, 2, 5)[t == arm]) for arm in (0, 1)]
    assert all(np.ptp(count) <= 1 and len(count) == FOLDS for count in counts)
    assert not np.array_equal(fold_of_rows(t, 2, 5), fold_of_rows(t, 2, 6))
    assert np.ptp(np.bincount(fold_of_rows(np.linspace(0, 1, 50), 1, 0))) == 0


@either
def test_the_lines_of_a_linear_table_are_found(kind):
    x, t, y, _ = easy_problem(n=500, arms=3, noise=0.01)
    method = kind().fit(x, y, treatment=t)
    for arm in (1, 2):
        assert rmse(method.effect(x, T0=0, T1=arm) - arm * (1 + 2 * x[:, 0])) < 0.01
    assert rmse(method.predict_outcome(x, treatment=0) - x[:, 1]) < 0.01


def test_one_regression_finds_that_an_effect_is_the_same_for_all():
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(300, 10)), rng.integers(0, 2, 300)
    y = x @ rng.normal(size=10) + 2 * t + rng.normal(size=300)
    apart, together = (kind().fit(x, y, treatment=t).effect(x) for kind in BOTH)
    assert together.std() < 0.2 * apart.std()
    assert abs(together.mean() - 2) < 0.3


def test_few_treated_borrow_slopes_from_the_others():
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(400, 20)), (np.arange(400) < 25).astype(int)
    y = x @ rng.normal(size=20) + t * (1 + x[:, 0]) + rng.normal(size=400)
    apart, together = (rmse(kind().fit(x, y, treatment=t).effect(x) - 1 - x[:, 0]) for kind in BOTH)
    assert together < 0.8 * apart


def test_a_dose_bends_the_slopes():
    x, dose, _, _ = easy_dose_problem(n=600)
    place = (dose - dose.min()) / np.ptp(dose)
    y = x[:, 1] + place**2 * (1 + 2 * x[:, 0])
    method = LinearSLearner(treatment="dose").fit(x, y, treatment=dose)
    grid = np.linspace(dose.min(), dose.max(), 9)
    places = np.linspace(0, 1, 9)
    truth = x[:, 1:2] + places**2 * (1 + 2 * x[:, :1])
    assert rmse(method.dose_response(x, grid) - truth) < 0.05
    each = np.stack([method.predict_outcome(x, treatment=each) for each in grid], axis=1)
    assert np.allclose(method.dose_response(x, grid), each)
    slope = method.marginal_effect(grid[4], x) * np.ptp(dose)
    assert rmse(slope - 2 * places[4] * (1 + 2 * x[:, 0])) < 0.1


@either
def test_chances_of_yes_stay_inside_and_follow_the_odds(kind):
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(3000, 2)), rng.integers(0, 2, 3000)
    odds = -1 + 2 * x[:, 0] + t * (1 + x[:, 1])
    y = rng.random(3000) < 1 / (1 + np.exp(-odds))
    method = kind().fit(x, y, treatment=t)
    with pytest.warns(UserWarning, match="far outside the range"):
        far = method.predict_outcome(20 * x, treatment=1)
    assert far.min() >= 0
    assert far.max() <= 1
    chance = method.predict_outcome(x, treatment=t)
    assert rmse(chance - 1 / (1 + np.exp(-odds))) < 0.03


@either
def test_an_arm_without_any_yes_has_a_chance_near_zero(kind):
    y = np.where(T == 1, Y > 0, False)
    method = kind().fit(X, y, treatment=T)
    assert method.predict_outcome(X, treatment=0).mean() < 0.01
    assert np.isfinite(method.effect(X)).all()


@either
@few
@given(
    seed=st.integers(0, 1000),
    factor=st.floats(0.001, 1000),
    shift=st.floats(-100, 100),
    sizes=st.lists(st.floats(0.01, 100), min_size=3, max_size=3),
)
def test_order_units_names_and_absent_rows_do_not_matter(kind, seed, factor, shift, sizes):
    reference = kind().fit(X, Y, treatment=T).effect(X)
    order = np.random.default_rng(seed).permutation(len(X))
    x, y = X * np.asarray(sizes) + shift, factor * Y + shift
    again = kind().fit(X[order], Y[order], treatment=np.array(["a", "b"])[T[order]])
    assert np.array_equal(again.effect(X, T0="a", T1="b"), reference)
    padded = kind().fit(
        np.vstack([X, X + 1]),
        np.r_[Y, Y * 9],
        treatment=np.r_[T, 1 - T],
        sample_weight=np.repeat([1.0, 0.0], len(X)),
    )
    assert np.array_equal(padded.effect(X), reference)
    moved = kind().fit(x, y, treatment=T, sample_weight=np.full(len(X), 3.0))
    assert np.allclose(moved.effect(x), factor * reference, rtol=1e-6, atol=1e-6 * factor)


@either
def test_weights_count(kind):
    """Half of the rows have another effect: who weighs more decides."""
    rng = np.random.default_rng(0)
    x, t, other = rng.normal(size=(400, 2)), np.arange(400) % 2, np.arange(400) >= 200
    y = t * np.where(other, 5.0, 1.0) + 0.1 * rng.normal(size=400)
    weight = np.where(other, 9.0, 1.0)
    assert abs(kind().fit(x, y, treatment=t, sample_weight=weight).ate(x) - 4.6) < 0.2


@either
def test_an_arm_of_two_rows_is_enough_to_answer(kind):
    t = (np.arange(len(X)) < 2).astype(int)
    for y in (Y, Y > 0):
        assert np.isfinite(kind().fit(X, y, treatment=t).effect(X)).all()


@either
def test_lines_that_do_not_belong_are_refused(kind, tmp_path):
    fitted = kind().fit(X, Y, treatment=T)
    predictor = fitted.model_.predictor.members[0]
    predictor.lines = predictor.lines[:, :2]
    fitted.save(tmp_path / "model")
    with pytest.raises(
        ValueError, match=r"its lines are \(2, 2\), expected finite numbers \(2, 4\)"
    ):
        load(tmp_path / "model")


def test_a_column_of_many_numbers_is_taken_as_a_dose_and_said_so():
    x, dose, y, _ = easy_dose_problem(n=60)
    with pytest.warns(UserWarning, match=r"it is taken as a dose\. Say treatment='dose' if that"):
        LinearSLearner().fit(x, y, treatment=dose)
    with pytest.raises(
        ValueError, match="LinearTLearner compares arms; it cannot learn from doses"
    ):
        LinearTLearner(treatment="dose").fit(x, y, treatment=dose)
