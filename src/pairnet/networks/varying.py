"""A head whose weights are smooth functions of the dose (VCNet: Nie et al., 2021)."""

from __future__ import annotations

import equinox as eqx
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, PRNGKeyArray

from pairnet.core.types import Array, Outputs, Scalar
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Dense, Stack, Varied, elu


class Varying(AbstractNetwork):
    """A shared representation phi, then one head whose weights are splines of the dose.

    Biases are splines, too.

    The basis is 1, t, ..., t^degree and (t - knot)+^degree for every knot. With `heights` the
    network also models how likely a dose is given x, as a density that is linear between this many
    points, and has the spline epsilon(t) of targeted regularisation.
    """

    phi: Stack
    head: tuple[Varied, ...]
    density: Dense | None
    epsilon: Float[Array, " k"] | None
    degree: int = eqx.field(static=True)
    knots: tuple[float, ...] = eqx.field(static=True)

    def __init__(
        self,
        covariates: int,
        *,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        degree: int = 2,
        knots: tuple[float, ...] = (1 / 3, 2 / 3),
        heights: int = 0,
        key: PRNGKeyArray,
    ):
        k_phi, k_density, *keys = jr.split(key, len(mu) + 3)
        self.degree, self.knots = degree, knots
        functions = degree + 1 + len(knots)
        self.phi = Stack(covariates, phi, key=k_phi)
        sizes = (phi[-1], *mu, 1)
        self.head = tuple(
            Varied(i, o, functions, key=k)
            for i, o, k in zip(sizes[:-1], sizes[1:], keys, strict=True)
        )
        self.density = Dense(phi[-1], heights, key=k_density) if heights else None
        self.epsilon = jnp.zeros(functions) if heights else None

    def __call__(self, x, t):
        z, basis = self.phi(x), self.basis(t)
        *hidden, last = self.head
        h = z
        for layer in hidden:
            h = elu(layer(h, basis))
        return Outputs(
            y=last(h, basis)[0],
            z=z,
            density=None if self.density is None else self.density(z),
            epsilon=None if self.epsilon is None else jnp.sum(self.epsilon * basis),
        )

    def basis(self, t: Scalar) -> Float[Array, " k"]:
        """Return the values of the basis functions at a dose."""
        powers = [t**power if power else jnp.ones_like(t) for power in range(self.degree + 1)]
        bends = [jnp.maximum(t - knot, 0) ** self.degree for knot in self.knots]
        return jnp.stack([*powers, *bends])

    def penalty(self):
        """Return the sum of squares of phi's weights (no biases, no heads)."""
        return self.phi.squares()
