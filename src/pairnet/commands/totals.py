"""What is said of all rows at the end: sums and shares, which parts of a table can add up."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from pairnet.commands.saying import paragraphs
from pairnet.commands.scored import Answers
from pairnet.core.errors import count_of
from pairnet.core.words import in_full, word
from pairnet.evidence.support import DISAGREE, MANY, VERDICTS
from pairnet.model.question import Question

DISAGREEMENT = "disagreement: how far the learners of the stack lie apart on each row."
SHARES = np.arange(21) / 20  # of rows, whose effects are no larger than the quantiles that are kept


@dataclass(frozen=True)
class Sum:
    """Some numbers: how many, and their sum."""

    count: int = 0
    total: float = 0.0

    @property
    def mean(self) -> float:
        """Their mean."""
        return self.total / self.count


@dataclass(frozen=True)
class Totals:
    """Rows, and sums of the effects of some of them.

    shown: rows that were not left empty. far, near: of these, rows with numbers far outside those
    of the fit, and the others. known: rows that do not extrapolate. verdicts: how many rows have
    each. quantiles: of shown effects, at even steps; of several parts, those of each with its rows.
    """

    rows: int
    shown: Sum
    far: int
    near: Sum
    known: Sum = Sum()
    verdicts: dict[str, int] = field(default_factory=dict)
    quantiles: tuple[tuple[int, tuple[float, ...]], ...] = ()

    @classmethod
    def of(cls, answers: Answers, far: np.ndarray) -> Totals:
        """Sum up rows of a table; far: which of them lie far outside those of the fit."""
        effect, verdict = answers.effect, answers.verdict
        has = ~np.isnan(effect)
        shown = effect[has]
        quantiles = (
            ((len(shown), tuple(np.quantile(shown, SHARES).tolist())),) if len(shown) else ()
        )
        known, verdicts = Sum(), {}
        if verdict is not None:
            known = _sum(effect[has & (verdict != VERDICTS[-1])])
            counts = {name: int((verdict == name).sum()) for name in (*VERDICTS, DISAGREE)}
            verdicts = {str(name): count for name, count in counts.items() if count}
        count = int((far & has).sum())
        return cls(
            len(effect), _sum(shown), count, _sum(effect[has & ~far]), known, verdicts, quantiles
        )

    @classmethod
    def together(cls, parts: Sequence[Totals]) -> Totals:
        """Return the totals of all parts."""
        add = lambda name: Sum(
            sum(getattr(part, name).count for part in parts),
            math.fsum(getattr(part, name).total for part in parts),
        )
        names = [str(name) for name in (*VERDICTS, DISAGREE)]
        counts = {name: sum(part.verdicts.get(name, 0) for part in parts) for name in names}
        return cls(
            sum(part.rows for part in parts),
            add("shown"),
            sum(part.far for part in parts),
            add("near"),
            add("known"),
            {name: count for name, count in counts.items() if count},
            tuple(one for part in parts for one in part.quantiles),
        )

    def quantile(self, share: float) -> float:
        """Return the effect that so many of the shown rows do not exceed; of parts about that."""
        if len(self.quantiles) == 1:
            return float(np.interp(share, SHARES, self.quantiles[0][1]))
        counts = np.array([count for count, _ in self.quantiles])
        low = min(values[0] for _, values in self.quantiles)
        high = max(values[-1] for _, values in self.quantiles)
        for _ in range(60):
            middle = (low + high) / 2
            below = [np.interp(middle, values, SHARES) for _, values in self.quantiles]
            if counts @ below < share * counts.sum():
                low = middle
            else:
                high = middle
        return (low + high) / 2

    def to_json(self) -> dict[str, Any]:
        """Return the totals as plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Totals:
        """Make totals of the result of `to_json`."""
        sums = {name: Sum(**value[name]) for name in ("shown", "near", "known")}
        quantiles = tuple((count, tuple(values)) for count, values in value["quantiles"])
        return cls(**{**value, **sums, "quantiles": quantiles})


