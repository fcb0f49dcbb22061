"""The answer of a report: average effects by the model and by outcomes, and its first paragraph."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

import numpy as np

from pairnet.evidence.support import MANY, MOST, VERDICTS
from pairnet.inference.intervals import around
from pairnet.inference.targets import TARGETS
from pairnet.model.question import Question
from pairnet.report.charts import Point, dots
from pairnet.report.document import Block, details, facts, figure, paragraph, table
from pairnet.report.model.evidence import Evidence
from pairnet.report.model.scores import scored
from pairnet.report.model.subject import ALPHA, RESAMPLED, Subject
from pairnet.report.words import per_cent, say

# How each kind of average is found.
HOW = {
    "model": "Model: the mean of the estimated effects.",
    "members": "Its interval is from members trained on resampled rows.",
    "folds": "Its interval is from how far the models of the folds are apart.",
    "doubly robust": "Doubly robust: this mean corrected by observed outcomes weighted by 1 / "
    "chance of their arm; right if the model of outcomes or that of chances is, and too sure of "
    "itself if neither is.",
    "not adjusted": "Not adjusted: the plain difference of mean outcomes, which mixes the effect "
    "with who was treated.",
}


class Average:
    """The average effect of one arm or dose against the first, by the model and by outcomes."""

    def __init__(self, subject: Subject, label: Hashable):
        self.label = label
        question = subject.question.comparing(subject.labels[0], label)
        self.plugin = question.mean * subject.scale
        self.interval: tuple[float, float] | None = None
        if subject.has_intervals:
            low, high = question.average_interval(ALPHA)
            self.interval = low * subject.scale, high * subject.scale
        self.robust = _doubly_robust(subject, question)

    @property
    def best(self) -> tuple[float, float | None, float | None]:
        """Return the average to show first, with its interval: the members' one if they have one.

        The doubly robust interval is narrower, but it knows only the noise of its correction (see
        docs/intervals.md).
        """
        if self.interval is None and self.robust is not None:
            return self.robust
        return (self.plugin, *(self.interval or (None, None)))

    @property
    def apart(self) -> bool:
        """Whether the doubly robust interval lies outside the model's."""
        if self.interval is None or self.robust is None:
            return False
        return self.robust[2] < self.interval[0] or self.interval[1] < self.robust[1]

    @property
    def sure(self) -> bool:
        """Whether the interval to show first leaves out 0."""
        _, low, high = self.best
        return low is not None and high is not None and not _holds_zero(low, high)

    @property
    def split(self) -> bool:
        """Whether one of the two intervals holds 0 and the other does not."""
        if self.interval is None or self.robust is None:
            return False
        return _holds_zero(*self.interval) != _holds_zero(*self.robust[1:])


def averages_of(subject: Subject) -> list[Average]:
    """Return the average of each other arm against the first one, or of the dose asked about."""
    return [Average(subject, label) for label in subject.treatment.shown_against(*subject.labels)]


def _doubly_robust(subject: Subject, question: Question) -> tuple[float, float, float] | None:
    """Return the average corrected by outcomes, with its interval, in the reader's units.

    Where the rows have outcomes, it is the mean of their scores, as everywhere else on the page.
    Otherwise outcomes of the fit correct it, provided that some member has not seen some of them.
    """
    if subject.treatment.whole_range or not subject.memory.honest:
        return None
    estimate = scored(subject, question.T1).average if subject.judges else question.doubly_robust
    ends = np.array([estimate.value, *around(estimate, ALPHA)]) * subject.scale
    value, low, high = subject.possible(ends).tolist()
    return value, low, high


