"""Optimal transport between the rows of a batch, by ott-jax, which is imported when first used."""

from __future__ import annotations

import math
import warnings

import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import Array

ITERATIONS = 200


def plan(
    cost: Float[Array, "b b"],
    source: Float[Array, " b"],
    target: Float[Array, " b"],
    epsilon: float,
    relaxation: float = math.inf,
) -> Float[Array, "b b"]:
    """Return the plan that moves `source` onto `target` at least cost, with entropy `epsilon` x the
    mean cost.

    Both are distributions over the rows; those with mass 0 take no part. A finite `relaxation` is
    the weight of the Kullback-Leibler divergence by which the plan's marginals may miss them. No
    gradient passes through the plan. The two numbers are constants of the compiled program, as
    ott-jax asks for.
    """
    solver, problem, geometry = _ott()
    cost = jax.lax.stop_gradient(cost)
    takes_part = (source > 0)[:, None] & (target > 0)[None, :]
    mean = jnp.sum(jnp.where(takes_part, cost, 0)) / jnp.maximum(jnp.sum(takes_part), 1)
    unit = jnp.where(mean > 0, mean, 1.0)
    scaled = jnp.where(takes_part, cost / unit, 0)
    tau = 1.0 if math.isinf(relaxation) else relaxation / (relaxation + epsilon)
    place = geometry.Geometry(cost_matrix=scaled, epsilon=epsilon)
    # A row of mass 0 is given the least mass there is, and its part of the plan is taken away
    # again.
    least = 1e-30
    a, b = jnp.maximum(source, least), jnp.maximum(target, least)
    task = problem.LinearProblem(place, a=a, b=b, tau_a=tau, tau_b=tau)
    found = solver.Sinkhorn(max_iterations=ITERATIONS, threshold=1e-3)(task).matrix
    return jax.lax.stop_gradient(jnp.where(takes_part & jnp.isfinite(found), found, 0))


def _ott():
    try:
        with warnings.catch_warnings():  # ott-jax imports a package that says it is old
            warnings.simplefilter("ignore", DeprecationWarning)
            from ott.geometry import geometry
            from ott.problems.linear import linear_problem
            from ott.solvers.linear import sinkhorn
    except ImportError as error:
        raise ImportError(
            "Optimal transport needs ott-jax, which is not installed: pip install "
            "'pairnet[transport]'."
        ) from error
    return sinkhorn, linear_problem, geometry
