"""Why effects differ: how much each column of the table adds to each row's effect.

The parts of a row are the Shapley values of its effect, not of its outcome: they add up to its
effect less the average effect. They describe the model; nothing here is judged by outcomes.
"""

from __future__ import annotations

import html
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.listing import Listing
from pairnet.core.types import is_seed, is_whole
from pairnet.core.words import say, shown, word
from pairnet.inference.shapley import Background, Function, Shares, interactions, shapley_values
from pairnet.model.question import Question
from pairnet.tables import Schema, opened
from pairnet.tables.grouping import groups_of
from pairnet.tables.opening import Matrix

WALKS = 64  # from the background to a row
FEWEST = 4
PAIRED, PAIRED_ROWS, DRAWS = 6, 200, 16  # columns, rows and draws of the search for pairs
ROWS = 1000  # of the fit, if no rows are named


@dataclass(frozen=True, eq=False, repr=False)
class Importance(Listing):
    """How much columns make effects differ; the strongest comes first.

    importance: the mean size of a column's part. share: of the sum of all. largest, smallest: the
    group of the column's values where its part is largest and smallest.
    """

    column: tuple[str, ...]
    importance: Float[np.ndarray, " c"]
    largest: tuple[str, ...]
    smallest: tuple[str, ...]

    @property
    def share(self) -> Float[np.ndarray, " c"]:
        """Each column's share of all."""
        return np.asarray(self.importance / max(float(self.importance.sum()), 1e-300))

    def columns(self):
        names = ("column", "importance", "share", "largest", "smallest")
        return {name: np.asarray(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class Interactions(Listing):
    """How strongly pairs of columns act together; the strongest comes first.

    strength: by how much the two together typically move an effect more than each alone.
    """

    first: tuple[str, ...]
    second: tuple[str, ...]
    strength: Float[np.ndarray, " p"]

    def columns(self):
        names = ("first", "second", "strength")
        return {name: np.asarray(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False, repr=False)
class Parts(Listing):
    """Why one row has its effect: its values, and how much each adds to the average effect."""

    column: tuple[str, ...]
    value: tuple[str, ...]
    part: Float[np.ndarray, " c"]
    base: float
    effect: float

    def columns(self):
        return {name: np.asarray(getattr(self, name)) for name in ("column", "value", "part")}

    def notes(self):
        return (f"Average effect {say(self.base)}, effect of this row {say(self.effect)}.",)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """The parts of effects, by row and column of the table.

    names: the columns. x: the encoded rows. shares: the parts, their errors, the effects and the
    base, the average effect of the background.
    """

    question: Question
    names: tuple[Hashable, ...]
    shares: Shares
    background: Background
    function: Function = field(repr=False)
    seed: int = 0

    @property
    def values(self) -> Float[np.ndarray, "n c"]:
        """How much each column adds to each row's effect."""
        return self.shares.parts

    @property
    def error(self) -> Float[np.ndarray, "n c"]:
        """The standard error of the values: more walks make it smaller."""
        return self.shares.error

    @property
    def base(self) -> float:
        """The average effect of the background, from which all parts count."""
        return self.shares.base

    @property
    def effect(self) -> Float[np.ndarray, " n"]:
        """Each row's effect: the base and the sum of its parts."""
        return self.shares.value

    @cached_property
    def importance(self) -> Importance:
        """How much each column makes effects differ."""
        size = np.abs(self.values).mean(axis=0)
        order = np.argsort(-size, kind="stable").tolist()
        ends = [self._ends(k) for k in order]
        names = tuple(str(self.names[k]) for k in order)
        largest, smallest = zip(*ends, strict=True)
        return Importance(names, size[order], largest, smallest)

    @cached_property
    def interactions(self) -> Interactions:
        """Which pairs of the strongest columns act together; worked out when first asked for."""
        strongest = np.argsort(-np.abs(self.values).mean(axis=0), kind="stable")[:PAIRED]
        pairs = [(int(j), int(k)) for j, k in combinations(strongest, 2)]
        some = np.linspace(0, len(self.effect) - 1, min(len(self.effect), PAIRED_ROWS)).astype(int)
        x = self.question.x[some]
        strength = interactions(self.function, x, self.background, pairs, DRAWS, self.seed)
        order = np.argsort(-strength, kind="stable")
        of_pair = lambda end: tuple(str(self.names[pairs[k][end]]) for k in order)
        return Interactions(of_pair(0), of_pair(1), strength[order])

    def row(self, number: int) -> Parts:
        """Return why one row has its effect, the largest parts first."""
        if not is_whole(number) or not -len(self.effect) <= number < len(self.effect):
            problem = f"must be a row from 0 to {len(self.effect) - 1}, got {shown(number)}"
            raise BadInput("number", problem)
        parts = self.values[number]
        order = np.argsort(-np.abs(parts), kind="stable")
        held = _words(self.question.model.schema, self.question.x[number])
        own = tuple(str(self.names[k]) for k in order), tuple(held[k] for k in order)
        return Parts(*own, parts[order], self.base, float(self.effect[number]))

    def frame(self) -> Any:
        """Return the values as a data frame: a line a row, with the index of the rows passed."""
        columns = dict(zip(map(str, self.names), self.values.T, strict=True))
        table = self.question.table or Matrix(self.question.x)
        return table.like(columns)

    def __str__(self) -> str:
        compared = f"{word(self.question.T1)} against {word(self.question.T0)}"
        rows = f"{len(self.effect):,} rows"
        return (
            f"Why the effects of {compared} differ ({rows}, average effect {say(self.base)})\n"
            f"{self.importance}"
        )

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        found = self.importance
        most = max(float(found.importance.max()), 1e-300)
        lines = []
        own = zip(found.column, found.importance, found.largest, found.smallest, strict=True)
        for name, size, largest, smallest in own:
            bar = f'<div style="background:#4878a8;height:0.8em;width:{120 * size / most:.0f}px">'
            cells = [html.escape(name), f"{bar}</div>", say(size)]
            cells += [html.escape(largest), html.escape(smallest)]
            lines.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        title = html.escape(str(self).split("\n")[0])
        header = ("column", "", "importance", "largest part where", "smallest part where")
        head = "".join(f"<th>{cell}</th>" for cell in header)
        return f"<p>{title}</p><table><thead><tr>{head}</tr></thead>{''.join(lines)}</table>"

    def _ends(self, k: int) -> tuple[str, str]:
        """Return the groups of a column's values where its part is largest and smallest."""
        column, block = list(self.question.model.schema.blocks(self.question.x))[k]
        groups = groups_of(column, block)
        if len(groups) < 2 or not np.ptp(self.values[:, k]) > 0:
            return "", ""
        means = [float(self.values[group.rows, k].mean()) for group in groups]
        return groups[int(np.argmax(means))].label, groups[int(np.argmin(means))].label


def explain(
    question: Question, background: Any = None, walks: int = WALKS, seed: int = 0
) -> Explanation:
    """Return why the effects of a question's rows differ; see `Asked.explain`."""
    question.check_differs()
    if not (is_whole(walks) and walks >= FEWEST):
        raise BadInput("walks", f"must be a whole number, at least {FEWEST}, got {shown(walks)}")
    if not (is_seed(seed) and seed >= 0):
        raise BadInput("seed", f"must be a whole number from 0 up to 2**32, got {shown(seed)}")
    model, memory = question.model, question.memory
    t0, t1 = question.t0, question.t1

    def function(x: np.ndarray) -> np.ndarray:
        return model.outcome.effect_inside(model.effects(x, t0, t1)).mean(axis=0)

    known = memory.x, memory.weight
    if background is not None:
        x = model.encoded(opened(background))
        if len(x) == 0:
            raise BadInput("background", "must hold at least one row, got none")
        known = x, np.ones(len(x))
    blocks = list(model.schema.blocks(np.zeros((1, question.x.shape[1]))))
    owner = np.repeat(np.arange(len(blocks)), [block.shape[1] for _, block in blocks])
    against = Background.of(function, *known, owner)
    found = shapley_values(function, question.x, against, int(walks), int(seed))
    names = tuple(column.name for column, _ in blocks)
    return Explanation(question, names, found, against, function, int(seed))


def rows_to_explain(question: Question, most: int = ROWS) -> Question:
    """Return the same question about a random sample of its rows, if there are many."""
    if len(question.x) <= most:
        return question
    some = np.sort(np.random.default_rng(0).choice(len(question.x), most, replace=False))
    return question.of_rows(some)


def _words(schema: Schema, row: Float[np.ndarray, " d"]) -> list[str]:
    """Return what one encoded row holds in each column, in words."""
    held = []
    for column, block in schema.blocks(row[None]):
        groups = groups_of(column, block)
        held.append(groups[0].label if groups else "none of the known")
    return held
