"""A recipe and rows go in, a fitted model comes out: units, then stage after stage, then the level
of the outcomes."""

from __future__ import annotations

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
from jaxtyping import Float, Int, Key

from pairnet.core.types import Array, Rows
from pairnet.networks import AbstractNetwork
from pairnet.training import placing
from pairnet.training.compiling import keep_programs, traces
from pairnet.training.loop import fit_stage
from pairnet.training.plan import Plan
from pairnet.training.progress import Report, silent
from pairnet.training.recipe import AbstractReading, Recipe
from pairnet.training.scaling import LEAST_NOISE, Scaling

BLOCKS = (
    1,
    64,
    512,
    2048,
)  # outcomes read off a network at once: few sizes, few programs; larger ones wait for memory

PILOT_TOLERANCE = 0.01  # the noise need not be known better than to half a per cent


class Fitted(eqx.Module):
    """Networks with leading axes [replications, members], and what is needed to read effects in the
    user's units."""

    networks: dict[str, AbstractNetwork]
    reading: AbstractReading
    scaling: Scaling
    offset: Float[Array, "r m"]  # of outcomes, in units of training
    rounds: dict[str, Int[Array, "r m"]]
    score: Float[Array, "r m"]  # of the last stage, on its validation rows

    def effect(self, x: Array, t0: Array, t1: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's effect of t1 against t0 for covariates [n d] or [r n d], in the
        user's units."""
        return self._read("effect", x, t0, t1) * self.scaling.unit[:, None, None]

    def outcome(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's expected outcome under t, with the level that the pair loss leaves
        open put back."""
        level = self.offset[:, :, None] + self._read("outcome", x, t)
        return np.asarray(
            level * self.scaling.unit[:, None, None] + self.scaling.location[:, None, None]
        )

    def curve(self, x: Array, t: Array) -> Float[np.ndarray, "r m n g"]:
        """Return every member's expected outcomes under several treatments: [g], or others for
        every row [n g]."""
        t = np.asarray(t, np.float32)
        said = self._read("curve", x, np.broadcast_to(t, (x.shape[-2], t.shape[-1])))
        unit, location = (
            value[:, None, None, None] for value in (self.scaling.unit, self.scaling.location)
        )
        return np.asarray((self.offset[:, :, None, None] + said) * unit + location)

    def slope(self, x: Array, t: Array) -> Float[np.ndarray, "r m n"]:
        """Return every member's derivative of the outcome in the dose (from 0 to 1), in the user's
        units."""
        return self._read("slope", x, t) * self.scaling.unit[:, None, None]

    def represent(self, x: Array) -> Float[np.ndarray, "r m n h"]:
        """Return every member's representation phi(x)."""
        return self._read("represent", x, np.zeros(()))

    def _read(self, what: str, x: Array, *treatments: Array) -> np.ndarray:
        """Read all rows in blocks of few sizes; the last block is filled up and cut again."""
        x = self.scaling.x(x)
        x = x if x.ndim == 3 else x[None]
        replications, count = len(self.offset), x.shape[1]
        more = () if what != "curve" else treatments[0].shape[-1:]
        given = [
            np.broadcast_to(np.asarray(t, np.float32), (replications, count, *more))
            for t in treatments
        ]
        asked = int(np.prod(more))  # treatments a row
        size = max(
            1, next((block for block in BLOCKS if count * asked <= block), BLOCKS[-1]) // asked
        )
        results = []
        for start in range(0, count, size):
            stop = min(start + size, count)
            fill = [(0, 0), (0, size - (stop - start))]
            part = [np.pad(t[:, start:stop], fill + [(0, 0)] * len(more)) for t in given]
            rows = np.pad(x[:, start:stop], [*fill, (0, 0)])
            result = _read_block(self.reading, self.networks, rows, part, what)
            results.append(np.asarray(result, np.float64)[:, :, : stop - start])
        return np.concatenate(results, axis=2)


@eqx.filter_jit
def _read_block(reading, networks, x, treatments, what):
    traces["read"] += 1
    one = lambda net, row, *ts: getattr(reading, what)(net, row, *ts)
    by_row = jax.vmap(one, in_axes=(None, 0, *(0 for _ in treatments)))
    by_member = jax.vmap(by_row, in_axes=(0, None, *(None for _ in treatments)))
    by_replication = jax.vmap(by_member, in_axes=(0, 0, *(0 for _ in treatments)))
    x = jnp.broadcast_to(x, (treatments[0].shape[0], *x.shape[1:]))
    return by_replication(networks, x, *treatments)


def fit_recipe(
    recipe: Recipe,
    rows: Rows,
    plan: Plan,
    keys: Key[Array, " r"],
    *,
    members: int = 1,
    draws: Int[Array, "r m n"] | None = None,
    report: Report = silent,
) -> Fitted:
    """Fit a recipe to rows with a leading replication axis, each replication with its own key and
    `members` members.

    Rows come in the user's units, as numpy arrays. Under `plan.scale == "noise"` a factual pilot is
    trained first, on the standardised outcome: its loss on held-out rows is the noise in whose
    units the stages then train. `draws` says how often each member draws each row, as in a
    bootstrap; left out, every member sees every row once.
    """
    keep_programs()
    replications = rows.t.shape[0]
    scaling = Scaling.of(rows.x, rows.y, rows.weight, plan, recipe.outcome)
    ready = Rows(
        scaling.x(rows.x),
        np.asarray(rows.t, np.float32),
        scaling.y(rows.y),
        np.asarray(rows.weight, np.float32),
    )
    split = jax.vmap(lambda key: jr.split(key, members + 1))(keys)
    rounds: dict[str, Array] = {}
    if plan.scale == "noise" and recipe.outcome.has_unit:
        noise, taken = _noise(recipe, ready, plan, split[:, 0], report)
        rounds["pilot"] = np.repeat(taken[:, None], members, axis=1)
        scaling = scaling.in_noise(noise)
        ready = eqx.tree_at(lambda r: r.y, ready, scaling.y(rows.y))

    source = np.repeat(np.arange(replications), members)
    jobs = split[:, 1:].reshape(-1)
    weight = (
        None
        if draws is None
        else (ready.weight[:, None] * draws).reshape(len(source), -1).astype(np.float32)
    )
    networks: dict[str, AbstractNetwork] = {}
    for stage, number in zip(recipe.stages, placing.numbers(recipe.stages), strict=True):
        last = stage is recipe.stages[-1]
        mine = jax.vmap(jr.fold_in, in_axes=(0, None))(jobs, number)
        given = (stage, ready, source, networks, plan, mine, recipe.strata, weight)
        train = lambda given=given, last=last: fit_stage(*given, report=report, last=last)
        trained = placing.once(train, given) if number >= placing.APART else train()
        networks[stage.name] = trained.network
        rounds[stage.name] = trained.rounds.reshape(replications, members)
    by_member = jax.tree.map(
        lambda leaf: leaf.reshape(replications, members, *leaf.shape[1:]), networks
    )
    fitted = Fitted(
        by_member,
        recipe.reading,
        scaling,
        np.zeros((replications, members)),
        rounds,
        trained.score.reshape(replications, members),
    )
    return eqx.tree_at(lambda f: f.offset, fitted, _mean_residual(fitted, rows))


def _noise(
    recipe: Recipe, rows: Rows, plan: Plan, keys: Key[Array, " r"], report: Report
) -> tuple[Array, Array]:
    """Train the factual pilot; returns the noise that it leaves on held-out rows, and the rounds it
    took."""
    rough = dataclasses.replace(plan, tolerance=max(plan.tolerance, PILOT_TOLERANCE))
    everyone = np.arange(rows.t.shape[0])
    pilot = fit_stage(
        recipe.pilot, rows, everyone, {}, rough, keys, recipe.strata, report=report, last=False
    )
    return np.maximum(np.sqrt(pilot.score), LEAST_NOISE).astype(np.float64), pilot.rounds


def _mean_residual(fitted: Fitted, rows: Rows) -> Float[Array, "r m"]:
    """Return the mean factual residual on the training rows, in units of training: the level the
    outcomes lack."""
    residual = rows.y[:, None, :] - fitted.outcome(rows.x, rows.t)
    mean = (
        np.sum(residual * rows.weight[:, None, :], axis=-1) / np.sum(rows.weight, axis=-1)[:, None]
    )
    return mean / fitted.scaling.unit[:, None]
