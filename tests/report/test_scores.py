"""Scores of held-out rows, and the gain curve."""

from dataclasses import replace

import numpy as np
import pytest

from pairnet.inference.averages import of_scores
from pairnet.report.model.scores import Scored, gain_curve, scored
from pairnet.report.model.subject import subject_of as view


def test_rows_judge_only_members_that_have_not_seen_them(models):
    model = models["arms"][0]
    seen = view(model, T0="none", T1="small")
    unseen = model.training_.draws == 0
    assert seen.honest
    assert np.array_equal(seen.question.scores.unseen, unseen)
    levels = (seen.members * unseen).sum(axis=1, keepdims=True) / unseen.sum(axis=1)[:, None]
    off = ((seen.members - levels) * unseen).sum(axis=0) / unseen.sum(axis=0).clip(1)
    judged = unseen.any(axis=0)
    middle = float(np.average(levels[:, 0], weights=unseen.sum(axis=1)))
    assert scored(seen).effect[judged] == pytest.approx((middle + off)[judged])
    assert len(scored(seen).effect) == len(unseen[0])  # a light model judges the others


def test_scores_of_new_rows_average_to_the_effect(models):
    model = models["arms"][0]
    _, frame, y, t = models["arms"]
    seen = view(model, frame, y, t, T0="none", T1="small")
    mean, error = scored(seen).mean()
    assert abs(mean - 3) < 4 * error + 0.3  # 1 + 4 * half of the rows


def test_the_gain_curve_by_hand():
    effect = np.array([4.0, 3.0, 2.0, 1.0])
    score = np.array([4.0, 2.0, 0.0, -2.0])
    found = Scored(effect, score, of_scores(score))
    gain = gain_curve(found, 1)
    assert np.isclose(gain.everyone, 1.0)
    assert np.isclose(gain.gain[10], 1.5)  # the better half: (4 + 2) / 4
    assert gain.area > 0
    assert np.isclose(
        gain_curve(found, -1).area, gain.area
    )  # a small outcome is good: the other end comes first
    wrong = Scored(-effect, score, found.average)
    assert gain_curve(wrong, 1).area < 0


def test_an_order_that_is_chance_is_said_to_be():
    rng = np.random.default_rng(0)
    score = 1 + rng.normal(size=500)
    noise = Scored(rng.normal(size=500), score, of_scores(score))
    low, high = gain_curve(noise, 1).area_interval
    assert low < 0 < high


def test_rows_with_the_same_effect_are_in_no_order():
    score = np.sort(np.random.default_rng(0).normal(size=400))  # as canonical order sorts rows
    gain = gain_curve(Scored(np.ones(400), score, of_scores(score)), 1)
    assert (gain.area, *gain.area_interval) == (0, 0, 0)
    assert gain.gain == pytest.approx(gain.share * score.mean())


def test_weights_and_clusters_count_in_the_gain_curve():
    rng = np.random.default_rng(0)
    score, weight = rng.normal(size=400), np.where(np.arange(400) < 200, 1.0, 0.0)
    plain = Scored(score, score, of_scores(score))
    half = gain_curve(replace(plain, weight=weight), 1)
    assert half.everyone == pytest.approx(score[:200].mean())
    pairs = gain_curve(replace(plain, clusters=np.arange(400) // 40), 1)
    assert np.ptp(pairs.area_interval) != pytest.approx(np.ptp(gain_curve(plain, 1).area_interval))
