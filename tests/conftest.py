import importlib.util
import os
from pathlib import Path

# Compiled programs are shared by the workers of a test run, and kept out of the user's own cache.
os.environ["PAIRNET_CACHE"] = str(Path(__file__).parent.parent / ".pytest_cache" / "pairnet")

# Tests compile many small programs and run each for a moment: compile them quickly rather than
# well. (A jaxlib that does not know one of these flags stops at once and names it: take it out.)
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true --xla_cpu_use_fusion_emitters=false",
)

import jax.monitoring
import jaxtyping
import pytest
from hypothesis import settings

import programs
from pairnet.core.folders import data_folders

settings.register_profile("pairnet", deadline=None)  # the first example compiles
settings.load_profile("pairnet")
jax.monitoring.register_event_duration_secs_listener(programs.count)


def pytest_collection_modifyitems(items):
    """Skip tests of bridges to packages that are not installed here."""
    for item in items:
        for mark in item.iter_markers("bridge"):
            absent = [name for name in mark.args if importlib.util.find_spec(name) is None]
            if absent:
                why = f"{' and '.join(absent)} is not installed here (make bridges)"
                item.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="module", autouse=True)
def let_programs_go():
    """Forget compiled programs after a file, if they are many."""
    yield
    programs.let_go()


@pytest.fixture
def as_people_have_it():
    """Look at the library without the type checks of the tests, which would forestall our own."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.fixture(scope="session")
def needs_data():
    """Skip a test whose data files are not on this machine."""

    def need(study: str, name: str):
        if not any((folder / study / name).is_file() for folder in data_folders()):
            pytest.skip(
                f"the data file {study}/{name} is not on this machine (set PAIRNET_DATA to its folder)"
            )

    return need
