"""How commands say an average effect: by members, and corrected by outcomes, with intervals."""

from __future__ import annotations

from typing import Any

from pairnet.core.words import in_full, word
from pairnet.inference.targets import TARGETS
from pairnet.model.leading import extrapolated
from pairnet.model.question import Question


def average_in_words(question: Question) -> str:
    """Write the average effect of a comparison over its target."""
    model = question.model
    what = f"the chance of {model.labels[1]!r}" if model.labels else model.names["outcome"]
    whose = "" if question.target == "all" else f" {TARGETS[question.target]}"
    of = f"{word(question.T1)} against {word(question.T0)}"
    return f"Average effect on {what} of {of}{whose}: {_numbers(question)}."


def average_as_facts(question: Question) -> dict[str, Any]:
    """Return the average effect of a comparison over its target, for programs."""
    facts: dict[str, Any] = {
        "from": question.T0,
        "to": question.T1,
        "target": question.target,
        "average": question.mean,
    }
    if question.has_interval:
        facts["average"] = question.average.value
        facts["lower"], facts["upper"] = question.average_interval()
    if _has_robust(question):
        low, high = question.average_interval(kind="doubly robust")
        robust = {"average": question.doubly_robust.value, "lower": low, "upper": high}
        facts["doubly_robust"] = robust
    return facts


def why_not_all(question: Question) -> str:
    """Write why a summary leads with a target other than all rows."""
    share = lambda target: f"{100 * extrapolated(question.targeting(target)):.0f} %"
    of_all = question.targeting("all").mean
    return (
        f"Overlap is poor: of all rows {share('all')} are unlike anybody who had one of the two "
        f"treatments, {TARGETS[question.target]} {share(question.target)}. So this is the average "
        f"{TARGETS[question.target]}. Over all rows the model says {in_full(of_all)}, mostly a "
        "guess (--target all)."
    )


def _numbers(question: Question) -> str:
    """Return the averages by members and corrected by outcomes, each with its interval."""
    said = []
    if question.has_interval:
        said.append(_with_ends(question.average.value, question.average_interval()))
    if _has_robust(question):
        ends = question.average_interval(kind="doubly robust")
        said.append(_with_ends(question.doubly_robust.value, ends))
    if not said:
        return f"{in_full(question.mean)} (its interval needs --members 5 or more, and --bootstrap)"
    return "; corrected by outcomes (doubly robust): ".join(said)


def _has_robust(question: Question) -> bool:
    return question.memory.honest and not question.model.treatment.whole_range


def _with_ends(value: float, ends: tuple[float, float]) -> str:
    return f"{in_full(value)} (95 % interval {in_full(ends[0])} to {in_full(ends[1])})"
