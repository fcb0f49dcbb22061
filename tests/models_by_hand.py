"""Models whose every number is known: what is learned is a formula, and so are the chances."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np

from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms
from pairnet.evidence.memory import Memory
from pairnet.model.model import Model
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.tables import Schema

# Eight people: of four young ones (0) one was treated, of four old ones (1) three.
AGE = np.array([0.0, 0, 0, 0, 1, 1, 1, 1])
TREATED = np.array([0.0, 0, 0, 1, 0, 1, 1, 1])
CHANCES = np.where(AGE[:, None] == 0, (0.75, 0.25), (0.25, 0.75))


class Formula(AbstractPredictor):
    """A predictor that knows outcomes only: formula(x, t) is the answer of each member."""

    def __init__(self, *formulas):
        self.formulas, self.calls = formulas, 0

    def outcome(self, x, t):
        self.calls += 1
        t = np.broadcast_to(t, len(x)).astype(float)
        return np.stack([np.broadcast_to(formula(x, t), len(x)) for formula in self.formulas])

    def stored(self):
        return Stored()


@dataclass(frozen=True, eq=False)
class Remembered(Memory):
    """Rows whose chances are known; other rows have those of the first row.

    Where all members trained on a row, 0 is expected of it.
    """

    known: np.ndarray = field(kw_only=True)

    @property
    def propensity(self):
        return SimpleNamespace(
            chances=self.known,
            splits=self.known[None],
            predicted_splits=self.known[None],
            predicted=lambda x: np.broadcast_to(self.known[0], (len(x), 2)),
            of=lambda x: np.broadcast_to(self.known[0], (len(x), 2)),
        )

    @property
    def light_outcomes(self):
        return np.zeros((1, *self.known.T.shape))


def remembered(x, t, y=None, *, treatment=None, chances=None, draws=None, weight=None):
    """Return rows as a model remembers them; every member saw every row, unless `draws` says."""
    x = np.asarray(x, float).reshape(len(t), -1)
    n, treatment = len(t), Arms((0, 1)) if treatment is None else treatment
    chances = np.full((n, treatment.strata), 1 / treatment.strata) if chances is None else chances
    return Remembered(
        x=x,
        t=np.asarray(t, float),
        y=np.zeros(n) if y is None else np.asarray(y, float),
        weight=np.ones(n) if weight is None else np.asarray(weight, float),
        row=np.arange(n),
        draws=np.ones((1, n), int) if draws is None else np.asarray(draws),
        treatment=treatment,
        summary={"names": {"treatment": "drug", "outcome": "health"}},
        known=np.asarray(chances, float),
        design=np.asarray(chances, float),
    )


def model_of(memory, *formulas, outcome=None):
    """Return a model that remembers these rows, with one member for each formula."""
    return Model(
        predictor=Formula(*formulas),
        treatment=memory.treatment,
        outcome=Gaussian() if outcome is None else outcome,
        labels=None,
        schema=Schema.of(memory.x),
        memory=memory,
        method="Formula",
    )
