"""One comparison for some rows: what would T1 change, compared with T0?

What is compared is settled here and nowhere else, for Python, the command line and the report. If
the user does not name the treatments, and the labels of the arms do not tell which one is
untreated, the sign of an effect would be a guess: that is an error. Answers are computed when they
are first asked for, and then remembered.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import Argument, BadInput, InPython, Setting
from pairnet.core.types import is_one_of, is_whole
from pairnet.core.words import shown, word
from pairnet.evidence.memory import Memory
from pairnet.evidence.support import Support, by_covariates, support
from pairnet.inference import averages, conformal, intervals
from pairnet.inference.averages import Counted
from pairnet.inference.conformal import HeldOut
from pairnet.inference.intervals import Ends, Estimate
from pairnet.inference.scores import Scores
from pairnet.inference.targets import check_target
from pairnet.model import door, whom
from pairnet.model.model import Model
from pairnet.model.shown import ShownQuestion
from pairnet.tables import AbstractTable, opened


@dataclass(frozen=True, eq=False, repr=False)
class Question(ShownQuestion):
    """Rows, and the two treatments that are compared for them.

    T0, T1: in the user's words. t0, t1: as inside numbers, one for all rows or one a row. table:
    the rows as they came, or None for the rows that the model remembers. target, weight: whose
    average is asked for, and how much each row counts in it (None: all alike).
    """

    model: Model
    x: Float[np.ndarray, "n d"]
    T0: Any
    T1: Any
    t0: np.ndarray
    t1: np.ndarray
    table: AbstractTable | None = None
    target: str = "all"
    weight: Float[np.ndarray, " n"] | None = None
    # Other comparisons of the same rows, so that none is worked out twice.
    siblings: dict[tuple[Any, Any], Question] = field(default_factory=dict, repr=False)

    def comparing(self, T0: Any, T1: Any) -> Question:
        """Return the same rows with another comparison."""
        if np.ndim(self.T0) == np.ndim(self.T1) == 0:
            self.siblings.setdefault((self.T0, self.T1), self)
        if max(np.ndim(T0), np.ndim(T1)) > 0:
            return self._comparing(T0, T1)
        if (T0, T1) not in self.siblings:
            self.siblings[T0, T1] = self._comparing(T0, T1)
        return self.siblings[T0, T1]

    def _comparing(self, T0: Any, T1: Any) -> Question:
        t0, t1 = (self.model.inside(T, name, len(self.x)) for T, name in ((T0, "T0"), (T1, "T1")))
        return replace(self, T0=T0, T1=T1, t0=t0, t1=t1)

    def of_rows(self, rows: np.ndarray) -> Question:
        """Return the same comparison for some of the rows; answers are arrays then."""
        t0, t1 = (t[rows] if t.ndim else t for t in (self.t0, self.t1))
        T0, T1 = (T if np.ndim(T) == 0 else np.asarray(T)[rows] for T in (self.T0, self.T1))
        x, weight = self.x[rows], None if self.weight is None else self.weight[rows]
        some = {"x": x, "T0": T0, "T1": T1, "t0": t0, "t1": t1, "weight": weight}
        return replace(self, **some, table=None, siblings={})

    def targeting(self, target: str) -> Question:
        """Return the same question about the average of another target."""
        check_target(target)
        if target == self.target:
            return self
        other = replace(self, target=target, siblings={})
        known = ("members", "effect", "by_learner", "_of_fit", "_judged", "_place")
        other.__dict__.update(
            {name: self.__dict__[name] for name in known if name in self.__dict__}
        )
        return other

    def series(self, values: np.ndarray, name: str) -> Any:
        """Return one value a row in the form that fits the table that the user passed."""
        return values if self.table is None else self.table.series(values, name)

    @property
    def memory(self) -> Memory:
        """The rows that the model remembers."""
        return self.model.memory

    @cached_property
    def members(self) -> Float[np.ndarray, "m n"]:
        """Every member's effects."""
        effects = self.model.effects(self.x, self.t0, self.t1)
        return self.model.outcome.effect_inside(effects)

    @cached_property
    def effect(self) -> Float[np.ndarray, " n"]:
        """Each row's effect: the mean of the members."""
        return self.members.mean(axis=0)

    @cached_property
    def by_learner(self) -> tuple[Float[np.ndarray, "p n"], Float[np.ndarray, " p"]] | None:
        """The effects by each learner of a stack, with the learners' weights; None for one method.

        Weights add up to 1.
        """
        answers = self.model.by_learner(self.x, self.t0, self.t1)
        if answers is None:
            return None
        return self.model.outcome.effect_inside(answers[0]), answers[1]

    @property
    def disagreement(self) -> Float[np.ndarray, " n"] | None:
        """How far the learners of a stack lie apart, row by row; None for one method."""
        return None if self.by_learner is None else intervals.disagreement(*self.by_learner)

    @property
    def has_interval(self) -> bool:
        """Whether the model can say how sure effects are: by resampled members, or as a stack."""
        return self.model.has_interval

    def _need_interval(self) -> None:
        self.model.need_interval()

    def check_differs(self) -> None:
        """Raise if a treatment is compared with itself (one treatment for all rows)."""
        if np.ndim(self.T0) != 0 or np.ndim(self.T1) != 0:
            raise BadInput(
                "",
                (Argument("T0"), " and ", Argument("T1"), " must be one treatment for all rows"),
            )
        if self.T0 == self.T1:
            raise BadInput(
                "",
                (
                    Argument("T0"),
                    " and ",
                    Argument("T1"),
                    " must differ for there to be an effect, got ",
                    InPython(repr(self.T0), repr(word(self.T0))),
                    " twice",
                ),
            )

    def interval(self, alpha: float = 0.05, kind: str = "bootstrap") -> Ends:
        """Return the lower and upper ends of each row's interval.

        kind: "bootstrap", for the effect itself (of a stack by its fold models and learners);
        "conformal", for the difference in outcome between
        the row under T1 and its like under T0.
        """
        intervals.check_level(alpha)
        alpha = float(alpha)  # of a fraction, say
        intervals.check_kind(kind, ("bootstrap", "conformal"))
        if kind == "bootstrap":
            self._need_interval()
            lower, upper = intervals.of_answers(self.members, self.by_learner, alpha)
        else:
            reach = self._reach(alpha)
            lower, upper = self.effect - reach, self.effect + reach
        inside = self.model.outcome.effect_inside
        return inside(lower), inside(upper)

    @cached_property
    def counted(self) -> Counted:
        """How the rows count in an average over the target."""
        clusters = self.memory.clusters
        clusters = None if clusters is None or self._place is None else clusters[self._place]
        if self.target == "all" and self.weight is None:
            return Counted(clusters=clusters)
        counts = np.ones(len(self.x)) if self.weight is None else self.weight
        if self.target != "all":
            whom.check_arms(self.target, self.model.treatment, self.t0, self.t1)
            arms = int(self.t0), int(self.t1)
            counts = counts * whom.belongs(self.memory, self.x, self._place, arms, self.target)
        if not counts.sum() > 0:
            raise whom.nobody(self.target, self.T0, self.T1)
        return Counted(counts / counts.sum(), clusters)

    @cached_property
    def _place(self) -> Int[np.ndarray, " n"] | None:
        """Which remembered row each row is, if they are the rows of the fit."""
        return whom.place_in_fit(self.memory, self.x)

    @property
    def _is_fit(self) -> bool:
        """Whether the rows are those of the fit, and count as they did there."""
        weight = np.ones(len(self.x)) if self.weight is None else self.weight
        return self._place is not None and np.allclose(weight, self.memory.weight[self._place])

    @property
    def mean(self) -> float:
        """The average of the rows' effects over the target."""
        return float(self.counted.mean(self.effect))

    @cached_property
    def average(self) -> Estimate:
        """The average effect by the members, with its error; see `has_interval`."""
        self._need_interval()
        if self.by_learner is None:
            return averages.of_members(self.members, self.counted)
        return averages.of_folds(self.members, *self.by_learner, self.counted)

    @cached_property
    def doubly_robust(self) -> Estimate:
        """The average effect corrected by outcomes of the rows of the fit; for single arms."""
        whom.check_scored(self.model.treatment, self.t0, self.t1)
        if self.target != "all" and self._is_fit:
            estimate = averages.doubly_robust_of_fit(self.scores)
        else:
            estimate = averages.doubly_robust(self.effect, self._of_fit, self.scores, self.counted)
        value = float(self.model.outcome.effect_inside(np.asarray(estimate.value)))
        return estimate._replace(value=value if self.t0 != self.t1 else 0.0)

    @cached_property
    def _of_fit(self) -> Float[np.ndarray, " k"]:
        """The effects of the rows that the model remembers."""
        effects = self.model.effects(self.memory.x, self.t0, self.t1)
        return self.model.outcome.effect_inside(effects).mean(axis=0)

    @cached_property
    def scores(self) -> Scores:
        """The doubly robust scores of the rows that the model remembers; for single arms.

        Rows are judged by members that did not train on them or, if all did, by a light model. If
        all members trained on all rows, they judge them all the same.
        """
        return self._judged if self.target == "all" else self._judged.of(self.target)

    @cached_property
    def _judged(self) -> Scores:
        return whom.judged(self.model, (int(self.t0), int(self.t1)))

    def average_interval(self, alpha: float = 0.05, kind: str = "bootstrap") -> tuple[float, float]:
        """Return an interval around one of the two averages."""
        intervals.check_level(alpha)
        alpha = float(alpha)  # of a fraction, say
        intervals.check_kind(kind, ("bootstrap", "doubly robust"))
        if kind == "bootstrap":
            estimate = self.average
        else:
            self.memory.need_unseen()
            estimate = self.doubly_robust
        low, high = self.model.outcome.effect_inside(np.array(intervals.around(estimate, alpha)))
        return float(low), float(high)

    def support(self, k: int = 3, space: str = "covariates", *, by_fit: bool = False) -> Support:
        """Return the evidence: each row's k nearest observed partners under T0 and under T1.

        by_fit: whether the rows of the fit, and not these, tell how large a typical effect is,
        with which the disagreement of learners is compared. Then a row's verdict does not hang on
        the rows that are asked about with it.
        """
        most = max(len(self.memory.t), 1)
        if not (is_whole(k) and 1 <= k <= most):
            problem = f"must be a whole number of partners, from 1 to the {most} rows of the fit"
            raise BadInput("k", f"{problem}, got {shown(k)}")
        place = _places(self.model, space)
        found = support(self.memory, place, self.x, self.t0, self.t1, int(k), self.table)
        if self.disagreement is None:
            return found
        return found.doubted(self.effect, self.disagreement, self._of_fit if by_fit else None)

    def _reach(self, alpha: float) -> Float[np.ndarray, " n"]:
        """Return how far each row's conformal interval reaches from its effect."""
        rows = self.memory.kept_out
        if len(rows) == 0:
            raise BadInput(
                "",
                "A conformal interval is calibrated on rows that the model was not trained on, and "
                "this model was trained on all",
                (
                    "Fit it with ",
                    Setting("calibration", 0.2),
                    " to keep 20 % of the rows out of training.",
                ),
            )
        if self.model.treatment.whole_range and max(self.t0.ndim, self.t1.ndim) > 0:
            raise BadInput(
                "",
                "A conformal interval compares one dose with one other: T0 and T1 must be single "
                "doses",
            )
        memory = self.memory
        residual = memory.y[rows] - self.model.expected(memory.x[rows], memory.t[rows])
        t0, t1 = (np.broadcast_to(t, len(self.x)) for t in (self.t0, self.t1))
        reach = np.zeros(len(self.x))
        for first, second in itertools.product(np.unique(t0).tolist(), np.unique(t1).tolist()):
            asked = np.flatnonzero((t0 == first) & (t1 == second))
            if first != second and len(asked):
                held_out = lambda t, asked=asked: self._held_out(rows, residual, t, asked)
                reach[asked] = conformal.pair_reach(held_out(first), held_out(second), alpha)
        if not np.isfinite(reach).any():
            raise BadInput(
                "",
                f"{len(rows)} held-out rows are too few for intervals at alpha={alpha:g}: all "
                "would be infinite",
                "Fit with a larger calibration, or ask for a larger alpha.",
            )
        return reach

    def _held_out(
        self, rows: np.ndarray, residual: np.ndarray, t: float, asked: np.ndarray
    ) -> HeldOut:
        """Return the held-out residuals under one treatment, or under doses near it."""
        memory = self.memory
        if self.model.treatment.whole_range:
            near = conformal.nearest_rows(memory.t[rows], t)
            return HeldOut(residual[near], memory.weight[rows][near], np.ones(len(asked)))
        here, arm = memory.t[rows] == t, int(t)
        weight = memory.weight[rows] / memory.propensity.chances[rows, arm]
        own = 1 / memory.propensity.of(self.x[asked])[:, arm]
        return HeldOut(residual[here], weight[here], own)


