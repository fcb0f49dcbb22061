"""Stacks of learners that learn in a moment, in place of the presets that people have."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any
from unittest import mock

from pairnet import LinearSLearner, LinearTLearner, Stack, TreeSLearner
from pairnet.methods import stack

FEW: dict[str, Any] = {"longest": 5, "least": 5, "learning_rate": 0.5}
FOR_ARMS = (LinearTLearner(), TreeSLearner(**FEW))
FOR_DOSES = (LinearSLearner(), TreeSLearner(**FEW))


@contextlib.contextmanager
def cheap_presets() -> Iterator[None]:
    """Let every preset have these learners, so that the default of the command line is tried."""
    arms, doses = (lambda preset: FOR_ARMS), (lambda preset: FOR_DOSES)
    with mock.patch.multiple(stack, for_arms=arms, for_doses=doses):
        yield


def cheap_stack(**options: Any) -> Stack:
    """Return a stack of these learners: those for arms, or those for doses if it is told so."""
    learners = FOR_DOSES if options.pop("doses", False) else FOR_ARMS
    return Stack(learners=learners, **options)
