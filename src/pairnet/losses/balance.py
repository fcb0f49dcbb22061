"""Balance: how far apart the arms' representations are (CFRNet: Shalit et al., 2017).

There are three measures. All of them use the weights of the batch's rows, look at every pair of
arms, and count a pair with an absent arm as 0, with gradients that stay finite.
"""

from __future__ import annotations

import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import Array, Scalar
from pairnet.losses.base import AbstractLoss, outputs


class LinearMMD(AbstractLoss):
    """The squared distance between the arms' mean representations.

    It is measured in units of the batch's spread.
    """

    arms: int = eqx.field(static=True)

    def __call__(self, network, batch):
        z, shares = standardised(network, batch, self.arms)
        means = shares @ z
        return over_pairs(shares, lambda a, b: jnp.sum((means[a] - means[b]) ** 2))


class KernelMMD(AbstractLoss):
    """The squared maximum mean discrepancy between arms, with a Gaussian kernel.

    The kernel is as wide as the batch's spread.
    """

    arms: int = eqx.field(static=True)

    def __call__(self, network, batch):
        z, shares = standardised(network, batch, self.arms)
        kernel = jnp.exp(-squared_distances(z) / (2 * z.shape[1]))
        means = shares @ kernel @ shares.T
        return over_pairs(shares, lambda a, b: means[a, a] + means[b, b] - 2 * means[a, b])


class Wasserstein(AbstractLoss):
    """The entropic optimal-transport cost between arms.

    The gradient takes the plan as fixed.
    """

    arms: int = eqx.field(static=True)
    epsilon: float = eqx.field(static=True)  # entropy, in units of the mean cost

    def __call__(self, network, batch):
        from pairnet.core.transport import plan

        z, shares = standardised(network, batch, self.arms)
        cost = squared_distances(z) / z.shape[1]
        return over_pairs(
            shares, lambda a, b: jnp.sum(plan(cost, shares[a], shares[b], self.epsilon) * cost)
        )


def standardised(network, batch, arms: int) -> tuple[Float[Array, "b h"], Float[Array, "k b"]]:
    """Return the rows' representations in units of the batch, and each arm's weights over the rows.

    The weights of an arm sum to 1, or to 0 where the batch has no row of it.
    """
    rows = batch.rows
    z = outputs(network, rows).z
    share = rows.weight / jnp.maximum(jnp.sum(rows.weight), 1e-12)
    centre = share @ z
    spread = jnp.sqrt(share @ (z - centre) ** 2 + 1e-6)
    weight = jax.nn.one_hot(rows.t.astype(int), arms).T * rows.weight
    total = jnp.sum(weight, axis=1, keepdims=True)
    return (z - centre) / spread, weight / jnp.where(total > 0, total, 1)


def over_pairs(shares: Float[Array, "k b"], measure) -> Scalar:
    """Return the mean of a measure over the pairs of arms that are both in the batch."""
    present = jnp.sum(shares, axis=1) > 0
    values = [
        jnp.where(present[a] & present[b], measure(a, b), 0)
        for a, b in itertools.combinations(range(len(shares)), 2)
    ]
    return sum(values, jnp.zeros(())) / len(values)


def squared_distances(z: Float[Array, "b h"]) -> Float[Array, "b b"]:
    """Return |z_i - z_j|^2.

    Representations are centred, so nothing is lost to cancellation.
    """
    squares = jnp.sum(z**2, axis=1)
    return jnp.maximum(squares[:, None] + squares[None, :] - 2 * z @ z.T, 0)
