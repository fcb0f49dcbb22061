"""How the command line says errors: options for arguments, lines for rows, settings as options."""

import warnings

import numpy as np
import pytest

from pairnet.commands.wording import COMMAND_LINE, CommandLineWording, in_lines, notes, worded
from pairnet.core.errors import PYTHON, Argument, At, BadInput, InPython, Notice, Setting, Use
from pairnet.core.notices import notice


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ("T0", "--from must be there."),
        ("T1", "--to must be there."),
        ("y", "The outcome must be there."),
        ("treatment", "The treatment must be there."),
        ("X", "The table must be there."),
        ("goal", "--goal must be there."),
        ("alpha", "--alpha must be there."),
        ("folds", "--folds must be there."),
        ("--out", "--out must be there."),
        ("--set base.l2", "--set base.l2 must be there."),
        ("PairNet.drop", "--set drop must be there."),
        ("TARNet.members", "--members must be there."),
        ("Plan.patience", "--set plan.patience must be there."),
    ],
)
def test_arguments_are_options_or_nouns(argument, said):
    error = BadInput(argument, "must be there")
    assert worded(error) == said
    assert str(error) == f"{argument} must be there."


def test_arguments_within_a_sentence():
    assert COMMAND_LINE.text(("the values of ", Argument("y"), " and ", Argument("T0"))) == (
        "the values of the outcome and --from"
    )
    both = BadInput("", (Argument("T0"), " and ", Argument("T1"), " must differ"))
    assert worded(both) == "--from and --to must differ."
    assert worded(BadInput("", (Argument("X"), " is empty"))) == "The table is empty."


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (Setting("treatment", "dose"), "--kind dose"),
        (Setting("members", 5), "--members 5"),
        (Setting("bootstrap", True), "--bootstrap"),
        (Setting("bootstrap", False), "--no-bootstrap"),
        (Setting("seed", 3), "--seed 3"),
        (Setting("calibration", 0.2), "--set calibration=0.2"),
        (Setting("columns", (0, 2)), "--set columns=0,2"),
        (Setting("l2", None), "--set l2=none"),
        (Setting("plan.patience", 10), "--set plan.patience=10"),
        (Setting("T0", "no drug"), "--from 'no drug'"),
        (Setting("T1", 2.5), "--to 2.5"),
    ],
)
def test_settings_are_what_one_types(setting, said):
    assert COMMAND_LINE.text(setting) == said
    assert PYTHON.text(setting) == f"{setting.name}={setting.value!r}"


def test_several_settings_in_a_sentence_are_options_with_the_same_words_between():
    advice = ("Fit it with ", Setting("members", 5), " (or more) and ", Setting("bootstrap", True))
    assert COMMAND_LINE.text(advice) == "Fit it with --members 5 (or more) and --bootstrap"
    advice = (Setting("l2", 0.1), " or ", Setting("space", "phi"), ", with ", Setting("seed", 1))
    assert COMMAND_LINE.text(advice) == "--set l2=0.1 or --set space=phi, with --seed 1"


def test_of_several_methods_only_the_first_has_its_option():
    for_doses = (Use("VCNet"), ", ", Use("DRNet"), " or ", Use("PairNet", "base=VCNet()"))
    assert COMMAND_LINE.text(("Use ", *for_doses, ".")) == "Use --method vcnet, drnet or pairnet."
    assert PYTHON.text(("Use ", *for_doses, ".")) == (
        "Use VCNet(), DRNet() or PairNet(base=VCNet())."
    )
    apart = (Use("TARNet"), " for arms; ", Use("VCNet"), " for doses")
    assert COMMAND_LINE.text(apart) == "--method tarnet for arms; --method vcnet for doses"


def test_words_for_python_are_left_out_or_replaced():
    advice = ("make them numbers", InPython(" with y.astype(float)"), ", or ", InPython("a", "b"))
    assert COMMAND_LINE.text(advice) == "make them numbers, or b"


def test_rows_are_lines_where_they_are_known_and_positions_in_the_file():
    problem = ("has gaps in ", At((0, 2), more=True))
    assert CommandLineWording().text(problem) == "has gaps in rows 0, 2, ... (the first row is 0)"
    lines = CommandLineWording(lambda rows: [row + 2 for row in rows])
    assert lines.text(problem) == "has gaps in lines 2, 4, ... of the file"
    assert lines.text(("at ", At((7,)))) == "at line 9 of the file"
    some = CommandLineWording(lambda rows: [row + 2 for row in rows], np.array([1, 5, 9]))
    assert some.text(problem) == "has gaps in lines 3, 11, ... of the file"
    assert (
        CommandLineWording(positions=np.array([4])).text(At((0,))) == "row 4 (the first row is 0)"
    )


def test_errors_about_a_table_name_its_lines(tmp_path):
    (tmp_path / "t.csv").write_text('a;b\n"1\n1";2\n3;4\n')
    with (
        pytest.raises(ValueError, match=r"^The table is odd at line 4 of the file\. Mend it\.$"),
        in_lines(tmp_path / "t.csv", ";"),
    ):
        raise BadInput("X", ("is odd at ", At((1,))), "Mend it.")
    with (
        pytest.raises(ValueError, match=r"^The table is odd at row 1 \(the first row is 0\)\.$"),
        in_lines(tmp_path / "t.parquet", None),
    ):
        raise BadInput("X", ("is odd at ", At((1,))))


def test_other_errors_are_said_as_they_are():
    assert worded(OSError("no space left")) == "no space left"


def test_notices_become_notes_once_and_some_are_not_shown(capsys):
    with notes(but="Left out"):
        for _ in range(2):
            notice(Argument("y"), " follows. Say ", Setting("treatment", "dose"), ".")
        notice("Left out of the covariates: 'id'.")
        warnings.warn("something plain", stacklevel=1)
    assert capsys.readouterr().err == (
        "Note: The outcome follows. Say --kind dose.\nNote: something plain\n"
    )
    assert str(Notice((Argument("y"), " follows."))) == "y follows."
