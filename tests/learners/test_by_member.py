"""A learner that is no network: one file, and it has all that methods have."""

import numpy as np
import pytest

from checks import easy_problem
from pairnet import LinearSLearner, LinearTLearner, TreeDRLearner, TreeTLearner, load
from pairnet.comparing import compare
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms
from pairnet.core.types import Rows
from pairnet.engines import Processes
from pairnet.methods import methods
from pairnet.report.model import model_report
from ridge import RidgeArms

X, T, Y, TAU = easy_problem(n=300)


@pytest.fixture(scope="module", autouse=True)
def known():
    """The method is registered, as a package or a notebook would do it."""
    with methods.having(RidgeArms):
        yield


@pytest.fixture(scope="module")
def ridge():
    return RidgeArms(members=5, bootstrap=True, calibration=0.2).fit(X, Y, treatment=T)


def test_it_learns_a_linear_effect(ridge):
    assert np.sqrt(np.mean((ridge.effect(X) - TAU) ** 2)) < 0.2
    assert ridge.score(X, Y, treatment=T) > -0.5


def test_it_has_intervals_of_every_kind(ridge):
    lower, upper = ridge.effect_interval(X)
    assert np.mean((lower <= TAU) & (upper >= TAU)) > 0.7
    for kind in ("bootstrap", "doubly robust"):
        low, high = ridge.ate_interval(X, kind=kind)
        assert low < TAU.mean() < high
    lower, upper = ridge.effect_interval(X, kind="conformal", alpha=0.2)
    assert np.all(lower < upper)


def test_it_has_evidence_but_no_space_of_its_own(ridge):
    assert (ridge.support(X[:20]).verdict == "well supported").mean() > 0.5
    assert ridge.overlap().rows.sum() == len(X)
    with pytest.raises(ValueError, match="space must be 'covariates'.*RidgeArms has no"):
        ridge.support(X[:2], space="representation")


def test_it_chooses_treatments(ridge):
    best = ridge.optimal_treatment(X)
    assert np.mean(best == (TAU > 0)) > 0.9


def test_it_is_saved_and_loaded(ridge, tmp_path):
    ridge.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert repr(loaded) == repr(ridge)
    assert np.array_equal(loaded.effect(X), ridge.effect(X))
    assert loaded.ate_interval(X) == ridge.ate_interval(X)


def test_it_has_a_report_and_is_ranked(ridge):
    html = model_report(ridge).html()
    assert "This method keeps no log of its training" in html
    assert "RidgeArms" in html
    ranked = compare({"ridge": RidgeArms(), "strong": RidgeArms(strength=1e6)}, X, Y, treatment=T)
    assert [line.method for line in ranked.lines] == ["ridge", "strong"]


def test_bad_hyperparameters_are_refused():
    with pytest.raises(ValueError, match=r"RidgeArms\.strength must be 0 or more, got -1"):
        RidgeArms(strength=-1).fit(X, Y, treatment=T)


def test_members_and_folds_may_be_learned_in_other_processes(ridge):
    rows, treatment = ridge.training_, ridge.treatment_
    some = Rows(rows.x, rows.t, rows.y, rows.weight)
    method = RidgeArms(members=3)
    engine = Processes(1)
    there = method.learn(some, treatment, ridge.model_.outcome, draws=rows.draws, engine=engine)
    here = method.learn(some, treatment, ridge.model_.outcome, draws=rows.draws)
    assert np.array_equal(
        there.effect(X, np.zeros(()), np.ones(())), here.effect(X, np.zeros(()), np.ones(()))
    )
    asked = {"treatment": T, "folds": 2}
    both = [compare({"ridge": RidgeArms()}, X, Y, **asked, engine=e) for e in (None, engine)]
    assert both[0].lines[0].loss == both[1].lines[0].loss


@pytest.mark.parametrize(
    "kind", [RidgeArms, LinearTLearner, LinearSLearner, TreeTLearner, TreeDRLearner]
)
def test_rows_that_a_member_does_not_draw_are_not_there(kind):
    """A stack learns without a fold, and asks about the fold."""
    absent = np.arange(len(X)) % 5 == 0
    rows = Rows(X, T.astype(float), np.where(absent, 1e6, Y), np.ones(len(X)))
    draws = np.stack([np.where(absent, 0, 1)])
    there = kind().learn(rows, Arms((0, 1)), Gaussian(), draws=draws)
    alone = kind().learn(rows.take(np.flatnonzero(~absent)), Arms((0, 1)), Gaussian())
    for t in (0.0, 1.0):
        asked = X, np.full(len(X), t)
        assert np.array_equal(there.outcome(*asked), alone.outcome(*asked))
