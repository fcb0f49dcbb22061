"""What a command is asked: options that belong together, as values.

`with_options` gives a command the options of such a group, each as an option of its own.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from pairnet.commands import options as its

if TYPE_CHECKING:
    from pairnet.tables.location import Location


@dataclass(frozen=True, kw_only=True)
class FileOptions:
    """What the user says about how a table is written in its file; None: the file tells.

    separator, decimal, thousands: the character between values, and the marks of numbers. na: words
    for missing values, with commas between them. skip_rows: how many lines stand above the names
    of columns. sheet: of a workbook, its name or number.
    """

    separator: its.SeparatorOption = None
    decimal: its.DecimalOption = None
    thousands: its.ThousandsOption = None
    na: its.NaOption = ""
    skip_rows: its.SkipRowsOption = None
    sheet: its.SheetOption = None

    def typed(self) -> dict[str, str]:
        """Return the options that are said, as they are typed."""
        said = {name: value for name, value in vars(self).items() if value not in (None, "")}
        own = {field.name for field in dataclasses.fields(FileOptions)}
        return {f"--{name.replace('_', '-')}": str(said[name]) for name in said if name in own}


@dataclass(frozen=True, kw_only=True)
class SayingOptions:
    """How a command tells what it did: in words, as one JSON object, or not at all."""

    quiet: its.QuietOption = False
    json: its.JsonOption = False


@dataclass(frozen=True, kw_only=True)
class EngineOptions:
    """Where work is done; None: not said. The last three are for Ray."""

    engine: its.EngineOption = None
    jobs: its.JobsOption = None
    address: its.AddressOption = None
    cores: its.CoresOption = None
    gpus: its.GpusOption = None


def with_options(name: str, kind: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that are the fields of a dataclass; it takes them as `name`."""
    fields = dataclasses.fields(kind)
    hints = get_type_hints(kind, include_extras=True)

    def given(command: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(command)
        def with_group(**given: Any) -> None:
            group = {field.name: given.pop(field.name) for field in fields}
            command(**{name: kind(**group)}, **given)

        own = inspect.signature(command, eval_str=True).parameters.values()
        both = [parameter for parameter in own if parameter.name != name]
        keyword = inspect.Parameter.KEYWORD_ONLY
        for field in fields:
            hint, default = hints[field.name], field.default
            both.append(inspect.Parameter(field.name, keyword, default=default, annotation=hint))
        both = [parameter.replace(kind=keyword) for parameter in both]
        with_group.__signature__ = inspect.Signature(both)  # type: ignore[attr-defined]
        with_group.__annotations__ = {parameter.name: parameter.annotation for parameter in both}
        return with_group

    return given


with_file_options = with_options("file", FileOptions)
with_saying_options = with_options("saying", SayingOptions)
with_engine_options = with_options("where", EngineOptions)


@dataclass(frozen=True)
class TableOptions(FileOptions):
    """A table in a file, and what the user says about it.

    covariates, ignore, categories: names of columns, with commas between them. weights, clusters:
    columns of weights, and of what keeps rows together. propensity: a column of chances of the
    treated arm, a number, or arm=number for each arm, with commas between them.
    """

    path: Location
    treatment: str
    outcome: str
    covariates: str = ""
    ignore: str = ""
    categories: str = ""
    weights: str | None = None
    clusters: str | None = None
    propensity: str | None = None


@dataclass(frozen=True)
class EffectOptions:
    """What `pairnet effect` is asked for.

    out: a table or, if `into_folder`, a folder of tables. start, to: the two treatments. alpha: the
    share of intervals that may miss. keep: covariates that are written, too. target: whose average
    effect is said (None: none).
    """

    out: Path
    into_folder: bool = False
    start: str | None = None
    to: str | None = None
    abstain: bool = False
    evidence: bool = True
    alpha: float = 0.05
    keep: str = ""
    target: str | None = None


@dataclass(frozen=True)
class RefuteOptions:
    """What `pairnet refute` is asked for; controls: names with commas between them."""

    start: str | None = None
    to: str | None = None
    controls: str = ""
    repeats: int = 10
    quick: bool = False
    seed: int = 0


@dataclass(frozen=True)
class PolicyOptions:
    """What `pairnet policy` is asked for.

    cost: a number, or arm=number with commas between them. column: of what a row costs beside that.
    bounds: the smallest and the largest dose, with a comma between them.
    """

    budget: float | None = None
    cost: str | None = None
    column: str | None = None
    worth: float | None = None
    start: str | None = None
    to: str | None = None
    bounds: str | None = None
    goal: str = "max"
    alpha: float = 0.05
    keep: str = ""
