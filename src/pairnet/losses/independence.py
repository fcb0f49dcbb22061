"""Independence of the representation and the dose: what balance is for arms.

HSIC: Gretton et al., 2005.
"""

from __future__ import annotations

import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import Array
from pairnet.losses.balance import squared_distances
from pairnet.losses.base import AbstractLoss, outputs


class Independence(AbstractLoss):
    """The Hilbert-Schmidt independence criterion of phi(x) and the dose.

    It is 0 where neither of the two says anything about the other.

    It is E[K L] + E[K] E[L] - 2 E[E[K | i] E[L | i]] with Gaussian kernels K on representations and
    L on doses, each as wide as the batch's spread.
    """

    def __call__(self, network, batch):
        rows = batch.rows
        share = rows.weight / jnp.maximum(jnp.sum(rows.weight), 1e-12)
        z, t = _kernel(outputs(network, rows).z, share), _kernel(rows.t[:, None], share)
        of_z, of_t = z @ share, t @ share
        together = share @ (z * t) @ share
        return jnp.maximum(
            together + (share @ of_z) * (share @ of_t) - 2 * share @ (of_z * of_t), 0
        )


def _kernel(points: Float[Array, "b h"], share: Float[Array, " b"]) -> Float[Array, "b b"]:
    """Return exp(-|a - b|^2 / (2 s^2)) with s^2 the mean squared distance from the centre."""
    points = points - share @ points
    spread = jnp.sum(share * jnp.sum(points**2, axis=1))
    return jnp.exp(-squared_distances(points) / (2 * (spread + 1e-12)))