def ask(
    model: Model,
    X: Any,
    T0: Any = None,
    T1: Any = None,
    target: str = "all",
    sample_weight: Any = None,
) -> Question:
    """Ask what T1 would change against T0 for the rows of X.

    Both are names of arms, or doses: one for all rows, or one a row. Left out, they are
    `treatment.contrast`; if one of two arms is named, it is compared with the other. target,
    sample_weight: whose average is asked for, and how much each row counts in it.
    """
    table = opened(X)
    x = model.encoded(table)
    weight = None
    if sample_weight is not None:
        door.aligned(X, sample_weight=sample_weight)
        weight = door.weights(sample_weight, len(x))
    return _resolved(model, x, T0, T1, table, target, weight)


def ask_memory(model: Model, T0: Any = None, T1: Any = None, target: str = "all") -> Question:
    """Ask the same for the rows that the model remembers of its fit, with their weights."""
    memory = model.memory
    weight = memory.weight if np.ptp(memory.weight) > 0 else None
    return _resolved(model, memory.x, T0, T1, None, target, weight)


def _resolved(
    model: Model,
    x: np.ndarray,
    T0: Any,
    T1: Any,
    table: AbstractTable | None,
    target: str,
    weight: np.ndarray | None,
) -> Question:
    check_target(target)
    T0, T1 = model.treatment.completed(T0, T1)
    t0, t1 = model.inside(T0, "T0", len(x)), model.inside(T1, "T1", len(x))
    if target != "all":
        whom.check_arms(target, model.treatment, t0, t1)
    return Question(model, x, T0, T1, t0, t1, table, target, weight)


def _places(model: Model, space: str):
    """Return the function that places rows: by covariates, or in the first member's space."""
    if not is_one_of(space, ("covariates", "representation")):
        raise BadInput("space", f"must be 'covariates' or 'representation', got {space!r}")
    if space == "covariates":
        return by_covariates(model.memory)

    def place(x: np.ndarray) -> np.ndarray:
        z = model.predictor.represent(x)
        if z is None:
            raise BadInput(
                "space",
                f"must be 'covariates', got 'representation': {model.method} has no representation "
                "of its own",
            )
        return z[0].astype(np.float32)

    return place
