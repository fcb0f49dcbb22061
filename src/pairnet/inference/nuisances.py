"""What doubly robust scores are made of: expected outcomes and chances of rows, by light models.

Each is a mixture of lines and boosted trees, which are cross-fitted on several splits of the rows;
the shares are those that are best for rows not seen. If outcomes jump or bend where lines do not,
trees see it. The chances are then fitted once more, to themselves and to the expected outcomes:
whatever goes along with outcomes and decides about treatments is what must not be missed, and
models that have to be careful with every covariate miss half of it.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int
from threadpoolctl import threadpool_limits

from pairnet.core.errors import NotInstalled
from pairnet.core.notices import notice
from pairnet.inference.features import bent, standardised
from pairnet.inference.growing import Ranks, Rows, chances_by_trees, lightgbm, numbers_by_trees
from pairnet.inference.mixing import TINY, shares_of_chances, shares_of_outcomes
from pairnet.inference.outcome_model import on_few_columns, outcome_model
from pairnet.inference.propensity import cross_fitted
from pairnet.inference.splits import fold_of

MOST_COLUMNS = 1000  # with more columns no trees are grown


def expected_outcomes(
    x: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    t: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Float[np.ndarray, "s k n"]:
    """Return the expected outcome of every row under every arm, by split and arm.

    Each comes from models that have not seen the row, nor its cluster. Every arm has shares of its
    own, so that an arm with few rows may lean on models that learn from all.
    """
    lines = outcome_model(x, y, t, weight, clusters)
    if not _can_grow(x):
        return lines
    ranks, arms = Ranks.of(x).rank, lines.shape[1]
    flags = lambda arm: np.broadcast_to(arm, len(y))[:, None] == np.arange(1, arms)
    under = lambda arm: np.hstack([flags(arm), ranks])
    seen, asked = under(t), [under(arm) for arm in range(arms)]
    by_split = []
    for split, by_lines in enumerate(lines):
        fold = fold_of(t, split, clusters)
        trees = numbers_by_trees(Rows(seen, y, weight, fold, flags=arms - 1), asked)
        few = [on_few_columns(x, y, t, weight, fold, columns) for columns in trees.few]
        answers = np.stack([by_lines, *few, *trees.expected])
        by_split.append([_mixed(answers[:, arm], y, weight * (t == arm)) for arm in range(arms)])
    return np.asarray(by_split)


def _mixed(answers: np.ndarray, y: np.ndarray, weight: np.ndarray) -> Float[np.ndarray, " n"]:
    return np.asarray(shares_of_outcomes(answers, y, weight) @ answers)


def chances_of_arms(
    by_lines: Float[np.ndarray, "s n k"],
    x: Float[np.ndarray, "n d"],
    t: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Float[np.ndarray, "s n k"]:
    """Return the chances of the arms by split, mixed of those by lines and by trees."""
    if not _can_grow(x):
        return by_lines
    ranks, z, arm, arms, mixed = (
        Ranks.of(x).rank,
        standardised(x),
        t.astype(int),
        by_lines.shape[2],
        [],
    )
    for split, lines in enumerate(by_lines):
        fold = fold_of(t, split, clusters)
        trees = chances_by_trees(Rows(ranks, t, weight, fold), arms)
        with threadpool_limits(1):
            seen = [[bent(z[:, own]) for own in columns] for columns in trees.few]
            few = [cross_fitted(features, t, weight, fold, arms) for features in seen]
        chances = np.stack([lines, *few, *trees.expected])
        mixed.append(np.tensordot(shares_of_chances(chances, arm, weight), chances, 1))
    return np.asarray(mixed)


def refined(
    chances: Float[np.ndarray, "s n k"],
    expected: Float[np.ndarray, "s a n"],
    t: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    clusters: Int[np.ndarray, " n"] | None = None,
) -> Float[np.ndarray, "s n k"]:
    """Return the chances by a logistic regression on chances and expected outcomes, all bent."""
    found = []
    with threadpool_limits(1):
        for split, (own, outcomes) in enumerate(zip(chances, expected, strict=True)):
            log = np.log(np.maximum(own, TINY))
            features = bent(standardised(np.column_stack([log[:, 1:] - log[:, :1], *outcomes])))
            fold = fold_of(t, split, clusters)
            seen = [features] * (int(fold.max()) + 1)
            found.append(cross_fitted(seen, t, weight, fold, own.shape[1]))
    return np.asarray(found)


def _can_grow(x: Float[np.ndarray, "n d"]) -> bool:
    """Tell whether trees can be grown; without LightGBM say so."""
    try:
        lightgbm()
    except NotInstalled as error:
        notice(f"Doubly robust averages are made by lines alone. {error}")
        return False
    return 0 < x.shape[1] <= MOST_COLUMNS
