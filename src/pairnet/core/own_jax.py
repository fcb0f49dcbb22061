"""JAX as this package needs it, whatever the user's process has set.

People may run their process in 64 bits, forbid implicit transfers, or look for NaN. Our programs
are made for 32 bits and for JAX's usual rules. So everything here that asks JAX does it inside
`own_jax()`, or as a function that is `in_own_jax`; outside, the user's settings are as they were.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import jax

from pairnet.core.errors import BadInput
from pairnet.core.forks import state

Function = TypeVar("Function", bound=Callable[..., Any])

# What our numbers depend on, and what would stop our programs. A setting that only decides how
# exact products are on a GPU, or which device is used, stays as the user wants it.
SETTINGS: tuple[Callable[[], Any], ...] = (
    lambda: jax.enable_x64(False),
    lambda: jax.numpy_dtype_promotion("standard"),
    lambda: jax.numpy_rank_promotion("allow"),
    lambda: jax.transfer_guard("allow"),
    lambda: jax.debug_nans(False),  # a training that diverges is noticed, and undone
    lambda: jax.debug_infs(False),
    lambda: jax.debug_key_reuse(False),
    lambda: jax.disable_jit(False),
    lambda: jax.default_prng_impl("threefry2x32"),
    lambda: jax.threefry_partitionable(True),
)


class CannotRun(Exception):
    """JAX cannot work in this process at all: no fault of a model or of a method."""


class ForkedProcess(CannotRun, RuntimeError):
    """The error in a process that was forked after JAX had started; JAX would wait forever."""


class NoDevice(CannotRun, BadInput):
    """The error where JAX is told to use a device that there is not."""


@contextmanager
def own_jax() -> Iterator[None]:
    """Let JAX work by our settings in this thread; raise if it cannot work at all."""
    check_can_run()
    with ExitStack() as stack:
        for setting in SETTINGS:
            stack.enter_context(setting())
        yield


def in_own_jax(function: Function) -> Function:
    """Return a function that works inside `own_jax()`."""

    @functools.wraps(function)
    def inside(*args: Any, **kwargs: Any) -> Any:
        with own_jax():
            return function(*args, **kwargs)

    return inside  # type: ignore[return-value]


def check_can_run() -> None:
    """Raise, in our own words, where JAX would wait forever or has no device."""
    if state["forked_too_late"]:
        raise ForkedProcess(
            "This process was forked after pairnet had used JAX, and JAX would wait forever in "
            "it. Start processes anew instead: multiprocessing.get_context('spawn'), or joblib "
            "with its default backend, loky."
        )
    if state["jax_started"]:
        return
    try:
        jax.default_backend()
    except (RuntimeError, AssertionError) as error:  # the latter where a kind is not installed
        wanted = jax.config.values.get("jax_platforms") or "its default"
        why = f" ({str(error).splitlines()[0]})" if str(error) else ""
        raise NoDevice(
            "",
            f"JAX has no device of the kind that it is told to use, {wanted}{why}",
            "Set the environment variable JAX_PLATFORMS to cpu, or unset it.",
        ) from None
    state["jax_started"] = True
