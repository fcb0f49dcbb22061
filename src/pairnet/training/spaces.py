"""Where neighbours are looked for: the space in which distances between rows are measured."""

from __future__ import annotations

import abc
from collections.abc import Mapping

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import Array
from pairnet.networks import AbstractNetwork


class AbstractSpace(eqx.Module):
    """A way to place rows. `place` is called once a stage, `refresh` once a round."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the stages whose networks the space uses."""
        return ()

    @property
    def moves(self) -> bool:
        """Whether the positions of rows change every round."""
        return False

    @abc.abstractmethod
    def place(
        self,
        x: Float[Array, "n d"],
        network: AbstractNetwork,
        fitted: Mapping[str, AbstractNetwork],
    ) -> Float[Array, "n h"]:
        """Return the positions of the rows before the stage trains."""

    def refresh(
        self, z: Float[Array, "n h"], x: Float[Array, "n d"], network: AbstractNetwork
    ) -> Float[Array, "n h"]:
        """Return the positions of the rows for the coming round."""
        return z


class Nowhere(AbstractSpace):
    """No space: all rows are equally near, so partners are random."""

    def place(self, x, network, fitted):
        return jnp.zeros((len(x), 0))


class Covariates(AbstractSpace):
    """The covariates themselves, or some columns of them."""

    columns: tuple[int, ...] | None = eqx.field(static=True, default=None)

    def place(self, x, network, fitted):
        if self.columns is None:
            return x
        if max(self.columns) >= x.shape[1]:
            raise ValueError(
                f"columns must be positions below {x.shape[1]}, the number of covariates: "
                f"{self.columns}."
            )
        return x[:, jnp.asarray(self.columns)]


class Representation(AbstractSpace):
    """The representation of a network that an earlier stage has fitted: the paper's psi."""

    stage: str = eqx.field(static=True)

    @property
    def needs(self):
        return (self.stage,)

    def place(self, x, network, fitted):
        return represent(fitted[self.stage], x)


class Score(AbstractSpace):
    """The propensity of every arm but the first, by a network that an earlier stage has fitted."""

    stage: str = eqx.field(static=True)

    @property
    def needs(self):
        return (self.stage,)

    def place(self, x, network, fitted):
        chance = jax.vmap(lambda row: fitted[self.stage](row, jnp.zeros(())).chance())(x)
        return jax.lax.stop_gradient(chance[:, 1:])


class Own(AbstractSpace):
    """The network's own representation, computed anew every round."""

    @property
    def moves(self):
        return True

    def place(self, x, network, fitted):
        return represent(network, x)

    def refresh(self, z, x, network):
        return represent(network, x)


def represent(network: AbstractNetwork, x: Float[Array, "n d"]) -> Float[Array, "n h"]:
    """Return phi(x) for every row."""
    return jax.lax.stop_gradient(jax.vmap(lambda row: network(row, jnp.zeros(())).z)(x))
