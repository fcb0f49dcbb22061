"""Which rows train, and in what order: at random, stratified by arm if there are arms."""

from __future__ import annotations

import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, Int, PRNGKeyArray

from pairnet.core.types import Array, Rows


def stratified_order(stratum: Int[Array, " n"], strata: int, key: PRNGKeyArray) -> Int[Array, " n"]:
    """Return a random order in which every stretch holds each stratum in its share.

    A stratum of m rows is shuffled and spread over the whole length n at even steps of n / m, from
    a random start. So the shares are right up to one row, the first rows of the order are a
    stratified sample, and its consecutive blocks are stratified minibatches.
    """
    k_shuffle, k_start = jr.split(key)
    count = len(stratum)
    size = jnp.sum(stratum[:, None] == jnp.arange(strata), axis=0)
    shuffled = jr.permutation(k_shuffle, count)
    # jax sorts stably, so rows stay shuffled within each stratum
    grouped = shuffled[jnp.argsort(stratum[shuffled])]
    first = jnp.cumsum(size) - size
    group = stratum[grouped]
    place = jnp.arange(count) - first[group] + jr.uniform(k_start, (strata,))[group]
    return grouped[jnp.argsort(place / jnp.maximum(size[group], 1))]


def strata_of(rows: Rows, strata: int) -> Int[Array, " n"]:
    """Return each row's stratum: its arm, or 0 for doses; absent rows have one of their own."""
    return jnp.where(rows.weight > 0, jnp.minimum(rows.t.astype(int), strata - 1), strata)


def passes(
    training: Int[Array, " m"],
    stratum: Int[Array, " n"],
    strata: int,
    slots: int,
    key: PRNGKeyArray,
) -> tuple[Int[Array, " s"], Float[Array, " s"]]:
    """Return one pass over the training rows, and a 1 for each of `slots` places with a row."""
    order = training[stratified_order(stratum[training], strata, key)]
    empty = slots - len(training)
    return jnp.pad(order, (0, empty)), jnp.pad(jnp.ones(len(training)), (0, empty))
