"""Imports point one way, heavy ones wait, and every part has a line that says what it is."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import pairnet
from pairnet.core.registry import summary
from pairnet.losses import losses
from pairnet.methods import methods
from pairnet.networks import networks
from pairnet.pairing import pairings
from pairnet.studies import studies

SOURCE = Path(pairnet.__file__).parent
# A file may import from rooms of a lower floor, and from its own room.
FLOORS = [
    {"registry", "folders", "notices", "whole"},
    {"saving"},
    {"types"},
    {"outcomes", "treatments", "metrics", "transport", "tables"},
    {"networks", "losses", "pairing", "views", "data"},
    {"training"},
    {"methods"},
    {"comparing"},
    {"experiments"},
    {"report"},
    {"commands"},
    {"cli"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}


@pytest.mark.parametrize(
    "path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE))
)
def test_imports_point_one_way(path):
    room = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    if room == "__init__":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name and name.startswith("pairnet."):
                other = name.split(".")[1]
                assert other == room or FLOOR[other] < FLOOR[room], (
                    f"{room} must not import {other}"
                )


def test_every_room_is_on_a_floor():
    rooms = {
        path.stem if path.is_file() else path.name
        for path in SOURCE.iterdir()
        if not path.name.startswith("_")
    }
    assert rooms - {"py"} <= set(FLOOR) | {"py"}


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, pairnet, pairnet.cli; print([m for m in ('jax', 'sklearn', 'matplotlib', 'scipy') if m in sys.modules])"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "[]"


def test_every_registered_thing_has_a_line_for_the_list():
    for registry in (methods, studies, networks, losses, pairings):
        assert all(summary(registry[name]) for name in registry)


def test_public_names_are_there_and_others_say_what_is():
    assert all(getattr(pairnet, name) is not None for name in pairnet.__all__)
    with pytest.raises(AttributeError, match="Public names: .*PairNet"):
        pairnet.Pairnet  # noqa: B018
