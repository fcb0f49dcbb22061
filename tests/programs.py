"""The compiled programs that a test process holds: what tests have in common is traced and compiled
once."""

import jax

MANY = 1000
held = 0


def count(event: str, seconds: float, **_) -> None:
    """Count a program that was compiled, or read from the cache."""
    global held
    held += event == "/jax/core/compile/backend_compile_duration"


def let_go() -> None:
    """Forget all programs, if they are many: a process can hold only so many, since each maps
    memory of its own."""
    global held
    if held > MANY:
        jax.clear_caches()
        held = 0