def totals_as_facts(totals: Totals, question: Question) -> dict[str, Any]:
    """Return what the effects are on the whole, for programs."""
    some = bool(totals.shown.count)
    facts: dict[str, Any] = {
        "from": question.T0,
        "to": question.T1,
        "rows": totals.rows,
        "with_effect": totals.shown.count,
        "mean": totals.shown.mean if some else None,
        "quantiles": {str(q): totals.quantile(q) if some else None for q in (0.1, 0.5, 0.9)},
    }
    if totals.verdicts:
        names = map(str, (*VERDICTS, DISAGREE))
        facts["evidence"] = {name: totals.verdicts.get(name, 0) for name in names}
    return facts


def _sum(values: np.ndarray) -> Sum:
    return Sum(len(values), float(values.sum()))


def totals_in_words(
    totals: Totals, question: Question, alpha: float, abstain: bool, apart: bool
) -> Iterator[str]:
    """Yield sentences about the results; apart: whether learners' disagreement is among them."""
    lines = [
        _effects_in_words(totals, (question.T0, question.T1), abstain),
        *_far_in_words(totals),
        _intervals_in_words(question, alpha),
        *[DISAGREEMENT] * apart,
    ]
    if totals.verdicts:
        lines.append(_evidence_in_words(totals, abstain))
        if not abstain:
            lines += _guesses_in_words(totals)
    yield paragraphs(*lines)


def _effects_in_words(totals: Totals, contrast: tuple[Any, Any], abstain: bool) -> str:
    rows, shown = count_of(totals.rows), totals.shown
    what = f"of {word(contrast[1])} against {word(contrast[0])}"
    if not shown.count:
        return f"No effects {what}: {rows}, none of them well supported."
    some = (
        f"the {shown.count:,} of {rows} that {'is' if shown.count == 1 else 'are'} well supported"
    )
    whom = some if abstain else rows
    if shown.count == 1:
        return f"Effect {what} for {whom}: {in_full(shown.mean)}."
    about = "about " * (len(totals.quantiles) > 1)
    low, high = totals.quantile(0.1), totals.quantile(0.9)
    return (
        f"Effects {what} for {whom}: mean {in_full(shown.mean)}, from {about}{in_full(low)} to "
        f"{in_full(high)} for the middle 80 % of rows."
    )


def _far_in_words(totals: Totals) -> list[str]:
    """Write how much of the mean is due to rows that are unlike all rows of the fit."""
    count, rest = totals.far, totals.near
    if not count:
        return []
    if not rest.count:
        return [f"Beware: {count_of(count)} with numbers far outside those of the fit."]
    has, them = ("has", "it") if count == 1 else ("have", "them")
    few = f"{count:,} of them {has} numbers far outside those of the fit"
    return [f"Beware: {few}; without {them} the mean is {in_full(rest.mean)}."]


def _intervals_in_words(question: Question, alpha: float) -> str:
    if not question.has_interval:
        return "No intervals: the model was fitted without --bootstrap."
    is_stack = question.model.predictor.is_stack
    source = (
        "how far its learners and fold models lie apart" if is_stack else "bootstrapped members"
    )
    return f"lower, upper: the {100 * (1 - alpha):.4g} % interval of each row, from {source}."


def _evidence_in_words(totals: Totals, abstain: bool) -> str:
    shares = ", ".join(f"{count:,} {name}" for name, count in totals.verdicts.items())
    return f"Evidence: {shares}." + (" Rows that are not well supported were left empty." * abstain)


def _guesses_in_words(totals: Totals) -> list[str]:
    """Write, if many rows extrapolate, what that means for their effects and the mean."""
    if totals.verdicts.get(str(VERDICTS[-1]), 0) <= MANY * totals.rows:
        return []
    mean = f" Without them the mean is {in_full(totals.known.mean)}." if totals.known.count else ""
    return [
        "Effects of rows that extrapolate are guesses of the model: hardly any like them had one "
        f"of the two treatments.{mean} --abstain leaves them empty."
    ]
