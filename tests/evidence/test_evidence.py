"""What a model remembers of its rows, and what it says of the evidence behind an effect."""

import json

import numpy as np
import pytest

from checks import easy_problem, small
from pairnet.core.treatments import Arms, Dose
from pairnet.evidence import memory as evidence
from pairnet.evidence import support as supporting
from pairnet.evidence.memory import Memory
from pairnet.evidence.overlap import lacks
from pairnet.evidence.support import by_covariates, support

X, T, Y, TAU = easy_problem(n=200)


@pytest.fixture(scope="module")
def fitted():
    weight = np.ones(200)
    weight[[3, 50]] = 0
    return small(members=2).fit(X, Y, treatment=np.array(["no", "yes"])[T], sample_weight=weight)


def test_a_model_remembers_its_rows_by_their_numbers_in_the_users_table(fitted):
    kept = fitted.training_
    assert len(kept) == 198
    assert not set(kept.row) & {3, 50}
    assert np.array_equal(kept.x, X.astype(np.float32)[kept.row])  # as exact as networks see it
    assert np.array_equal(kept.y, Y[kept.row])
    assert np.array_equal(kept.t, T[kept.row])
    assert np.array_equal(kept.draws, np.ones((2, 198)))


def test_the_summary_of_a_training_is_plain_json(fitted):
    said = json.loads(json.dumps(fitted.training_.summary))
    assert said["rows"] == 198
    arms = {each["arm"]: each["rows"] for each in said["treatment"]["arms"]}
    assert arms == {
        "no": int((fitted.training_.t == 0).sum()),
        "yes": int((fitted.training_.t == 1).sum()),
    }
    assert said["outcome"]["mean"] == pytest.approx(fitted.training_.y.mean())
    assert len(said["held_out_score"]) == 2
    assert {"pilot", "mu"} <= set(said["rounds"])
    assert said["seconds"] > 0


def test_a_large_table_is_remembered_by_a_sample(monkeypatch, fitted):
    monkeypatch.setattr(evidence, "MOST_ROWS", 50)
    kept = small().fit(X, Y, treatment=T).training_
    again = small().fit(X[::-1], Y[::-1], treatment=T[::-1]).training_
    assert len(kept) == 50
    assert np.array_equal(kept.x, X.astype(np.float32)[kept.row])  # as exact as networks see it
    assert np.array_equal(kept.x, again.x)
    assert np.array_equal(again.row, 199 - kept.row)


