"""The values that are passed through the library, with their shapes.

`x, t, y` are data, `z` is a position in the space where neighbours are looked for, a prime is
called *partner*. A leading `*r` means "replications, if any": code is written for one replication
and mapped over all of them at the edge.
"""

from __future__ import annotations

import abc
import functools
import math
import numbers
from collections.abc import Callable, Collection

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.words import LARGEST_FLOAT, as_float

Array = jax.Array | np.ndarray
Scalar = Float[Array, ""]
MOST = 2**31 - 1  # compiled programs count in 32 bits
LARGEST = 1e38  # networks compute in float32, whose largest number is little more
SMALLEST = 1e-38  # differences smaller than this are nothing in float32
MOST_COUNTED = 2**53  # a float holds whole numbers up to here


def number(value: int | float | Array) -> np.ndarray:
    """Make a hyperparameter an array: an argument of the compiled program, no constant in it."""
    return np.asarray(value, np.float32)


def is_number(value: object) -> bool:
    """Tell whether a hyperparameter is a real number, no larger than a float can be."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        return False
    return abs(as_float(value)) < LARGEST_FLOAT or not isinstance(value, numbers.Rational)


def is_whole(value: object) -> bool:
    """Tell whether a hyperparameter is a whole number that compiled programs can count to."""
    return _is_integer(value) and abs(int(value)) <= MOST  # type: ignore[call-overload]


def is_seed(value: object) -> bool:
    """Tell whether a hyperparameter can be a seed: those further from 0 would be cut to 32 bits."""
    return _is_integer(value) and abs(int(value)) < 2**32  # type: ignore[call-overload]


def too_large(value: object) -> str:
    """Return what to add to an error on a whole number that is one too large, or nothing."""
    return f" (the most is {MOST})" if _is_integer(value) and not is_whole(value) else ""


def _is_integer(value: object) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def is_finite(value: object) -> bool:
    """Tell whether a value is a real number that a float can hold."""
    try:
        return is_number(value) and math.isfinite(float(value))  # type: ignore[arg-type]
    except OverflowError:
        return False


def is_count(value: object) -> bool:
    """Tell whether a value is a number of things: whole, not negative, of a size that exists."""
    return _is_integer(value) and 0 <= value < MOST_COUNTED  # type: ignore[operator]


def is_one_of(value: object, words: Collection[str]) -> bool:
    """Tell whether a value is one of some words; it may be anything, as an array."""
    return isinstance(value, str) and value in words


def is_computable(value: object) -> bool:
    """Tell whether a number keeps its meaning where networks compute with it, in float32."""
    if not is_number(value):
        return False
    size = abs(as_float(value))  # type: ignore[arg-type]
    return size in (0, math.inf) or SMALLEST <= size <= LARGEST


class Rows(eqx.Module):
    """What a stage trains on. `y` may be a pseudo-outcome; weight 0 means absent."""

    x: Float[Array, "*s n d"]  # replications may share their covariates
    t: Float[Array, "*r n"]
    y: Float[Array, "*r n"]
    weight: Float[Array, "*r n"]

    def take(self, index: Int[Array, "*m"]) -> Rows:
        """Return the rows at `index`, which may have any shape (one replication only)."""
        return Rows(self.x[index], self.t[index], self.y[index], self.weight[index])


class Outputs(eqx.Module):
    """A network's answers about one individual under one treatment."""

    y: Float[Array, "*r"]  # the score of mu(x, t); `Outcome.mean` makes it an outcome
    z: Float[Array, "*r h"]  # phi(x)
    propensity: Float[Array, "*r k"] | None = None  # log odds of every arm, where the network knows
    epsilon: Float[Array, "*r"] | None = None  # the targeted correction under this treatment
    # log heights of a dose's density at even steps from 0 to 1
    density: Float[Array, "*r k"] | None = None

    def log_chance(self) -> Float[Array, "*r k"]:
        """Return log P(arm | x), if the network models it."""
        if self.propensity is None:
            raise ValueError("This network has no propensity.")
        return jax.nn.log_softmax(self.propensity, axis=-1)

    def chance(self) -> Float[Array, "*r k"]:
        """Return P(arm | x), if the network models it."""
        return jnp.exp(self.log_chance())

    def log_chance_of(self, t: Float[Array, "*r"]) -> Float[Array, "*r"]:
        """Return log P(t | x), if the network models it: of an arm, or the log density of a dose.

        The density is linear between its heights and has the area 1 over [0, 1].
        """
        if self.density is None:
            return jnp.take_along_axis(self.log_chance(), t.astype(int)[..., None], axis=-1)[..., 0]
        steps = self.density.shape[-1] - 1
        tent = jnp.maximum(
            1 - jnp.abs(jnp.clip(t, 0, 1)[..., None] * steps - jnp.arange(steps + 1)), 0
        )
        share = (
            jnp.ones(steps + 1).at[jnp.asarray([0, steps])].set(0.5) / steps
        )  # of every height in the area
        log_of = lambda weight: jax.nn.logsumexp(self.density, axis=-1, b=weight)
        return log_of(tent) - log_of(jnp.broadcast_to(share, self.density.shape))


class Embedded(eqx.Module):
    """Rows as a pairing sees them: their places, their treatments, their numbers in the table."""

    z: Float[Array, "n h"]
    t: Float[Array, " n"]
    weight: Float[Array, " n"]
    row: Int[Array, " n"]


class Partners(eqx.Module):
    """The partners of each row: positions in the reference rows; weight 0 means no partner."""

    index: Int[Array, "n k"]
    weight: Float[Array, "n k"]
    distance: Float[Array, "n k"]


class AbstractWithin(eqx.Module):
    """The partner distribution q(j | i) over the rows of one minibatch, as an operator."""

    @abc.abstractmethod
    def has_partner(self) -> Bool[Array, " b"]:
        """Tell which rows have a legal partner in the batch."""

    @abc.abstractmethod
    def mean(self, value: Float[Array, " b"]) -> Float[Array, " b"]:
        """Return the mean of `value` over each row's partners: sum_j q(j | i) value_j."""

    @abc.abstractmethod
    def matrix(self) -> Float[Array, "b b"]:
        """Return q itself; row i sums to 1, or to 0 where it has no partner."""


class Batch(eqx.Module):
    """A minibatch: its rows and, for training on pairs, their partners in one of two forms."""

    rows: Rows  # [b]
    partner: Rows | None = None  # [b k], drawn; `weight` is the weight of the pair
    within: AbstractWithin | None = None  # or: every pair of the batch, weighted


@functools.singledispatch
def ask(network: Callable[..., Outputs], x: Float[Array, "n d"], t: Float[Array, " n"]) -> Outputs:
    """Ask a network about many individuals.

    It is asked about one after another, unless its class has registered a cheaper way.
    """
    return jax.vmap(network)(x, t)
