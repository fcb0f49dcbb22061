"""Notices whether this process was forked after JAX had started, here or in other code.

It is imported with the package, before JAX is, so that no fork is missed.
"""

from __future__ import annotations

import os
import sys

state = {"jax_started": False, "forked_too_late": False}


def _before() -> None:
    # Nothing public tells whether JAX has started; if it is renamed, our own use is known.
    bridge = sys.modules.get("jax._src.xla_bridge")
    has_started = getattr(bridge, "backends_are_initialized", lambda: False)
    state["jax_started"] |= has_started()


def _after_in_child() -> None:
    state["forked_too_late"] = state["jax_started"]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_child=_after_in_child)