@pytest.fixture(scope="module")
def lonely():
    """A model of a table in which nobody with a first covariate above 1 was treated."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 2))
    t = ((rng.random(600) < 0.4) & (x[:, 0] < 1)).astype(int)
    return small().fit(x, x[:, 1] + t + 0.1 * rng.normal(size=600), treatment=t)


def test_partners_are_the_nearest_rows_of_each_arm(fitted):
    found = fitted.support(X[:20], T0="no", T1="yes", k=2)
    kept = fitted.training_
    units = np.abs(kept.x - X[7]) / kept.x.std(axis=0)
    distance = np.sqrt((units**2).sum(axis=1))
    for side, arm in ((found.T0, 0), (found.T1, 1)):
        mine = np.flatnonzero(kept.t == arm)
        nearest = mine[np.argsort(distance[mine])[:2]]
        assert np.array_equal(side.rows[7], kept.row[nearest])
        assert np.array_equal(side.outcomes[7], Y[side.rows[7]])
        assert np.all(side.distances[7] >= 0)
        assert set(side.treatments.ravel()) == {"no" if arm == 0 else "yes"}
        assert np.allclose(
            side.distances[7] / side.distances[7, 1],
            distance[nearest] / distance[nearest[1]],
            atol=1e-3,
        )


def test_the_typical_row_is_one_typical_distance_from_its_neighbours(lonely):
    x = lonely.training_.x
    found = lonely.support(x, T0=0, T1=0, k=4)
    assert (
        0.8 < np.median(found.T0.distances[:, -1]) < 1.6
    )  # of one arm only, and itself among them


def test_verdicts_tell_where_there_is_evidence_and_where_there_is_none(lonely):
    asked = np.array([[0.0, 0.0], [-0.5, 0.5], [9.0, 0.0], [2.2, 0.0]])
    found = lonely.support(asked)
    assert list(found.verdict[:3]) == ["well supported", "well supported", "extrapolating"]
    assert found.verdict[3] != "well supported"  # people like this were never treated
    assert found.overlap[0] > 0.5
    assert found.overlap[3] < 0.25
    everyone = lonely.support(lonely.training_.x)
    near = lonely.training_.x[:, 0] < 0.5
    assert np.mean(everyone.verdict[near] == "well supported") > 0.8


def verdicts(x, t, asked, kind, *compared):
    """Return verdicts about rows of a table: covariates alone tell what is near."""
    order = np.lexsort(x.T[::-1])  # as `fit` keeps its rows
    n = len(x)
    row, ones = np.arange(n), np.ones(n)
    draws, treated = np.ones((1, n), int), t[order].astype(float)
    memory = Memory(x[order], treated, ones, ones, row, draws, kind, {})
    place = by_covariates(memory)
    return support(memory, place, asked, *map(np.asarray, compared), 3).verdict


@pytest.mark.parametrize("share", [0.5, 0.2, 0.05])
@pytest.mark.parametrize("covariates", ["numbers", "categories"])
def test_where_treatments_are_drawn_by_lot_few_rows_are_marked_however_rare_one_is(
    fitted, share, covariates
):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 5))
    if covariates == "categories":
        x = np.hstack([np.eye(4)[rng.integers(0, 4, 3000)], rng.integers(18, 80, (3000, 1))])
    t = rng.random(2000) < share
    found = verdicts(x[:2000], t, x[2000:], Arms((0, 1)), 0.0, 1.0)
    assert np.mean(found == "extrapolating") < 0.03
    assert np.mean(found == "well supported") > 0.88


def test_a_gap_that_is_narrow_among_many_covariates_is_seen(fitted):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 20))
    t = (rng.random(2000) < 0.5) & (x[:, 0] < 1)
    found = verdicts(x, t, x[x[:, 0] > 1.5], Arms((0, 1)), 0.0, 1.0)
    assert np.mean(found == "extrapolating") > 0.7
    assert np.mean(found == "well supported") < 0.05


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_rows_of_a_region_that_is_never_treated_are_marked(fitted, share):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 2))
    t = (rng.random(2000) < share) & (x[:, 0] < 1)
    found = verdicts(x, t, x, Arms((0, 1)), 0.0, 1.0)
    assert (
        np.mean(found[x[:, 0] > 1.5] == "extrapolating") > 0.8
    )  # beyond the reach of those at the edge
    assert np.mean(found[x[:, 0] > 1.5] == "well supported") < 0.05
    assert np.mean(found[x[:, 0] < 0.5] == "extrapolating") < 0.03


def test_rows_that_never_got_much_are_marked_where_much_is_asked_about(fitted):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 2))
    dose = np.where(x[:, 0] > 1, 0.5, 1.0) * rng.random(2000)
    found = verdicts(x, dose, x, Dose(0.0, 1.0), 0.2, 0.8)
    assert np.mean(found[x[:, 0] > 1.5] == "extrapolating") > 0.8
    assert np.mean(found[x[:, 0] < 0.5] == "extrapolating") < 0.03
    assert np.all(
        verdicts(x, dose / 2, x, Dose(0.0, 1.0), 0.2, 0.8) == "extrapolating"
    )  # nobody got so much


def test_the_evidence_is_a_frame_with_the_index_of_the_table(fitted):
    import pandas as pd

    table = pd.DataFrame(X[:5], columns=[f"c{k}" for k in range(3)], index=list("abcde"))
    with pytest.warns(UserWarning, match="columns are taken by their place"):
        frame = fitted.support(table, T0="no", T1="yes", k=2).frame()
    assert list(frame.index) == list("abcde")
    assert {
        "verdict",
        "overlap",
        "T0_row_1",
        "T1_distance_2",
        "T1_outcome_1",
        "T0_treatment_2",
    } <= set(frame.columns)


def test_partners_can_be_looked_for_in_the_models_own_representation(fitted):
    found = fitted.support(X[:9], T0="no", T1="yes", space="representation")
    assert np.isfinite(found.T1.distances).all()
    with pytest.raises(
        ValueError, match="space must be 'covariates' or 'representation', got 'psi'"
    ):
        fitted.support(X, T0="no", T1="yes", space="psi")
    with pytest.raises(ValueError, match="from 1 to the 198 rows of the fit, got 0"):
        fitted.support(X, T0="no", T1="yes", k=0)


def test_large_tables_are_looked_up_in_blocks(monkeypatch, fitted):
    whole = fitted.support(X[:130], T0="no", T1="yes")
    monkeypatch.setattr(supporting, "BLOCK", 64)
    parts = fitted.support(X[:130], T0="no", T1="yes")
    assert np.array_equal(whole.T1.rows, parts.T1.rows)
    assert np.allclose(whole.overlap, parts.overlap)


def test_treatments_may_differ_from_row_to_row(fitted):
    by_row = fitted.support(X[:6], T0="no", T1=np.array(["no", "yes"] * 3))
    yes = fitted.support(X[:6], T0="no", T1="yes")
    assert np.array_equal(by_row.T1.rows[1::2], yes.T1.rows[1::2])
    assert np.array_equal(by_row.T1.rows[::2], by_row.T0.rows[::2])


def test_overlap_and_balance_of_the_whole_table(lonely):
    seen = lonely.overlap()
    assert seen.groups == ("0", "1")
    assert seen.inside.sum() == seen.outside.sum() == 600
    assert np.all(seen.effective <= seen.rows)
    assert 0.02 < seen.lacking < 0.5
    alike = lonely.covariate_balance()
    assert alike.before[0] > 0.3  # the treated have a smaller first covariate
    assert alike.after[0] < alike.before[0]
    assert alike.before[1] < 0.3


def test_a_group_that_is_rare_everywhere_is_lacking_nowhere():
    chances = np.array([[0.96, 0.04], [0.97, 0.03], [0.98, 0.02], [0.5, 0.5]])
    assert list(lacks(chances, np.array([0.95, 0.05]))) == [False, False, True, False]
    assert list(lacks(chances, np.array([0.5, 0.5]))) == [True, True, True, False]
