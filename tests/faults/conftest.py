"""The campaign looks at the library as people have it: without the type checks of the tests."""

import jaxtyping
import pytest


@pytest.fixture
def as_people_have_it():
    """Let arguments of wrong types reach our own checks, which the type checker would forestall."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
