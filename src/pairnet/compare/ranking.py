"""Which method is best on your own table: held-out pair losses, without true effects."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from jaxtyping import Float
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from pairnet.core.treatments import Arms, Dose, Treatment
from pairnet.core.types import is_whole
from pairnet.methods import NetworkEstimator, PairNet, methods
from pairnet.metrics import pair_loss_score
from pairnet.model import door as inputs
from pairnet.tables import opened
from pairnet.training.progress import Progress

FOR_ARMS, FOR_DOSES = ("pairnet", "tarnet", "tlearner", "drlearner"), ("pairnet", "vcnet", "drnet")
NOTHING = ""  # the name of a model that says 0 of everybody
NOISE = 2.0  # differences of fewer standard errors are noise


@dataclass(frozen=True, eq=False)
class Line:
    """What was measured of one method: its held-out pair loss, and how much worse it is than the
    best one's.

    loss, error: in the outcome's units squared, and its standard error over rows. behind,
    behind_error: the loss less that of the best method and the standard error of this difference,
    which is smaller than either loss's, since both were measured on the same rows. explained: the
    share of the pair loss of a model that says nothing that is gone.
    """

    method: str
    loss: float
    error: float
    behind: float
    behind_error: float
    explained: float

    @property
    def noise(self) -> bool:
        """Whether the difference from the best may be luck."""
        return self.behind <= NOISE * self.behind_error


@dataclass(frozen=True, eq=False)
class Comparison:
    """Methods from the best to the worst, and what that means in words."""

    lines: tuple[Line, ...]
    sentence: str
    rows: int

    def frame(self) -> Any:
        """Return the lines as a pandas frame."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "Data frames need pandas, which is not installed: pip install pandas."
            ) from error
        said = [
            {**vars(line), "noise": line.noise if position else None}
            for position, line in enumerate(self.lines)
        ]
        return pd.DataFrame(said).set_index("method")

    def __str__(self) -> str:
        lines = [f"{'method':24s} {'held-out pair loss':>24s} {'behind the best':>24s}"]
        for line in self.lines:
            own, behind = (
                f"{line.loss:.4g} ± {line.error:.2g}",
                f"{line.behind:.3g} ± {line.behind_error:.2g}",
            )
            lines.append(
                f"{line.method:24s} {own:>24s} {behind if line is not self.lines[0] else '':>24s}"
            )
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
    kind: Literal["auto", "arms", "dose"] = "auto",
    report: Progress | None = None,
) -> Comparison:
    """Fit every method to a part of the rows, score it on the others, and rank the methods by that.

    candidates: names ("tarnet"), estimators, or a dictionary of names to estimators; None takes
    some that suit the treatment. An estimator needs fit(X, y, treatment=...) and predict_outcome(X,
    treatment=...). folds: every row is scored once by models that have not seen it; 1 scores a
    random third of the rows once, which is quicker and rougher. kind: what the treatment is,
    "arms", "dose" or "auto", for methods that are given by name.
    """
    if kind not in ("auto", "arms", "dose"):
        raise ValueError(f"kind must be 'auto', 'arms' or 'dose', got {kind!r}.")
    table = opened(X)
    inputs.aligned(X, y=y, treatment=treatment, sample_weight=sample_weight)
    observed, _ = inputs.outcomes(y, table.rows)
    given = inputs.treatment_column(treatment, table.rows)
    weight = inputs.weights(sample_weight, table.rows)
    named = _named(candidates, given, kind)
    taken = _kind(list(named.values()), given)
    parts = _parts(given, taken, folds, seed)
    scored: dict[str, list] = {name: [] for name in (*named, NOTHING)}
    for seen, unseen in parts:
        x, t, wanted, w = (
            table.take(unseen).native(),
            given[unseen],
            observed[unseen],
            weight[unseen],
        )
        score = lambda said, wanted=wanted, t=t, w=w: pair_loss_score(
            wanted, treatment=t, outcomes=said, sample_weight=w
        )
        scored[NOTHING].append(score(np.zeros(len(t))))
        for done, (name, estimator) in enumerate(named.items()):
            model = clone(estimator)
            more = {} if sample_weight is None else {"sample_weight": weight[seen]}
            model.fit(table.take(seen).native(), observed[seen], treatment=given[seen], **more)
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore", UserWarning
                )  # a fold may hold a dose or a word that the others lack
                said = np.asarray(model.predict_outcome(x, treatment=t))
            scored[name].append(score(said))
            if report is not None:
                report(name, done + 1, len(named), len(scored[NOTHING]))
    weights = [weight[unseen] for _, unseen in parts]
    share = np.array([w.sum() for w in weights]) / sum(w.sum() for w in weights)
    everything = np.concatenate(weights) / sum(w.sum() for w in weights)
    losses = {
        name: float(share @ [score.loss for score in scores]) for name, scores in scored.items()
    }
    moves = {
        name: everything * np.concatenate([s.influence for s in scores])
        for name, scores in scored.items()
    }
    of_nothing, moves_of_nothing = losses.pop(NOTHING), moves.pop(NOTHING)
    best = min(losses, key=lambda name: losses[name])
    lines = [
        Line(
            method=name,
            loss=loss,
            error=_length(moves[name]),
            behind=loss - losses[best],
            behind_error=_length(moves[name] - moves[best]),
            explained=1 - loss / of_nothing,
        )
        for name, loss in sorted(losses.items(), key=lambda item: item[1])
    ]
    learned = bool(of_nothing - losses[best] > NOISE * _length(moves_of_nothing - moves[best]))
    sentence = " ".join([_of_the_best(lines, learned), *_of_pairs(named, taken, losses, moves)])
    return Comparison(tuple(lines), sentence, len(everything))


