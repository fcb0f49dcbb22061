"""What `pairnet fit` and `pairnet effect` do: a table goes in, a model or effects come out, and people are told."""

from __future__ import annotations

import contextlib
import shlex
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from pairnet.methods import load, methods
from pairnet.methods.support import VERDICTS
from pairnet.saving import can_write
from pairnet.tables import Schema
from pairnet.tables.columns import understood
from pairnet.tables.files import check_ending, read_table, write_table
from pairnet.tables.values import Numbers, Words, of_series, word
from pairnet.treatments import Arms, Treatment

WIDTH = 80
MOST_LABELS = 10  # text with more different values that mostly spell numbers is meant to be numbers
CHECKED = 20_000  # rows that are looked at for a covariate that gives the answer away
EXACT = 1e-9


def fit(
    table: Path,
    *,
    treatment: str,
    outcome: str,
    out: Path,
    method: str,
    ignore: str,
    covariates: str,
    categories: str,
    separator: str | None,
    options: dict[str, Any],
    say: Callable[[str], None],
) -> None:
    """Train a model on a table and keep it in a folder."""
    can_write(out)
    kind = methods[method]
    frame, x, given, observed = chosen(table, treatment, outcome, ignore, covariates, categories, separator)
    dropped = frame.height - x.height
    schema = Schema.of(x)
    say(f"{table}: {frame.height:,} rows, {len(frame.columns)} columns.")
    if dropped:
        say(f"Dropped {dropped:,} rows without a treatment or an outcome; {x.height:,} are left.")
    say(f"Treatment: {treatment}. Outcome: {outcome}. Covariates:\n")
    say(schema.summary() + "\n")
    with notes(but="Left out of the covariates"):
        model = kind(**options)
        _warn_of_leaks(schema, x, given, observed, treatment, outcome)
        try:
            model.fit(x, observed, treatment=given)
        except ValueError as error:
            said = f"{str(error).rstrip('.')}. (y is the column {outcome!r}, treatment is {treatment!r}.)"
            raise ValueError(said) from None
        model.training_.summary["names"] = {"treatment": treatment, "outcome": outcome}  # for the report
        model.set_params(verbose=False).save(out)
        say(_ending(model, x, x.height, treatment, outcome, table, out))


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
    say: Callable[[str], None],
) -> None:
    """Write each row's effect, its interval and the evidence behind it into a table."""
    check_ending(out)
    if not out.absolute().parent.is_dir():
        raise ValueError(f"The folder of -o does not exist: {out.absolute().parent}. Make it first.")
    model = load(folder)
    contrast = _contrast(model.treatment_, start, to)
    frame = read_table(table, separator)
    x = _covariates_of(model.schema_, frame, table)
    asked = {"T0": contrast[0], "T1": contrast[1]}
    with notes():
        found = {"effect": np.asarray(model.effect(x, **asked))}
        if model.bootstrap:
            lower, upper = model.effect_interval(x, **asked, alpha=alpha)
            found |= {"lower": np.asarray(lower), "upper": np.asarray(upper)}
        verdict = np.asarray(model.support(x, **asked).verdict) if evidence or abstain else None
    if abstain and verdict is not None:
        found = {name: np.where(verdict == VERDICTS[0], values, np.nan) for name, values in found.items()}
    columns = {name: pl.Series(name, values, nan_to_null=True) for name, values in found.items()}
    if verdict is not None:
        columns["evidence"] = pl.Series("evidence", verdict.tolist())
    used = [column.name for column in model.schema_.columns if column.features]
    beside = [name for name in frame.columns if name not in used and name not in columns]
    write_table(frame.select(beside).with_columns(**columns), out)
    say(_effects_in_words(columns, contrast, bool(model.bootstrap), alpha, abstain))
    written = [*beside[:3], *(["..."] if len(beside) > 3 else []), *columns]
    say(textwrap.fill(f"Written: {out}, with the columns {', '.join(written)}.", WIDTH, subsequent_indent="  "))


