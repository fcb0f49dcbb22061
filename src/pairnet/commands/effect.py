"""`pairnet effect`: a model and a table go in, each row's effect, interval and evidence come
out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from pairnet.commands.choosing import check_names, names_in
from pairnet.commands.saying import paragraphs
from pairnet.commands.wording import in_lines, notes
from pairnet.core.errors import count_of as rows
from pairnet.core.treatments import Arms, Treatment
from pairnet.core.writing import can_write
from pairnet.evidence.support import VERDICTS
from pairnet.inference import intervals
from pairnet.methods import load
from pairnet.tables import Schema
from pairnet.tables.columns import is_identifiers_name
from pairnet.tables.files import check_ending, read_table, write_table
from pairnet.tables.spelling import spelled
from pairnet.tables.values import enumerated, word

RESULTS = ("effect", "lower", "upper", "evidence")


def effect(
    folder: Path,
    table: Path,
    *,
    start: str | None,
    to: str | None,
    out: Path,
    abstain: bool,
    evidence: bool,
    alpha: float,
    separator: str | None,
    decimal: str = ".",
    keep: str = "",
    say: Callable[[str], None],
) -> None:
    """Write each row's effect, its interval and the evidence behind it into a table."""
    check_ending(out)
    intervals.check_level(alpha)
    can_write(out, "--out")
    _check_is_not(out, table)
    model = load(folder)
    if out.absolute().parent.samefile(folder):
        raise ValueError(
            f"--out would lie among the files of the model, in {folder}. Name a file somewhere "
            "else."
        )
    contrast = _contrast(model.treatment_, start, to)
    named = lambda kind: [
        str(column.name) for column in model.schema_.columns if column.kind == kind
    ]
    words, dates = named("category"), named("date")  # "true" may be a level among others
    frame = read_table(table, separator, words, dates, decimal)
    x = _covariates_of(model.schema_, frame, table)
    beside = _beside(model.schema_, frame, table, keep)
    asked = {"T0": contrast[0], "T1": contrast[1]}
    with notes(), in_lines(table, separator):
        members = model.member_effects(x, **asked)  # once, for effects and intervals
        found = {"effect": members.mean(axis=0)}
        if model.bootstrap:
            found["lower"], found["upper"] = intervals.from_members(
                model.fitted_.reading.kind, members, alpha
            )
        verdict = np.asarray(model.support(x, **asked).verdict) if evidence or abstain else None
    if abstain and verdict is not None:
        found = {
            name: np.where(verdict == VERDICTS[0], values, np.nan) for name, values in found.items()
        }
    columns = {name: pl.Series(name, values, nan_to_null=True) for name, values in found.items()}
    if verdict is not None and evidence:
        columns["evidence"] = pl.Series("evidence", verdict.tolist())
    write_table(pl.DataFrame([*(frame[name] for name in beside), *columns.values()]), out)
    say(
        paragraphs(
            _effects_in_words(columns["effect"], contrast, abstain),
            *_far_in_words(columns["effect"].to_numpy(), model.schema_.far(x)),
            _intervals_in_words(bool(model.bootstrap), alpha),
            *([] if verdict is None else [_evidence_in_words(verdict, abstain)]),
        )
    )
    written = [*beside[:3], *(["..."] if len(beside) > 3 else []), *columns]
    say(paragraphs(f"Written: {out}, with the columns {', '.join(written)}."))
    if replaced := [name for name in RESULTS if name in frame.columns]:
        say(
            paragraphs(
                f"Not carried over, since results have these names: {', '.join(replaced)} of "
                f"{table}."
            )
        )


def _check_is_not(out: Path, table: Path) -> None:
    """Raise if results would take the place of the table that they are about, by whatever name."""
    if out.exists() and table.exists() and out.samefile(table):
        raise ValueError(
            f"--out is the table itself, {table}: its covariates would be lost. Name another file."
        )


def called(treatment: Treatment, text: str, option: str) -> Any:
    """Return the arm that is written like this, or the dose that it spells; `option` is where it
    was written."""
    return (
        _arm(treatment, text, option, None)
        if isinstance(treatment, Arms)
        else _dose(text, option, 0.0)
    )


def _contrast(treatment: Treatment, start: str | None, to: str | None) -> tuple[Any, Any]:
    """Return what is compared, as the model knows it."""
    found = _both(treatment, start, to)
    if found[0] == found[1]:
        got = f"{word(found[0])!r} twice"
        raise ValueError(
            f"--from and --to must differ for there to be an effect, got {got}. Say both."
        )
    return found


