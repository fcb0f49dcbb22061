"""Compiled programs: counted when traced, kept on disk, and let go from memory.

A program takes some 30 MB of memory, and a table with another number of rows needs other programs.
So a process that fits many tables would grow without end. `Program` keeps those of the latest few
sizes; others are read from the user's cache folder when they are needed again. After a compilation
free memory is given back to the system, since the C library would keep most of it.
"""

from __future__ import annotations

import collections
import ctypes
import os
import sys
import threading
import weakref
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any, ClassVar

import equinox as eqx
import jax
import numpy as np

from pairnet.core.folders import NoHome, cache_folder
from pairnet.core.own_jax import in_own_jax

# how often each program was traced, by name
traces: collections.Counter[str] = collections.Counter()


def keep_programs() -> None:
    """Let JAX keep compiled programs on disk, unless the user has already set this up.

    `PAIRNET_COMPILATION_CACHE=0` switches this off; JAX's own settings have priority.
    """
    if (
        os.environ.get("PAIRNET_COMPILATION_CACHE") == "0"
        or jax.config.values["jax_compilation_cache_dir"] is not None
    ):
        return
    try:
        folder = cache_folder() / "programs"
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, NoHome):
        return  # without a folder to write to, only speed is lost
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    from jax.experimental.compilation_cache import compilation_cache

    # if a program was compiled before this call, JAX has decided that there is no cache
    compilation_cache.reset_cache()


class Program:
    """A function that is compiled: arrays are its arguments, all else is a part of the program.

    kept: for how many sizes its compiled forms stay in memory; a call says its size.
    """

    def __init__(self, function: Callable[..., Any], kept: int):
        self._function, self._kept = function, kept
        self._by_size: collections.OrderedDict[Hashable, Any] = collections.OrderedDict()
        self._lock = threading.Lock()
        self._traced = 0  # how often a form was compiled

    @in_own_jax
    def __call__(self, size: Hashable, *args: Any) -> Any:
        """Return what the function returns for these arguments."""
        leaves, structure = jax.tree.flatten(args)
        arrays = [leaf if eqx.is_array(leaf) else None for leaf in leaves]
        rest = tuple(None if eqx.is_array(leaf) else leaf for leaf in leaves)
        traced = self._traced
        varying, fixed = self._of_size(size)(arrays, (rest, structure))
        if self._traced != traced:
            _give_back()
        return eqx.combine(varying, fixed.value)

    def bind(self, *first: Any) -> Bound:
        """Return the program with its first arguments given, for many calls with few rows each."""
        return Bound(self, *first)

    def run_on(self, form: Form, arrays: list[Any], size: Hashable) -> Any:
        """Return what the function returns, inside `own_jax`; the arguments were taken apart."""
        traced = self._traced
        varying, fixed = self._of_size((form, size))(arrays, form)
        if self._traced != traced:
            _give_back()
        return eqx.combine(varying, fixed.value)

    def _of_size(self, size: Hashable) -> Any:
        """Return the compiled forms for a size, and let those of the size used longest ago go."""
        with self._lock:
            if size not in self._by_size:
                self._by_size[size] = jax.jit(self._on_leaves(), static_argnums=1)
            self._by_size.move_to_end(size)
            gone = [self._by_size.popitem(last=False)[1]] if len(self._by_size) > self._kept else []
            compiled = self._by_size[size]
        for old in gone:
            old.clear_cache()
        return compiled

    def _on_leaves(self) -> Callable[..., Any]:
        """Return the function anew: JAX lets compiled forms go together with their function."""

        def run(arrays: list[Any], others: Iterable[Any]) -> Any:
            self._traced += 1
            rest, structure = others
            pairs = zip(arrays, rest, strict=True)
            leaves = [other if array is None else array for array, other in pairs]
            result = self._function(*jax.tree.unflatten(structure, leaves))
            varying, fixed = eqx.partition(result, eqx.is_array)
            return varying, _Fixed(fixed)

        run.__name__ = self._function.__name__
        return run


class Form:
    """All of some arguments but their arrays: equal forms are one object, with a known hash."""

    _all: ClassVar[weakref.WeakKeyDictionary[Form, weakref.ref[Form]]] = weakref.WeakKeyDictionary()

    def __init__(self, rest: tuple[Any, ...], structure: Any):
        self.parts = rest, structure
        self._hash = hash(self.parts)

    @classmethod
    def of(cls, rest: tuple[Any, ...], structure: Any) -> Form:
        """Return the form of such arguments."""
        made = cls(rest, structure)
        known = cls._all.get(made)
        found = None if known is None else known()
        if found is None:
            found, cls._all[made] = made, weakref.ref(made)
        return found

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Form) and self.parts == other.parts)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.parts)


class Bound:
    """A program whose first arguments were taken apart once, and lie on the device."""

    def __init__(self, program: Program, *first: Any):
        leaves, structure = jax.tree.flatten(first)
        is_array = [eqx.is_array(leaf) for leaf in leaves]
        pairs = list(zip(leaves, is_array, strict=True))
        self._arrays = [jax.device_put(leaf) if own else None for leaf, own in pairs]
        self._shapes = tuple(leaf.shape for leaf, own in pairs if own)
        self._rest = tuple(None if own else leaf for leaf, own in pairs)
        self._program, self._structure = program, structure
        self._forms: dict[int, Form] = {}

    def __call__(self, *more: np.ndarray) -> Any:
        """Return what the program returns for its first arguments and these arrays.

        It must be called inside `own_jax`.
        """
        form = self._forms.get(len(more))
        if form is None:
            first = jax.tree.unflatten(self._structure, [0] * len(self._rest))
            both = jax.tree.structure((*first, *more))
            form = Form.of((*self._rest, *[None] * len(more)), both)
            self._forms[len(more)] = form
        size = self._shapes, tuple(array.shape for array in more)
        return self._program.run_on(form, [*self._arrays, *more], size)


def _give_back() -> None:
    """Give free memory back to the system, where its C library is glibc and would keep it."""
    if sys.platform.startswith("linux"):
        trim = getattr(ctypes.CDLL(None), "malloc_trim", lambda _: 0)
        trim(0)


class _Fixed(eqx.Module):
    """What a program returns beside arrays."""

    value: Any = eqx.field(static=True)
