"""Saves of small models that cost next to nothing, and what must hold after them; no JAX."""

import os

import numpy as np

from pairnet.model.folder import read, write

TIMES = 40


def save(path, who, turn, values=50):
    write(path, {"who": who, "turn": turn}, {"a": np.full(values, 1000 * who + turn, np.float32)})


def check_whole(path):
    """Read a folder; what its two files say must come from one save."""
    content, arrays, as_written = read(path)
    assert as_written
    assert (arrays["a"] == 1000 * content["who"] + content["turn"]).all()


def check_tidy(path):
    """A model is two files, and nothing is left beside it."""
    assert [name for name in os.listdir(path.parent) if name.startswith(".")] == []
    names = sorted(os.listdir(path))
    assert names[0] == "model.json"
    assert len(names) == 2


def save_often(path, who, together, queue):
    errors = []
    for turn in range(TIMES):
        together.wait(60)
        for place in (path / "one", path / f"new {turn}"):
            try:
                save(place, who, turn)
            except Exception as error:
                errors.append(f"{type(error).__name__}: {error}")
    queue.put(errors)
