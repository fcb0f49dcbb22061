"""Whom to treat, as a tree that people can read: a few conditions on columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.levels import check_level
from pairnet.core.listing import Listing
from pairnet.core.types import is_whole
from pairnet.core.words import say, shown
from pairnet.inference.splits import fold_of
from pairnet.metrics.least_squares import units_of
from pairnet.metrics.passed import weights
from pairnet.policy.budget import table_of
from pairnet.policy.search import Binned, Grown
from pairnet.policy.value import NOBODY, Judges, PolicyValue
from pairnet.tables import Schema, opened
from pairnet.tables.rules import rules

DEEPEST = 3
LEAST = 1e-300  # so that nothing is divided by 0


@dataclass(frozen=True, eq=False, repr=False)
class PolicyTree(Listing):
    """A tree that says whom to treat how; one line a leaf.

    rule: what the rows of a leaf have in common. treatment: what they get. gain: the mean of their
    scores, which have chosen the tree: it flatters. value: what trees that are found in this way
    gain on rows that have not chosen them.
    """

    rule: tuple[str, ...]
    treatment: tuple[Any, ...]
    rows: Int[np.ndarray, " l"]
    share: Float[np.ndarray, " l"]
    gain: Float[np.ndarray, " l"]
    value: PolicyValue
    schema: Schema
    grown: Grown
    labels: tuple[Any, ...]
    numbers: Int[np.ndarray, " c"]  # the places of the numbers that it looks at

    def predict(self, X: Any) -> Any:
        """Return the treatment of each row of a table with the same columns."""
        table = opened(X)
        leaf = self.grown.leaves(self.schema.encode(table)[:, self.numbers])
        return table.series(np.asarray(self.labels)[self.grown.option[leaf]], "treatment")

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line a leaf."""
        words = {"rule": self.rule, "treatment": tuple(map(str, self.treatment))}
        lines = {name: np.asarray(values, object) for name, values in words.items()}
        return {**lines, "rows": self.rows, "share": self.share, "gain": self.gain}

    def notes(self):
        gain = self.value[NOBODY]
        return (
            "gain: mean scores of the rows that chose the tree; they flatter.",
            "Trees found in this way gain "
            f"{say(gain.value)} per row (interval {say(gain.lower)} to {say(gain.upper)}) against "
            "nobody's treatment, on rows that have not chosen them.",
        )


def policy_tree(
    scores: Any,
    X: Any,
    *,
    depth: Any = 2,
    weight: Any = None,
    clusters: Any = None,
    names: Sequence[Any] | None = None,
    least: Any = None,
    alpha: float = 0.05,
) -> PolicyTree:
    """Return the tree of conditions on columns of X by which rows gain most.

    scores: doubly robust scores of treating a row against leaving it alone, one a row, or [n, k]
    for k treatments, less what treatment costs, in units of the outcome. depth: 1 to 3. Numbers are
    cut at up to 31 quantiles; on these cuts the tree is the best one of depth 1 or 2, and of depth
    3 its first split is that of the best tree of depth 2. names: of the k treatments. least: rows
    that a leaf must have (left out: 2 %, and 10). Its value is that of trees found in the same way
    on four fifths of the rows, judged by the other fifth.
    """
    score = table_of("scores", scores)
    schema = Schema.of(X)
    x = schema.encode(schema.of_rows(X))
    if len(x) != len(score):
        raise BadInput("X", f"must have a row a score ({len(score)}), got {len(x)}")
    own = weights(weight, len(score))
    called = tuple(names) if names is not None else _names(score.shape[1])
    if len(called) != score.shape[1]:
        problem = f"must be one a treatment ({score.shape[1]}), got {len(called)}"
        raise BadInput("names", problem)
    known = None if clusters is None else units_of(clusters, len(score))
    judges = Judges(score.T, own / own.sum(), tuple(map(str, called)), known)
    labels = (NOBODY, *called)
    size = check_size(depth, least, len(score))
    return grow(judges, x, schema, labels, *size, check_level(alpha))


def grow(
    judges: Judges,
    x: Float[np.ndarray, "n d"],
    schema: Schema,
    labels: tuple[Any, ...],
    depth: int,
    least: int,
    alpha: float,
    numbers: Int[np.ndarray, " c"] | None = None,
) -> PolicyTree:
    """Return the tree of rows that judge.

    labels: of the options, the first for nobody. numbers: the places of those that the tree may
    look at (None: all).
    """
    numbers = np.arange(x.shape[1]) if numbers is None else numbers
    seen, gains = x[:, numbers], (judges.score * judges.share).T
    grown = Binned.of(gains, seen, least).grown(depth)
    leaf = grown.leaves(seen)
    said = rules(
        grown.splits._replace(feature=numbers[grown.splits.feature]), list(schema.blocks(x))
    )
    lines = sorted((_leaf(judges, int(grown.option[k]), leaf == k), k) for k in said)[::-1]
    gain, share, rows = np.asarray([line for line, _ in lines]).T
    order = [node for _, node in lines]
    return PolicyTree(
        rule=tuple(said[node] for node in order),
        treatment=tuple(labels[grown.option[node]] for node in order),
        rows=rows.astype(int),
        share=share,
        gain=gain,
        value=judges.value(_cross_fitted(judges, gains, seen, depth, least), alpha),
        schema=schema,
        grown=grown,
        labels=labels,
        numbers=numbers,
    )


def check_size(depth: Any, least: Any, rows: int) -> tuple[int, int]:
    """Return the depth of a tree and the rows that a leaf must have, or raise."""
    if not (is_whole(depth) and 1 <= depth <= DEEPEST):
        raise BadInput("depth", f"must be 1, 2 or {DEEPEST}, got {shown(depth)}")
    if least is None:
        return int(depth), max(1, min(max(10, rows // 50), rows // 4))
    if not (is_whole(least) and least >= 1):
        raise BadInput("least", f"must be a number of rows, 1 or more, got {shown(least)}")
    return int(depth), int(least)


def _leaf(judges: Judges, option: int, own: np.ndarray) -> tuple[float, float, int]:
    """Return the mean gain of a leaf, its share, and its number of rows."""
    share = judges.share[own]
    gained = float(share @ judges.score[option - 1, own]) if option else 0.0
    return gained / max(float(share.sum()), LEAST), float(share.sum()), int(own.sum())


def _cross_fitted(
    judges: Judges, gains: np.ndarray, x: np.ndarray, depth: int, least: int
) -> Float[np.ndarray, "k n"]:
    """Return what each row gets by a tree of other rows."""
    given = np.zeros(judges.score.shape)
    fold = fold_of(np.zeros(len(x)), 0, judges.clusters)
    for number in range(int(fold.max()) + 1):
        others, own = fold != number, np.flatnonzero(fold == number)
        few = max(1, round(least * float(others.mean())))
        grown = Binned.of(gains[others], x[others], few).grown(depth)
        option = grown.option[grown.leaves(x[own])]
        given[option[option > 0] - 1, own[option > 0]] = 1
    return given


def _names(treatments: int) -> tuple[str, ...]:
    if treatments == 1:
        return ("treated",)
    return tuple(f"treatment {k + 1}" for k in range(treatments))
