"""Could the groups be compared at all? How likely each treatment was for each row of the fit.

Groups are the arms; doses are cut into three groups with equally many rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.listing import Listing
from pairnet.evidence.memory import Memory

HISTOGRAM_BINS = 20
# A group with a smaller chance hardly occurs among such rows, if it is twice as common elsewhere.
HARDLY = 0.05


@dataclass(frozen=True, eq=False, repr=False)
class Overlap(Listing):
    """How likely each group was for each row, by a light model that has not seen the row.

    inside[g], outside[g]: histograms over `edges` of P(group g | x) among the rows of group g and
    among all other rows; where the two lie over one another, the groups can be compared.
    effective[g]: how many rows of equal weight group g is worth once it is weighted to look like
    the whole table. lacking: the share of rows for which some group had hardly any chance (see
    `lacks`).
    """

    groups: tuple[str, ...]
    edges: Float[np.ndarray, " b"]
    inside: Int[np.ndarray, "g c"]
    outside: Int[np.ndarray, "g c"]
    rows: Int[np.ndarray, " g"]
    effective: Float[np.ndarray, " g"]
    lacking: float

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line for each group: its rows, and what they are worth once weighted."""
        names = np.asarray(self.groups, object)
        return {"group": names, "rows": self.rows, "worth": np.round(self.effective, 1)}

    def notes(self) -> tuple[str, ...]:
        """Say for how many rows a group had hardly any chance."""
        return (
            "Worth: how many equally weighted rows a group is worth, made to look like the table.",
            f"{100 * self.lacking:.0f} % of the rows had hardly any chance of one of the groups.",
        )


def overlap(memory: Memory) -> Overlap:
    """Measure the overlap of the groups."""
    names, group = memory.groups
    order = memory.treatment.order(len(names))
    edges = np.linspace(0, 1, HISTOGRAM_BINS + 1)
    count = lambda values: np.histogram(values, edges)[0]
    own, chances = group[:, None] == order, memory.propensity.chances[:, order]
    return Overlap(
        groups=tuple(names[position] for position in order),
        edges=edges,
        inside=np.stack([count(chances[own[:, g], g]) for g in range(len(names))]),
        outside=np.stack([count(chances[~own[:, g], g]) for g in range(len(names))]),
        rows=own.sum(axis=0),
        effective=worth(own * memory.weight[:, None] / chances),
        lacking=float(np.mean(lacks(chances, own.mean(axis=0)))),
    )


def lacks(
    chances: Float[np.ndarray, "n g"], shares: Float[np.ndarray, " g"]
) -> Bool[np.ndarray, " n"]:
    """Tell for which rows some group had hardly any chance.

    Hardly any chance is below 5 %, and less than half of how common the group is. So a group that
    is rare everywhere, as one drawn by lot may be, is not lacking.
    """
    return np.any(chances < np.minimum(HARDLY, shares / 2), axis=1)


def worth(weight: Float[np.ndarray, "n g"]) -> Float[np.ndarray, " g"]:
    """Return how many rows of equal weight the weights of each group are worth."""
    return np.asarray(weight.sum(axis=0) ** 2 / (weight**2).sum(axis=0))
