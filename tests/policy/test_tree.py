"""Trees of conditions, against all trees there are."""

import numpy as np
import pandas as pd
import pytest

from pairnet.policy import policy_tree
from pairnet.policy.search import MOST_CUTS, Binned

RNG = np.random.default_rng(0)


def best_of_all(gains, x, depth, least):
    """Return what the best of all trees gains."""
    alone = max(0, gains.sum(axis=0).max()) if len(gains) >= least else -np.inf
    if depth == 0:
        return alone
    found = [alone]
    for k in range(x.shape[1]):
        values = np.unique(x[:, k])
        for cut in (values[:-1] + values[1:]) / 2:
            left = x[:, k] <= cut
            sides = [best_of_all(gains[s], x[s], depth - 1, least) for s in (left, ~left)]
            found.append(sum(sides))
    return max(found)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("depth", [1, 2])
def test_trees_of_depth_1_and_2_are_the_best_there_are(depth, seed):
    rng = np.random.default_rng(seed)
    x, gains = rng.integers(0, 4, size=(24, 2)).astype(float), rng.normal(size=(24, 2))
    grown = Binned.of(gains, x, 3).grown(depth)
    option = grown.option[grown.leaves(x)]
    gained = np.where(option > 0, gains[np.arange(24), option - 1], 0).sum()
    assert gained == pytest.approx(best_of_all(gains, x, depth, 3))


def test_a_number_with_many_values_is_cut_at_quantiles():
    x = np.exp(RNG.normal(size=(5000, 1)))
    (cuts,) = Binned.of(np.zeros((5000, 1)), x, 1).edges
    assert len(cuts) == MOST_CUTS
    shares = np.diff(np.searchsorted(np.sort(x[:, 0]), cuts)) / 5000
    assert shares == pytest.approx(np.full(MOST_CUTS - 1, 1 / (MOST_CUTS + 1)), abs=1e-3)


# Two columns that tell nothing alone: those gain who are old and a member, or neither.
N = 1200
PEOPLE = pd.DataFrame(
    {
        "age": RNG.integers(18, 80, N),
        "member": RNG.random(N) < 0.5,
        "region": RNG.choice(["north", "south", "west"], N),
    }
)
EFFECT = np.where((PEOPLE["age"] > 48) == PEOPLE["member"], 1.0, -1.0)
SCORE = EFFECT + RNG.normal(size=N)


@pytest.fixture(scope="module")
def tree():
    return policy_tree(SCORE, PEOPLE, depth=2, names=["drug"])


def test_a_split_that_gains_nothing_alone_is_found_if_the_next_one_does(tree):
    treated = tree.frame()[tree.frame()["treatment"] == "drug"]
    assert len(tree.rule) == 4
    assert any("member is yes" in rule and "age above" in rule for rule in treated["rule"])
    assert tree.predict(PEOPLE).isin(["drug", "nobody"]).all()
    right = (tree.predict(PEOPLE) == "drug") == (EFFECT > 0)
    assert right.mean() > 0.95
    assert tree.predict(PEOPLE.iloc[:5]).index.tolist() == [0, 1, 2, 3, 4]


def test_its_value_is_that_on_rows_that_have_not_chosen_it(tree):
    gain = tree.value["nobody"]
    assert gain.lower < 0.5 < gain.upper  # half of the rows gain 1
    assert "on rows that have not chosen them" in str(tree)
    noise = policy_tree(RNG.normal(size=N), PEOPLE)
    flattering = float(noise.gain @ noise.share)
    assert noise.value["nobody"].value < flattering


def test_a_third_level_is_searched_in_the_same_way():
    """A corner of a cube: three splits."""
    x = RNG.random((900, 3))
    corner = (x > 0.5).all(axis=1)
    found = policy_tree(np.where(corner, 3.0, -1.0), x, depth=3)
    treated = found.predict(x) == "treated"
    assert (treated == corner).mean() > 0.97


def test_where_all_gain_all_are_treated_and_where_none_does_nobody():
    assert policy_tree(np.ones(40), np.arange(40.0)[:, None]).rule == ("all rows",)
    nobody = policy_tree(-np.ones(40), np.arange(40.0)[:, None])
    assert nobody.treatment == ("nobody",)
    assert nobody.value["nobody"].value == 0


def test_leaves_have_as_many_rows_as_they_must():
    x, gains = RNG.normal(size=(200, 3)), RNG.normal(size=200)
    assert policy_tree(gains, x, depth=3, least=30).rows.min() >= 30
    assert policy_tree(gains, x, least=101).rows.tolist() == [200]


def test_weights_and_several_treatments_count():
    x = np.repeat([[0.0], [1.0]], 50, axis=0)
    scores = np.column_stack([np.where(x[:, 0] == 0, 2.0, 1.0), np.full(100, 1.5)])
    found = policy_tree(scores, x, depth=1, names=["small", "large"])
    assert dict(zip(found.rule, found.treatment, strict=True)) == {
        "0 is 0": "small",
        "0 is 1": "large",
    }
    alone = np.where(np.arange(100) % 2 == 0, 1.0, -3.0)
    weighted = policy_tree(alone, x, weight=np.where(alone > 0, 1.0, 0.1))
    assert weighted.treatment == ("treated",)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: policy_tree(SCORE, PEOPLE, depth=4), "depth must be 1, 2 or 3, got 4"),
        (lambda: policy_tree(SCORE, PEOPLE.iloc[:9]), "X must have a row a score .1200., got 9"),
        (lambda: policy_tree(SCORE, PEOPLE, least=0), "least must be a number of rows"),
        (lambda: policy_tree(SCORE, PEOPLE, names=[1, 2]), "names must be one a treatment"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(ask, message):
    with pytest.raises(ValueError, match=message):
        ask()
