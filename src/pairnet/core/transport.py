"""Optimal transport between the rows of a batch, by ott-jax, which is imported on first use."""

from __future__ import annotations

import math
import warnings

import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.errors import NotInstalled
from pairnet.core.types import Array

ITERATIONS = 200
LEAST_MASS = 1e-30  # the least mass of a row


def plan(
    cost: Float[Array, "b b"],
    source: Float[Array, " b"],
    target: Float[Array, " b"],
    epsilon: float,
    relaxation: float = math.inf,
) -> Float[Array, "b b"]:
    """Return the plan that moves `source` onto `target` at the least cost.

    Both are distributions over the rows; rows of mass 0 take no part. `epsilon` is the plan's
    entropy, in units of the mean cost. A finite `relaxation` is the weight of the Kullback-Leibler
    divergence by which the plan's marginals may differ from the two. No gradient passes through the
    plan. The two numbers are constants of the compiled program, as ott-jax requires.
    """
    cost = jax.lax.stop_gradient(cost)
    takes_part = (source > 0)[:, None] & (target > 0)[None, :]
    mean = jnp.sum(jnp.where(takes_part, cost, 0)) / jnp.maximum(jnp.sum(takes_part), 1)
    unit = jnp.where(mean > 0, mean, 1.0)
    scaled = jnp.where(takes_part, cost / unit, 0)
    tau = 1.0 if math.isinf(relaxation) else relaxation / (relaxation + epsilon)
    # a row of mass 0 gets a little mass, and its part of the plan is removed again
    moved = _sinkhorn(
        scaled, jnp.maximum(source, LEAST_MASS), jnp.maximum(target, LEAST_MASS), epsilon, tau
    )
    return jax.lax.stop_gradient(jnp.where(takes_part & jnp.isfinite(moved), moved, 0))


def _sinkhorn(
    cost: Float[Array, "b b"],
    source: Float[Array, " b"],
    target: Float[Array, " b"],
    epsilon: float,
    tau: float,
) -> Float[Array, "b b"]:
    """Return the plan that ott-jax finds; tau = 1 keeps the marginals, less than 1 relaxes them."""
    solver, problem, geometry = _ott()
    place = geometry.Geometry(cost_matrix=cost, epsilon=epsilon)
    task = problem.LinearProblem(place, a=source, b=target, tau_a=tau, tau_b=tau)
    return solver.Sinkhorn(max_iterations=ITERATIONS, threshold=1e-3)(task).matrix


def _ott():
    """Import the parts of ott-jax that are needed, or say how to install it."""
    try:
        with (
            warnings.catch_warnings()
        ):  # a package that ott-jax imports warns that it is deprecated
            warnings.simplefilter("ignore", DeprecationWarning)
            from ott.geometry import geometry
            from ott.problems.linear import linear_problem
            from ott.solvers.linear import sinkhorn
    except ImportError as error:
        raise NotInstalled("Optimal transport needs", "ott-jax", "'pairnet[transport]'") from error
    return sinkhorn, linear_problem, geometry
