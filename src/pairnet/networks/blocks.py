"""The building blocks that networks share: `elu`, dense layers, varying layers, stacks."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, PRNGKeyArray

from pairnet.core.types import Array, Scalar


def elu(x: Float[Array, "*n"]) -> Float[Array, "*n"]:
    """x above zero, exp(x) - 1 below."""
    return jnp.where(x > 0, x, jnp.exp(jnp.minimum(x, 0)) - 1)


class Dense(eqx.Module):
    """An affine map: weights start Glorot normal, biases at N(0, 0.01^2)."""

    weight: Float[Array, "*k i o"]
    bias: Float[Array, "*k o"]

    def __init__(self, inputs: int, outputs: int, *, key: PRNGKeyArray):
        k_weight, k_bias = jr.split(key)
        self.weight = jnp.sqrt(2 / (inputs + outputs)) * jr.normal(k_weight, (inputs, outputs))
        self.bias = 0.01 * jr.normal(k_bias, (outputs,))

    def __call__(self, x: Float[Array, " i"]) -> Float[Array, " o"]:
        return x @ self.weight + self.bias


class Varied(eqx.Module):
    """An affine map that varies with the dose: sum_k basis_k (x W_k + c_k).

    Each W_k and c_k starts as in `Dense`.

    All maps are applied in one product and mixed afterwards, so that no row needs its own weight
    matrix.
    """

    weight: Float[Array, "*m i k o"]
    bias: Float[Array, "*m k o"]

    def __init__(self, inputs: int, outputs: int, functions: int, *, key: PRNGKeyArray):
        maps = copies(functions, lambda k: Dense(inputs, outputs, key=k), key)
        self.weight, self.bias = jnp.swapaxes(maps.weight, 0, 1), maps.bias

    def __call__(self, x: Float[Array, " i"], basis: Float[Array, " k"]) -> Float[Array, " o"]:
        functions, outputs = self.bias.shape
        products = x @ self.weight.reshape(-1, functions * outputs)
        # not a sum of products: a CPU would compute it anew inside the next layer's loops
        return basis @ (products.reshape(functions, outputs) + self.bias)


class Stack(eqx.Module):
    """Dense layers with `elu` after each; if `linear`, the last layer is without it."""

    layers: tuple[Dense, ...]
    linear: bool = eqx.field(static=True)

    def __init__(
        self, inputs: int, widths: tuple[int, ...], *, linear: bool = False, key: PRNGKeyArray
    ):
        sizes = (inputs, *widths)
        keys = jr.split(key, len(widths))
        self.layers = tuple(
            Dense(i, o, key=k) for i, o, k in zip(sizes[:-1], sizes[1:], keys, strict=True)
        )
        self.linear = linear

    def __call__(self, x: Float[Array, " i"]) -> Float[Array, " o"]:
        for position, layer in enumerate(self.layers):
            x = layer(x)
            if not (self.linear and position == len(self.layers) - 1):
                x = elu(x)
        return x

    def squares(self) -> Scalar:
        """Return the sum of squares of the weights, without the biases."""
        return sum((jnp.sum(layer.weight**2) for layer in self.layers), jnp.zeros(()))


def copies(count: int, make, key: PRNGKeyArray):
    """Return `count` independent copies of what `make(key)` builds, stacked along a new axis."""
    return jax.vmap(make)(jr.split(key, count))
