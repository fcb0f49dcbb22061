"""A report claims nothing of rows that extrapolate, and says how many they are."""

import numpy as np
import pytest

from models_by_hand import model_of
from pairnet import TARNet
from pairnet.core.treatments import Arms
from pairnet.evidence.memory import Memory
from pairnet.model.question import ask_memory
from pairnet.report.model.answer import answer, averages_of, lead
from pairnet.report.model.effects import clearly
from pairnet.report.model.evidence import Evidence
from pairnet.report.model.policy import policy_figures
from pairnet.report.model.scores import gain_curve, scored
from pairnet.report.model.subject import Subject

N = 1000


def subject(untreated):
    """Return a model that raises everybody's outcome by 5; nobody in one town was treated.

    untreated: the share of the rows that live there.
    """
    rng = np.random.default_rng(0)
    there = np.arange(N) < untreated * N
    x = np.column_stack([there, rng.random(N) < 0.5]).astype(float)
    t = np.where(there, 0.0, np.arange(N) % 2)
    y, draws = 5 * t + rng.normal(size=N), rng.integers(0, 3, (2, N))
    about = {"names": {"treatment": "drug", "outcome": "health"}, "rows": N}
    memory = Memory(x, t, y, np.ones(N), np.arange(N), draws, Arms((0, 1)), about)
    question = ask_memory(model_of(memory, lambda x, t: 5 * t, lambda x, t: 5.1 * t))
    return Subject(TARNet(), question, t, y, np.arange(N), 1)


def said(untreated):
    about = subject(untreated)
    averages, rests = averages_of(about), Evidence(about)
    first, *_ = answer(about, averages[0], averages, rests)
    (second,) = clearly(about, rests)
    found = {name: (value, meaning) for name, value, meaning in (*first.items, *second.items)}
    return found, rests, lead(about, averages[0], None, rests)


@pytest.mark.parametrize("untreated", [0.3, 0.8, 0.9])
def test_rows_that_extrapolate_are_not_said_to_be_clearly_raised(untreated):
    found, rests, first_paragraph = said(untreated)
    assert rests.extrapolated == pytest.approx(untreated, abs=0.02)
    value, meaning = found["Clearly raised"]
    assert float(value.removesuffix(" %")) == pytest.approx(100 * (1 - untreated), abs=2)
    assert "rows that extrapolate do not count" in meaning
    guessed = f"{100 * rests.extrapolated:.0f} %"
    assert guessed in found["Average effect"][1]
    assert guessed in found["Most rows' effects"][1]
    assert guessed in first_paragraph
    (note,) = rests.note()
    assert note.text.startswith(f"{guessed} of the rows here are extrapolated")


def test_where_all_rows_have_support_all_of_them_count():
    found, rests, first_paragraph = said(0)
    assert found["Clearly raised"] == ("100 %", "of rows: their own 95 % interval lies above 0")
    assert not rests.note()
    assert "extrapolate" not in first_paragraph


def test_an_order_of_rows_that_extrapolate_is_not_worth_something():
    about = subject(0.8)
    judged = scored(about)
    gain = gain_curve(judged, 1)
    object.__setattr__(gain, "area_interval", (1.0, 2.0))
    curve = lambda lacking: policy_figures(about, gain, lacking)[0].caption
    assert "worth something" in curve(False)
    assert "worth something" not in curve(True)
    assert "most rows are extrapolated" in curve(True)
