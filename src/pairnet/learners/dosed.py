"""What the methods for doses share: no arms, and a published plan of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pairnet.core.treatments import Dose
from pairnet.learners.layered import Layered
from pairnet.training import Plan


@dataclass(kw_only=True, eq=False, repr=False)
class Dosed(Layered):
    """Methods whose treatment is an amount."""

    pairable: ClassVar[bool] = True
    takes: ClassVar[tuple[type, ...]] = (Dose,)
    l2_rows: ClassVar[int] = 600

    @classmethod
    def published(cls, **changes: Any):
        """Return the method as the paper trains it."""
        return super().published(**({"plan": Plan.published("dose")} | changes))
