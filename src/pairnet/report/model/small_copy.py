"""A small copy of a large model, for a page: networks that learn what the model says.

The copy has three parts: the outcome under the first treatment compared, how much other treatments
add, and how far intervals reach. They are taught by rows of the fit and by mixtures of them, in
which a third of the columns come from another row, since a reader changes one value at a time. How
far the copy is from the model is measured on other such rows, and said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import optax
from jaxtyping import Float

from pairnet.core.own_jax import in_own_jax
from pairnet.core.types import Array
from pairnet.evidence.support import by_covariates
from pairnet.export.onnx.forms import AbstractForm
from pairnet.export.onnx.graph import ROWS, Graph, Value
from pairnet.export.onnx.traced import applied, row_shape, trace
from pairnet.model.question import Question
from pairnet.networks.blocks import Stack
from pairnet.report.model.subject import ALPHA, Subject

TAUGHT, CHECKED = 6000, 1000  # rows
MIXED, SWAPPED = 0.7, 0.3  # the share of rows that are mixtures, and of their columns that change
WIDTH, MOST_WEIGHTS = 48, 24_000  # of a layer, and of all three networks
STEPS, BATCH, RATE = 6000, 128, 3e-3
LEAST = 1e-9  # a unit


class Lesson(NamedTuple):
    """Rows, two treatments of each (see `_features`), and what the model says of them."""

    z: Float[Array, "n d"]
    first: Float[Array, "n k"]
    second: Float[Array, "n k"]
    level: Float[Array, " n"]  # the outcome under the base
    effect: Float[Array, " n"]  # of the second against the first
    reach: Float[Array, " n"]  # of its interval


class Networks(NamedTuple):
    """The three parts; each is a stack of layers with one answer."""

    level: Stack
    added: Stack
    reach: Stack

    def effect(self, z: Array, first: Array, second: Array) -> Array:
        """Return what the second treatment adds to the first, for one row."""
        added = lambda t: self.added(jnp.concatenate([z, t]))[0]
        return added(second) - added(first)

    def reaches(self, z: Array, first: Array, second: Array) -> Array:
        """Return how far the interval reaches, which is never negative, for one row."""
        return self.reach(jnp.concatenate([z, first, second]))[0] ** 2


@dataclass(frozen=True, eq=False)
class SmallCopy:
    """What was learned, in units of its own; base: the treatment from which outcomes are counted.

    off, spread: how far its effects are from the model's, and how much these differ between rows.
    """

    networks: Networks
    middle: float
    units: tuple[float, float, float]  # of levels, effects and reaches
    base: np.ndarray
    place: tuple[np.ndarray, np.ndarray]  # from encoded rows to z: a factor and a shift
    off: float
    spread: float

    def form(self, graph: Graph, treatment: Any) -> AbstractForm:
        """Return the copy as the form of a predictor."""
        return _Copied(graph, treatment, self)


@in_own_jax
def small_copy(subject: Subject) -> SmallCopy:
    """Teach a copy of a subject's model."""
    rng = np.random.default_rng(0)
    lesson, check = (_lesson(subject, rng, rows) for rows in (TAUGHT, CHECKED))
    middle = float(lesson.level.mean())
    parts = lesson.level, lesson.effect, lesson.reach
    units = tuple(max(float(np.std(part)), LEAST) for part in parts[:2])
    units += (max(float(np.mean(lesson.reach)), LEAST),)
    level, effect, reach = (
        (part - shift) / unit
        for part, shift, unit in zip(parts, (middle, 0, 0), units, strict=True)
    )
    networks = _taught(lesson._replace(level=level, effect=effect, reach=reach))
    z, first, second = (jnp.asarray(part, jnp.float32) for part in check[:3])
    said = np.asarray(jax.vmap(networks.effect)(z, first, second)) * units[1]
    off = float(np.sqrt(np.mean((said - check.effect) ** 2)))
    base = _features(subject.treatment, subject.question.t0)
    spread = float(np.std(check.effect))
    return SmallCopy(networks, middle, units, base, _place(subject), off, spread)  # type: ignore[arg-type]


def _features(treatment: Any, t: Any) -> np.ndarray:
    """Return inside numbers as numbers for a network: the dose, or a flag for each arm."""
    t = np.asarray(t, np.float64)[..., None]
    return t if treatment.whole_range else (t == np.arange(treatment.strata)).astype(np.float64)


def _place(subject: Subject) -> tuple[np.ndarray, np.ndarray]:
    place, width = by_covariates(subject.memory), len(subject.schema.features)
    low, high = (place(np.full((1, width), value)).astype(np.float64) for value in (0.0, 1.0))
    return high - low, low


def _lesson(subject: Subject, rng: np.random.Generator, rows: int) -> Lesson:
    """Return rows with what the model says of them, under treatments drawn at random."""
    treatment: Any = subject.treatment
    x = _mixtures(subject, rng, rows)
    if treatment.whole_range:
        t0, t1 = rng.random((2, rows)).astype(np.float32)
    else:
        t0 = rng.integers(0, treatment.strata, rows)
        t1 = (t0 + rng.integers(1, treatment.strata, rows)) % treatment.strata
    T0, T1 = (treatment.label_of(t) for t in (t0, t1))
    question = Question(subject.model, x, T0, T1, t0, t1)
    reach = np.zeros(rows)
    if question.has_interval:
        low, high = question.interval(ALPHA)
        reach = (high - low) / 2
    level = subject.model.expected(x, subject.question.t0)
    first, second = (_features(treatment, t) for t in (t0, t1))
    z = by_covariates(subject.memory)(x)
    return Lesson(z, first, second, level, question.effect, reach)


