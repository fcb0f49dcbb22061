"""Bars in the terminal: a line for each stage, or for each learner of a stack and those left."""

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


def test_nothing_is_shown_where_nobody_looks(capsys):
    with bar("Stack", shown=False) as report:
        report("mu", 1.0, 1, 1)
    assert not any(capsys.readouterr())
