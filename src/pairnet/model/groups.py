"""Which rows are in which group: groups by columns, by flags, or by the effect itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import BadInput, InPython, listed
from pairnet.core.types import is_whole
from pairnet.core.words import shown
from pairnet.inference.groups import by_quantiles
from pairnet.inference.held_out import held_out_effects
from pairnet.model.question import Question
from pairnet.tables import opened
from pairnet.tables.columns import AbstractColumn, Category, Quantity, Strangeness
from pairnet.tables.grouping import groups_of
from pairnet.tables.single import as_array
from pairnet.tables.values import Numbers, Values, Words

EFFECT = "effect"  # groups by quantiles of the effect itself
FIFTHS, MOST_PARTS = 5, 20
RANGES = 4  # numbers are cut at their quartiles
MOST_LEVELS = 50  # of a category: with more, rare ones are one group
PARTS = {2: "half", 3: "third", 4: "quarter", 5: "fifth", 10: "tenth"}
ORDINALS = ("", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
FIT = "the table of the fit"

NamedRows = tuple[str, np.ndarray]  # the name of a group, and a flag for each row


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of the rows that a model remembers.

    fit: which of these rows are in which group. asked: the same for the rows that were asked about,
    if they are others. effect: the effects by which rows were grouped, if they were.
    """

    labels: tuple[str, ...]
    fit: Bool[np.ndarray, "g n"]
    asked: Bool[np.ndarray, "g k"] | None = None
    effect: Float[np.ndarray, " n"] | None = None


def grouping(question: Question, by: Any) -> Grouping:
    """Return the groups that `by` says: names of columns, a column or flags, or the effect."""
    if is_whole(by) or (isinstance(by, str) and by == EFFECT):
        return _by_effect(question, FIFTHS if isinstance(by, str) else int(by))
    if isinstance(by, str | list | tuple):
        return _by_names(question, [by] if isinstance(by, str) else list(by))
    names, flags = zip(*_given(by, question), strict=True)
    rows = rows_of_fit(question, len(flags[0]), "by")
    return Grouping(names, np.asarray(flags)[:, rows])


def is_fit(question: Question) -> bool:
    """Tell whether the rows asked about are the table of the fit, row by row."""
    memory = question.memory
    if question.table is None or len(question.x) <= memory.row.max():
        return question.table is None
    own = question.x[memory.row].astype(np.float32)
    return bool((own == memory.x.astype(np.float32)).all())


def rows_of_fit(question: Question, count: int, argument: str) -> Int[np.ndarray, " n"]:
    """Return where the remembered rows stand in a column beside the table of the fit."""
    row = question.memory.row
    if question.table is not None:
        if not is_fit(question):
            raise BadInput(
                "X",
                f"must be {FIT} if {argument} holds a value a row, since the rows of the fit judge",
                f"Pass {FIT} with its {argument}, or name covariates.",
            )
        rows = len(question.x)
    else:
        rows = int(row.max()) + 1
        if rows != len(row):
            raise BadInput(
                "X",
                f"is needed beside {argument}: the model remembers {len(row):,} rows, not all",
                f"Pass {FIT} as X.",
            )
    if count != rows:
        raise BadInput(argument, f"must hold one value a row of the fit ({rows:,}), got {count:,}")
    return row


def held_out(question: Question) -> tuple[Float[np.ndarray, " n"], Bool[np.ndarray, " n"]]:
    """Return the effects of the remembered rows by members that have not seen them.

    The second array tells which rows have one.
    """
    memory = question.memory
    return held_out_effects(effects_of_fit(question), memory.draws == 0, memory.weight)


def effects_of_fit(question: Question) -> Float[np.ndarray, "m n"]:
    """Return every member's effects of the remembered rows."""
    if question.table is None:
        return question.members
    model, x = question.model, question.memory.x
    return model.outcome.effect_inside(model.effects(x, question.t0, question.t1))


def chosen_columns(
    question: Question, names: list, argument: str
) -> list[tuple[AbstractColumn, Int[np.ndarray, " c"]]]:
    """Return the covariates of these names, each with the places of its numbers."""
    schema = question.model.schema
    places = schema.blocks(np.arange(float(len(schema.features)))[None])
    used = {column.name: (column, place[0].astype(int)) for column, place in places}
    strange = [name for name in names if not isinstance(name, str | int) or name not in used]
    if strange or not names:
        first = ", ".join(shown(name) for name in list(used)[:8])
        raise BadInput(
            argument,
            f"must name covariates of the model ({first}{', ...' * (len(used) > 8)}), got "
            + (listed(list(map(shown, strange[:5]))) if strange else "none"),
            InPython(
                "For a column that is no covariate pass the column itself, one value a row of the "
                "fit."
            ),
        )
    return [used[name] for name in dict.fromkeys(names)]


