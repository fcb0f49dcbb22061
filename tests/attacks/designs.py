"""What people say of how a table came about: groups and chances of any kind, and any target."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import pairnet
from attacks import odd
from attacks.oracle import Refused, about, asked, check_finite, check_same, given
from pairnet import LinearTLearner
from pairnet.inference.targets import TARGETS

ROWS = 40


def designs(rng: Random, place: Path) -> str:
    """Fit with groups and chances: they are refused in words, or every average is a number."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    X = numbers.normal(size=(ROWS, 2))
    t = numbers.permutation(np.arange(ROWS) % rng.choice((2, 2, 3)))
    y = X[:, 0] + t + numbers.normal(size=ROWS)
    groups, propensity = _groups(rng, numbers), _chances(rng, numbers, len(np.unique(t)))
    known = {"groups": groups, "propensity": propensity}
    method = LinearTLearner(members=2, bootstrap=True, calibration=rng.choice((0.0, 0.2)))
    with about("fit with groups, propensity", groups, propensity):
        fitted = asked(lambda: method.fit(X, y, treatment=t, **known))
        if isinstance(fitted, Refused):
            return "refused"
        target = rng.choice([*TARGETS, odd.value(rng)])
        of = {"T0": 0, "T1": 1, "target": target, "kind": "doubly robust"}
        ends = asked(lambda: fitted.ate_interval(X, **of))
        if isinstance(ends, Refused):
            return "refused"
        check_finite(ends, (2,))
        given(lambda: fitted.save(place / "model"))
        again = given(lambda: pairnet.load(place / "model"))
        check_same(ends, given(lambda: again.ate_interval(X, **of)), "saved and loaded")
    return "answers"


def _groups(rng: Random, numbers: np.random.Generator) -> Any:
    count = rng.randint(2, 2 * ROWS)
    return rng.choice(
        (
            None,
            numbers.integers(0, count, ROWS),
            [f"v{number}" for number in numbers.integers(0, count, ROWS)],
            odd.column(rng, numbers, ROWS),
            odd.value(rng),
        )
    )


def _chances(rng: Random, numbers: np.random.Generator, arms: int) -> Any:
    rows = numbers.dirichlet(np.ones(arms), ROWS)
    return rng.choice(
        (
            None,
            None,
            rng.random(),
            dict(enumerate(rows[0])),
            rows[:, 1],
            rows,
            pd.DataFrame(rows),
            odd.column(rng, numbers, ROWS),
            odd.value(rng),
        )
    )
