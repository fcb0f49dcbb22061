"""Rows with their effects: what is worked out for each row, and how it stands in a table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from pairnet.evidence.support import VERDICTS
from pairnet.model.question import Question

SIGNIFICANT = 6  # digits of numbers in the table: more would be noise
RESULTS = ("effect", "lower", "upper", "disagreement", "evidence")


class Wanted(NamedTuple):
    """What is wanted of each row.

    alpha: the share of intervals that may miss. evidence: whether it is written. abstain: whether
    rows without good evidence are left empty.
    """

    alpha: float
    evidence: bool
    abstain: bool


class Answers(NamedTuple):
    """The results for each row; NaN where the command abstains."""

    effect: np.ndarray
    ends: tuple[np.ndarray, np.ndarray] | None  # of the interval
    verdict: np.ndarray | None  # on the evidence, if it was looked up
    disagreement: np.ndarray | None  # of the learners of a stack


def few_of(beside: Sequence[str], results: Iterable[str]) -> str:
    """Write the names of columns that are written: some of those beside, and the results."""
    return ", ".join([*beside[:3], *["..."] * (len(beside) > 3), *results])


def answers_of(question: Question, wanted: Wanted, by_fit: bool = False) -> Answers:
    """Compute effects and intervals and, if they are wanted, the evidence behind them.

    by_fit: whether verdicts are made without a look at the other rows (see `Question.support`).
    """
    effect, ends, verdict, apart = question.effect, None, None, question.disagreement
    if question.has_interval:
        ends = question.interval(wanted.alpha)
    if wanted.evidence or wanted.abstain:
        verdict = np.asarray(question.support(by_fit=by_fit).verdict)
    if wanted.abstain and verdict is not None:
        supported = verdict == VERDICTS[0]
        kept = lambda values: np.where(supported, values, np.nan)
        effect, ends = kept(effect), ends and (kept(ends[0]), kept(ends[1]))
        apart = None if apart is None else kept(apart)
    return Answers(effect, ends, verdict, apart)


def columns_of(answers: Answers, evidence: bool) -> dict[str, pl.Series]:
    """Return the results as columns of a table."""
    columns = {"effect": answers.effect}
    if answers.ends is not None:
        columns["lower"], columns["upper"] = answers.ends
    if answers.disagreement is not None:
        columns["disagreement"] = answers.disagreement
    series = {name: in_digits(name, values) for name, values in columns.items()}
    if evidence and answers.verdict is not None:
        series["evidence"] = pl.Series("evidence", answers.verdict.tolist())
    return series


def in_digits(name: str, values: np.ndarray) -> pl.Series:
    """Return a column of results, in as many digits as are no noise; NaN becomes a gap."""
    series = pl.Series(name, np.asarray(values, np.float64), nan_to_null=True)
    return series.round_sig_figs(SIGNIFICANT)
