"""What the outcome column may be, a kind a file. To add one: write the file and import it here."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from pairnet.core.errors import BadInput
from pairnet.core.outcomes.base import AbstractOutcome as AbstractOutcome
from pairnet.core.outcomes.base import OutcomeWords as OutcomeWords
from pairnet.core.outcomes.bernoulli import Bernoulli as Bernoulli
from pairnet.core.outcomes.gaussian import Gaussian as Gaussian
from pairnet.core.registry import Registry, is_final
from pairnet.core.types import Array

outcomes: Registry[type[AbstractOutcome]] = Registry.of(
    "outcome", globals(), is_final(AbstractOutcome)
)


def outcome_of(kind: str, y: Float[Array, "*n"]) -> AbstractOutcome:
    """Return the outcome of a kind; "auto" takes the kind that claims such values, else numbers."""
    y = np.asarray(y)
    if kind == "auto":
        return next((outcome for outcome in outcomes.values() if outcome.claims(y)), Gaussian)()
    chosen = outcomes[kind]
    if not chosen.allows(y):
        raise BadInput("", f"outcome={kind!r} needs y to be {chosen.needs}; other values came")
    return chosen()


def outcome_from_json(kind: Any) -> AbstractOutcome:
    """Return the kind of outcome that a saved model names."""
    return outcomes[kind]()
