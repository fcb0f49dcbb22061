"""Functions on arrays: measures of an order, budgets, policies and trees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from attacks import odd
from attacks.oracle import Fault, Refused, about, asked, check_finite
from pairnet import metrics, policy

MEASURES: tuple[Callable[..., Any], ...] = (
    *(metrics.rate, metrics.qini_coefficient, metrics.auuc, metrics.uplift_at_k),
    *(metrics.toc, metrics.qini_curve),
)


def arrays(rng: Random, place: Path) -> str:
    """Ask one function, one of whose columns may be odd."""
    numbers, n = np.random.default_rng(rng.getrandbits(32)), rng.choice((2, 3, 20))
    ask = rng.choice((_measured, _scored, _allocated, _valued, _grown))
    return "refused" if isinstance(ask(rng, numbers, n), Refused) else "answers"


def _column(rng: Random, numbers: np.random.Generator, n: int) -> Any:
    plain = numbers.normal(size=n)
    ways = (plain, plain, plain, np.round(plain), numbers.random(n) < 0.5, np.zeros(n))
    odd_ones = (odd.column(rng, numbers, n), odd.value(rng), plain[1:], plain * 10.0**200)
    return rng.choice((*ways, rng.choice(odd_ones)))


def _beside(rng: Random, numbers: np.random.Generator, n: int) -> dict[str, Any]:
    """Return weights and clusters, or none."""
    some: dict[str, Any] = {}
    if rng.random() < 0.4:
        some["weight"] = rng.choice((numbers.random(n), _column(rng, numbers, n)))
    if rng.random() < 0.4:
        some["clusters"] = rng.choice((numbers.integers(0, 3, n), _column(rng, numbers, n)))
    return some


def _measured(rng: Random, numbers: np.random.Generator, n: int) -> Any:
    ask = rng.choice(MEASURES)
    columns = _column(rng, numbers, n), _column(rng, numbers, n)
    more = _beside(rng, numbers, n)
    more |= {"alpha": odd.number(rng)} if rng.random() < 0.2 else {}
    with about(f"{ask.__name__}(scores, priority, ...)", *columns, more):
        found = asked(lambda: ask(*columns, **more))
        if isinstance(found, Refused):
            return found
        ends = (found.value, found.lower, found.upper)
        value, lower, upper = (np.asarray(part, float) for part in ends)
        if not ((lower <= value) & (value <= upper)).all():
            raise Fault(f"an estimate outside its interval: {found}")
    return found


def _scored(rng: Random, numbers: np.random.Generator, n: int) -> Any:
    arm = rng.choice((numbers.integers(0, 2, n), _column(rng, numbers, n)))
    y, chance = _column(rng, numbers, n), rng.choice((None, 0.5, odd.number(rng), odd.value(rng)))
    outcomes = rng.choice((None, None, (numbers.random(n),) * 2, odd.value(rng)))
    with about("effect_scores(y, treatment, propensity, outcomes)", y, arm, chance, outcomes):
        ask = lambda: metrics.effect_scores(y, arm, propensity=chance, outcomes=outcomes)
        found = asked(ask)
        return found if isinstance(found, Refused) else check_finite(found, (n,))


def _allocated(rng: Random, numbers: np.random.Generator, n: int) -> Any:
    gains = rng.choice((_column(rng, numbers, n), numbers.normal(size=(n, 3))))
    costs = rng.choice((1.0, _column(rng, numbers, n), numbers.random((n, 1)), odd.number(rng)))
    budget, worth = (rng.choice((None, None, 2, odd.number(rng))) for _ in range(2))
    with about("allocate(gains, costs, budget, worth)", gains, costs, budget, worth):
        found = asked(lambda: policy.allocate(gains, costs, budget, worth=worth))
        if isinstance(found, Refused):
            return found
        check_finite([*found.gain, *found.cost, found.bound])
        if budget is not None and found.spent > float(budget) + 1e-6 * abs(float(budget)):
            raise Fault(f"spent {found.spent} of {budget}")
    return found


def _valued(rng: Random, numbers: np.random.Generator, n: int) -> Any:
    scores, treated = (
        _column(rng, numbers, n),
        rng.choice((numbers.random(n), numbers.random(n) < 0.5)),
    )
    treated = rng.choice((treated, treated, _column(rng, numbers, n)))
    more = _beside(rng, numbers, n)
    with about("policy_value(scores, treated, ...)", scores, treated, more):
        found = asked(lambda: policy.policy_value(scores, treated, **more))
        if not isinstance(found, Refused):
            check_finite([line.gain.value for line in found.lines])
    return found


def _grown(rng: Random, numbers: np.random.Generator, n: int) -> Any:
    scores, depth = _column(rng, numbers, n), rng.choice((1, 2, 3, odd.number(rng)))
    X = rng.choice((numbers.normal(size=(n, 2)), numbers.integers(0, 2, (n, 2)), odd.value(rng)))
    more = _beside(rng, numbers, n)
    with about("policy_tree(scores, X, depth, ...)", scores, X, depth, more):
        found = asked(lambda: policy.policy_tree(scores, X, depth=depth, **more))
        if not isinstance(found, Refused):
            check_finite(found.share)
    return found
