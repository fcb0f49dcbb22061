"""What tests share: small problems with known truth, and methods small enough to train in a
moment."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from pairnet import (
    LinearSLearner,
    LinearTLearner,
    PairNet,
    Plan,
    SLearner,
    Stack,
    TARNet,
    TreeSLearner,
    VCNet,
)
from pairnet.core.treatments import Dose
from pairnet.core.types import Batch, Embedded, Rows
from pairnet.learners.networked import NetworkEstimator
from pairnet.methods import methods
from ridge import RidgeArms

QUICK = Plan(patience=50, longest=200, warm_up=20)
LONGER = Plan(patience=200, longest=2000, warm_up=200)
SMALL = {"phi": (16,), "mu": (8,)}


def small(method: str = "pairnet", **options):
    """Return a method with a small network and a short plan."""
    options = {"plan": QUICK} | options
    base = TARNet(**SMALL, l2=options.pop("l2", 0.1))
    if method == "tarnet":
        return TARNet(**SMALL, l2=base.l2, **options)
    return PairNet(base=base, **options)


def small_version(kind: type, **options):
    """Return a small instance of any method: its own network small, or its base's, or its
    learners quick."""
    fields = kind.__dataclass_fields__
    own = {"plan": QUICK, "l2": 0.1} | SMALL
    if issubclass(kind, Stack):
        quick = TreeSLearner(longest=30) if options.get("treatment") == "dose" else LinearTLearner()
        own = {"members": 2, "learners": (LinearSLearner(), quick)}
    if "base" in fields:
        own = {"plan": QUICK, "base": TARNet(**SMALL, l2=0.1)}
    if kind is SLearner:  # it must first find out that the arm matters at all
        own |= {"plan": LONGER, "l2": 0.01}
    return kind(**{name: value for name, value in (own | options).items() if name in fields})


def easy_problem(n: int = 300, arms: int = 2, seed: int = 0, noise: float = 0.3):
    """Return x, t, y, tau of a lightly confounded problem with a linear effect; arm k has k times
    the effect."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    t = np.clip(np.round(rng.uniform(-0.5, arms - 0.5, n) + 0.2 * x[:, 0]), 0, arms - 1).astype(int)
    tau = 1 + 2 * x[:, 0]
    return x, t, x[:, 1] + t * tau + noise * rng.normal(size=n), tau


def easy_dose_problem(n: int = 300, seed: int = 0, noise: float = 0.3):
    """Return x, t, y, tau of a lightly confounded problem with doses of 10 to 60; tau is the effect
    of 60 against 10."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    place = np.clip(rng.uniform(-0.1, 1.1, n) + 0.1 * x[:, 0], 0, 1)
    tau = 1 + 2 * x[:, 0]
    return x, 10 + 50 * place, x[:, 1] + place * tau + noise * rng.normal(size=n), tau


class Case:
    """A method of the contract: how to make a small one, and an easy problem of the kind it
    takes."""

    def __init__(self, kind: type, **fixed):
        self.kind, self.fixed = kind, fixed
        asked = fixed.get("treatment", "auto")
        self.is_dose = Dose in self.make().takes if asked == "auto" else asked == "dose"
        self.is_network = issubclass(kind, NetworkEstimator)
        self.is_stack = issubclass(kind, Stack)
        # What gives members chances of their own: networks have their initial weights, and those
        # of a stack their folds.
        own_chances = self.is_network or self.is_stack
        self.chances = {} if own_chances else {"members": 3, "bootstrap": True}

    def make(self, **options):
        return small_version(self.kind, **(self.fixed | options))

    def problem(self, n: int = 300, seed: int = 0):
        return (easy_dose_problem if self.is_dose else easy_problem)(n, seed=seed)


def cases_of(name: str, kind: type) -> dict[str, Case]:
    """Return a case for every kind of treatment that a method takes."""
    if len(small_version(kind).takes) == 1:
        return {name: Case(kind)}
    return {name: Case(kind, treatment="arms"), f"{name} of doses": Case(kind, treatment="dose")}


CASES = {key: case for name in methods for key, case in cases_of(name, methods[name]).items()} | {
    "pairnet over vcnet": Case(PairNet, base=VCNet(**SMALL, l2=0.1)),
    "stack with a network": Case(
        Stack, treatment="arms", learners=(LinearSLearner(), TARNet(**SMALL, plan=QUICK))
    ),
    "ridge": Case(RidgeArms),  # no network
}


def rows(n: int = 12, d: int = 3, arms: int = 2, seed: int = 0, binary: bool = False) -> Rows:
    """Return random rows of every arm, in float32."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n) if binary else rng.normal(size=n)
    return Rows(
        jnp.asarray(rng.normal(size=(n, d)), jnp.float32),
        jnp.asarray(np.arange(n) % arms, jnp.float32),
        jnp.asarray(y, jnp.float32),
        jnp.ones(n),
    )


def embedded(rows: Rows, z=None) -> Embedded:
    """Return rows as a pairing sees them, in the space of their covariates."""
    return Embedded(rows.x if z is None else z, rows.t, rows.weight, jnp.arange(len(rows.t)))


def batch(rows: Rows, pairs: int = 2, seed: int = 0) -> Batch:
    """Return a batch that every loss can be taken of: partners drawn at random, and all pairs of
    the batch."""
    import jax.random as jr

    from pairnet.core.types import number
    from pairnet.pairing import InBatch, Neighbours

    everyone = embedded(rows)
    drawn = Neighbours(pairs, number(np.inf), number(0.0), False).draw(
        everyone, everyone, jr.key(seed)
    )
    theirs = rows.take(drawn.index)
    partner = Rows(theirs.x, theirs.t, theirs.y, drawn.weight)
    arms = int(rows.t.max()) + 1
    within = InBatch(arms, number(1.0), False).within(embedded(rows, jnp.zeros((len(rows.t), 0))))
    return Batch(rows, partner=partner, within=within)