def _both(treatment: Treatment, start: str | None, to: str | None) -> tuple[Any, Any]:
    if isinstance(treatment, Arms):
        if (start is None or to is None) and len(treatment) > 2:
            raise ValueError(
                f"Say which of the arms {_arms(treatment)} to compare: --from and --to."
            )
        first = _arm(treatment, start, "--from", treatment.baseline)
        other = next(label for label in (*treatment.others, treatment.baseline) if label != first)
        return first, _arm(treatment, to, "--to", other)
    low, high = treatment.contrast
    return _dose(start, "--from", low), _dose(to, "--to", high)


def _arm(treatment: Arms, text: str | None, option: str, default: Any) -> Any:
    if text is None:
        return default
    exact = [label for label in treatment.labels if text in (word(label), str(label))]
    alike = [
        label
        for label in treatment.labels
        if str(label).lower() == text.lower() or spelled(text) == label
    ]
    if exact or len(alike) == 1:
        return (exact or alike)[0]
    raise ValueError(
        f"{option} names no arm of this model: expected one of {_arms(treatment)}, got {text!r}."
    )


def _dose(text: str | None, option: str, default: float) -> float:
    value = default if text is None else spelled(text)
    if not np.isfinite(value):
        raise ValueError(f"{option} must be a dose, a number, got {text!r}.")
    return float(value)


def _arms(treatment: Arms) -> str:
    return enumerated([word(label) for label in treatment.labels], 20)


def _covariates_of(schema: Schema, frame: pl.DataFrame, table: Path) -> Any:
    """Return the model's covariates of a table that may hold more columns."""
    if not schema.named:
        return (
            frame.to_numpy() if all(dtype.is_numeric() for dtype in frame.dtypes) else frame.rows()
        )
    used = [str(column.name) for column in schema.columns if column.features]
    if absent := [name for name in used if name not in frame.columns]:
        few = ", ".join(map(repr, absent[:5])) + (", ..." if len(absent) > 5 else "")
        raise ValueError(
            f"{table} lacks {len(absent)} of the {len(used)} covariates of the model: {few}."
        )
    return frame.select(used)


def _beside(schema: Schema, frame: pl.DataFrame, table: Path, keep: str) -> list[str]:
    """Return the columns to write beside the results: identifiers, all that are no covariates, and
    those to keep."""
    wanted = frame.columns if keep == "all" else names_in(frame, keep)
    check_names(frame, table, {"--keep": wanted})
    used = {column.name for column in schema.columns if column.features}
    carried = lambda name: name in wanted or name not in used or is_identifiers_name(name)
    return [name for name in frame.columns if carried(name) and name not in RESULTS]


def _effects_in_words(effects: pl.Series, contrast: tuple[Any, Any], abstain: bool) -> str:
    known = effects.drop_nulls().to_numpy()
    what = f"of {word(contrast[1])} against {word(contrast[0])}"
    if not len(known):
        return f"No effects {what}: {rows(len(effects))}, none of them well supported."
    some = (
        f"the {len(known):,} of {rows(len(effects))} that {'is' if len(known) == 1 else 'are'} "
        "well supported"
    )
    whom = some if abstain else rows(len(effects))
    if len(known) == 1:
        return f"Effect {what} for {whom}: {known[0]:.4g}."
    q10, q90 = np.quantile(known, [0.1, 0.9])
    return (
        f"Effects {what} for {whom}: mean {known.mean():.4g}, from {q10:.4g} to {q90:.4g} for "
        "the middle 80 % of rows."
    )


def _far_in_words(effects: np.ndarray, far: np.ndarray) -> list[str]:
    """Say beside the mean how much of it is due to rows that are like none of the fit."""
    known = ~np.isnan(effects)
    if not (far & known).any():
        return []
    count, rest = int((far & known).sum()), effects[known & ~far]
    if not len(rest):
        return [f"Beware: {rows(count)} with numbers far outside those of the fit."]
    has, them = ("has", "it") if count == 1 else ("have", "them")
    few = f"{count:,} of them {has} numbers far outside those of the fit"
    return [f"Beware: {few}; without {them} the mean is {rest.mean():.4g}."]


def _intervals_in_words(there: bool, alpha: float) -> str:
    if not there:
        return "No intervals: the model was fitted without --bootstrap."
    return (
        f"lower, upper: the {100 * (1 - alpha):.4g} % interval of each row, from bootstrapped "
        "members."
    )


def _evidence_in_words(verdict: np.ndarray, abstain: bool) -> str:
    counts = {name: int((verdict == name).sum()) for name in VERDICTS}
    shares = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return f"Evidence: {shares}." + (" Rows that are not well supported were left empty." * abstain)
