"""Which learner `pairnet fit` trains: a method, its options, and what --set says."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pairnet.commands.settings import (
    OWN_OPTIONS,
    assignments,
    has,
    names_of,
    option_of,
    with_settings,
)
from pairnet.core.errors import BadInput, listed
from pairnet.learners.stacked import Stacked
from pairnet.methods import Estimator, methods
from pairnet.tables.spelling import spells_number

OF_STACKS = ("preset", "time_limit")  # options that only a stack has
SECONDS = {"s": 1, "m": 60, "h": 3600}
ONE_METHOD = "--method pairnet"


def asked_learner(method: str, options: Mapping[str, Any], settings: Sequence[str]) -> Estimator:
    """Return the learner that options ask for.

    options: values of the options by hyperparameter; None: the option was not said. settings:
    other hyperparameters as NAME=VALUE.
    """
    kind = methods[method]
    given = {name: value for name, value in options.items() if value is not None}
    if issubclass(kind, Stacked):
        _for_a_stack(given)
    else:
        _for_one_method(method, given)
    learner, wanted = kind(**given), assignments(settings, taken=OWN_OPTIONS)
    if isinstance(learner, Stacked):
        for setting in wanted:
            if not has(learner, setting.name):
                raise _not_of(learner, setting.name)
    learner = with_settings(learner, wanted)
    learner.check()
    return learner


def seconds_of(text: str) -> float:
    """Return the seconds that a text says: 300, 90s, 5m or 1h."""
    spelled = text.strip().lower()
    unit = spelled[-1:] if spelled[-1:] in SECONDS else ""
    number = spelled.removesuffix(unit).strip()
    seconds = float(number) * SECONDS[unit or "s"] if spells_number(number) else 0.0
    if not 0 < seconds < math.inf:
        problem = f"must be a time above 0, as 300 (seconds), 90s, 5m or 1h, got {text!r}"
        raise BadInput("--time-limit", problem)
    return seconds


def _for_a_stack(given: dict[str, Any]) -> None:
    """Read the options of a stack; raise for those that it cannot have."""
    if given.pop("bootstrap", False):
        problem = "is not for a stack: the models of its folds are its ensemble"
        advice = f"Leave it out, or name one method, as in {ONE_METHOD} --bootstrap."
        raise BadInput("--bootstrap", problem, advice)
    if "time_limit" in given:
        given["time_limit"] = seconds_of(given["time_limit"])


def _for_one_method(method: str, given: dict[str, Any]) -> None:
    """Complete the options of one method; raise for those that only a stack has."""
    for name in OF_STACKS:
        if name in given:
            problem = f"is for the stack of several learners, not for --method {method}"
            advice = f"Leave {option_of(name)} out, or leave --method out."
            raise BadInput(option_of(name), problem, advice)
    given["bootstrap"] = given.get("bootstrap", True) and given["members"] > 1


def _not_of(stack: Stacked, name: str) -> BadInput:
    """Return the error for a hyperparameter that a stack does not have."""
    own = [other for other in names_of(stack) if other not in (*OWN_OPTIONS, "verbose", "learners")]
    problem = f"is no hyperparameter of a stack, which has {listed(sorted(own))}"
    return BadInput(
        f"--set {name}", problem, f"Name the one method that has it, as in {ONE_METHOD}."
    )
