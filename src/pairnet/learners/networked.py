"""Methods whose models are networks: they share the plan, and each is a recipe."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
from jaxtyping import Int

from pairnet.core.outcomes import AbstractOutcome, outcome_of
from pairnet.core.own_jax import in_own_jax
from pairnet.core.treatments import Treatment, can_take
from pairnet.core.types import LARGEST, SMALLEST, Rows, is_computable, is_number, is_whole
from pairnet.model.arrays import filled, named
from pairnet.model.face import Estimator
from pairnet.model.learner import expect
from pairnet.model.predictor import AbstractPredictor, Log, Stored
from pairnet.networks.base import Located
from pairnet.networks.codes import coded
from pairnet.training import Fitted, Plan, Recipe, fit_recipe
from pairnet.training.fitted import Reader
from pairnet.training.progress import Progress, bar, silent
from pairnet.training.scaling import Scaling

DEFAULT_PLAN = Plan()
MOST_CODES = 256
ANY_ROWS = 1000  # for recipes whose networks alone matter: the number of rows matters in training
PARTS = (
    "networks",
    "scaling",
    "offset",
    "rounds",
    "score",
)  # the fields of `Fitted` that hold arrays


@dataclass(kw_only=True, eq=False, repr=False)
class NetworkEstimator(Estimator):
    """Methods whose models are networks; `recipe` defines everything else.

    plan: how to train. codes: if above 0, networks also see each number cut into so many bins at
    its quantiles (`networks/codes.py`), which may help where outcomes bend or jump.
    """

    plan: Plan = DEFAULT_PLAN
    codes: int = 0

    pairable: ClassVar[bool] = False  # whether `PairNet` can train its network on pairs
    # Hyperparameters of the training: a method that trains another's network sets them itself.
    training_fields: ClassVar[tuple[str, ...]] = (
        "plan",
        "codes",
        "members",
        "outcome",
        "treatment",
        "seed",
        "verbose",
        "bootstrap",
        "calibration",
    )

    @abc.abstractmethod
    def recipe(self, outcome: AbstractOutcome, treatment: Any, rows: int | float) -> Recipe:
        """Return this method as a recipe for a table with this number of rows.

        A recipe reads like a sentence whose words are networks, losses, views and pairings.
        """

    @classmethod
    def published(cls, **changes: Any) -> NetworkEstimator:
        """Return the method as the paper trains it; `changes` set other hyperparameters."""
        return cls(**({"plan": Plan.published()} | changes))

    def check(self) -> None:
        super().check()
        expect(isinstance(self.plan, Plan), self, "plan", "a pairnet.Plan")
        good = is_whole(self.codes) and 0 <= self.codes <= MOST_CODES
        expect(good, self, "codes", f"a whole number from 0 to {MOST_CODES}")
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            good = not is_number(value) or is_computable(value)
            expect(good, self, field.name, f"0, or from {SMALLEST:g} to {LARGEST:g} in size")

    @property
    def rows_needed(self):
        share = self.plan.validation
        return int(np.ceil(2 / min(share, 1 - share)))

    @property
    def rows_purpose(self):
        return (
            f"so that {self.plan.validation:.0%} of them can be held out to decide when to stop "
            "and the rest trained on"
        )

    @property
    def about_training(self):
        return (
            f"A round is up to 50 steps and a look at the held-out {self.plan.validation:.0%} of "
            "the rows; training stops when they no longer improve, and the best weights are kept. "
            "The loss is that of the last stage, in units of the noise; members that differ much "
            "in it, or reach the longest training, deserve a look. Losses round by round are not "
            "recorded."
        ).replace("%", " %")

    def learn(self, rows, treatment, outcome, *, draws=None, report=silent, engine=None):
        """Train the networks of the recipe, all members in one program: no engine is needed."""
        one = Rows(*(values[None] for values in (rows.x, rows.t, rows.y, rows.weight)))
        drawn = None if draws is None else draws[None]
        return NetworkPredictor(self._fit(one, treatment, outcome, [0], drawn, report))

    def learn_replications(self, rows, treatment, outcome, *, numbers, draws=None, report=silent):
        """Train the networks of all replications side by side."""
        fitted = self._fit(rows, treatment, outcome, numbers, draws, report)
        return [NetworkPredictor(fitted.of(k)) for k in range(len(rows.t))]

    def fit_replications(
        self,
        rows: Rows,
        treatment: Treatment,
        *,
        numbers: Sequence[int] | None = None,
        report=None,
    ) -> Fitted:
        """Fit every replication of a study at once: see `Estimator.fit_replications`."""
        self.check()
        can_take(treatment, self.takes, self.label)
        outcome = outcome_of(self.outcome, np.asarray(rows.y))
        which = range(len(rows.t)) if numbers is None else numbers
        drawn = self._draws(np.asarray(rows.t), treatment)
        with bar(type(self).__name__, self.verbose) as own:
            return self._fit(rows, treatment, outcome, which, drawn, report or own)

    @in_own_jax
    def _fit(
        self,
        rows: Rows,
        treatment: Treatment,
        outcome: AbstractOutcome,
        numbers: Sequence[int],
        draws: Int[np.ndarray, "r m n"] | None,
        report: Progress,
    ) -> Fitted:
        """Train the recipe on every replication, each with the random numbers of its number."""
        recipe = self._recipe(outcome, treatment, rows.t.shape[-1])
        which = np.asarray(numbers)
        keys = jr.split(jr.key(self.seed), int(which.max()) + 1)[which]
        members = self.members if draws is None else draws.shape[1]
        return fit_recipe(
            recipe, rows, self.plan, keys, members=members, draws=draws, report=report
        )

    @in_own_jax
    def restore(self, stored, treatment, outcome, width):
        """Fill the networks of the recipe, made as shapes without values, with stored arrays."""
        recipe = self._recipe(outcome, treatment, ANY_ROWS)
        stages, members = stored.json["stages"], int(self.members)
        names = {stage.name for stage in recipe.stages}
        if not isinstance(stages, list) or not names <= set(stages) <= names | {"pilot"}:
            raise ValueError(
                f"its stages are {str(stages)[:100]} where its method has {sorted(names)}"
            )
        parts = filled(_shapes(recipe, stages, width, members), stored.arrays)
        parts["scaling"] = Scaling(**parts["scaling"])
        parts["scaling"].check()
        if any((count < 0).any() for count in parts["rounds"].values()):
            raise ValueError("its rounds of training are negative")
        strength = stored.json.get("strength", 1.0)  # models of 0.1 have none
        if not is_number(strength) or not 0 < strength < np.inf:
            raise ValueError("the strength of its penalty is not above 0")
        parts["strength"] = np.array([strength], np.float64)
        return NetworkPredictor(Fitted(reading=recipe.reading, **parts))

    @property
    def fitted_(self) -> Fitted:
        """The fitted networks."""
        predictor = self._model.predictor
        assert isinstance(predictor, NetworkPredictor)
        return predictor.fitted

    def _recipe(self, outcome: AbstractOutcome, treatment: Treatment, rows: int) -> Recipe:
        """Return the recipe as it is trained: its networks see codes, if there are any."""
        return coded(self.recipe(outcome, treatment, rows), int(self.codes))


class NetworkPredictor(AbstractPredictor):
    """Fitted networks of one replication."""

    def __init__(self, fitted: Fitted):
        self.fitted = fitted
        self._reader: Reader | None = None

    @property
    def reader(self) -> Reader:
        """The networks, ready to be read again and again."""
        if self._reader is None:
            self._reader = self.fitted.reader()
        return self._reader

    def __getstate__(self):
        return {"fitted": self.fitted, "_reader": None}  # a copy has a device of its own

    def outcome(self, x, t):
        return self.reader.outcome(x, t)[0]

    def effect(self, x, t0, t1):
        return self.reader.effect(x, t0, t1)[0]

    def curve(self, x, t):
        return self.reader.curve(x, t)[0]

    def slope(self, x, t):
        return self.reader.slope(x, t)[0]

    def represent(self, x):
        return self.reader.represent(x)[0]

    def program(self):
        fitted, reading = self.fitted, self.fitted.reading
        networks = jax.tree.map(lambda leaf: leaf[0], fitted.networks)
        centre, spread = (np.asarray(x[0], np.float32) for x in _moments(fitted.scaling))
        unit = np.float32(fitted.scaling.unit[0])
        by_row = jax.vmap(reading.effect, in_axes=(None, 0, 0, 0))
        by_member = jax.vmap(by_row, in_axes=(0, None, None, None))

        def effect(x, t0, t1):
            return by_member(networks, (x - centre) / spread, t0, t1).mean(axis=0) * unit

        return effect

    def log(self):
        rounds = self.fitted.rounds.items()
        return Log(
            {name: np.asarray(count)[0].tolist() for name, count in rounds},
            np.asarray(self.fitted.score, np.float64)[0].tolist(),
        )

    def stored(self):
        arrays = named({name: getattr(self.fitted, name) for name in PARTS})
        json = {
            "stages": sorted(self.fitted.rounds),
            "strength": float(self.fitted.strength[0]),
        }
        return Stored(json, arrays)


def _moments(scaling: Scaling) -> tuple[Any, Any]:
    """Return the means and the units of the covariates, [r d]."""
    return tuple(np.atleast_2d(values) for values in (scaling.centre, scaling.spread))  # type: ignore[return-value]


def _shapes(recipe: Recipe, stages: list[str], width: int, members: int) -> dict[str, Any]:
    """Return the shapes of all arrays of a fit, as a tree."""
    shape = lambda kind, *sizes: jax.ShapeDtypeStruct((1, *sizes), kind)
    scaling = {"centre": (width,), "spread": (width,), "location": (), "unit": ()}
    return {
        "networks": _skeletons(recipe, width, members),
        "scaling": {name: shape(np.float64, *sizes) for name, sizes in scaling.items()},
        "offset": shape(np.float64, members),
        "rounds": {name: shape(np.int32, members) for name in stages},
        "score": shape(np.float32, members),
    }


def _skeletons(recipe: Recipe, width: int, members: int) -> dict[str, Any]:
    """Return the networks of a recipe as shapes, with axes of one replication and its members."""

    def make(data):
        key = jr.wrap_key_data(data)
        network = lambda stage: Located(stage.network(width, key=key), jnp.zeros(()))
        return {stage.name: network(stage) for stage in recipe.stages}

    keys = jax.eval_shape(lambda: jr.key_data(jr.key(0)))
    many = jax.ShapeDtypeStruct((1, members, *keys.shape), keys.dtype)
    return eqx.filter_eval_shape(lambda data: jax.vmap(jax.vmap(make))(data), many)
