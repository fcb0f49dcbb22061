"""A shared representation with one head for each bin of doses (DRNet: Schwab et al., 2020)."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import jax.random as jr
from jaxtyping import Float, Int, PRNGKeyArray

from pairnet.core.types import Array, Outputs, ask
from pairnet.networks.base import AbstractNetwork
from pairnet.networks.blocks import Stack, Varied, elu


class Binned(AbstractNetwork):
    """A shared representation phi, then one head for each bin of doses.

    The doses from 0 to 1 are cut into `bins` equal parts.

    The place of the dose in its bin (t less the bin's left edge) is an input of every layer of the
    head. A bin holds its left edge and the last one both edges, so that every dose has a bin; doses
    outside [0, 1] have the nearest.
    """

    phi: Stack
    heads: tuple[Varied, ...]

    def __init__(
        self,
        covariates: int,
        *,
        bins: int = 5,
        phi: tuple[int, ...] = (200, 200, 200),
        mu: tuple[int, ...] = (100, 100),
        key: PRNGKeyArray,
    ):
        k_phi, *keys = jr.split(key, len(mu) + 2)
        self.phi = Stack(covariates, phi, key=k_phi)
        sizes = (phi[-1], *mu, 1)
        self.heads = tuple(
            Varied(i + 1, o, bins, key=k)
            for i, o, k in zip(sizes[:-1], sizes[1:], keys, strict=True)
        )

    @property
    def bins(self) -> int:
        """Return how many bins there are."""
        return len(self.heads[0].bias)

    def bin_of(self, t: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """Return the number of the bin in which a dose lies."""
        return jnp.clip(jnp.floor(t * self.bins), 0, self.bins - 1)

    def __call__(self, x, t):
        mine = self.bin_of(t)
        chosen = (jnp.arange(self.bins) == mine).astype(x.dtype)
        inside = (t - mine / self.bins)[None]
        z = self.phi(x)
        *hidden, last = self.heads
        h = z
        for layer in hidden:
            h = elu(layer(jnp.concatenate([h, inside]), chosen))
        return Outputs(y=last(jnp.concatenate([h, inside]), chosen)[0], z=z)

    def penalty(self):
        """Return the sum of squares of phi's weights (no biases, no heads)."""
        return self.phi.squares()


@ask.register(Binned)
def _(network: Binned, x: Float[Array, "n d"], t: Float[Array, " n"]) -> Outputs:
    """Answer for many individuals; on a CPU sorted by bin, so that each meets only its own head.

    Asked one by one, every head would answer for everybody. An accelerator still does this, since
    wide products are cheap there: which of the two is quicker on it has not been measured.
    """
    if jax.default_backend() != "cpu":
        return jax.vmap(network)(x, t)
    z = jax.vmap(network.phi)(x)
    return Outputs(y=_in_blocks(network, z, t), z=z)


def _in_blocks(
    network: Binned, z: Float[Array, "n h"], t: Float[Array, " n"]
) -> Float[Array, " n"]:
    """Return the scores of rows that are sorted into blocks of one bin each."""
    bins, mine = network.bins, network.bin_of(t)
    # rows of a block: large products, but not much left empty in each bin's last block
    size = -(-len(t) // (bins + 2))
    place, head = _blocks(mine.astype(int), bins, size)

    def sort(rows: Float[Array, "n k"]) -> Float[Array, "b size k"]:
        empty = jnp.zeros((len(head) * size, rows.shape[1]))
        return empty.at[place].set(rows).reshape(len(head), size, -1)

    inside, h = sort((t - mine / bins)[:, None]), sort(z)
    for position, layer in enumerate(network.heads):
        h = jnp.concatenate([elu(h) if position else h, inside], axis=-1)
        h = h @ jnp.swapaxes(layer.weight, 0, 1)[head] + layer.bias[head][:, None]
    return h.reshape(-1)[place]


def _blocks(
    mine: Int[Array, " n"], bins: int, size: int
) -> tuple[Int[Array, " n"], Int[Array, " b"]]:
    """Return each row's place among the blocks, and the bin of each block.

    Every bin has its own blocks; there are as many blocks as may be needed.
    """
    member = (mine[:, None] == jnp.arange(bins)).astype(int)
    before = jnp.sum((jnp.cumsum(member, axis=0) - member) * member, axis=1)  # rows of the same bin
    blocks = -(-jnp.sum(member, axis=0) // size)
    end = jnp.cumsum(blocks)
    most = -(-len(mine) // size) + bins - 1
    bin_of_block = jnp.minimum(jnp.sum(jnp.arange(most)[:, None] >= end, axis=1), bins - 1)
    return (end - blocks)[mine] * size + before, bin_of_block
