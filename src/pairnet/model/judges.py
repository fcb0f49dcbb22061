"""Rows with outcomes that judge whom to treat: each is placed by what has not seen it.

They are the rows of the fit, by members of the ensemble that did not train on them, or other rows
that come with outcomes and treatments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput, InPython
from pairnet.core.treatments import Treatment
from pairnet.core.treatments.arms import IN_FOLDS
from pairnet.core.types import is_one_of
from pairnet.core.words import word
from pairnet.inference.scores import Scores
from pairnet.model import door, whom
from pairnet.model.groups import held_out, is_fit
from pairnet.model.model import Model
from pairnet.model.question import Question, ask_memory
from pairnet.policy.value import Judges


@dataclass(frozen=True, eq=False)
class Placed:
    """Rows with outcomes, by arm against the first: effects of what has not seen them, and scores.

    Effects and scores count as gains: they are above 0 where the goal is served. x: the covariates.
    place: which row of the table each of them was (None: that is not known). weight: how much they
    count.
    """

    effect: Float[np.ndarray, "k n"]
    score: Float[np.ndarray, "k n"]
    x: Float[np.ndarray, "n d"]
    weight: Float[np.ndarray, " n"]
    clusters: Int[np.ndarray, " n"] | None
    scores: tuple[Scores, ...]
    place: Int[np.ndarray, " n"] | None
    kept: Int[np.ndarray, " n"]  # which of the rows that have scores these are

    def luck(self, counts: Float[np.ndarray, "k n"]) -> float:
        """Return the variance that the luck of splits and members leaves in a sum of the scores.

        Between arms it is taken as if it went the same way, which it can at most.
        """
        total = 0.0
        for scores, own in zip(self.scores, counts, strict=True):
            of_all = np.zeros((1, len(scores.y)))
            of_all[0, self.kept] = own
            total += float(np.sqrt(scores.luck_in(of_all)[0, 0])) if own.any() else 0.0
        return total**2

    def judges(self, names: tuple[str, ...]) -> Judges:
        """Return the rows as judges of a policy."""
        share = self.weight / self.weight.sum()
        return Judges(self.score, share, names, self.clusters, self.luck)


def placed(
    question: Question,
    others: tuple[Any, ...],
    sign: float,
    y: Any = None,
    treatment: Any = None,
    sample_weight: Any = None,
    *,
    ordered: bool = True,
) -> Placed:
    """Return the rows that judge the other arms against T0 of the question.

    They are the rows asked about if these come with outcomes (and are not those of the fit), else
    the rows of the fit: if they are put in an order, those that some member has not seen.
    """
    if y is None or _are_of_fit(question, y):
        return _of_fit(question, others, sign, ordered)
    rows = len(question.x)
    door.has_treatment(treatment, "whom to treat")
    outcome = door.outcomes_as_in_fit(y, rows, question.model.labels)
    t = np.broadcast_to(question.model.inside(treatment, "treatment", rows), rows)
    weight = door.weights(sample_weight, rows)
    kept = np.flatnonzero(weight > 0)
    found = []
    for label in others:
        one = question.comparing(question.T0, label)
        arms = int(one.t0), int(one.t1)
        if not all((t[kept] == arm).any() for arm in arms):
            problem = f"must have rows of {word(question.T0)!r} and of {word(label)!r}"
            raise BadInput("treatment", problem, IN_FOLDS)
        scores = whom.judged_others(question.model, question.x, outcome, t, weight, arms)
        found.append((one.effect, scores))
    return _placed(found, kept, sign, question.x, kept, None)


def _of_fit(question: Question, others: tuple[Any, ...], sign: float, ordered: bool) -> Placed:
    memory = question.memory
    memory.need_unseen()
    own = ask_memory(question.model, question.T0, others[0])
    found, judged = [], np.ones(len(memory), bool)
    for label in others:
        one = own.comparing(own.T0, label)
        effect, unseen = held_out(one)
        judged &= unseen
        found.append((effect, one.scores))
    kept = np.flatnonzero(judged) if ordered else np.arange(len(memory))
    clusters = None if memory.clusters is None else memory.clusters[kept]
    place = memory.row[kept] if is_fit(question) else None
    return _placed(found, kept, sign, memory.x, place, clusters)


def _placed(
    found: list[tuple[np.ndarray, Scores]],
    kept: np.ndarray,
    sign: float,
    x: np.ndarray,
    place: np.ndarray | None,
    clusters: np.ndarray | None,
) -> Placed:
    effect = sign * np.stack([effect[kept] for effect, _ in found])
    score = sign * np.stack([scores.score[kept] for _, scores in found])
    scores = tuple(scores for _, scores in found)
    return Placed(effect, score, x[kept], scores[0].weight[kept], clusters, scores, place, kept)


def others_of(treatment: Treatment, T0: Any, T1: Any) -> tuple[Any, tuple[Any, ...]]:
    """Return nobody's treatment and the arms that may be given; T1 left out, those are all others.

    T0 left out, it is the arm whose name says that it is untreated.
    """
    if T0 is None and T1 is None and treatment.comparisons():
        T0 = treatment.comparisons()[0][0]
    if T0 is not None and T1 is None and np.ndim(T0) == 0:
        treatment.encode(T0, "T0")
        return T0, treatment.shown_against(T0, None)
    T0, T1 = treatment.completed(T0, T1)
    return T0, (T1,)


def need_arms(model: Model, what: str, instead: str) -> None:
    """Raise if the treatment is a dose; `what` is what was asked, and `instead` what to do."""
    if model.treatment.whole_range:
        problem = f"{what} is for arms; this model has doses"
        raise BadInput("", problem, InPython(instead))


def sign_of(goal: object) -> float:
    """Return 1 if a large outcome is good, and -1 if a small one is, or raise."""
    if not is_one_of(goal, ("max", "min")):
        raise BadInput("goal", f"must be 'max' or 'min', got {goal!r}")
    return 1.0 if goal == "max" else -1.0


def _are_of_fit(question: Question, y: Any) -> bool:
    """Tell whether rows that come with outcomes are the table of the fit."""
    if not is_fit(question):
        return False
    memory = question.memory
    outcome = door.outcomes_as_in_fit(y, len(question.x), question.model.labels)
    return bool(np.array_equal(outcome[memory.row], memory.y))
