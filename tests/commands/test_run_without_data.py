"""`pairnet run` where data are missing: it says what to get first, and does what it can."""

from contextlib import ExitStack

import pytest

from cheap import TABLE, Shifted, an_experiment
from commands_helpers import ask
from pairnet.bench.draws import draws
from pairnet.bench.results import gather
from pairnet.bench.runner import run
from pairnet.bench.store import Store
from pairnet.paper import experiments


@pytest.fixture
def nothing_here(tmp_path, monkeypatch):
    """A machine that has no data."""
    monkeypatch.setenv("PAIRNET_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("PAIRNET_CACHE", str(tmp_path / "cache"))
    return tmp_path / "store"


@pytest.fixture
def known():
    """A function that makes an experiment known until the test has ended."""
    with ExitStack() as stack:
        yield lambda experiment: stack.enter_context(experiments.having(experiment))


def test_without_any_data_the_command_says_what_to_get_and_fails(nothing_here, capsys):
    said = ask(capsys, "run", "table1", "--replications", 1, "--store", nothing_here)
    assert said.code == 2
    assert said.out == ""
    assert "can be done: their data are not on this machine" in said.flat
    for study in ("ihdp", "acic2016", "twins"):
        assert f"`pairnet data get {study}` fetches study '{study}'." in said.flat
    assert not nothing_here.exists()


def test_data_without_an_address_are_named_with_their_place(nothing_here, capsys):
    said = ask(capsys, "run", "table2", "--replications", 1, "--store", nothing_here)
    assert said.code == 2
    assert "Study 'ihdp-dose' has no public address" in said.flat
    assert "ihdp_cont_giks.npz" in said.flat


def test_where_some_data_are_missing_that_is_said_first_and_the_rest_is_done(
    nothing_here, capsys, known
):
    here = an_experiment(name="here", title="Made here")
    there = {"IHDP": (draws("ihdp", 2),)}
    both = an_experiment(name="both", title="Both", columns={"A": (TABLE,)} | there)
    neither = an_experiment(name="neither", title="Far away", columns=there)
    for experiment in (here, both, neither):
        known(experiment)
    words = ("both", "neither", "--replications", 1, "--store", nothing_here)
    said = ask(capsys, "run", *words)
    assert said.code == 0
    first, _, rest = said.out.partition("\n")
    assert first.startswith("2 jobs cannot be done: their data are not on this machine. `pairnet d")
    assert "2 of 2 jobs to do" in rest
    assert "Far away: there are no results yet." in rest
    assert "IHDP" not in rest
    # What is in the store is shown without the data, too.
    run(here.all_jobs(), Store(nothing_here))
    assert ask(capsys, "run", *words[1:], "here").code == 0


def test_what_is_damaged_in_the_store_is_done_again_and_stops_nothing(nothing_here, capsys, known):
    tiny = an_experiment(measures={"low": Shifted(0.0), "fails": Shifted(-1.0)})
    known(tiny)
    words = ("run", "tiny", "--store", nothing_here)
    assert "4 jobs failed" in ask(capsys, *words).flat
    path = Store(nothing_here).path(next(iter(tiny.all_jobs())))
    path.write_text("[" * 100_000)
    said = ask(capsys, *words)
    assert said.code == 0
    assert f"A damaged result was done again: {path.name}"[:33] in said.flat
    assert "1 of 8 jobs to do" in said.flat
    path.write_text("[" * 100_000)
    cells = gather(tiny, Store(nothing_here)).cells.values()  # as a report does
    assert [(cell.done, cell.failed, cell.missing) for cell in cells] == [(3, 0, 1), (0, 4, 0)]
