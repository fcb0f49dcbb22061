"""The network's own penalty as a loss term: `l2 * Penalty()`."""

from __future__ import annotations

import jax

from pairnet.core.types import Scalar
from pairnet.losses.base import AbstractLoss, Scaled


class Penalty(AbstractLoss):
    """What the architecture asks to keep small: for most, the squares of phi's weights."""

    def __call__(self, network, batch):
        return network.penalty()


class ChosenPenalty(AbstractLoss):
    """A penalty whose strength held-out rows choose (`training/pilots.py`).

    Training puts `strength * Penalty()` in its place; a factor before it belongs to strength 1.
    """

    def __call__(self, network, batch):
        return network.penalty()


def has_chosen_penalty(loss: AbstractLoss) -> bool:
    """Tell whether a part of the loss is a chosen penalty."""
    is_chosen = lambda part: isinstance(part, ChosenPenalty)
    return any(map(is_chosen, jax.tree.leaves(loss, is_leaf=is_chosen)))


def with_strength(loss: AbstractLoss, strength: Scalar) -> AbstractLoss:
    """Return the loss with every chosen penalty at this strength."""
    is_chosen = lambda part: isinstance(part, ChosenPenalty)
    settled = lambda part: Scaled(strength, Penalty()) if is_chosen(part) else part
    return jax.tree.map(settled, loss, is_leaf=is_chosen)
