"""Whom to treat, as a report shows it: the gain curve."""

import numpy as np
import pytest

from models_by_hand import model_of, remembered
from pairnet import TARNet
from pairnet.inference.averages import of_scores
from pairnet.model.question import ask_memory
from pairnet.report.document import plain
from pairnet.report.model.policy import policy_figures
from pairnet.report.model.scores import Scored, gain_curve, scored
from pairnet.report.model.subject import Subject

N = 200
EFFECT = np.linspace(-1, 3, N)
SURE = Scored(EFFECT, EFFECT, of_scores(EFFECT))
CHANCE = Scored(EFFECT, np.random.default_rng(0).permutation(EFFECT), of_scores(EFFECT))


def subject(goal=1, draws=None):
    memory = remembered(np.arange(float(N)), np.arange(N) % 2, draws=draws)
    question = ask_memory(model_of(memory, lambda x, t: t))
    rows = np.arange(N)
    return Subject(TARNet(), question, memory.t, memory.y, rows, goal)


def figures(found, goal=1, draws=None):
    return policy_figures(subject(goal, draws), gain_curve(found, goal))


def number(text):
    return float(text.replace("−", "-"))


def test_the_curve_shows_what_the_first_ones_gain_beside_as_many_at_random():
    gain, _ = figures(SURE)
    lines = {}
    for line, share, value, *_ in gain.chart.rows:
        lines.setdefault(line, []).append((number(share), number(value)))
    ordered, random = (
        lambda share, points=points: np.interp(share, *zip(*points, strict=True))
        for points in lines.values()
    )
    assert [ordered(0), ordered(100)] == pytest.approx([0, 1], abs=0.01)
    assert [random(0), random(50), random(100)] == pytest.approx([0, 0.5, 1], abs=0.01)
    # The better half have effects from 1 to 3, of 2 in the mean: 1 a row of the whole table.
    assert ordered(50) == pytest.approx(1, abs=0.02)


def test_an_order_is_worth_something_or_may_be_chance():
    assert "above 0, so the order is worth something." in figures(SURE)[0].caption
    assert "not clearly above 0, so the order may be chance." in figures(CHANCE)[0].caption


def test_where_a_small_outcome_is_good_the_curve_below_counts():
    gain, *_ = figures(SURE, goal=-1)
    assert "As a small health is good, it counts where the curve lies below" in gain.caption
    assert "above 0, so the order is worth something." in gain.caption
    assert "change per row of the table" in gain.chart.svg
    assert "it counts where" not in figures(SURE)[0].caption
    assert "gain per row of the table" in figures(SURE)[0].chart.svg


def test_a_reader_is_told_whether_rows_were_seen_by_the_model():
    seen = plain(figures(SURE)[1].text)
    assert "The model has seen these rows, so the picture is flattering." in seen
    assert "bootstrap=True" in seen
    draws = np.ones((2, N), int)
    draws[0, ::2] = 0
    unseen = plain(figures(SURE, draws=draws)[1].text)
    assert "Every row is judged by members of the ensemble that did not train on it." in unseen
    assert "flattering" not in unseen


def test_scores_of_a_perfect_model_are_its_effects():
    t, x = np.arange(8.0) % 2, np.repeat([0.0, 1, 2, 3], 2)
    memory = remembered(x, t, x + t * x)
    question = ask_memory(model_of(memory, lambda x, t: x[:, 0] * (1 + t)))
    perfect = Subject(TARNet(), question, t, memory.y, np.arange(8), 1)
    found = scored(perfect)
    assert found.score.tolist() == pytest.approx(x.tolist())
    assert found.average.value == pytest.approx(1.5) == pytest.approx(question.effect.mean())
