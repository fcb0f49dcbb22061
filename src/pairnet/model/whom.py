"""Whom an average is about: how rows count for a target, and the scores of those of the fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput, InPython
from pairnet.core.treatments import Treatment
from pairnet.core.words import word
from pairnet.evidence.memory import Memory
from pairnet.inference.propensity import bounded
from pairnet.inference.scores import Scores
from pairnet.inference.targets import belonging
from pairnet.model.model import Model


def place_in_fit(memory: Memory, x: Float[np.ndarray, "n d"]) -> Int[np.ndarray, " n"] | None:
    """Return which remembered row each row is, if they are the rows of the fit; otherwise None.

    Rows with the same covariates have the same effects, so that any of them may stand for another.
    """
    if x is memory.x:
        return np.arange(len(x))
    if x.shape != memory.x.shape:
        return None
    asked, known = (np.asarray(rows, np.float32) for rows in (x, memory.x))
    order, own = (np.lexsort(rows.T[::-1]) for rows in (asked, known))
    if not np.array_equal(asked[order], known[own]):
        return None
    place = np.empty(len(x), int)
    place[order] = own
    return place


def belongs(
    memory: Memory,
    x: Float[np.ndarray, "n d"],
    place: Int[np.ndarray, " n"] | None,
    arms: tuple[int, int],
    target: str,
) -> Float[np.ndarray, " n"]:
    """Return how much each row belongs to a target, for two arms.

    Rows of the fit are known to be treated or not; others are by their chances.
    """
    if place is not None and target in ("treated", "untreated"):
        own = arms[target == "treated"]
        return (memory.t == own)[place].astype(float)
    if place is not None:
        chances = memory.propensity.predicted_splits[:, place].mean(axis=0)
    else:
        chances = memory.propensity.predicted(x)
    return belonging(target, chances[:, list(arms)].T)


def judged(model: Model, arms: tuple[int, int]) -> Scores:
    """Return the doubly robust scores of the rows that a model remembers, for two arms."""
    memory, both = model.memory, list(arms)
    outcomes = [model.outcomes(memory.x, np.asarray(float(arm))) for arm in arms]
    of_arms = lambda chances: np.moveaxis(chances[:, :, both], 2, 1)
    scores = Scores(
        y=memory.y,
        weight=memory.weight,
        mine=np.stack([memory.t == arm for arm in arms]),
        chances=of_arms(memory.light_chances),
        members=np.stack(outcomes),
        unseen=memory.trust,
        light=model.outcome.inside(memory.light_outcomes[:, both]),
        clusters=memory.clusters,
    )
    chances = memory.chances_by(scores.expected)
    shares = np.bincount(memory.groups[1], memory.weight) / memory.weight.sum()
    kept = bounded(chances, shares) if memory.design is None else chances
    return replace(scores, chances=of_arms(kept), predicted=of_arms(chances))


def judged_others(
    model: Model,
    x: Float[np.ndarray, "n d"],
    y: Float[np.ndarray, " n"],
    t: Float[np.ndarray, " n"],
    weight: Float[np.ndarray, " n"],
    arms: tuple[int, int],
) -> Scores:
    """Return the doubly robust scores of rows that no member has seen, for two arms."""
    both, chances = list(arms), model.memory.propensity
    members = np.stack([model.outcomes(x, np.asarray(float(arm))) for arm in arms])
    return Scores(
        y=y,
        weight=weight,
        mine=np.stack([t == arm for arm in arms]),
        chances=chances.of(x)[:, both].T[None],
        members=members,
        unseen=np.ones(members.shape[1:], bool),
        light=None,
        predicted=chances.predicted(x)[:, both].T[None],
    )


def check_scored(treatment: Treatment, t0: np.ndarray, t1: np.ndarray) -> None:
    """Raise if a doubly robust average is asked of doses, or of several arms at once."""
    if treatment.whole_range:
        raise BadInput(
            "",
            "The doubly robust average is for arms; this model has doses",
            InPython("Leave kind out."),
        )
    if max(t0.ndim, t1.ndim) > 0:
        raise BadInput(
            "",
            "The doubly robust average compares one arm with one other: T0 and T1 must be "
            "single arms",
        )


def check_arms(target: str, treatment: Treatment, t0: np.ndarray, t1: np.ndarray) -> None:
    """Raise if a target other than all rows is asked of doses, or of several arms at once."""
    if treatment.whole_range:
        problem = f"must be 'all' for doses: nobody is treated or untreated, got {target!r}"
        raise BadInput("target", problem)
    if max(t0.ndim, t1.ndim) > 0:
        problem = "must be 'all' where rows are asked about different arms"
        raise BadInput("target", f"{problem}, got {target!r}", "Compare one arm with one other.")


def nobody(target: str, T0: object, T1: object) -> BadInput:
    """Return the error that no row belongs to a target."""
    who = {"treated": f"received {word(T1)!r}", "untreated": f"received {word(T0)!r}"}
    whom = who.get(target, f"might have received {word(T0)!r} or {word(T1)!r}")
    return BadInput("target", f"{target!r} has no rows: none of those asked about {whom}")
