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
from typing import Any, TypeVar, cast

import jax
import numpy as np

REMEMBERED = 2**28  # bytes of trained networks that are kept

_results: OrderedDict[Hashable, Any] = OrderedDict()  # the last one used stands last
_lock = threading.Lock()
# What was kept since a block of `shared` began; None outside of such a block.
_new: ContextVar[list[Hashable] | None] = ContextVar("new", default=None)


R = TypeVar("R", bound=Any)  # arrays; `diverged` tells which of its trainings did


def once(train: Callable[[], R], arguments: Any) -> R:
    """Return what `train` returns, or what it returned earlier for the same arguments."""
    leaves, structure = jax.tree.flatten(arguments)
    key = structure, tuple(map(_digest, leaves))
    with _lock:
        result = _results.pop(key, None)
    if result is None:
        result = train()
        if (new := _new.get()) is not None:
            new.append(key)
    with _lock:
        if not result.diverged.any():  # a diverged one is trained again, so that it warns again
            _results[key] = result
        while sum(map(_size, _results.values())) > REMEMBERED:
            _results.popitem(last=False)
    return cast(R, result)


@contextmanager
def shared() -> Iterator[None]:
    """Let trainings inside this block share what is equal among them, all stages alike.

    The learners of a stack have the same rows and seed, so that many first stages are equal. After
    the block their networks are forgotten.
    """
    new: list[Hashable] = []
    token = _new.set(new)
    try:
        yield
    finally:
        _new.reset(token)
        with _lock:
            for key in new:
                _results.pop(key, None)


def is_shared() -> bool:
    """Whether all stages are to be done once, not pilots and stages that place rows alone."""
    return _new.get() is not None


def _size(result: Any) -> int:
    return sum(leaf.nbytes for leaf in jax.tree.leaves(result))


def _digest(leaf: Any) -> Hashable:
    """Return what identifies a value: a hash of an array's bytes, or the value itself."""
    if jax.dtypes.issubdtype(getattr(leaf, "dtype", None), jax.dtypes.prng_key):
        leaf = jax.random.key_data(leaf)
    if not isinstance(leaf, jax.Array | np.ndarray):
        return leaf
    values = np.ascontiguousarray(leaf)
    return values.dtype.str, values.shape, hashlib.sha256(values.tobytes()).digest()
