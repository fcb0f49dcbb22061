"""The conclusion of a comparison, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pairnet.compare.scores import NOISE, HeldOutLosses
from pairnet.core.errors import listed
from pairnet.core.treatments import Treatment
from pairnet.methods import PairNet


def conclusion(methods: Mapping[str, Any], treatment: Treatment, losses: HeldOutLosses) -> str:
    """Write which method is best, whether that may be chance, and whether pairs help."""
    return " ".join([_of_the_best(losses), *_of_pairs(methods, treatment, losses)])


def _of_the_best(losses: HeldOutLosses) -> str:
    best, *others = losses.standings()
    if not losses.learned:
        return (
            "No method predicts the differences of held-out pairs better than 0 for all of them "
            f"beyond noise ({best.method} comes first): there is little to learn here, or there "
            "are too few rows."
        )
    alike = [standing.method for standing in others if standing.noise]
    worse = [standing.method for standing in others if not standing.noise]
    sentence = f"{best.method} has the smallest held-out pair loss"
    if alike:
        sentence += f"; its lead over {listed(alike)} is within noise"
    if worse:
        sentence += f"; it is better than {listed(worse)} beyond noise"
    return sentence + "."


def _of_pairs(methods: Mapping[str, Any], treatment: Treatment, losses: HeldOutLosses) -> list[str]:
    """Write for every PairNet whether pairs help, if its factual base was compared, too."""
    sentences = []
    for name, method in methods.items():
        base = type(method.base_for(treatment)) if isinstance(method, PairNet) else None
        factual = next((other for other, rival in methods.items() if type(rival) is base), None)
        if factual is None:
            continue
        gain, error = losses.lead(name, factual)
        figures = f"{abs(gain):.3g} ± {error:.2g}"
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
