"""What a policy gains by scores: identities, and numbers worked by hand."""

import numpy as np
import pytest
from scipy import stats

from pairnet.policy import policy_value

SCORE = np.array([4.0, 2.0, 0.0, -2.0])
RNG = np.random.default_rng(0)


def test_numbers_worked_by_hand():
    found = policy_value(SCORE, [1, 1, 0, 0])
    assert found["nobody"].value == pytest.approx(6 / 4)
    assert found["everybody"].value == pytest.approx((0 + 0 + 0 + 2) / 4)
    assert found["as many at random"].value == pytest.approx(6 / 4 - 4 / 8)
    assert found.share == pytest.approx([0.5])
    half = policy_value(SCORE, [0.5, 0.5, 0.5, 0.5])
    assert half["nobody"].value == pytest.approx(SCORE.mean() / 2)
    assert half["as many at random"] == (0, 0, 0, 0, 1)


def test_treating_all_is_the_average_of_the_scores_and_nobody_nothing():
    scores = RNG.normal(size=300) + 1
    everybody = policy_value(scores, np.ones(300))
    mean = everybody["nobody"]
    low, high = stats.t.interval(0.95, 299, scores.mean(), scores.std(ddof=1) / np.sqrt(300))
    assert mean.value == pytest.approx(scores.mean())
    assert (mean.lower, mean.upper) == pytest.approx((low, high))
    assert everybody["everybody"] == (0, 0, 0, 0, 1)
    assert policy_value(scores, np.zeros(300))["nobody"] == (0, 0, 0, 0, 1)


def test_each_of_several_treatments_has_its_scores():
    scores = np.array([[1.0, 5.0], [2.0, -1.0], [3.0, 3.0], [0.0, 8.0]])
    given = np.array([[0.0, 1], [1, 0], [0, 0], [0.5, 0.5]])
    found = policy_value(scores, given, names=["small", "large"])
    assert found["nobody"].value == pytest.approx((5 + 2 + 0 + 4) / 4)
    assert found["everybody large"].value == pytest.approx(11 / 4 - 15 / 4)
    assert found.frame()["against"].tolist()[-1] == "as many at random"
    shares = 1.5 / 4, 1.5 / 4
    random = shares[0] * 6 / 4 + shares[1] * 15 / 4
    assert found["as many at random"].value == pytest.approx(11 / 4 - random)


def test_weights_and_clusters_count():
    treated, weight = [1, 0, 1, 1], [1.0, 1, 2, 0]
    rows = [0, 1, 2, 2]
    weighted = policy_value(SCORE, treated, weight=weight)["nobody"].value
    assert weighted == pytest.approx(
        policy_value(SCORE[rows], np.array(treated)[rows])["nobody"].value
    )
    many = np.repeat(RNG.normal(size=50), 8)
    joint = policy_value(many, many > 0, clusters=np.repeat(np.arange(50), 8))["nobody"]
    assert joint.error == pytest.approx(policy_value(many[::8], many[::8] > 0)["nobody"].error)


def test_intervals_hold_the_gain_at_their_level():
    rng, held = np.random.default_rng(1), 0
    for _ in range(120):
        effect = rng.normal(size=80)
        found = policy_value(effect + rng.normal(size=80), effect > 0, alpha=0.2)["nobody"]
        held += found.lower < stats.norm.pdf(0) < found.upper  # E[max(effect, 0)]
    assert 0.72 < held / 120 < 0.88


def test_it_shows_as_a_table_and_says_who_is_treated():
    text = str(policy_value(SCORE, [1, 1, 0, 0], names=["drug"]))
    assert "this policy  as many at random" in text
    assert text.endswith("by the doubly robust scores of 4 rows. This policy treats 50 % drug.")


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: policy_value(SCORE, [2, 0, 0, 0]), "treated must be shares of a row, from 0 to 1"),
        (lambda: policy_value(SCORE, [1, 0]), "treated must be numbers"),
        (lambda: policy_value(SCORE, [1, 0, 0, 0], names="ab"), "names must be one a treatment"),
        (lambda: policy_value(SCORE, [1, 0, 0, 0])["all"], "expected one of"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(ask, message):
    with pytest.raises((ValueError, KeyError), match=message):
        ask()