def _length(moves: Float[np.ndarray, " n"]) -> float:
    return float(np.sqrt(np.sum(moves**2)))


def _of_the_best(lines: list[Line], learned: bool) -> str:
    best, others = lines[0], lines[1:]
    if not learned:
        return (
            "No method predicts the differences of held-out pairs better than 0 for all of them "
            "beyond noise "
            f"({best.method} comes first): there is little to learn here, or there are too few "
            "rows."
        )
    alike, worse = (
        [line.method for line in others if line.noise],
        [line.method for line in others if not line.noise],
    )
    said = f"{best.method} has the smallest held-out pair loss"
    if alike:
        said += f"; its lead over {_listed(alike)} is within noise"
    if worse:
        said += f"; it is better than {_listed(worse)} beyond noise"
    return said + "."


def _of_pairs(
    named: Mapping[str, Any], kind: Treatment, losses: Mapping[str, float], moves: Mapping[str, Any]
) -> list:
    """Say of every PairNet whether pairs help, where its factual base is there, too."""
    said = []
    for name, estimator in named.items():
        base = type(estimator.base_for(kind)) if isinstance(estimator, PairNet) else None
        factual = next((other for other, rival in named.items() if type(rival) is base), None)
        if factual is None:
            continue
        gain, error = losses[factual] - losses[name], _length(moves[factual] - moves[name])
        figures = f"{abs(gain):.3g} ± {error:.2g}"
        if gain > NOISE * error:
            said.append(
                f"Pairs help: {name} is ahead of {factual}, the same network without them, by "
                f"{figures}."
            )
        elif gain < -NOISE * error:
            said.append(
                f"Pairs do not help here: {name} is behind {factual}, the same network without "
                f"them, by {figures}."
            )
        else:
            said.append(
                f"Whether pairs help cannot be told: {name} and {factual} differ by {figures}."
            )
    return said


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _named(candidates: Any, given: np.ndarray, kind: Any) -> dict[str, Any]:
    """Return the methods by name; names of the registry become estimators."""
    if candidates is None:
        many = given.dtype.kind in "ifu" and len(np.unique(given)) > inputs.MOST_ARMS
        candidates = FOR_DOSES if kind == "dose" or (many and kind == "auto") else FOR_ARMS
    if isinstance(candidates, Mapping):
        named = dict(candidates)
    else:
        named = {}
        for each in [candidates] if isinstance(candidates, str) else candidates:
            name = each if isinstance(each, str) else type(each).__name__.lower()
            while name in named:
                name += "'"
            named[name] = each
    named = {
        name: methods[each](treatment=kind) if isinstance(each, str) else each
        for name, each in named.items()
    }
    if not named:
        raise ValueError("compare needs at least one method, got none.")
    return named


def _kind(estimators: list, given: np.ndarray) -> Treatment:
    """Return what the treatment is; methods that take it otherwise cannot be compared."""
    kinds = {}
    for each in estimators:
        if isinstance(each, NetworkEstimator):
            kinds[each.label] = inputs.treatments(given, each.treatment, each.takes, each.label)[1]
    found = {type(kind) for kind in kinds.values()}
    if len(found) > 1:
        of = lambda wanted: _listed(
            [label for label, kind in kinds.items() if isinstance(kind, wanted)]
        )
        raise ValueError(
            f"{of(Arms)} would take the treatment as arms, {of(Dose)} as a dose, so their scores "
            "cannot be compared. "
            "Set treatment='arms' or treatment='dose' for all of them, or leave some methods out."
        )
    return next(iter(kinds.values()), Arms.of(given))


def _parts(
    given: np.ndarray, kind: Treatment, folds: int, seed: int
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return (rows to train on, rows to score) of every fold, with each arm in its share."""
    if not (is_whole(folds) and 1 <= folds <= len(given) // 2):
        raise ValueError(
            f"folds must be a whole number from 1 to half of the rows ({len(given) // 2}), got "
            f"{folds!r}."
        )
    count, seed = 3 if folds == 1 else int(folds), int(seed) % 2**32
    kfold = StratifiedKFold if isinstance(kind, Arms) else KFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # fit says clearly where an arm is too small
        parts = list(kfold(count, shuffle=True, random_state=seed).split(given, given))
    return parts[:1] if folds == 1 else parts
