"""Stages that only place rows, as psi does, apart from those that learn effects: by chance, and
trained but once."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import numpy as np

from pairnet.training.loop import Trained
from pairnet.training.recipe import Stage

APART = 1000  # where their random numbers begin
REMEMBERED = 2**28  # bytes of trained networks

_trained: OrderedDict[Hashable, Trained] = OrderedDict()
_lock = threading.Lock()


def numbers(stages: Sequence[Stage]) -> list[int]:
    """Return by which number each stage draws its chances: the others have those that they have
    without placing."""
    placing = {name for stage in stages for name in stage.space.needs}
    counts = [0, APART]
    found = []
    for stage in stages:
        found.append(counts[stage.name in placing])
        counts[stage.name in placing] += 1
    return found


def once(train: Callable[[], Trained], decides: Any) -> Trained:
    """Return what `train` returns, or returned when everything that decides it was the same."""
    leaves, structure = jax.tree.flatten(decides)
    key = structure, tuple(map(_digest, leaves))
    with _lock:
        found = _trained.pop(key, None)
    found = train() if found is None else found
    with _lock:
        if not found.diverged.any():  # such a one is trained again, for its warning
            _trained[key] = found  # as the last one
        while sum(map(_size, _trained.values())) > REMEMBERED:
            _trained.popitem(last=False)
    return found


def _size(trained: Trained) -> int:
    return sum(leaf.nbytes for leaf in jax.tree.leaves(trained))


def _digest(leaf: Any) -> Hashable:
    if jax.dtypes.issubdtype(getattr(leaf, "dtype", None), jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if not isinstance(leaf, jax.Array | np.ndarray):
        return leaf
    values = np.ascontiguousarray(leaf)
    return values.dtype.str, values.shape, hashlib.sha256(values.tobytes()).digest()
