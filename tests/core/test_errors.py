"""Errors as values: every part in the words of Python and in those of the command line."""

import pickle
import warnings

import numpy as np
import pytest

from pairnet.commands.wording import CommandLineWording, worded
from pairnet.core.errors import (
    Argument,
    At,
    BadInput,
    BadType,
    InPython,
    Notice,
    Setting,
    Use,
    count_of,
    listed,
)
from pairnet.core.notices import notice

FULL = BadInput(
    "X",
    ("has gaps at ", At((3, 5), more=True)),
    ("Use ", Use("PairNet", "base=VCNet()"), " with ", Setting("treatment", "dose"), "."),
)


@pytest.mark.parametrize(
    ("part", "in_python", "on_the_command_line"),
    [
        ("words", "words", "words"),
        (("see ", Argument("T0")), "see T0", "see --from"),
        (("see ", Argument("T1")), "see T1", "see --to"),
        (("see ", Argument("X")), "see X", "see the table"),
        (Setting("treatment", "dose"), "treatment='dose'", "--kind dose"),
        (Setting("bootstrap", True), "bootstrap=True", "--bootstrap"),
        (Setting("bootstrap", False), "bootstrap=False", "--no-bootstrap"),
        (Setting("members", 5), "members=5", "--members 5"),
        (Setting("l2", 0.1), "l2=0.1", "--set l2=0.1"),
        (Setting("T0", "not given"), "T0='not given'", "--from 'not given'"),
        (Use("VCNet"), "VCNet()", "--method vcnet"),
        (Use("PairNet", "base=VCNet()"), "PairNet(base=VCNet())", "--method pairnet"),
        ((Use("VCNet"), " or ", Use("DRNet")), "VCNet() or DRNet()", "--method vcnet or drnet"),
        (At((4,)), "row 4 (the first row is 0)", "row 4 (the first row is 0)"),
        (At((4, 7)), "rows 4, 7 (the first row is 0)", "rows 4, 7 (the first row is 0)"),
        (InPython("call f()", "type f"), "call f()", "type f"),
        (InPython("call f()"), "call f()", ""),
    ],
)
def test_every_part_has_words_for_python_and_for_the_command_line(
    part, in_python, on_the_command_line
):
    assert str(Notice(part)) == in_python
    assert worded(Notice(part)) == on_the_command_line


def test_rows_are_lines_where_a_file_has_lines():
    wording = CommandLineWording(lambda rows: [row + 2 for row in rows])
    assert Notice(At((3,))).worded(wording) == "line 5 of the file"
    assert Notice(At((3, 5), more=True)).worded(wording) == "lines 5, 7, ... of the file"
    of_some = CommandLineWording(lambda rows: [row + 2 for row in rows], np.array([10, 20, 30, 40]))
    assert Notice(At((3,))).worded(of_some) == "line 42 of the file"


def test_an_error_is_a_sentence_about_its_argument_and_its_advice():
    assert str(FULL) == (
        "X has gaps at rows 3, 5, ... (the first row is 0). "
        "Use PairNet(base=VCNet()) with treatment='dose'."
    )
    assert worded(FULL).startswith("The table has gaps at rows 3, 5, ...")
    assert worded(FULL).endswith("Use --method pairnet with --kind dose.")
    assert FULL.rows == (3, 5)
    assert BadInput("y", "is odd").rows == ()


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (BadInput("", "All is lost"), "All is lost."),
        (BadInput("", "Is it the right column?", "Look."), "Is it the right column? Look."),
        (BadInput("k", "must be 1."), "k must be 1."),
        (BadInput("k", "must be 1", InPython("", "Say both.")), "k must be 1."),
    ],
)
def test_a_sentence_ends_once(error, text):
    assert str(error) == text


def test_hyperparameters_are_named_by_their_options():
    assert worded(BadInput("PairNet.members", "must be 1")) == "--members must be 1."
    assert worded(BadInput("PairNet.drop", "must be 1")) == "--set drop must be 1."
    assert worded(BadInput("Plan.patience", "must be 1")) == "--set plan.patience must be 1."


def test_errors_are_those_that_python_people_catch():
    with pytest.raises(ValueError, match="X has gaps"):
        raise FULL
    with pytest.raises(TypeError, match="X is lazy"):
        raise BadType("X", "is lazy")
    assert isinstance(BadType("X", "is lazy"), ValueError)
    assert worded(KeyError("of others")) == "'of others'"


@pytest.mark.parametrize(
    "message", [FULL, BadType("X", "is lazy", "Collect it."), Notice((Argument("T0"), " is far"))]
)
def test_messages_survive_the_way_between_processes(message):
    again = pickle.loads(pickle.dumps(message))
    assert type(again) is type(message)
    assert str(again) == str(message)
    assert worded(again) == worded(message)


def test_a_notice_is_a_warning_with_words_for_both():
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        notice(Argument("T0"), " is far")
    assert [str(each.message) for each in told] == ["T0 is far"]
    assert worded(told[0].message) == "--from is far"


def test_numbers_of_rows_and_lists_read_as_sentences():
    assert [count_of(rows) for rows in (0, 1, 1500)] == ["0 rows", "1 row", "1,500 rows"]
    assert listed(["a"]) == "a"
    assert listed(["a", "b"], "or") == "a or b"
    assert listed(["a", "b", "c"]) == "a, b and c"
