"""What every loss is: a number for a network and a batch.

Losses can be added and scaled: `Factual(outcome) + 0.1 * Penalty()`.
"""

from __future__ import annotations

import abc
from collections.abc import Callable

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import Array, Batch, Outputs, Rows, Scalar, ask, number

Network = Callable[..., Outputs]  # any network; losses and networks do not import each other


class AbstractLoss(eqx.Module):
    """A term of a training loss."""

    @abc.abstractmethod
    def __call__(self, network: Network, batch: Batch) -> Scalar:
        """Return the loss of `network` on `batch`."""

    def __add__(self, other: AbstractLoss) -> AbstractLoss:
        return Sum(self, other)

    def __rmul__(self, factor: float) -> AbstractLoss:
        return Scaled(number(factor), self)


class Sum(AbstractLoss):
    """Two losses, added."""

    first: AbstractLoss
    second: AbstractLoss

    def __call__(self, network, batch):
        return self.first(network, batch) + self.second(network, batch)


class Scaled(AbstractLoss):
    """A loss times a number."""

    factor: Scalar
    loss: AbstractLoss

    def __call__(self, network, batch):
        return self.factor * self.loss(network, batch)


def outputs(network: Network, rows: Rows) -> Outputs:
    """Evaluate the network on rows of any shape, each under its own treatment."""
    flat = ask(network, rows.x.reshape(-1, rows.x.shape[-1]), rows.t.reshape(-1))
    return jax.tree.map(lambda leaf: leaf.reshape(*rows.t.shape, *leaf.shape[1:]), flat)


def weighted_mean(value: Float[Array, "*n"], weight: Float[Array, "*n"]) -> Scalar:
    """Return the weighted mean, or 0 where nothing has weight.

    A value of weight 0 may even be infinite.
    """
    total = jnp.sum(weight)
    return jnp.sum(jnp.where(weight > 0, weight * value, 0)) / jnp.where(total > 0, total, 1)
