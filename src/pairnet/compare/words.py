"""The conclusion of a comparison, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairnet.compare.scores import NOISE, HeldOutLosses
from pairnet.core.errors import listed
from pairnet.core.treatments import Treatment
from pairnet.core.words import in_full
from pairnet.methods import PairNet


def conclusion(
    methods: Mapping[str, Any],
    treatment: Treatment,
    losses: HeldOutLosses,
    of_effects: HeldOutLosses | None = None,
) -> str:
    """Write which method is best, whether that may be chance, and whether pairs help.

    of_effects: the R-losses of the methods, if the treatment has arms.
    """
    pairs = _of_pairs(methods, treatment, losses)
    return " ".join([_of_the_best(losses), *_of_effects(of_effects), *pairs])


def _of_the_best(losses: HeldOutLosses) -> str:
    if not losses.learned:
        return (
            "No method predicts the differences of held-out pairs better than 0 for all of them "
            f"beyond noise ({losses.best} comes first): there is little to learn here, or there "
            "are too few rows."
        )
    return f"{losses.best} has the smallest held-out pair loss{_lead(losses)}."


def _of_effects(losses: HeldOutLosses | None) -> list[str]:
    """Write which method has the best effects, if they were scored."""
    if losses is None or len(losses.losses) < 2:
        return []
    if not losses.learned:
        return ["By the R-loss no method's effects are better than no effect beyond noise."]
    return [
        f"By the R-loss, which looks at effects alone, {losses.best} comes first{_lead(losses)}."
    ]


def _lead(losses: HeldOutLosses) -> str:
    """Write whether the lead of the best over the others may be chance."""
    _, *others = losses.standings()
    sentence = ""
    alike = [standing.method for standing in others if standing.noise]
    worse = [standing.method for standing in others if not standing.noise]
    if alike:
        sentence += f"; its lead over {listed(alike)} is within noise"
    if worse:
        sentence += f"; it is better than {listed(worse)} beyond noise"
    return sentence


def _of_pairs(methods: Mapping[str, Any], treatment: Treatment, losses: HeldOutLosses) -> list[str]:
    """Write for every PairNet whether pairs help, if its factual base was compared, too."""
    sentences = []
    for name, method in methods.items():
        base = type(method.base_for(treatment)) if isinstance(method, PairNet) else None
        factual = next((other for other, rival in methods.items() if type(rival) is base), None)
        if factual is None:
            continue
        gain, error = losses.lead(name, factual)
        figures = f"{in_full(abs(gain), 3)} ± {in_full(error, 2)}"
        if gain > NOISE * error:
            sentences.append(
                f"Pairs help: {name} is ahead of {factual}, the same network without them, by "
                f"{figures}."
            )
        elif gain < -NOISE * error:
            sentences.append(
                f"Pairs do not help here: {name} is behind {factual}, the same network without "
                f"them, by {figures}."
            )
        else:
            sentences.append(
                f"Whether pairs help cannot be told: {name} and {factual} differ by {figures}."
            )
    return sentences
