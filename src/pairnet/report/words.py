"""Treatments as people write them on a command line."""

from __future__ import annotations

from collections.abc import Hashable

from pairnet.treatments import Arms, Treatment


def treatment_called(treatment: Treatment, word: str) -> Hashable:
    """Return the arm that is written like this, or the dose that it spells."""
    if isinstance(treatment, Arms):
        written = {str(label): label for label in treatment.labels}
        if word not in written:
            known = ", ".join(map(repr, written))
            raise ValueError(f"There is no arm {word!r}: expected one of {known}.")
        return written[word]
    try:
        return float(word)
    except ValueError:
        raise ValueError(f"A dose must be a number, got {word!r}.") from None
