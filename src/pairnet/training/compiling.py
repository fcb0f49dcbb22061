"""Compiled programs: counted when traced, and kept in the user's cache folder."""

from __future__ import annotations

import collections
import os

import jax

from pairnet.core.folders import cache_folder

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
    folder = cache_folder() / "programs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # without a folder to write to, only speed is lost
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
    from jax.experimental.compilation_cache import compilation_cache

    # if a program was compiled before this call, JAX has decided that there is no cache
    compilation_cache.reset_cache()
