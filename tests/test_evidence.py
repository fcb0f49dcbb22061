"""What a model remembers of its rows, and what it says of the evidence behind an effect."""

import json

import numpy as np
import pytest

from checks import easy_problem, small
from pairnet.methods import evidence

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
    assert np.array_equal(kept.x, X[kept.row])
    assert np.array_equal(kept.y, Y[kept.row])
    assert np.array_equal(kept.t, T[kept.row])
    assert np.array_equal(kept.draws, np.ones((2, 198)))


def test_the_summary_of_a_training_is_plain_json(fitted):
    said = json.loads(json.dumps(fitted.training_.summary))
    assert said["rows"] == 198
    arms = {each["arm"]: each["rows"] for each in said["treatment"]["arms"]}
    assert arms == {"no": int((fitted.training_.t == 0).sum()), "yes": int((fitted.training_.t == 1).sum())}
    assert said["outcome"]["mean"] == pytest.approx(fitted.training_.y.mean())
    assert len(said["held_out_score"]) == 2
    assert {"pilot", "mu"} <= set(said["rounds"])
    assert said["seconds"] > 0


def test_a_large_table_is_remembered_by_a_sample(monkeypatch, fitted):
    monkeypatch.setattr(evidence, "MOST_ROWS", 50)
    kept = small().fit(X, Y, treatment=T).training_
    again = small().fit(X[::-1], Y[::-1], treatment=T[::-1]).training_
    assert len(kept) == 50
    assert np.array_equal(kept.x, X[kept.row])
    assert np.array_equal(kept.x, again.x)
    assert np.array_equal(again.row, 199 - kept.row)
