"""What every network is: a function of one individual and one treatment."""

from __future__ import annotations

import abc
from typing import Any

import equinox as eqx
import jax
from jaxtyping import Float, PRNGKeyArray

from pairnet.core.types import Array, Outputs, Scalar, ask


class AbstractNetwork(eqx.Module):
    """A map from (x, t) of one individual to `Outputs`."""

    @abc.abstractmethod
    def __call__(self, x: Float[Array, " d"], t: Scalar) -> Outputs:
        """Return the score of mu(x, t), and phi(x)."""

    @abc.abstractmethod
    def penalty(self) -> Scalar:
        """Return what this architecture asks to keep small; never negative."""

    def settle(self, x: Float[Array, "n d"]) -> AbstractNetwork:
        """Return the network as it starts on rows with these covariates: most ask nothing of them.

        It is called once a training, before the first round.
        """
        return self


class Located(AbstractNetwork):
    """A network whose scores are counted from a fixed level, at which its training starts."""

    network: AbstractNetwork
    location: Scalar

    def __call__(self, x, t):
        outputs = self.network(x, t)
        return eqx.tree_at(lambda o: o.y, outputs, outputs.y + jax.lax.stop_gradient(self.location))

    def penalty(self):
        return self.network.penalty()


@ask.register(Located)
def _(network: Located, x: Float[Array, "n d"], t: Float[Array, " n"]) -> Outputs:
    outputs = ask(network.network, x, t)
    return eqx.tree_at(lambda o: o.y, outputs, outputs.y + jax.lax.stop_gradient(network.location))


class Build(eqx.Module):
    """A recipe for a network, as a value: equal recipes share a compiled program."""

    kind: type[AbstractNetwork] = eqx.field(static=True)
    options: tuple[tuple[str, Any], ...] = eqx.field(static=True)

    def __init__(self, kind: type[AbstractNetwork], **options: Any):
        self.kind = kind
        self.options = tuple(sorted(options.items()))

    def __call__(self, covariates: int, *, key: PRNGKeyArray) -> AbstractNetwork:
        return self.kind(covariates, key=key, **dict(self.options))