def _by_effect(question: Question, count: int) -> Grouping:
    if not 2 <= count <= MOST_PARTS:
        problem = f"must be a number of groups from 2 to {MOST_PARTS}, got {count}"
        raise BadInput("by", problem)
    if not is_fit(question):
        raise BadInput(
            "X",
            f"must be {FIT}, or left out: groups of the effect are found and judged among its rows",
        )
    effect, judged = held_out(question)
    return Grouping(*groups_by_effect(effect, judged, count), effect=effect)


def groups_by_effect(
    effect: Float[np.ndarray, " n"], judged: Bool[np.ndarray, " n"], count: int = FIFTHS
) -> tuple[tuple[str, ...], Bool[np.ndarray, "g n"]]:
    """Return so many groups of the rows that are judged, in the order of their effects."""
    group, _ = by_quantiles(effect[judged], count)
    place = np.full(len(effect), -1)
    place[judged] = group
    found = int(group.max()) + 1
    labels = tuple(_part(k, found, count) for k in range(found))
    return labels, place == np.arange(found)[:, None]


def _part(k: int, found: int, count: int) -> str:
    """Name a group of the effect: lowest fifth, second fifth, ..., highest fifth."""
    if found == 1:
        return "all rows (their effect is the same)"
    if found < count or count not in PARTS:
        return f"group {k + 1}" + (" (lowest)" * (k == 0)) + (" (highest)" * (k == found - 1))
    names = {0: "lowest", count - 1: "highest"} | ({count // 2: "middle"} if count % 2 else {})
    return f"{names.get(k, ORDINALS[k])} {PARTS[count]}"


def _by_names(question: Question, names: list) -> Grouping:
    """Return the levels of categories, and numbers cut at the quartiles of the rows of the fit."""
    memory = question.memory.x
    others = None if is_fit(question) else question.x
    x = memory if others is None else np.concatenate([memory, others])
    known = np.arange(len(x)) < len(memory)
    labels, flags = groups_by_names(question, names, x, known)
    asked = None if others is None else flags[:, ~known]
    return Grouping(labels, flags[:, known], asked)


def groups_by_names(
    question: Question,
    names: list,
    x: Float[np.ndarray, "n d"],
    known: Bool[np.ndarray, " n"] | None = None,
) -> tuple[tuple[str, ...], Bool[np.ndarray, "g n"]]:
    """Return the groups of encoded rows by covariates: their labels, and a flag for each row.

    known: the rows that tell where numbers are cut, of which every group has some (left out: all).
    """
    known = np.ones(len(x), bool) if known is None else known
    found: list[NamedRows] = []
    for column, at in chosen_columns(question, names, "by"):
        found += _of_column(column, x[:, at], known)
    found = [(name, rows) for name, rows in found if rows[known].any()]
    return tuple(name for name, _ in found), np.asarray([rows for _, rows in found])


def _of_column(
    column: AbstractColumn, block: np.ndarray, known: np.ndarray | None = None
) -> list[NamedRows]:
    groups = groups_of(column, block, ranges=RANGES, levels=MOST_LEVELS, known=known)
    joint = " = " if column.kind in ("category", "flag") else " "
    named = []
    for group in groups:
        rows = np.zeros(len(block), bool)
        rows[group.rows] = True
        named.append((f"{column.name}{joint}{group.label}".strip(" ="), rows))
    return named


def _given(by: Any, question: Question) -> Iterator[NamedRows]:
    """Yield the groups of a column, or of a table: flags are a group each."""
    try:
        array = None if getattr(by, "ndim", 2) == 2 else as_array(by)
        table = opened(by if array is None else array[:, None])
    except (BadInput, IndexError):
        raise BadInput(
            "by",
            "must be names of covariates, a column or a table with a value for each row of the "
            f"fit, 'effect', or a number of groups, got {type(by).__name__}",
        ) from None
    alone = array is not None
    own = getattr(by, "name", None) if alone else None
    names = [own or ""] if alone else table.names or range(table.width)
    for position, name in enumerate(names):
        yield from _of_values(str(name), table.column(position), alone)


def _of_values(name: str, values: Values, alone: bool) -> Iterator[NamedRows]:
    if isinstance(values, Words):
        column: AbstractColumn = Category(name, values.words, missing=int(values.missing.sum()))
    elif isinstance(values, Numbers) and not values.missing.all():
        if not alone and np.isin(values.values, (0, 1)).all():
            yield name, values.values == 1
            return
        column = Quantity.of(name, values)
    else:
        raise BadInput("by", f"must hold labels, numbers or flags in column {name!r}")
    yield from _of_column(column, column.encode(values, Strangeness()))
