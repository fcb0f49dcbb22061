"""Imports point one way, heavy ones wait, and every part is small and says what it is."""

import ast
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

import pairnet
from pairnet.core.outcomes import outcomes
from pairnet.core.registry import summary
from pairnet.core.treatments import treatments
from pairnet.engines import engines
from pairnet.export import exports
from pairnet.losses import losses
from pairnet.methods import methods
from pairnet.networks import networks
from pairnet.pairing import pairings
from pairnet.studies import studies
from pairnet.tables.formats import formats

SOURCE = Path(pairnet.__file__).parent
# A file may import from rooms of a lower floor, and from its own room.
FLOORS = [
    {"core"},
    {"engines", "metrics", "tables", "networks", "losses", "pairing", "views", "studies"},
    {"training"},
    {"inference"},
    {"evidence", "policy"},
    {"model"},
    {"learners"},
    {"methods"},
    {"compare", "export"},
    {"integrations"},
    {"bench"},
    {"paper"},
    {"report"},
    {"commands"},
    {"cli"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
# Rooms under the name that they had first: nothing inside uses them.
ALIASES = {"data": "studies", "comparing": "compare"}
FILES = sorted(SOURCE.rglob("*.py"))
TREES = {path: ast.parse(path.read_text()) for path in FILES}
MOST_LINES, MOST_NODES = 400, 220  # of a file, and of nine functions in ten


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(tree: ast.AST) -> set[str]:
    """Return the rooms that a file imports from, as `from pairnet import x`, too."""
    rooms = set()
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports name the room that they are from"
            if node.module == "pairnet":
                names = [f"pairnet.{alias.name}" for alias in node.names]
            else:
                names = [node.module or ""]
        rooms |= {name.split(".")[1] for name in names if name.startswith("pairnet.")}
    return rooms


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_one_way(path):
    room = room_of(path)
    if room == "__init__":
        return
    for other in imported_rooms(TREES[path]) - {room}:
        if room in ALIASES:
            assert other == ALIASES[room]
        elif other in FLOOR:
            assert FLOOR[other] < FLOOR[room], f"{room} must not import {other}"
        else:
            assert other not in ALIASES, f"{other} is for users; inside it is {ALIASES[other]}"
            public = other == "__version__" or hasattr(pairnet, other)
            assert public, f"pairnet has no {other}"
            assert FLOOR[room] > FLOOR["methods"] or other == "__version__"


def test_every_room_is_on_a_floor():
    rooms = {
        path.stem if path.is_file() else path.name
        for path in SOURCE.iterdir()
        if not path.name.startswith("_") and path.name != "py.typed"
    }
    assert rooms == set(FLOOR) | set(ALIASES)


def test_rooms_have_tests_of_the_same_name():
    tests = Path(__file__).parent
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name[0] != "_"}
    assert not [room for room in rooms if not list((tests / room).glob("test_*.py"))]


def test_importing_the_package_imports_nothing_heavy():
    heavy = ("jax", "sklearn", "matplotlib", "scipy", "polars", "rich.progress")
    code = f"import sys, pairnet, pairnet.cli; print([m for m in {heavy} if m in sys.modules])"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_everything_registered_has_a_line_for_the_list():
    every = (methods, studies, networks, losses, pairings, outcomes, treatments, engines, formats)
    for registry in (*every, exports):
        assert len(registry) > 0
        assert all(summary(thing) for thing in registry.values()), registry.kind


def test_public_names_are_there_and_others_say_what_is():
    assert all(getattr(pairnet, name) is not None for name in pairnet.__all__)
    assert {kind.__name__ for kind in methods.values()} < set(pairnet.__all__)
    with pytest.raises(AttributeError, match="Public names: .*PairNet"):
        pairnet.Pairnet  # noqa: B018


def test_names_of_the_first_version_still_lead_somewhere():
    import pairnet.comparing
    import pairnet.data
    from pairnet.report.figures import dose_figure
    from pairnet.report.model import model_report

    assert pairnet.data.load("gp", seed=1).name == "gp"
    assert pairnet.data.studies is studies
    assert callable(pairnet.comparing.compare)
    assert callable(dose_figure)
    assert callable(model_report)


def test_files_and_functions_fit_in_a_head():
    long = {path.name for path in FILES if path.read_text().count("\n") > MOST_LINES}
    assert not long
    sizes = sorted(
        sum(1 for _ in ast.walk(node))
        for tree in TREES.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    )
    assert sizes[int(0.9 * len(sizes))] <= MOST_NODES


def test_few_lines_ask_which_kind_a_treatment_is():
    """Treatments answer for themselves: `isinstance(..., Arms)` is for what nobody can answer."""
    lines = [
        line
        for path in FILES
        for line in path.read_text().splitlines()
        if "isinstance(" in line and ("Arms" in line or "Dose" in line)
    ]
    assert len(lines) <= 12, lines


def test_private_names_are_for_the_class_that_has_them():
    public_by_custom = {"_replace", "_asdict", "_getframe", "_exit"}  # of named tuples, sys and os
    touched = defaultdict(set)
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or not node.attr.startswith("_"):
                continue
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not own and not node.attr.startswith("__") and node.attr not in public_by_custom:
                touched[str(path.relative_to(SOURCE))].add(ast.unparse(node))
    assert touched == {}
