"""`pairnet effect`: for each row of a table its effect, interval and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from pairnet.commands.asked import FileOptions
from pairnet.commands.averaging import average_as_facts, average_in_words
from pairnet.commands.reading import in_lines_of, read_for
from pairnet.commands.rows import (
    beside_results,
    check_is_not,
    check_is_not_in,
    covariates_of,
    label_of,
)
from pairnet.commands.saying import paragraphs
from pairnet.commands.telling import Teller
from pairnet.commands.wording import notes
from pairnet.core.errors import count_of
from pairnet.core.words import word
from pairnet.core.writing import can_write
from pairnet.evidence.support import DISAGREE, MANY, VERDICTS
from pairnet.inference import intervals
from pairnet.methods import load
from pairnet.model.question import Question
from pairnet.tables.files import check_writes, write_table
from pairnet.tables.sources import Source

RESULTS = ("effect", "lower", "upper", "disagreement", "evidence")
DISAGREEMENT = "disagreement: how far the learners of the stack lie apart on each row."


def effect(
    folder: Path,
    table: Source,
    *,
    start: str | None,
    to: str | None,
    out: Path,
    abstain: bool,
    evidence: bool,
    alpha: float,
    asked: FileOptions,
    keep: str = "",
    target: str | None = None,
    teller: Teller,
) -> None:
    """Write each row's effect, its interval and the evidence behind it into a table.

    target: whose average effect is said, too (None: none).
    """
    say = teller.say
    check_writes(out)
    intervals.check_level(alpha)
    can_write(out, "--out")
    check_is_not(out, table)
    method = load(folder)
    check_is_not_in(out, folder)
    schema, treatment = method.schema_, method.treatment_
    T0, T1 = label_of(treatment, start, "T0"), label_of(treatment, to, "T1")
    treatment.completed(T0, T1)  # before a large table is read
    read = read_for(schema, table, asked)
    frame = read.frame
    x = covariates_of(schema, frame, table)
    beside = beside_results(schema, frame, table, keep, RESULTS)
    with notes(told=teller.notes), in_lines_of(table, asked):
        question = method.ask(x, T0=T0, T1=T1, target=target or "all")
        question.check_differs()
        average = [average_in_words(question)] if target and teller.in_words else []
        answers = _answers(question, alpha, evidence or abstain, abstain)
    columns = _columns(answers, evidence)
    write_table(pl.DataFrame({name: frame[name] for name in beside} | columns), out)
    for line in map(paragraphs, read.said):
        say(line)
    for line in _in_words(question, answers, schema.far(x), alpha, abstain):
        say(line)
    if average:
        say(paragraphs(*average))
    written = [*beside[:3], *(["..."] if len(beside) > 3 else []), *columns]
    say(paragraphs(f"Written: {out}, with the columns {', '.join(written)}."))
    if replaced := ", ".join(name for name in RESULTS if name in frame.columns):
        say(paragraphs(f"Not carried over, since results have these names: {replaced} of {table}."))
    teller.tell(
        lambda: {
            "command": "effect",
            "model": folder,
            "table": table,
            **_facts(question, answers, target),
            "alpha": alpha if answers.ends is not None else None,
            "written": out,
            "columns": [*beside, *columns],
        }
    )


class _Answers(NamedTuple):
    """The results for each row; NaN where the command abstains."""

    effect: np.ndarray
    ends: tuple[np.ndarray, np.ndarray] | None  # of the interval
    verdict: np.ndarray | None  # on the evidence, if it was looked up
    disagreement: np.ndarray | None  # of the learners of a stack


def _answers(question: Question, alpha: float, look: bool, abstain: bool) -> _Answers:
    """Compute effects and intervals and, if `look`, the evidence behind them."""
    effect, ends, verdict, apart = question.effect, None, None, question.disagreement
    if question.has_interval:
        ends = question.interval(alpha)
    if look:
        verdict = np.asarray(question.support().verdict)
    if abstain and verdict is not None:
        supported = verdict == VERDICTS[0]
        kept = lambda values: np.where(supported, values, np.nan)
        effect, ends = kept(effect), ends and (kept(ends[0]), kept(ends[1]))
        apart = None if apart is None else kept(apart)
    return _Answers(effect, ends, verdict, apart)


def _facts(question: Question, answers: _Answers, target: str | None) -> dict[str, Any]:
    """Return what the effects are on the whole, for programs."""
    shown = answers.effect[~np.isnan(answers.effect)]
    low, middle, high = np.quantile(shown, [0.1, 0.5, 0.9]) if len(shown) else [None] * 3
    facts: dict[str, Any] = {
        "from": question.T0,
        "to": question.T1,
        "rows": len(answers.effect),
        "with_effect": len(shown),
        "mean": shown.mean() if len(shown) else None,
        "quantiles": {"0.1": low, "0.5": middle, "0.9": high},
    }
    if answers.verdict is not None:
        names = (*VERDICTS, DISAGREE)
        facts["evidence"] = {name: int((answers.verdict == name).sum()) for name in names}
    if target is not None:
        facts["average"] = average_as_facts(question)
    return facts


def _columns(answers: _Answers, evidence: bool) -> dict[str, pl.Series]:
    columns = {"effect": answers.effect}
    if answers.ends is not None:
        columns["lower"], columns["upper"] = answers.ends
    if answers.disagreement is not None:
        columns["disagreement"] = answers.disagreement
    series = {name: pl.Series(name, values, nan_to_null=True) for name, values in columns.items()}
    if evidence and answers.verdict is not None:
        series["evidence"] = pl.Series("evidence", answers.verdict.tolist())
    return series


def _in_words(
    question: Question, answers: _Answers, far: np.ndarray, alpha: float, abstain: bool
) -> Iterator[str]:
    """Yield sentences about the results."""
    lines = [
        _effects_in_words(answers.effect, (question.T0, question.T1), abstain),
        *_far_in_words(answers.effect, far),
        _intervals_in_words(question, alpha),
        *[DISAGREEMENT] * (answers.disagreement is not None),
    ]
    if answers.verdict is not None:
        lines.append(_evidence_in_words(answers.verdict, abstain))
        if not abstain:
            lines += _guesses_in_words(answers)
    yield paragraphs(*lines)


def _effects_in_words(effects: np.ndarray, contrast: tuple[Any, Any], abstain: bool) -> str:
    shown = effects[~np.isnan(effects)]
    what = f"of {word(contrast[1])} against {word(contrast[0])}"
    if not len(shown):
        return f"No effects {what}: {count_of(len(effects))}, none of them well supported."
    some = (
        f"the {len(shown):,} of {count_of(len(effects))} that {'is' if len(shown) == 1 else 'are'} "
        "well supported"
    )
    whom = some if abstain else count_of(len(effects))
    if len(shown) == 1:
        return f"Effect {what} for {whom}: {shown[0]:.4g}."
    q10, q90 = np.quantile(shown, [0.1, 0.9])
    return (
        f"Effects {what} for {whom}: mean {shown.mean():.4g}, from {q10:.4g} to {q90:.4g} for the "
        "middle 80 % of rows."
    )


def _far_in_words(effects: np.ndarray, far: np.ndarray) -> list[str]:
    """Write how much of the mean is due to rows that are unlike all rows of the fit."""
    shown = ~np.isnan(effects)
    if not (far & shown).any():
        return []
    count, rest = int((far & shown).sum()), effects[shown & ~far]
    if not len(rest):
        return [f"Beware: {count_of(count)} with numbers far outside those of the fit."]
    has, them = ("has", "it") if count == 1 else ("have", "them")
    few = f"{count:,} of them {has} numbers far outside those of the fit"
    return [f"Beware: {few}; without {them} the mean is {rest.mean():.4g}."]


def _intervals_in_words(question: Question, alpha: float) -> str:
    if not question.has_interval:
        return "No intervals: the model was fitted without --bootstrap."
    is_stack = question.model.predictor.is_stack
    source = (
        "how far its learners and fold models lie apart" if is_stack else "bootstrapped members"
    )
    return f"lower, upper: the {100 * (1 - alpha):.4g} % interval of each row, from {source}."


def _evidence_in_words(verdict: np.ndarray, abstain: bool) -> str:
    counts = {name: int((verdict == name).sum()) for name in (*VERDICTS, DISAGREE)}
    shares = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
    return f"Evidence: {shares}." + (" Rows that are not well supported were left empty." * abstain)


def _guesses_in_words(answers: _Answers) -> list[str]:
    """Write, if many rows extrapolate, what that means for their effects and the mean."""
    guessed = answers.verdict == VERDICTS[-1]
    if guessed.mean() <= MANY:
        return []
    rest = answers.effect[~guessed]
    mean = f" Without them the mean is {rest.mean():.4g}." if len(rest) else ""
    return [
        "Effects of rows that extrapolate are guesses of the model: hardly any like them had one "
        f"of the two treatments.{mean} --abstain leaves them empty."
    ]