def lead(subject: Subject, main: Average, differ: bool | None, support: Evidence) -> str:
    """Write the first paragraph: what was asked, the answer, and how sure it is.

    differ: whether outcomes bear out that effects differ; None if they cannot judge it.
    """
    value, low, high = main.best
    rows = f"{subject.summary['rows']:,} rows"
    rows += "" if subject.is_memory else f" and asked of {len(subject.x):,} others"
    change = f"{'raises' if value > 0 else 'lowers'} {subject.words.of}{subject.names['outcome']}"
    answer = f"it {change} by {subject.amount(abs(value))}"
    within = f" (95 % interval {say(low)} to {say(high)})" if low is not None else ""  # type: ignore[arg-type]
    if subject.target != "all":
        answer = f"{TARGETS[subject.target]} {answer}"
    if support.of_target > MOST:
        both = "this number and its interval rest" if within else "this number rests"
        return (
            f"{_question(subject)} There is little evidence: for {per_cent(support.of_target)} "
            "of the rows hardly anybody like them was seen under one of the two treatments. The "
            f"model, estimated from {rows}, says that on average {answer}{within}, but {both} on "
            "extrapolation: read the warnings first."
        )
    sentence = f"{_question(subject)} On average {answer}"
    if subject.target != "all" and support.limited:
        sentence = (
            f"{_question(subject)} For {per_cent(support.extrapolated)} of all rows hardly anybody "
            "like them was seen under one of the two treatments, so this is about fewer: on "
            f"average {answer}"
        )
    if low is None or high is None:
        unsure = "how sure this is was not estimated (no bootstrap)"
        return f"{sentence}, as estimated from {rows}; {unsure}."
    sentence += f"{within}, as estimated from {rows}. {_of_zero(low, high)}"
    if support.of_target > MANY:
        sentence += f" {per_cent(support.of_target)} of the rows are extrapolated."
    if main.split:
        sentence += " The doubly robust interval says otherwise: see The answer."
    return sentence if differ is None else f"{sentence} {_of_gain(subject, differ)}"


def _of_zero(low: float, high: float) -> str:
    if _holds_zero(low, high):
        return "The interval holds 0, so there may be no effect on average."
    return (
        "The interval leaves out 0, so on average there is an effect, if the assumptions below "
        "hold."
    )


def _of_gain(subject: Subject, differ: bool) -> str:
    small = "" if subject.goal > 0 else f" ({subject.good})"
    if differ:
        return f"Some rows gain more than others{small}, and outcomes bear out who they are."
    return f"Outcomes do not bear out that some rows gain more than others{small}."


def answer(
    subject: Subject,
    main: Average,
    averages: list[Average],
    support: Evidence,
    differ: bool | None = None,
    warnings: Sequence[str] = (),
    counted: int | None = None,
) -> list[Block]:
    """Return what one screen must say: what, how sure, for whom, and whether to trust it.

    warnings: what could be wrong; they stand below the numbers. counted: how many warnings the page
    has, if some stand elsewhere.
    """
    rows = [row for average in averages for row in _rows(subject, average)]
    header = ("comparison", "how", "average effect", "from", "to")
    ways = {row[1] for row in rows}
    if subject.has_intervals:
        ways.add("members" if subject.memory.resampled else "folds")
    explained = " ".join(about for way, about in HOW.items() if way in ways)
    split = [average for average in averages if average.split]
    return [
        facts(
            _facts(subject, main, support, differ, len(warnings) if counted is None else counted)
        ),
        *(paragraph(text, kind="warning") for text in warnings),
        _picture(subject, averages),
        details(
            "How these averages were found",
            table(header, rows, f"Average effects{_whose(subject)} with 95 % intervals"),
            *([paragraph(_both_intervals(subject, split))] if split else []),
            paragraph(explained, kind="note"),
        ),
    ]


def _picture(subject: Subject, averages: list[Average]) -> Block:
    """Draw all averages with their intervals."""
    points = []
    for average in averages:
        for _, how, value, low, high in _numbers(subject, average):
            label = subject.arm(average.label) if len(averages) > 1 else how
            points.append(Point(label, value, low, high, how if len(averages) > 1 else ""))
    first, whose = subject.arm(subject.labels[0]), _whose(subject)
    what = f"every arm against {first}" if len(averages) > 1 else subject.against(subject.labels[1])
    ends = ", with 95 % intervals" if any(point.ends for point in points) else ""
    caption = f"Average effect of {what}{whose}{ends}."
    return figure(dots(points, x=subject.effect_name, says="Average effects"), caption)


