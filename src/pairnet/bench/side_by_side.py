"""TARNet and PairNet on a study with known truth, side by side."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager

from pairnet.bench.evaluate import Scores, evaluate
from pairnet.methods import PairNet, TARNet
from pairnet.studies import Study
from pairnet.training.progress import Progress


def side_by_side(
    study: Study, *, seed: int, bar: Callable[[str], AbstractContextManager[Progress]]
) -> list[Scores]:
    """Train TARNet and PairNet on every realisation; the second result is PairNet's.

    Both have the same network, plan and seed.
    """
    results = []
    for method in (TARNet(seed=seed), PairNet(seed=seed)):
        with bar(type(method).__name__) as report:
            results.append(evaluate(method, study, report=report))
    return results
