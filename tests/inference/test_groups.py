"""Means of groups: by hand, and how often their intervals hold."""

import numpy as np
import pytest
from scipy import stats

from pairnet.inference.groups import by_quantiles, means_of_groups
from pairnet.inference.held_out import held_out_effects

VALUES = np.array([1.0, 3.0, 5.0, 6.0, 9.0])
ALL = np.ones(5)
GROUPS = np.array([[1, 1, 1, 0, 0], [0, 0, 0, 1, 1], [1, 1, 1, 1, 1]], bool)


def test_means_and_errors_of_groups_are_those_of_their_rows():
    found = means_of_groups(VALUES, GROUPS, ALL)
    assert found.value.tolist() == pytest.approx([3, 7.5, 4.8])
    own = [VALUES[rows].std(ddof=1) / np.sqrt(rows.sum()) for rows in GROUPS]
    assert found.error == pytest.approx(own)
    assert found.freedom.tolist() == [2, 1, 4]
    assert found.covariance[0, 1] == 0  # no row is in both


def test_groups_that_share_rows_depend_on_one_another():
    twice = means_of_groups(VALUES, GROUPS[[2, 2]], ALL)
    assert twice.covariance[0, 1] == pytest.approx(twice.covariance[0, 0])
    joint, alone = np.array(twice.joint_interval(0.05)), np.array(twice.interval(0.05))
    assert np.ptp(joint, axis=0) == pytest.approx(np.ptp(alone, axis=0), rel=0.05)


def test_groups_apart_have_the_intervals_of_sidak():
    groups = np.repeat(np.eye(4, dtype=bool), 50, axis=1)
    found = means_of_groups(np.random.default_rng(0).normal(size=200), groups, np.ones(200))
    lower, upper = found.joint_interval(0.05)
    reach = stats.t.ppf(1 - (1 - 0.95**0.25) / 2, 49)
    assert (upper - lower) / 2 == pytest.approx(reach * found.error, rel=0.02)


def test_rows_count_by_their_weight_and_by_cluster():
    heavy = means_of_groups(VALUES, GROUPS, np.array([2.0, 1, 1, 1, 1]))
    assert heavy.value[0] == pytest.approx((2 + 3 + 5) / 4)
    pairs = np.array([0, 0, 1, 1, 2])
    found = means_of_groups(VALUES, GROUPS, ALL, pairs)
    off = (VALUES - 4.8) / 5
    sums = np.array([off[:2].sum(), off[2:4].sum(), off[4]])
    assert found.error[2] == pytest.approx(np.sqrt((sums**2).sum() * 3 / 2))
    assert found.freedom.tolist() == [1, 1, 2]


def test_copies_of_rows_in_clusters_say_no_more_than_the_rows():
    groups = np.repeat(GROUPS, 4, axis=1)
    copied = means_of_groups(np.repeat(VALUES, 4), groups, np.ones(20), np.repeat(range(5), 4))
    assert copied.error == pytest.approx(means_of_groups(VALUES, GROUPS, ALL).error)


def test_a_group_of_one_row_or_none_has_no_error():
    found = means_of_groups(VALUES, np.array([[1, 0, 0, 0, 0], [0] * 5, [1] * 5], bool), ALL)
    assert found.value.tolist()[::2] == [1, 4.8]
    assert np.isnan(found.value[1])
    assert np.isnan(found.error).tolist() == [True, True, False]
    lower, _ = found.joint_interval(0.05)
    assert np.isnan(lower).tolist() == [True, True, False]
    assert np.isnan(found.p_same())


def test_means_that_differ_are_told_from_means_that_do_not():
    rng = np.random.default_rng(0)
    noise, groups = rng.normal(size=300), np.repeat(np.eye(3, dtype=bool), 100, axis=1)
    of = lambda *levels: means_of_groups(noise + np.repeat(levels, 100), groups, np.ones(300))
    assert of(0, 0, 0).p_same() > 0.05
    assert of(0, 0, 1).p_same() < 0.001
    one_way = stats.f_oneway(*np.split(noise, 3)).pvalue
    assert of(0, 0, 0).p_same() == pytest.approx(one_way, abs=0.03)


