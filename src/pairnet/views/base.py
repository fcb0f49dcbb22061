"""What every view is: a way for a stage to see the rows.

A view changes outcomes, treatments or weights, never covariates. Weight 0 takes a row out of the
stage.
"""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping

import equinox as eqx

from pairnet.core.types import Array, Outputs, Rows

Networks = Mapping[str, Callable[..., Outputs]]


class AbstractView(eqx.Module):
    """A way to see rows of one replication, given the networks that earlier stages have fitted."""

    @property
    def needs(self) -> tuple[str, ...]:
        """The names of the stages whose networks the view uses."""
        return ()

    @abc.abstractmethod
    def __call__(self, rows: Rows, fitted: Networks) -> Rows:
        """Return the rows as this stage should see them."""


class AsTheyAre(AbstractView):
    """The rows themselves."""

    def __call__(self, rows, fitted):
        return rows


def changed(rows: Rows, **columns: Array) -> Rows:
    """Return rows with other values of some columns: `changed(rows, y=pseudo)`."""
    return Rows(**({"x": rows.x, "t": rows.t, "y": rows.y, "weight": rows.weight} | columns))
