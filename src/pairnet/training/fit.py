"""From a recipe and rows to a fitted model.

First come the units and the penalty, then stage after stage, then the level of the outcomes.
"""

from __future__ import annotations

import functools

import equinox as eqx
import jax
import jax.random as jr
import numpy as np
from jaxtyping import Float, Int, Key

from pairnet.core.own_jax import in_own_jax
from pairnet.core.types import Array, Rows
from pairnet.training import pilots, placing
from pairnet.training.compiling import keep_programs
from pairnet.training.fitted import Fitted
from pairnet.training.host import Trained, fit_stage
from pairnet.training.once import is_shared, once
from pairnet.training.plan import Plan
from pairnet.training.progress import Progress, silent
from pairnet.training.recipe import Recipe
from pairnet.training.scaling import Scaling


@in_own_jax
def fit_recipe(
    recipe: Recipe,
    rows: Rows,
    plan: Plan,
    keys: Key[Array, " r"],
    *,
    members: int = 1,
    draws: Int[Array, "r m n"] | None = None,
    report: Progress = silent,
) -> Fitted:
    """Fit a recipe to rows with a leading axis of replications, each with its own key.

    Rows come in the user's units, as numpy arrays. Pilots come first (`training/pilots.py`): they
    say the noise, which is the unit of the stages, and the penalty. `draws` holds how often each
    member draws each row, as in a bootstrap; left out, every member sees every row once.
    """
    keep_programs()
    replications = rows.t.shape[0]
    split = jax.vmap(lambda key: jr.split(key, members + 1))(keys)
    scaling, ready = _standardised(recipe, rows, plan)
    learned = pilots.train(recipe, ready, plan, split[:, 0], is_bootstrap(draws), report)
    if learned.noise is not None:
        scaling = scaling.in_noise(learned.noise)
        ready = eqx.tree_at(lambda r: r.y, ready, scaling.y(rows.y))
    weight = None if draws is None else _weights_of_draws(ready, draws)
    strength = None if learned.strength is None else np.repeat(learned.strength, members)
    trained = _train(recipe, ready, plan, split[:, 1:], weight, strength, report)
    by_member = lambda leaf: leaf.reshape(replications, members, *leaf.shape[1:])
    pilot_rounds = {
        name: np.repeat(taken[:, None], members, 1) for name, taken in learned.rounds.items()
    }
    fitted = Fitted(
        {name: jax.tree.map(by_member, stage.network) for name, stage in trained.items()},
        recipe.reading,
        scaling,
        np.zeros((replications, members)),
        pilot_rounds | {name: by_member(stage.rounds) for name, stage in trained.items()},
        by_member(trained[recipe.stages[-1].name].score),
        np.ones(replications) if learned.strength is None else learned.strength,
    )
    return eqx.tree_at(lambda f: f.offset, fitted, _mean_residual(fitted, rows))


def is_bootstrap(draws: Int[Array, "r m n"] | None) -> bool:
    """Tell whether members draw rows more than once; those of folds only leave rows out."""
    return draws is not None and bool((np.asarray(draws) > 1).any())


def _weights_of_draws(rows: Rows, draws: Int[Array, "r m n"]) -> Float[np.ndarray, "j n"]:
    """Return each row's weight in each training: its own, times how often it was drawn."""
    weight = np.asarray(rows.weight[:, None] * draws)
    return weight.reshape(-1, weight.shape[-1]).astype(np.float32)


def _train(
    recipe: Recipe,
    rows: Rows,
    plan: Plan,
    keys: Key[Array, "r m"],
    weight: Float[Array, "j n"] | None,
    strength: Float[Array, " j"] | None,
    report: Progress,
) -> dict[str, Trained]:
    """Train stage after stage; equal fits share the training of stages that only place rows."""
    source, keys = np.repeat(np.arange(len(keys)), keys.shape[1]), keys.reshape(-1)
    trained: dict[str, Trained] = {}
    for stage, number in zip(recipe.stages, placing.numbers(recipe.stages), strict=True):
        networks = {name: earlier.network for name, earlier in trained.items()}
        my_keys = jax.vmap(jr.fold_in, in_axes=(0, None))(keys, number)
        my_strength = strength if stage.leaves_penalty_open else None
        arguments = (
            *(stage, rows, source, networks, plan, my_keys, recipe.strata),
            *(weight, my_strength),
        )
        whole = is_shared()  # Ctrl-C must not leave a part of a training to other fits
        last = stage is recipe.stages[-1] and not whole
        train = functools.partial(fit_stage, *arguments, report=report, last=last)
        to_share = whole or number >= placing.FIRST_PLACING
        trained[stage.name] = (
            once(train, (stage.nameless(), *arguments[1:])) if to_share else train()
        )
    return trained


def _standardised(recipe: Recipe, rows: Rows, plan: Plan) -> tuple[Scaling, Rows]:
    """Return the units of a table before its noise is known, and its rows in them."""
    scaling = Scaling.of(rows.x, rows.y, rows.weight, plan, recipe.outcome)
    t, weight = (np.asarray(column, np.float32) for column in (rows.t, rows.weight))
    return scaling, Rows(scaling.x(rows.x), t, scaling.y(rows.y), weight)


def _mean_residual(fitted: Fitted, rows: Rows) -> Float[Array, "r m"]:
    """Return the training rows' mean residual, in units of training: the level to add."""
    residual = rows.y[:, None, :] - fitted.outcome(rows.x, rows.t)
    total = np.sum(residual * rows.weight[:, None, :], axis=-1)
    mean = total / np.sum(rows.weight, axis=-1)[:, None]
    return mean / fitted.scaling.unit[:, None]