def _mixtures(subject: Subject, rng: np.random.Generator, rows: int) -> Float[np.ndarray, "n d"]:
    """Return rows of the fit, and some in which columns come from other rows."""
    known = subject.memory.x
    x, other = (known[rng.integers(0, len(known), rows)] for _ in range(2))
    is_mixed, start = rng.random(rows) < MIXED, 0
    for _, block in subject.schema.blocks(x):
        swapped, stop = is_mixed & (rng.random(rows) < SWAPPED), start + block.shape[1]
        x[swapped, start:stop] = other[swapped, start:stop]
        start = stop
    return x


def _taught(lesson: Lesson) -> Networks:
    """Train the three networks side by side."""
    data = Lesson(*(jnp.asarray(part, jnp.float32) for part in lesson))
    k_networks, k_steps = jr.split(jr.key(0))
    networks = _untrained(data.z.shape[1], data.first.shape[1], k_networks)
    optimiser = optax.adam(optax.cosine_decay_schedule(RATE, STEPS))

    def loss(networks: Networks, of: Lesson) -> Array:
        level = jax.vmap(networks.level)(of.z)[:, 0]
        effect = jax.vmap(networks.effect)(of.z, of.first, of.second)
        reach = jax.vmap(networks.reaches)(of.z, of.first, of.second)
        pairs = (level, of.level), (effect, of.effect), (reach, of.reach)
        return sum((jnp.mean((said - true) ** 2) for said, true in pairs), jnp.zeros(()))

    def step(state: Any, key: Array) -> Any:
        networks, memory = state
        rows = jr.randint(key, (BATCH,), 0, len(data.z))
        slope = jax.grad(loss)(networks, jax.tree.map(lambda part: part[rows], data))
        change, memory = optimiser.update(slope, memory)
        return (optax.apply_updates(networks, change), memory), None

    train = jax.jit(lambda state, keys: jax.lax.scan(step, state, keys))
    (networks, _), _ = train((networks, optimiser.init(networks)), jr.split(k_steps, STEPS))
    return networks


def _untrained(d: int, k: int, key: Array) -> Networks:
    inputs = (d, d + k, d + 2 * k)
    width = max(8, min(WIDTH, (MOST_WEIGHTS // 3) // (max(inputs) + WIDTH)))
    stacks = (
        Stack(count, (width, width, 1), linear=True, key=own)
        for count, own in zip(inputs, jr.split(key, 3), strict=True)
    )
    return Networks(*stacks)


class _Copied(AbstractForm):
    """A small copy in a graph."""

    def __init__(self, graph: Graph, treatment: Any, copy: SmallCopy):
        super().__init__(graph, treatment)
        self.copy = copy

    def outcome(self, x, t):
        graph, copy = self.graph, self.copy
        level = graph.times(
            self._asked(lambda networks, z: networks.level(z)[0], x),
            graph.constant(copy.units[0], "float64"),
        )
        level = graph.add(level, graph.constant(copy.middle, "float64"))
        base = graph.spread(graph.constant(copy.base[None], "float32"), (ROWS, len(copy.base)))
        return self.as_row(graph.add(level, self._effect(x, base, self._given(t))))

    def effect(self, x, t0, t1):
        return self.as_row(self._effect(x, self._given(t0), self._given(t1)))

    def error(self, x, t0, t1, members, by_learner):
        graph = self.graph
        asked = self._asked(Networks.reaches, x, self._given(t0), self._given(t1))
        reach = graph.times(asked, graph.constant(self.copy.units[2], "float64"))
        return graph.where(graph.each("Equal", t0, t1), graph.constant(0.0), reach)

    def quantile(self, members, alpha):
        """1: the copy has learned how far intervals reach, not how sure effects are."""
        return 1.0

    def _effect(self, x: Value, first: Value, second: Value) -> Value:
        asked = self._asked(Networks.effect, x, first, second)
        return self.graph.times(asked, self.graph.constant(self.copy.units[1], "float64"))

    def _given(self, t: Value) -> Value:
        """Return treatments as `_features` does."""
        if self.treatment.whole_range:
            return self.graph.reshaped(t, (ROWS, 1))
        return self.graph.cast(self.flags(t), "float32")

    def _asked(self, what: Any, x: Value, *treatments: Value) -> Value:
        """Return what the networks say of rows [n]."""
        graph, copy = self.graph, self.copy
        factor, shift = map(graph.constant, copy.place)
        z = graph.cast(graph.add(graph.times(x, factor), shift), "float32")
        shapes = [row_shape(*(size for size in v.shape[1:] if size)) for v in (z, *treatments)]
        by_row = jax.vmap(what, in_axes=(None, *(0 for _ in shapes)))
        traced = trace(by_row, copy.networks, *shapes)
        weights = [graph.constant(np.asarray(leaf)) for leaf in jax.tree.leaves(copy.networks)]
        (answer,) = applied(graph, traced, [*weights, z, *treatments])
        return graph.cast(graph.spread(answer, (ROWS,)), "float64")
