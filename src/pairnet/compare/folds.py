"""Which rows train and which rows score: folds that hold each arm in its share."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from pairnet.core.errors import BadInput
from pairnet.core.treatments import Treatment
from pairnet.core.types import is_whole
from pairnet.core.words import shown

ROUGH = 3  # a single fold scores one of so many equal parts


class Fold(NamedTuple):
    """Positions of rows: those to train on, and those to score."""

    train: np.ndarray
    score: np.ndarray


def folds_of(column: np.ndarray, treatment: Treatment, count: int, seed: int) -> list[Fold]:
    """Return folds in which every row is scored once; a single fold scores a random third."""
    most = len(column) // 2
    if not (is_whole(count) and 1 <= count <= most):
        raise BadInput(
            "folds",
            f"must be a whole number from 1 to half of the rows ({most}), got {shown(count)}",
        )
    parts, seed = ROUGH if count == 1 else int(count), int(seed) % 2**32
    splitter = StratifiedKFold if treatment.strata > 1 else KFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fit says clearly where an arm is too small
        split = splitter(parts, shuffle=True, random_state=seed).split(column, column)
        folds = [Fold(train, score) for train, score in split]
    return folds[:1] if count == 1 else folds
