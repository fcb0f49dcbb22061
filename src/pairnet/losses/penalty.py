"""The network's own penalty as a loss term: `l2 * Penalty()`."""

from __future__ import annotations

from pairnet.losses.base import AbstractLoss


class Penalty(AbstractLoss):
    """What the architecture asks to keep small: for most, the squares of phi's weights."""

    def __call__(self, network, batch):
        return network.penalty()