class Chosen(NamedTuple):
    """What a command takes of a table."""

    frame: pl.DataFrame  # as it was read
    x: pl.DataFrame  # covariates of the rows that have a treatment and an outcome
    treatment: np.ndarray
    outcome: np.ndarray


def chosen(
    table: Path,
    treatment: str,
    outcome: str,
    ignore: str = "",
    covariates: str = "",
    categories: str = "",
    separator: str | None = None,
) -> Chosen:
    """Read a table, and take from it what was asked for."""
    frame = read_table(table, separator)
    frame, names = _choose(frame, table, treatment, outcome, ignore, covariates, categories)
    Schema.of(frame.select(names))  # its errors name rows as they are in the file
    kept = frame.filter(_present(frame[treatment]) & _present(frame[outcome]))
    if kept.height == 0:
        raise ValueError(f"No row of {table} has both a treatment ({treatment!r}) and an outcome ({outcome!r}).")
    return Chosen(frame, kept.select(names), _plain(kept[treatment], MOST_LABELS), _plain(kept[outcome], 2))


def _choose(
    frame: pl.DataFrame, table: Path, treatment: str, outcome: str, ignore: str, covariates: str, categories: str
) -> tuple[pl.DataFrame, list[str]]:
    """Return the table with its categories declared, and the names of the covariates."""
    if treatment == outcome:
        raise ValueError(f"--treatment and --outcome both name {treatment!r}: they must be different columns.")
    left, chosen, declared = (_listed(frame, text) for text in (ignore, covariates, categories))
    for option, names in (
        ("--treatment", [treatment]),
        ("--outcome", [outcome]),
        ("--ignore", left),
        ("--covariates", chosen),
        ("--categories", declared),
    ):
        if absent := [name for name in names if name not in frame.columns]:
            import difflib

            close = difflib.get_close_matches(absent[0], frame.columns, n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            known = textwrap.shorten(", ".join(frame.columns), 300, placeholder=" ...")
            raise ValueError(f"{table} has no column {absent[0]!r} ({option}). Its columns: {known}.{hint}")
    if wrong := [name for name in (treatment, outcome) if name in chosen]:
        raise ValueError(f"--covariates names {wrong[0]!r}, which is the treatment or the outcome.")
    names = [name for name in chosen or frame.columns if name not in (treatment, outcome, *left)]
    if not names:
        raise ValueError(f"No covariates are left of {table}: it needs columns beside the treatment and the outcome.")
    text = [pl.col(name).cast(pl.String).cast(pl.Categorical) for name in declared]
    return frame.with_columns(text), names


def _listed(frame: pl.DataFrame, text: str) -> list[str]:
    """Return the names in a list with commas; a column whose own name has commas is one name."""
    if text in frame.columns:
        return [text]
    return [name.strip() for name in text.split(",") if name.strip()]


def _present(column: pl.Series) -> pl.Series:
    known = column.is_not_null()
    if column.dtype.is_float():
        return known & column.is_not_nan().fill_null(False)
    return known & (column.str.strip_chars() != "").fill_null(False) if column.dtype == pl.String else known


def _plain(column: pl.Series, labels: int) -> np.ndarray:
    """Return a treatment or an outcome; text that spells numbers is numbers, and mixed with words an error."""
    import narwhals as nw

    values = of_series(nw.from_native(column, series_only=True))
    if isinstance(values, Words) and not values.declared:
        values = understood(column.name, values) if len(values.words) > labels else values
    if isinstance(values, Numbers) and column.dtype == pl.String:
        return values.values
    return column.to_numpy()


def _warn_of_leaks(
    schema: Schema, x: pl.DataFrame, given: np.ndarray, observed: np.ndarray, treatment: str, outcome: str
) -> None:
    """Warn of an outcome that only repeats the treatment, and of covariates that repeat either."""
    some = np.linspace(0, len(given) - 1, min(len(given), CHECKED)).astype(int)
    t, y = given[some], observed[some]
    levels, position = np.unique(t, return_inverse=True)
    said = np.unique(y, return_inverse=True)[1]
    repeats = all(np.ptp(said[position == each]) == 0 for each in range(len(levels)))
    numbers = lambda values: values.astype(float) if values.dtype.kind in "bifu" else None
    if len(levels) > 1 and np.ptp(said) > 0 and (repeats or _same(numbers(t), numbers(y))):
        warnings.warn(
            f"The outcome {outcome!r} follows from the treatment {treatment!r} exactly: it looks like the treatment "
            "under another name, and effects of it say nothing. Is it the right column?",
            stacklevel=2,
        )
    targets = [(outcome, numbers(y)), (treatment, numbers(t))]
    if len(levels) <= MOST_LABELS:
        targets += [(treatment, (position == each).astype(float)) for each in range(len(levels))]
    repeated = {
        (feature, name)
        for name, target in targets
        for feature, values in zip(schema.features, schema.encode(x[some]).T, strict=True)
        if _same(values, target)
    }
    for feature, name in sorted(repeated):
        warnings.warn(
            f"The covariate {feature!r} repeats {name!r} exactly. Leave it out with --ignore, or effects say nothing.",
            stacklevel=2,
        )


def _same(a: np.ndarray | None, b: np.ndarray | None) -> bool:
    """Tell whether two columns are the same, but for their units."""
    if a is None or b is None or np.ptp(a) == 0 or np.ptp(b) == 0:
        return False
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    return bool(abs(np.mean(a * b)) > 1 - EXACT)


def called(treatment: Treatment, text: str, option: str) -> Any:
    """Return the arm that is written like this, or the dose that it spells; `option` is where it was written."""
    return _arm(treatment, text, option, 0) if isinstance(treatment, Arms) else _dose(text, option, 0.0)


def _contrast(treatment: Treatment, start: str | None, to: str | None) -> tuple[Any, Any]:
    """Return what is compared, as the model knows it."""
    if isinstance(treatment, Arms):
        if (start is None or to is None) and len(treatment) > 2:
            raise ValueError(f"Say which of the arms {_arms(treatment)} to compare: --from and --to.")
        return _arm(treatment, start, "--from", 0), _arm(treatment, to, "--to", 1)
    low, high = treatment.contrast
    return _dose(start, "--from", low), _dose(to, "--to", high)


def _arm(treatment: Arms, text: str | None, option: str, default: int) -> Any:
    if text is None:
        return treatment.labels[default]
    for label in treatment.labels:
        if text in (word(label), str(label)) or str(label).lower() == text.lower() or _number(text) == label:
            return label
    raise ValueError(f"{option} names no arm of this model: expected one of {_arms(treatment)}, got {text!r}.")


def _dose(text: str | None, option: str, default: float) -> float:
    value = default if text is None else _number(text)
    if value is None or not np.isfinite(value):
        raise ValueError(f"{option} must be a dose, a number, got {text!r}.")
    return float(value)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _arms(treatment: Arms) -> str:
    few = ", ".join(word(label) for label in treatment.labels[:20])
    return few + (", ..." if len(treatment) > 20 else "")


def _covariates_of(schema: Schema, frame: pl.DataFrame, table: Path) -> Any:
    """Return the model's covariates of a table that may hold more columns."""
    if not schema.named:
        return frame.to_numpy() if all(dtype.is_numeric() for dtype in frame.dtypes) else frame.rows()
    used = [str(column.name) for column in schema.columns if column.features]
    if absent := [name for name in used if name not in frame.columns]:
        few = ", ".join(map(repr, absent[:5])) + (", ..." if len(absent) > 5 else "")
        raise ValueError(f"{table} lacks {len(absent)} of the {len(used)} covariates of the model: {few}.")
    return frame.select(used)


@contextlib.contextmanager
def notes(but: str | None = None) -> Iterator[None]:
    """Show warnings as notes of a line or two, not as Python shows them."""

    def show(message, category, filename, lineno, file=None, line=None):
        if but is None or not str(message).startswith(but):
            print(textwrap.fill(f"Note: {message}", WIDTH), file=sys.stderr)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = show
        yield


def _ending(model: Any, x: pl.DataFrame, rows: int, treatment: str, outcome: str, table: Path, out: Path) -> str:
    """Say what was learned, and what to type next."""
    kind, said = model.treatment_, model.training_.summary
    lines = [f"{type(model).__name__} was trained on {rows:,} rows in {said['seconds']:.0f} s."]
    if isinstance(kind, Arms):
        arms = ", ".join(f"{word(each['arm'])} ({each['rows']:,} rows)" for each in said["treatment"]["arms"][:10])
        lines.append(f"Treatment {treatment}, {len(kind)} arms: {arms}{', ...' if len(kind) > 10 else ''}.")
        pairs = [(kind.labels[0], label) for label in kind.labels[1:6]]
    else:
        lines.append(f"Treatment {treatment}, a dose from {kind.low:g} to {kind.high:g}.")
        pairs = [kind.contrast]
    labels = model.outcome_labels_
    what = f"the chance of {labels[1]!r}" if labels else outcome
    lines += [
        f"Average effect on {what} of {word(t1)} against {word(t0)}: {_average(model, x, t0, t1)}." for t0, t1 in pairs
    ]
    score = np.mean(said["held_out_score"])
    lines.append(f"Loss on rows held out of training: {score:.4g} (smaller is better, to compare methods with).")
    size = sum(file.stat().st_size for file in out.iterdir()) / 2**20
    lines.append(f"Model: {out} ({size:.1f} MiB).")
    first, second = (shlex.quote(word(each)) for each in pairs[-1])
    name = lambda path: shlex.quote(str(path))
    ask = f"  pairnet effect {name(out)} {name(table)} --from {first} --to {second} -o effects.csv"
    text = "\n".join(textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines)
    return f"\n{text}\n\nNext:\n{ask}\n  pairnet report {name(out)} -o report.html"


def _average(model: Any, x: pl.DataFrame, t0: Any, t1: Any) -> str:
    """Return the average effect with its interval: of bootstrapped members, else doubly robust, which is for arms."""
    asked = {"T0": t0, "T1": t1}
    if not model.bootstrap and not isinstance(model.treatment_, Arms):
        return f"{model.ate(x, **asked):.4g}"
    value = model.ate(x, **asked, kind="plugin" if model.bootstrap else "doubly robust")
    low, high = model.ate_interval(x, **asked, kind="bootstrap" if model.bootstrap else "doubly robust")
    return f"{value:.4g} (95 % interval {low:.4g} to {high:.4g})"


def _effects_in_words(
    columns: dict[str, pl.Series], contrast: tuple[Any, Any], interval: bool, alpha: float, abstain: bool
) -> str:
    effects = columns["effect"].drop_nulls().to_numpy()
    lines = [f"Effects of {word(contrast[1])} against {word(contrast[0])} for {columns['effect'].len():,} rows"]
    if len(effects):
        q10, q90 = np.quantile(effects, [0.1, 0.9])
        lines[0] += f": mean {effects.mean():.4g}, from {q10:.4g} to {q90:.4g} for the middle 80 % of rows."
    else:
        lines[0] += "."
    if interval:
        lines.append(f"lower, upper: the {100 * (1 - alpha):.4g} % interval of each row, from bootstrapped members.")
    else:
        lines.append("No intervals: the model was fitted without --bootstrap.")
    if "evidence" in columns:
        counts = dict(columns["evidence"].value_counts().iter_rows())
        shares = ", ".join(f"{counts[name]:,} {name}" for name in VERDICTS if name in counts)
        lines.append(f"Evidence: {shares}." + (" Rows that are not well supported were left empty." * abstain))
    return "\n".join(textwrap.fill(line, WIDTH, subsequent_indent="  ") for line in lines)
