"""What the treatment column may be, one kind a file. To add one: write the file, import it here.

If a method takes several kinds and the user does not name one, the last kind here that claims the
column is taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.core.registry import Registry, is_final
from pairnet.core.treatments.arms import Arms as Arms
from pairnet.core.treatments.base import AbstractTreatment as AbstractTreatment
from pairnet.core.treatments.base import Label as Label
from pairnet.core.treatments.dose import MOST_ARMS as MOST_ARMS
from pairnet.core.treatments.dose import Dose as Dose
from pairnet.core.treatments.dose import dose_grid as dose_grid

Treatment = AbstractTreatment

treatments: Registry[type[AbstractTreatment]] = Registry.of(
    "treatment", globals(), is_final(AbstractTreatment)
)


def treatment_of(
    column: np.ndarray, kind: str, takes: tuple[type[AbstractTreatment], ...], method: str
) -> AbstractTreatment:
    """Return what a treatment column is.

    kind: what the user says that it is ("auto": nothing). takes: the kinds that the method can
    take.
    """
    if kind != "auto":
        chosen = treatments[kind]
    elif len(takes) == 1:
        chosen = takes[0]
    else:
        chosen = next(kind for kind in reversed(list(treatments.values())) if kind.claims(column))
    treatment = chosen.read(column)
    can_take(treatment, takes, method)
    return treatment


def can_take(
    treatment: AbstractTreatment, takes: tuple[type[AbstractTreatment], ...], method: str
) -> None:
    """Raise if a method cannot learn from such a treatment."""
    if not isinstance(treatment, takes):
        raise treatment.refused_by(method)


def treatment_from_json(value: Any) -> AbstractTreatment:
    """Make a treatment from the result of its `to_json`; anything else is refused."""
    return treatments[value["kind"]].from_json(value)
