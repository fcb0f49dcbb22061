"""Kinds of outcomes answer for themselves, and one more is one file."""

import numpy as np
import pytest

from checks import QUICK, SMALL
from counts import Counts
from pairnet import PairNet, TARNet, load
from pairnet.core.outcomes import Bernoulli, Gaussian, outcome_of, outcomes
from pairnet.report.model import model_report


@pytest.fixture
def counts():
    with outcomes.having(Counts):
        yield Counts


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    x, t = rng.normal(size=(n, 2)), rng.integers(0, 2, n)
    return x, t, rng.poisson(np.exp(0.3 * x[:, 0] + 0.8 * t))


@pytest.mark.parametrize(
    ("y", "kind"),
    [([0.0, 1.0, 1.0], Bernoulli), ([0.0, 1.0, 2.0], Gaussian), ([0.5, 1.0], Gaussian)],
)
def test_what_nobody_names_is_taken_for_yes_or_no_or_a_number(y, kind):
    assert type(outcome_of("auto", np.array(y))) is kind


def test_outcomes_that_cannot_be_of_a_kind_are_refused():
    with pytest.raises(ValueError, match="outcome='bernoulli' needs y to be 0 or 1"):
        outcome_of("bernoulli", np.array([0.0, 2.0]))
    with pytest.raises(
        ValueError, match=r"Unknown outcome 'poison'\. Known: bernoulli, gaussian\."
    ):
        outcome_of("poison", np.array([0.0, 2.0]))


@pytest.mark.parametrize("kind", list(outcomes.values()))
def test_answers_stay_inside_what_is_possible(kind):
    low, high = kind.bounds
    far = np.array([-1e6, 0.5, 1e6])
    assert np.all((kind().inside(far) >= low) & (kind().inside(far) <= high))
    assert np.all(np.abs(kind().effect_inside(far)) <= high - low)


def test_a_new_kind_is_not_taken_unless_it_is_named(counts):
    assert type(outcome_of("auto", np.array([0.0, 1.0, 5.0]))) is Gaussian
    assert type(outcome_of("counts", np.array([0.0, 1.0, 5.0]))) is counts
    x, t, y = table()
    method = TARNet(**SMALL, plan=QUICK, outcome="counts")
    with pytest.raises(ValueError, match="outcome='counts' needs y to be whole numbers, 0 or more"):
        method.fit(x, y - 0.5, treatment=t)


@pytest.mark.parametrize("method", [TARNet(**SMALL), PairNet(base=TARNet(**SMALL))])
def test_a_new_kind_is_learned_saved_asked_and_reported(counts, method, tmp_path):
    x, t, y = table()
    method = method.set_params(plan=QUICK, outcome="counts", members=2, bootstrap=True)
    method.fit(x, y, treatment=t).call_columns(treatment="drug", outcome="falls")
    said = method.predict_outcome(x, treatment=t)
    assert said.min() >= 0
    assert abs(said.mean() - y.mean()) < 0.1
    assert 0.6 < method.ate(x) < 2.2
    method.save(tmp_path / "model")
    loaded = load(tmp_path / "model")
    assert type(loaded.model_.outcome) is counts
    assert np.array_equal(loaded.effect(x), method.effect(x))
    assert "raises the number of falls by" in model_report(method).lead


def test_a_model_of_a_kind_that_is_not_known_is_refused(tmp_path):
    x, t, y = table()
    with outcomes.having(Counts):
        TARNet(**SMALL, plan=QUICK, outcome="counts").fit(x, y, treatment=t).save(tmp_path / "m")
    with pytest.raises(ValueError, match="must be 'auto'"):
        load(tmp_path / "m")
