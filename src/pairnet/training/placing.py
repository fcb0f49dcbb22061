"""Stages that only place rows, as psi does, and how fits share them.

Such a stage learns no effect; a later stage looks for neighbours in its representation. It has
random numbers of its own, so that the other stages draw the same numbers with it and without it. It
is trained once for all fits that ask for the same training: the latest results are kept.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import numpy as np

from pairnet.training.host import Trained
from pairnet.training.recipe import Stage

FIRST_PLACING = 1000  # stages that place rows are numbered from here on
REMEMBERED = 2**28  # bytes of trained networks that are kept

_trained: OrderedDict[Hashable, Trained] = OrderedDict()  # the last one used stands last
_lock = threading.Lock()


def numbers(stages: Sequence[Stage]) -> list[int]:
    """Return the number of each stage, which decides its random numbers.

    Stages that place rows are counted apart, so that they do not change the numbers of the others.
    """
    placing = {name for stage in stages for name in stage.space.needs}
    next_number = {False: 0, True: FIRST_PLACING}
    result = []
    for stage in stages:
        places = stage.name in placing
        result.append(next_number[places])
        next_number[places] += 1
    return result


def once(train: Callable[[], Trained], arguments: Any) -> Trained:
    """Return what `train` returns, or what it returned earlier for the same arguments."""
    leaves, structure = jax.tree.flatten(arguments)
    key = structure, tuple(map(_digest, leaves))
    with _lock:
        trained = _trained.pop(key, None)
    if trained is None:
        trained = train()
    with _lock:
        if not trained.diverged.any():  # a diverged one is trained again, so that it warns again
            _trained[key] = trained
        while sum(map(_size, _trained.values())) > REMEMBERED:
            _trained.popitem(last=False)
    return trained


def _size(trained: Trained) -> int:
    return sum(leaf.nbytes for leaf in jax.tree.leaves(trained))


def _digest(leaf: Any) -> Hashable:
    """Return what identifies a value: a hash of an array's bytes, or the value itself."""
    if jax.dtypes.issubdtype(getattr(leaf, "dtype", None), jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if not isinstance(leaf, jax.Array | np.ndarray):
        return leaf
    values = np.ascontiguousarray(leaf)
    return values.dtype.str, values.shape, hashlib.sha256(values.tobytes()).digest()
