"""Bars in the terminal: a line for each stage, or for each learner of a stack and those left."""

import sys
from contextlib import contextmanager

import pytest

from checks import easy_problem
from pairnet import LinearTLearner
from pairnet.training import progress
from pairnet.training.progress import DONE, WAITING, bar, within


def shown(capsys, *stages):
    """Return the lines that are shown after these stages, each with what is finished of 1."""
    with bar("Stack") as report:
        for stage, finished in stages:
            report(stage, finished, 1, 1)
    return [line.strip() for line in capsys.readouterr().err.splitlines() if line.strip()]


def test_a_stack_has_a_line_a_learner_and_says_who_is_left(capsys):
    first, second, third = "A (1 of 3)", "B (2 of 3)", "C(d=1) (3 of 3)"
    waiting = [(within(name, WAITING), 0.0) for name in (first, second, third)]
    begun = (within(first, "starting"), 0.0)
    done = (within(first, DONE), 1.0), (within(second, "mu"), 0.5)

    line, left = shown(capsys, *waiting, begun)
    assert first in line
    assert "starting" in line
    assert left == "left: B, C(d=1)"
    before, now, left = shown(capsys, *waiting, begun, *done)
    assert (first in before, "done" in before, second in now, "mu" in now) == (True,) * 4
    assert left == "left: C(d=1)"
    lines = shown(capsys, *waiting, begun, *done, (within(third, "mu"), 0.0))
    assert not [line for line in lines if "left" in line]


def test_one_method_has_a_line_a_stage(capsys):
    lines = shown(capsys, ("pilot", 1.0), ("mu", 1.0))
    assert [line.split(",")[0] for line in lines] == ["Stack", "Stack"]
    assert ["pilot" in lines[0], "mu" in lines[1]] == [True, True]


def test_who_watches_sees_a_line_once_a_training_takes_long(monkeypatch):
    told = []

    @contextmanager
    def opened(label, shown=True, transient=False):
        yield lambda stage, *_: told.append(stage) if shown else None

    def told_after(patience):
        told.clear()
        monkeypatch.setattr(progress, "PATIENCE", patience)
        with progress.for_whom_it_may_concern("PairNet", False) as report:
            report("pilot", 1.0, 1, 1)
            monkeypatch.setattr(progress, "PATIENCE", min(patience, 0.0))
            report("mu", 0.5, 1, 7)
        return told

    monkeypatch.setattr(progress, "bar", opened)
    assert told_after(60.0) == []  # nobody watches
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert told_after(60.0) == ["pilot", "mu"]  # what was before is shown, too
    assert told_after(0.0) == ["pilot", "mu"]
    with progress.for_whom_it_may_concern("PairNet", False) as report:
        monkeypatch.setattr(progress, "PATIENCE", 60.0)
        told.clear()
        report("mu", 0.5, 1, 7)
    assert told == []


def test_who_watches_is_told_that_one_network_has_no_intervals(monkeypatch):
    x, t, y, _ = easy_problem(60)
    fit = lambda method: method.fit(x, y, treatment=t)
    fit(LinearTLearner())  # nobody watches, and a notice would be an error here
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    fit(LinearTLearner(members=5, bootstrap=True))
    with pytest.warns(
        UserWarning,
        match="LinearTLearner come without intervals: fit with members=5 and bootstrap=True",
    ):
        fit(LinearTLearner())


def test_nothing_is_shown_where_nobody_looks(capsys):
    with bar("Stack", shown=False) as report:
        report("mu", 1.0, 1, 1)
    assert not any(capsys.readouterr())