def _facts(
    subject: Subject, main: Average, support: Evidence, differ: bool | None, warnings: int
) -> Iterator[tuple[str, str, str]]:
    """Yield four numbers: what, how sure, for whom, and whether to trust it."""
    value, low, high = main.best
    unit = subject.words.short_unit
    guessed = f"extrapolated for {per_cent(support.of_target)} of rows; "
    guessed = guessed if support.of_target > MANY else ""
    meaning = f"{guessed}{subject.against(subject.labels[1])}, on {subject.names['outcome']}"
    yield f"Average effect{_whose(subject)}", say(value) + unit, meaning
    if low is None or high is None:
        yield "How sure", "not known", f"no interval: fit with {RESAMPLED}"
    else:
        holds = "holds 0: there may be no effect" if _holds_zero(low, high) else "leaves out 0"
        yield "How sure", f"{say(low)} to {say(high)}", f"95 % interval; it {holds}"
    yield "For whom", *_for_whom(subject, support, differ)
    yield "May I trust it", *_trust(support, warnings)


def _for_whom(subject: Subject, support: Evidence, differ: bool | None) -> tuple[str, str]:
    """Write whether effects differ between rows."""
    names = {True: "some gain more", False: "no difference seen", None: "not judged"}
    why = {
        True: "outcomes bear out that effects differ",
        False: "outcomes do not bear out that effects differ",
        None: "no outcomes could judge how effects differ",
    }
    guessed = f", {per_cent(support.extrapolated)} of them extrapolated" * support.limited
    return names[differ], f"{why[differ]}; the model's middle 80 %: {subject.middle}{guessed}"


def _trust(support: Evidence, warnings: int) -> tuple[str, str]:
    """Write how many warnings there are, and how well rows are supported."""
    count = f"{warnings} warning{'s' * (warnings > 1)}" if warnings else "no warnings"
    well = f"{per_cent(support.shares[VERDICTS[0]])} of rows are well supported"
    return count, f"{well}; what no check can show is said below"


Numbers = tuple[str, str, float, float | None, float | None]


def _rows(subject: Subject, average: Average) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the table of averages that are about one comparison."""
    for comparison, how, *numbers in _numbers(subject, average):
        written = ("" if number is None else say(number) for number in numbers)
        yield comparison, how, *written


def _numbers(subject: Subject, average: Average) -> Iterator[Numbers]:
    """Yield the averages of one comparison: what, how, the value and its interval."""
    comparison = subject.against(average.label)
    yield comparison, "model", average.plugin, *(average.interval or (None, None))
    if average.robust:
        yield comparison, "doubly robust", *average.robust
    if subject.judges:
        yield from _unadjusted(subject, average.label, comparison)


def _both_intervals(subject: Subject, averages: list[Average]) -> str:
    """Explain two intervals of which only one holds 0, and say which of them to believe."""
    sentences = []
    for average in averages:
        assert average.interval is not None
        assert average.robust is not None
        ends = ("doubly robust", *average.robust[1:]), ("model's", *average.interval)
        without, within = sorted(ends, key=lambda end: _holds_zero(*end[1:]))
        sentences.append(
            f"{subject.against(average.label)}: by the {within[0]} interval ({say(within[1])} to "
            f"{say(within[2])}) there may be no effect on average, by the {without[0]} one "
            f"({say(without[1])} to {say(without[2])}) there is one."
        )
    return (
        f"{' '.join(sentences)} They differ as they know of different things that may be wrong: "
        "the model's of the luck of rows and training, the doubly robust one only of the noise of "
        "its correction, which makes it narrower as a rule. The wider one is the safer reading; "
        "where they disagree, do not count on an effect."
    )


def _whose(subject: Subject) -> str:
    """Write whose averages are shown, if not those of all rows."""
    return "" if subject.target == "all" else f" {TARGETS[subject.target]}"


def _question(subject: Subject) -> str:
    return f"What does {subject.comparison} do to {subject.names['outcome']}?"


def _holds_zero(low: float, high: float) -> bool:
    return low <= 0 <= high


def _unadjusted(subject: Subject, label: Hashable, comparison: str) -> Iterator[Numbers]:
    """Yield the plain difference of mean outcomes, if both arms have enough rows."""
    assert subject.t is not None
    assert subject.y is not None
    groups = [subject.y[subject.t == subject.inside(arm)] for arm in (subject.labels[0], label)]
    if all(len(group) > 1 for group in groups):
        value = float(groups[1].mean() - groups[0].mean())
        error = float(np.sqrt(sum(group.var(ddof=1) / len(group) for group in groups)))
        yield comparison, "not adjusted", value, value - 1.96 * error, value + 1.96 * error
