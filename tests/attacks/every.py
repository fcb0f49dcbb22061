"""All attacks by their names, and how often each is made among many."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random

from attacks.as_exports import exports
from attacks.as_files import asked_of_files, files, planned_of_files
from attacks.as_frames import asked_about, frames, numbers_only
from attacks.at_work import all_known
from attacks.crowds import CROWDS, NEEDS_DISK, can_mount
from attacks.designs import designs
from attacks.hyperparameters import hyperparameters, trained, typed
from attacks.kills import KILLS
from attacks.on_arrays import arrays
from attacks.oracle import Fault
from attacks.other_settings import other_settings
from attacks.questions import questions
from attacks.saved import models, results

Attack = Callable[[Random, Path], str]

# How often each is made among the others: dear ones, which train or start processes, seldom.
SHARES: dict[str, tuple[Attack, float]] = {
    "files": (files, 12),
    "files asked about": (asked_of_files, 8),
    "files planned for": (planned_of_files, 5),
    "exports": (exports, 12),
    "frames": (frames, 25),
    "frames of numbers": (numbers_only, 8),
    "frames asked about": (asked_about, 30),
    "questions": (questions, 35),
    "arrays": (arrays, 10),
    "designs": (designs, 8),
    "hyperparameters": (hyperparameters, 35),
    "hyperparameters trained": (trained, 0.5),
    "commands": (typed, 10),
    "saved models": (models, 14),
    "stored results": (results, 4),
    "other settings of JAX": (other_settings, 1),
    **{name.replace("_", " "): (attack, 0.05) for name, attack in CROWDS.items()},
}
INPUTS: dict[str, Attack] = {name: attack for name, (attack, _) in SHARES.items()}
CROWDED = tuple(name.replace("_", " ") for name in CROWDS)
KILLED: dict[str, Attack] = {name.replace("_", " "): attack for name, attack in KILLS.items()}
ATTACKS = INPUTS | KILLED


def made(name: str, seed: int) -> str:
    """Make an attack; return how it ended, or raise the fault with the words that make it again."""
    if name.replace(" ", "_") in NEEDS_DISK and not can_mount():
        return "skipped"
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings(), all_known():
        warnings.simplefilter("ignore")
        try:
            return ATTACKS[name](Random(f"{name}:{seed}"), Path(place))
        except Fault as fault:
            fault.add_note(f'python benchmarks/soak.py --again "{name}:{seed}"')
            raise


def drawn(seed: int, killed: bool) -> str:
    """Return the name of an attack, drawn by its share."""
    rng = Random(f"which:{seed}")
    if killed:
        return rng.choice(tuple(KILLED))
    names = [name for name in INPUTS if name.replace(" ", "_") not in NEEDS_DISK or _mounts()]
    return rng.choices(names, [SHARES[name][1] for name in names])[0]


def _mounts(known: list[bool] = []) -> bool:  # noqa: B006 (asked once)
    with contextlib.suppress(IndexError):
        return known[0]
    known.append(can_mount())
    return known[0]
