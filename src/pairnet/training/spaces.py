"""Where neighbours are looked for: the space in which distances between rows are taken."""

from __future__ import annotations

import abc
from collections.abc import Mapping

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.networks import AbstractNetwork
from pairnet.types import Array


class AbstractSpace(eqx.Module):
    """A way to place rows. `place` is asked once a stage, `refresh` once a round."""

    @abc.abstractmethod
    def place(
        self, x: Float[Array, "n d"], network: AbstractNetwork, fitted: Mapping[str, AbstractNetwork]
    ) -> Float[Array, "n h"]:
        """Return the positions of the rows before the stage trains."""

    def refresh(self, z: Float[Array, "n h"], x: Float[Array, "n d"], network: AbstractNetwork) -> Float[Array, "n h"]:
        """Return the positions of the rows for the coming round."""
        return z


class Nowhere(AbstractSpace):
    """No space: all rows are equally near, so partners are random."""

    def place(self, x, network, fitted):
        """Return positions of no dimension."""
        return jnp.zeros((len(x), 0))


class Covariates(AbstractSpace):
    """The covariates themselves."""

    def place(self, x, network, fitted):
        """Return x."""
        return x


class Representation(AbstractSpace):
    """The representation of a network that an earlier stage has fitted: the paper's psi."""

    stage: str = eqx.field(static=True)

    def place(self, x, network, fitted):
        """Return phi(x) of the fitted network."""
        return represent(fitted[self.stage], x)


class Own(AbstractSpace):
    """The network's own representation, taken anew every round."""

    def place(self, x, network, fitted):
        """Return phi(x) of the network as it starts."""
        return represent(network, x)

    def refresh(self, z, x, network):
        """Return phi(x) of the network as it is."""
        return represent(network, x)


def represent(network: AbstractNetwork, x: Float[Array, "n d"]) -> Float[Array, "n h"]:
    """Return phi(x) for every row."""
    return jax.lax.stop_gradient(jax.vmap(lambda row: network(row, jnp.zeros(())).z)(x))
