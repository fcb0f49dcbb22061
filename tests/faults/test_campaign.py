"""Whatever is passed is answered or refused in words; whoever is killed leaves everything whole.

Some attacks of each kind, always the same; `benchmarks/soak.py` makes as many as you like. A fault
names the words that make it again.
"""

import importlib.util
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from attacks.every import CROWDED, INPUTS, KILLED, made
from attacks.oracle import Fault, asked, check_is_ours, command
from pairnet.inference.intervals import check_level

# Seeds, and not the values themselves, so that suite and soak make an attack by the same words;
# nothing is made smaller, since a smaller seed is no smaller attack.
MANY = dict(
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
EXAMPLES = {"hyperparameters": 150, "questions": 60, "frames": 60, "hyperparameters trained": 6}
FEW = 3  # of those that start processes
posix = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Let small products be made by one thread: several would wait for one another."""
    with threadpool_limits(1):
        yield


def attacked(name, examples):
    @settings(max_examples=examples, **MANY)
    @given(seed=st.integers(0, 2**32 - 1))
    def attack(seed):
        made(name, seed)

    attack()


@pytest.mark.usefixtures("as_people_have_it")
@pytest.mark.parametrize("name", [name for name in INPUTS if name not in CROWDED])
def test_it_is_answered_or_refused_in_words(name):
    attacked(name, EXAMPLES.get(name, 30))


@posix
@pytest.mark.usefixtures("as_people_have_it")
@pytest.mark.parametrize("name", KILLED)
def test_what_a_killed_process_wrote_over_is_whole(name):
    attacked(name, 2 * FEW)


@posix
@pytest.mark.usefixtures("as_people_have_it")
@pytest.mark.parametrize("name", CROWDED)
def test_writers_side_by_side_and_disks_that_fail_leave_everything_whole(name):
    endings = {made(name, seed) for seed in range(FEW)}
    if endings == {"skipped"}:
        pytest.skip("this system lets us have no small disk of our own")


def test_the_same_name_and_seed_make_the_same_attack(monkeypatch):
    drawn = []
    monkeypatch.setitem(INPUTS, "noted", None)
    monkeypatch.setitem(
        made.__globals__["ATTACKS"], "noted", lambda rng, place: drawn.append(rng.random())
    )
    for seed in (1, 1, 2):
        made("noted", seed)
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_soak_makes_an_attack_again(monkeypatch, capsys):
    path = Path(__file__).parents[2] / "benchmarks" / "soak.py"
    spec = importlib.util.spec_from_file_location("soak", path)
    soak = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "soak", soak)
    spec.loader.exec_module(soak)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # which it sets for its processes
    monkeypatch.setenv("RUST_BACKTRACE", "0")
    monkeypatch.setattr(sys, "argv", ["soak", "--again", "hyperparameters:1"])
    assert soak.main() == 0
    assert capsys.readouterr().out.strip() == made("hyperparameters", 1)


# What must be a fault is one: a campaign that sees nothing would find nothing.


@pytest.mark.parametrize(
    "ask",
    [
        lambda: None + 1,
        lambda: [][0],
        lambda: int("x"),
        lambda: {}["x"],
        lambda: float(10**400),
        lambda: __import__("numpy").float64(1) / 0,
        lambda: (_ for _ in ()).throw(ValueError("raised here, not in the package")),
    ],
)
def test_an_error_that_is_not_ours_is_a_fault(ask):
    with pytest.raises(Fault):
        asked(ask)


def test_an_error_in_words_is_none():
    assert "alpha must be" in asked(lambda: check_level(3)).why


def test_a_traceback_of_a_command_is_a_fault(monkeypatch):
    import pairnet.commands.list

    def fail(everything):
        raise KeyError("x")

    monkeypatch.setattr(pairnet.commands.list, "list_parts", fail)
    with pytest.raises(Fault, match="a traceback"):
        command("list")


def test_words_of_another_library_passed_on_are_a_fault():
    try:
        try:
            int("x")
        except ValueError as error:
            raise ValueError(f"{error} (the outcome)") from None
    except ValueError as error:
        with pytest.raises(Fault):
            check_is_ours(error)
