"""A user's process that has set JAX in its own way: answers are the same, to the last bit."""

from __future__ import annotations

import contextlib
from pathlib import Path
from random import Random

import jax
import numpy as np

import pairnet
from attacks.ground import TINY, known
from attacks.oracle import Fault, about, given
from pairnet import LinearSLearner, Stack, TARNet

SETTINGS = {
    "64 bits": lambda: jax.enable_x64(True),
    "strict types": lambda: jax.numpy_dtype_promotion("strict"),
    "no ranks": lambda: jax.numpy_rank_promotion("raise"),
    "no transfers": lambda: jax.transfer_guard("disallow"),
    "NaN is an error": lambda: jax.debug_nans(True),
    "keys are used once": lambda: jax.debug_key_reuse(True),
    "other random numbers": lambda: jax.default_prng_impl("rbg"),
    "not partitionable": lambda: jax.threefry_partitionable(False),
}
_fitted: list[np.ndarray] = []


def other_settings(rng: Random, place: Path) -> str:
    """Load, ask, and sometimes fit, under some settings at once."""
    names = rng.sample(tuple(SETTINGS), rng.randint(1, len(SETTINGS)))
    model = known(rng.choice(("network", "network of doses", "two arms", "stack")))
    fit = rng.random() < 0.1
    if fit and not _fitted:
        _fitted.append(_effect_of_fit())
    with about(f"under {names}"), contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(SETTINGS[name]())
        loaded = given(lambda: pairnet.load(model.folder))
        effect = given(lambda: loaded.effect(model.X, T0=model.T0, T1=model.T1))
        if fit and not np.array_equal(given(_effect_of_fit), _fitted[0]):
            raise Fault("a fit gives other effects")
    if not np.array_equal(effect, model.effect):
        raise Fault("a loaded model gives other effects")
    return "answers"


def _effect_of_fit() -> np.ndarray:
    model = known("array")
    methods = TARNet(**TINY), Stack(learners=[LinearSLearner(), TARNet(**TINY)], members=2)
    fitted = [method.fit(model.X, model.y, treatment=model.t) for method in methods]
    return np.stack([method.effect(model.X) for method in fitted])
