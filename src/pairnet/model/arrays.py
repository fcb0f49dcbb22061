"""Arrays by name: trees of arrays taken apart for a file, and put together again with checks."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

Arrays = dict[str, np.ndarray]
NARROW = (np.uint8, np.int32, np.float32)  # small types to keep numbers in, if nothing is lost


def named(tree: Any) -> Arrays:
    """Return the arrays of a tree by their paths in the tree."""
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {_path(path): np.asarray(leaf) for path, leaf in leaves}


def filled(tree: Any, arrays: Arrays) -> Any:
    """Return a tree of shapes with each shape replaced by the array of the same name."""
    take = lambda path, leaf: taken(arrays, _path(path), leaf)
    return jax.tree_util.tree_map_with_path(take, tree)


def taken(arrays: Arrays, name: str, wanted: jax.ShapeDtypeStruct) -> np.ndarray:
    """Return an array by its name; raise if its shape, type or values are not as they must be."""
    if name not in arrays:
        raise ValueError(f"the array {name} is missing")
    array = arrays[name]
    if array.shape != wanted.shape or array.dtype != wanted.dtype:
        raise ValueError(
            f"the array {name} is {array.dtype}{array.shape}, expected {wanted.dtype}{wanted.shape}"
        )
    if not np.isfinite(array).all():
        raise ValueError(f"the array {name} holds values that are not finite")
    return array


def narrow(array: np.ndarray) -> np.ndarray:
    """Return an array in the smallest type that loses nothing."""
    for kind in NARROW:
        with np.errstate(invalid="ignore"):  # a value may not fit
            small = array.astype(kind)
        if np.array_equal(small, array):
            return small
    return array


def wide(arrays: Arrays, name: str, kind: type, sizes: tuple[int, ...]) -> np.ndarray:
    """Return an array that `narrow` made small in its own type again."""
    if name not in arrays:
        raise ValueError(f"the array {name} is missing")
    stored = arrays[name].dtype
    if stored not in (*NARROW, kind):
        raise ValueError(f"the array {name} is {stored}, expected {np.dtype(kind)}")
    return taken(arrays, name, jax.ShapeDtypeStruct(sizes, stored)).astype(kind)


def _path(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")
