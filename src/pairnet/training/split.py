"""Which rows train and in what order: random, and stratified by arm where there are arms."""

from __future__ import annotations

import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, Int, PRNGKeyArray

from pairnet.core.types import Array, Rows


def stratified_order(stratum: Int[Array, " n"], strata: int, key: PRNGKeyArray) -> Int[Array, " n"]:
    """Return a random order in which every stretch of rows holds each stratum in its right share,
    give or take one.

    A stratum of m rows is shuffled and spread over the whole length at even steps of n / m, from a
    random start. The first rows of the order are thus a stratified sample, and its consecutive
    blocks are stratified minibatches.
    """
    k_shuffle, k_start = jr.split(key)
    count = len(stratum)
    size = jnp.sum(stratum[:, None] == jnp.arange(strata), axis=0)
    shuffled = jr.permutation(k_shuffle, count)
    grouped = shuffled[
        jnp.argsort(stratum[shuffled])
    ]  # jax sorts stably: shuffled within each stratum
    first = jnp.cumsum(size) - size
    group = stratum[grouped]
    place = jnp.arange(count) - first[group] + jr.uniform(k_start, (strata,))[group]
    return grouped[jnp.argsort(place / jnp.maximum(size[group], 1))]


def strata_of(rows: Rows, strata: int) -> Int[Array, " n"]:
    """Return each row's stratum: its arm (with one stratum, 0 whatever the dose), or one more for
    absent rows."""
    return jnp.where(rows.weight > 0, jnp.minimum(rows.t.astype(int), strata - 1), strata)


def passes(
    training: Int[Array, " m"],
    stratum: Int[Array, " n"],
    strata: int,
    slots: int,
    key: PRNGKeyArray,
) -> tuple[Int[Array, " s"], Float[Array, " s"]]:
    """Return one pass over the training rows in `slots` places, and a 1 for each place that holds a
    row."""
    order = training[stratified_order(stratum[training], strata, key)]
    empty = slots - len(training)
    return jnp.pad(order, (0, empty)), jnp.pad(jnp.ones(len(training)), (0, empty))
