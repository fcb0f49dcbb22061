"""Each row's effect by members that have not seen it, with members brought to one level.

Members that judge different rows have different levels, and by chance the wrong way round: a member
without the rows whose outcomes show the largest effects expects the smallest. Where effects do not
differ at all, such levels alone would put rows in an order that outcomes contradict. So a member's
effects count as they differ from its own mean over the rows that it has not seen.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float


def held_out_effects(
    effects: Float[np.ndarray, "m n"],
    unseen: Bool[np.ndarray, "m n"],
    weight: Float[np.ndarray, " n"],
) -> tuple[Float[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Return each row's effect by the members that have not seen it, and which rows have one.

    The others have the mean effect. unseen: which member has not seen which row.
    """
    own = unseen * weight
    total = own.sum(axis=1)
    judging = total > 0
    if not judging.any():
        return np.full(effects.shape[1], effects.mean()), np.zeros(effects.shape[1], bool)
    level = (effects * own).sum(axis=1)[judging] / total[judging]
    middle = float(level @ total[judging] / total[judging].sum())
    judges = unseen[judging].sum(axis=0)
    off = (effects[judging] - level[:, None]) * unseen[judging]
    return middle + off.sum(axis=0) / np.maximum(judges, 1), judges > 0
