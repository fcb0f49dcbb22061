"""Which method is best on your own table: held-out pair losses, without true effects."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from sklearn.base import clone

from pairnet.compare.effects import LeftOver
from pairnet.compare.folds import Fold, folds_of
from pairnet.compare.scores import HeldOutLosses, Standing
from pairnet.compare.words import conclusion
from pairnet.core.errors import BadInput, Setting, listed
from pairnet.core.treatments import Arms, Dose, Treatment, treatment_of, treatments
from pairnet.core.types import is_one_of
from pairnet.engines import AbstractEngine, Shared, Task, engine_of
from pairnet.methods import Estimator, methods
from pairnet.metrics import PairScore, pair_loss_score
from pairnet.model import door
from pairnet.model.named import named_apart
from pairnet.tables import AbstractTable, opened
from pairnet.training.progress import Progress

FOR_ARMS = ("stack", "pairnet", "tarnet", "treexlearner", "linearslearner")
FOR_DOSES = ("stack", "pairnet", "vcnet", "treeslearner", "linearslearner")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods from the best to the worst, and the conclusion in words."""

    lines: tuple[Standing, ...]
    sentence: str
    rows: int

    def frame(self) -> Any:
        """Return the lines as a pandas frame."""
        try:
            import pandas as pd
        except ImportError as error:
            message = "Data frames need pandas, which is not installed: pip install pandas."
            raise ImportError(message) from error
        lines = [
            {**vars(line), "noise": line.noise if place else None}
            for place, line in enumerate(self.lines)
        ]
        return pd.DataFrame(lines).set_index("method")

    def __str__(self) -> str:
        has_r = any(line.r is not None for line in self.lines)
        r_loss = f" {'R-loss':>18s}" * has_r
        lines = [f"{'method':24s} {'held-out pair loss':>24s} {'behind the best':>24s}{r_loss}"]
        for place, line in enumerate(self.lines):
            loss = line.loss_in_words
            behind = line.behind_in_words if place else ""
            r_loss = f" {line.r_in_words:>18s}" if has_r else ""
            lines.append(f"{line.method:24s} {loss:>24s} {behind:>24s}{r_loss}")
        return "\n".join([*lines, self.sentence])


def compare(
    candidates: Mapping[str, Any] | Sequence[Any] | None,
    X: Any,
    y: Any,
    *,
    treatment: Any,
    sample_weight: Any = None,
    folds: int = 3,
    seed: int = 0,
    kind: str = "auto",
    report: Progress | None = None,
    engine: AbstractEngine | str | None = None,
) -> Comparison:
    """Fit every method to one part of the rows, score it on the others, and rank the methods.

    candidates: names ("tarnet"), estimators, or a dictionary of names to estimators; None takes
    the stack and some of its learners. An estimator needs fit(X, y, treatment=...) and
    predict_outcome(X, treatment=...), with one treatment a row. folds: every row is scored once by
    models that have not seen it; 1 scores a random third of the rows once, which is quicker and
    rougher. kind: what the treatment is, "arms", "dose" or "auto", for methods that are named as
    text. engine: where the fits are done: "ray", or a value as `pairnet.engines.Processes(4)`; left
    out, in this process, one after another. Methods are ranked by the loss of pairs, which looks at
    outcomes; for arms each has its R-loss, too, which looks at effects alone.
    """
    if not is_one_of(kind, ("auto", *treatments)):
        raise BadInput("kind", f"must be 'auto', 'arms' or 'dose', got {kind!r}")
    X, passed = named_apart(X, y=y, treatment=treatment, sample_weight=sample_weight)
    rows = _ScoredRows.of(X, *passed.values())
    named = _named(candidates, rows.t, kind)
    taken = _taken_as(list(named.values()), rows.t)
    parts = folds_of(rows.t, taken, folds, seed)
    arms = taken.labels if isinstance(taken, Arms) else ()
    said = _predictions(named, rows, parts, arms, report, engine_of(engine))
    weights = [rows.weight[part.score] for part in parts]
    over_folds = lambda score: HeldOutLosses.over_folds(
        {name: list(map(score, by_fold, parts)) for name, by_fold in said.items()},
        [score(Predicted.nothing(len(part.score), len(arms)), part) for part in parts],
        weights,
    )
    losses, r = over_folds(lambda one, part: rows.score(one.outcomes, part)), None
    if arms:
        left_over = LeftOver.of(rows.table, rows.t, rows.y, rows.weight, taken)
        r = over_folds(lambda one, part: left_over.score(one.effects, part.score))
    count = sum(map(len, weights))
    return Comparison(losses.standings(r), conclusion(named, taken, losses, r), count)


class Predicted(NamedTuple):
    """What a method says of rows that it has not seen."""

    outcomes: Float[np.ndarray, " n"]  # under the rows' own treatments
    effects: Float[np.ndarray, "n k"]  # of each arm against the first; for doses none

    @classmethod
    def nothing(cls, rows: int, arms: int) -> Predicted:
        """Return what a model says that says 0 of every row."""
        return cls(np.zeros(rows), np.zeros((rows, arms)))


def _predictions(
    named: dict[str, Any],
    rows: _ScoredRows,
    parts: Sequence[Fold],
    arms: Sequence[Hashable],
    report: Progress | None,
    engine: AbstractEngine,
) -> dict[str, list[Predicted]]:
    """Fit every method in every fold, and return what it says fold by fold."""
    said: dict[str, dict[int, Predicted]] = {name: {} for name in named}
    with closing(engine.run(_tasks(named, rows, parts, arms))) as results:
        for result in results:
            name, _, fold = result.task.rpartition("\n")
            said[name][int(fold)] = result.get()
            if report is not None:
                done = sum(int(fold) in by_fold for by_fold in said.values())
                report(name, done, len(named), int(fold) + 1)
    return {name: [by_fold[k] for k in range(len(parts))] for name, by_fold in said.items()}