def test_all_intervals_hold_at_once_as_often_as_they_say():
    """Six groups, of which two overlap with others, and noise that differs."""
    rng, held = np.random.default_rng(1), {"joint": 0, "own": 0}
    for _ in range(200):
        x = rng.normal(size=400)
        groups = np.stack([*(np.digitize(x, [-0.7, 0, 0.7]) == k for k in range(4)), x > 0, x < 9])
        found = means_of_groups(2 + rng.normal(size=400) * (1 + x**2), groups, np.ones(400))
        for kind, ends in (("joint", found.joint_interval(0.05)), ("own", found.interval(0.05))):
            held[kind] += bool(np.all((ends[0] <= 2) & (ends[1] >= 2)))
    assert 0.91 <= held["joint"] / 200 <= 0.98
    assert held["own"] / 200 < 0.88


def test_rows_with_the_same_value_are_in_the_same_group():
    group, edges = by_quantiles(np.array([0.0, 0, 0, 0, 1, 2, 3, 4]), 4)
    assert group.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert len(edges) == 2
    assert by_quantiles(np.arange(10.0), 5)[0].tolist() == np.repeat(range(5), 2).tolist()
    assert by_quantiles(np.ones(4), 5)[0].tolist() == [0] * 4


def folds(rng, rows, count=5):
    return np.arange(count)[:, None] == rng.permutation(np.arange(rows) % count)


def fold_means(score, unseen):
    """Models that say one effect for all: the mean score of the rows that they have seen."""
    return np.asarray([np.full(len(score), score[~rows].mean()) for rows in unseen])


def test_members_are_brought_to_one_level():
    rng = np.random.default_rng(0)
    score = rng.normal(size=100)
    unseen = folds(rng, 100)
    effects = fold_means(score, unseen)
    plain = (effects * unseen).sum(axis=0)
    assert np.corrcoef(plain, score)[0, 1] < -0.05  # the lower the scores, the higher the level
    effect, has = held_out_effects(effects, unseen, np.ones(100))
    assert has.all()
    assert effect == pytest.approx(np.full(100, score.mean()))


def test_rows_that_every_member_has_seen_have_no_effect_of_their_own():
    effects = np.array([[1.0, 2, 3], [5.0, 7, 9]])
    unseen = np.array([[True, True, False], [True, False, False]])
    effect, has = held_out_effects(effects, unseen, np.array([1.0, 3, 1]))
    assert has.tolist() == [True, True, False]
    # Levels are (1 + 3 * 2) / 4 and 5, and their mean by weight (4 * 1.75 + 5) / 5.
    assert effect == pytest.approx([2.4 - 0.75 / 2, 2.4 + 0.25, 2.4])


def fitted_effects(rng, x, score, unseen):
    """Fold models: lines through the scores of the rows that each has seen."""
    line = lambda rows: np.polyval(np.polyfit(x[rows], score[rows], 2), x)
    return np.asarray([line(~rows) for rows in unseen])


@pytest.mark.parametrize("slope", [0.0, 1.0])
def test_groups_of_the_effect_find_differences_only_where_there_are_any(slope):
    """With fold models and their own rows, the ends' difference is held, or found."""
    rng, same, held = np.random.default_rng(2), 0, 0
    for _ in range(200):
        x = rng.normal(size=500)
        score = slope * x + 2 * rng.normal(size=500)
        unseen = folds(rng, 500)
        effects = fitted_effects(rng, x, score, unseen)
        effect, _ = held_out_effects(effects, unseen, np.ones(500))
        group, _ = by_quantiles(effect, 5)
        groups = group == np.arange(5)[:, None]
        found = means_of_groups(score, groups, np.ones(500))
        truth = np.array([slope * x[rows].mean() for rows in groups])
        lower, upper = found.joint_interval(0.05)
        held += bool(np.all((lower <= truth) & (truth <= upper)))
        same += found.p_same() > 0.05
    assert held / 200 >= 0.91
    if slope:
        assert same / 200 < 0.05
    else:
        assert 0.90 <= same / 200 <= 0.985
