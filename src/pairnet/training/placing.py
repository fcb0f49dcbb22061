"""Stages that only place rows, as psi does: later stages look for neighbours in what they learned.

Such a stage learns no effect. It has random numbers of its own, so that the other stages draw the
same numbers with it and without it.
"""

from __future__ import annotations

from collections.abc import Sequence

from pairnet.training.recipe import Stage

FIRST_PLACING = 1000  # stages that place rows are numbered from here on


def numbers(stages: Sequence[Stage]) -> list[int]:
    """Return the number of each stage, which decides its random numbers.

    Stages that place rows are counted apart, so that they do not change the numbers of the others.
    """
    placing = {name for stage in stages for name in stage.space.needs}
    next_number = {False: 0, True: FIRST_PLACING}
    result = []
    for stage in stages:
        places = stage.name in placing
        result.append(next_number[places])
        next_number[places] += 1
    return result