def _tasks(
    named: dict[str, Any], rows: _ScoredRows, parts: Sequence[Fold], arms: Sequence[Hashable]
) -> Iterator[Task]:
    """Yield a task for every method in every fold; the methods share the rows of a fold."""
    for fold, part in enumerate(parts):
        shared = [Shared(argument) for argument in rows.arguments(part)]
        for name, method in named.items():
            yield Task(f"{name}\n{fold}", predicted, (clone(method), arms, *shared))


def predicted(
    method: Any,
    arms: Sequence[Hashable],
    X: Any,
    y: np.ndarray,
    t: np.ndarray,
    weight: Any,
    new_X: Any,
    new_t: np.ndarray,
) -> Predicted:
    """Fit a method to some rows, and return what it says of others."""
    # a method may write into what it is given, and others share it
    X, y, t, weight, new_X, new_t = copy.deepcopy((X, y, t, weight, new_X, new_t))
    more = {} if weight is None else {"sample_weight": weight}
    method.fit(X, y, treatment=t, **more)
    with warnings.catch_warnings():
        # A fold may hold a dose or a word that the other folds lack.
        warnings.simplefilter("ignore", UserWarning)
        outcomes = np.asarray(method.predict_outcome(new_X, treatment=new_t))
        return Predicted(outcomes, _effects(method, new_X, new_t, arms))


def _effects(method: Any, X: Any, t: np.ndarray, arms: Sequence[Hashable]) -> np.ndarray:
    """Return effects of each arm against the first.

    t: the rows' own treatments. Methods of other packages are asked for outcomes alone.
    """
    if not arms:
        return np.zeros((len(t), 0))
    if isinstance(method, Estimator):
        return np.stack([method.effect(X, T0=arms[0], T1=arm) for arm in arms], axis=1)
    every = (np.full(len(t), arm, dtype=t.dtype) for arm in arms)
    outcomes = [np.asarray(method.predict_outcome(X, treatment=own)) for own in every]
    return np.stack([outcome - outcomes[0] for outcome in outcomes], axis=1)


@dataclass(frozen=True, eq=False)
class _ScoredRows:
    """The rows of a table, with outcomes and weights as numbers."""

    table: AbstractTable
    t: np.ndarray
    y: np.ndarray
    weight: np.ndarray
    weighted: bool

    @classmethod
    def of(cls, X: Any, y: Any, treatment: Any, sample_weight: Any) -> _ScoredRows:
        table = opened(X)
        door.aligned(X, y=y, treatment=treatment, sample_weight=sample_weight)
        outcome, _ = door.outcomes(y, table.rows)
        t = door.treatment_column(treatment, table.rows)
        weight = door.weights(sample_weight, table.rows)
        return cls(table, t, outcome, weight, sample_weight is not None)

    def arguments(self, part: Fold) -> Iterator[Any]:
        """Yield the arguments of `predicted`: rows to train on, and rows to score."""
        yield from (self.table.take(part.train).native(), self.y[part.train], self.t[part.train])
        yield self.weight[part.train] if self.weighted else None
        yield from (self.table.take(part.score).native(), self.t[part.score])

    def score(self, outcomes: np.ndarray, part: Fold) -> PairScore:
        """Score expected outcomes of the rows of a fold."""
        y, t, weight = self.y[part.score], self.t[part.score], self.weight[part.score]
        return pair_loss_score(y, treatment=t, outcomes=outcomes, sample_weight=weight)


def suited(column: np.ndarray, kind: str) -> tuple[str, ...]:
    """Return the names of the methods that are compared by default for a treatment."""
    is_dose = kind == "dose" or (kind == "auto" and Dose.claims(column))
    return FOR_DOSES if is_dose else FOR_ARMS


def _named(candidates: Any, column: np.ndarray, kind: str) -> dict[str, Any]:
    """Return the methods by name; text is looked up in the registry and becomes an estimator."""
    if candidates is None:
        candidates = suited(column, kind)
    if isinstance(candidates, Mapping):
        named = dict(candidates)
    else:
        named = {}
        for method in [candidates] if isinstance(candidates, str) else candidates:
            name = method if isinstance(method, str) else _name(method).lower()
            while name in named:
                name += "'"
            named[name] = method
    if not named:
        raise BadInput("", "compare needs at least one method, got none")
    made = lambda method: methods[method](treatment=kind) if isinstance(method, str) else method
    return {name: made(method) for name, method in named.items()}


def _name(method: Any) -> str:
    return method.title if isinstance(method, Estimator) else type(method).__name__


def _taken_as(estimators: list[Any], column: np.ndarray) -> Treatment:
    """Return the treatment of the column; raise if methods take it for different kinds."""
    kinds = {
        method.label: treatment_of(column, method.treatment, method.takes, method.label)
        for method in estimators
        if isinstance(method, Estimator)
    }
    if len({type(kind) for kind in kinds.values()}) > 1:
        by_kind: dict[str, list[str]] = {name: [] for name in treatments}
        for label, kind in kinds.items():
            by_kind[kind.name].append(label)
        raise BadInput(
            "",
            f"{listed(by_kind['arms'])} would take the treatment as arms, "
            f"{listed(by_kind['dose'])} as a dose, so their scores cannot be compared",
            (
                "Set ",
                Setting("treatment", "arms"),
                " or ",
                Setting("treatment", "dose"),
                " for all of them, or leave some methods out.",
            ),
        )
    return next(iter(kinds.values()), Arms.of(column))
