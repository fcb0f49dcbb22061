"""The help is for people: it fits their terminal, has groups, and ends with an example."""

import shutil

import pytest
from typer.main import get_command

from commands_helpers import ask
from pairnet.cli import app

ROOT = get_command(app)
COMMANDS = sorted(ROOT.commands)


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize(
    "words", [(), *((name,) for name in COMMANDS), ("list", "--all")], ids=" ".join
)
def test_help_fits_the_terminal(words, width, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    said = ask(capsys, *words, *["--help"] * ("--all" not in words))
    assert said.code == 0
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= width
    assert not any(mark in said.out for mark in "╭│<>{}")
    assert shutil.get_terminal_size().columns == width


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"data"}))
def test_every_command_has_an_example_and_says_what_its_options_mean(name, capsys):
    command = ROOT.commands[name]
    said = ask(capsys, name, "--help")
    example = said.out.partition("Example:\n")[2].replace("\\\n", "")
    words = example.splitlines()[0].split()
    assert words[:2] == ["pairnet", name]
    options = {text for one in command.params for text in one.opts}
    assert {word for word in words if word.startswith("-")} <= options
    assert all(one.help for one in command.params if one.param_type_name == "option")
    needed = [max(one.opts, key=len) for one in command.params if one.required]
    first = said.out.partition("Needed:")[2].partition("\n\n")[0]
    assert all(one.upper() in first.upper() for one in needed)
    groups = [line for line in said.out.splitlines() if line.endswith(":")]
    assert len(groups) >= (4 if len(options) > 8 else 2)


def test_without_a_word_the_commands_are_there_those_of_an_analyst_first(capsys):
    said = ask(capsys)
    places = [
        said.out.index(f"\n{name}")
        for name in ("To start", "From a table to effects", "For researchers")
    ]
    assert places == sorted(places)
    assert "Exit codes: 0 done" in said.out


def test_the_list_begins_with_what_an_analyst_chooses_from(capsys):
    few, every = ask(capsys, "list"), ask(capsys, "list", "--all")
    assert "stack" in few.out
    assert ".sav" in few.out
    assert "postgresql://user@server/database::select ..." in few.out
    assert "kernelmmd" not in few.out
    assert "table1" not in few.out
    assert all(word in every.out for word in ("kernelmmd", "table1", "ihdp", "Studies:", "Losses:"))
    assert len(few.out) < len(every.out) / 3
