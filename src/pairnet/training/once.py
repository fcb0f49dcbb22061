"""Trainings that several fits ask for are done once: the latest results are kept.

Pilots are such trainings, and stages that only place rows: many methods have the same ones.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import jax
import numpy as np

from pairnet.training.host import Trained

REMEMBERED = 2**28  # bytes of trained networks that are kept

_trained: OrderedDict[Hashable, Trained] = OrderedDict()  # the last one used stands last
_lock = threading.Lock()
_shares: ContextVar[bool] = ContextVar("shares", default=False)


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


@contextmanager
def shared() -> Iterator[None]:
    """Let trainings inside this block share what is equal among them, all stages alike.

    The learners of a stack have the same rows and seed, so that many first stages are equal.
    """
    token = _shares.set(True)
    try:
        yield
    finally:
        _shares.reset(token)


def is_shared() -> bool:
    """Whether all stages are to be done once, not pilots and stages that place rows alone."""
    return _shares.get()
