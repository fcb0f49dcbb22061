"""A method that is no network, in one file: what a person writes who brings a learner of their own."""

from dataclasses import dataclass

import numpy as np

from pairnet.learners.by_member import ByMember
from pairnet.model.learner import expect
from pairnet.model.predictor import AbstractPredictor, Stored


@dataclass(kw_only=True, eq=False, repr=False)
class RidgeArms(ByMember):
    """A ridge regression for each arm."""

    strength: float = 1.0

    def check(self):
        super().check()
        expect(self.strength >= 0, self, "strength", "0 or more")

    def learn_member(self, rows, treatment, outcome, seed):
        x = np.hstack([np.ones((len(rows.t), 1)), rows.x])
        penalty = self.strength * np.diag([0.0] + [1.0] * rows.x.shape[1])
        lines = []
        for arm in range(len(treatment)):
            weighted = (x * (rows.weight * (rows.t == arm))[:, None]).T
            lines.append(np.linalg.solve(weighted @ x + penalty, weighted @ rows.y))
        return Lines(np.stack(lines))

    def restore_member(self, stored, treatment, outcome, width):
        lines = stored.arrays["lines"]
        if lines.shape != (len(treatment), width + 1):
            raise ValueError(f"its lines are {lines.shape}")
        return Lines(lines)


class Lines(AbstractPredictor):
    """Coefficients of a line for each arm, the intercept first."""

    def __init__(self, lines):
        self.lines = lines

    def outcome(self, x, t):
        own = self.lines[np.broadcast_to(t, len(x)).astype(int)]
        return (own[:, 0] + np.sum(own[:, 1:] * x, axis=1))[None]

    def stored(self):
        return Stored({}, {"lines": self.lines})
