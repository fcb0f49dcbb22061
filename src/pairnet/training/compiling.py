"""Compiled programs: counted when traced, and kept between processes in the user's cache folder."""

from __future__ import annotations

import collections
import os

import jax

from pairnet.core.folders import cache_folder

# how often each program was traced, by name
traces: collections.Counter[str] = collections.Counter()


def keep_programs() -> None:
    """Let JAX keep compiled programs on disk, unless the user has set this up already.

    `PAIRNET_COMPILATION_CACHE=0` switches it off; JAX's own settings win over ours.
    """
    if (
        os.environ.get("PAIRNET_COMPILATION_CACHE") == "0"
        or jax.config.values["jax_compilation_cache_dir"] is not None
    ):
        return
    folder = cache_folder() / "programs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a home that cannot be written costs speed, not correctness
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    from jax.experimental.compilation_cache import compilation_cache

    # a program compiled before this call has settled that there is no cache
    compilation_cache.reset_cache()
