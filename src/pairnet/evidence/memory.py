"""The rows that a fitted model remembers, and who is treated how among them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import BadInput, Setting, count_of
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows
from pairnet.inference import nuisances
from pairnet.inference.designs import KnownPropensity
from pairnet.inference.propensity import PropensityModel
from pairnet.inference.resampling import REMEMBERED, generator

MOST_ROWS = 20_000  # more would make a saved model large, and the evidence no better


@dataclass(frozen=True, eq=False, repr=False)
class Memory:
    """The rows of a fit: all of them, or a random sample of 20,000.

    Covariates are encoded numbers before scaling, treatments are positions of arms or places of
    doses, and `row` holds the rows' numbers in the table that was passed to `fit`. `draws` says how
    often each member of the ensemble drew each row to train on: 0 means that it never saw the row.
    summary: the summary of the fit, as plain JSON. clusters: which rows belong together, as numbers
    from 0 on (None: each stands for itself). design: the chances of the arms, where they are known.
    """

    x: Float[np.ndarray, "n d"]
    t: Float[np.ndarray, " n"]
    y: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    row: Int[np.ndarray, " n"]
    draws: Int[np.ndarray, "m n"]
    treatment: Treatment
    summary: dict[str, Any]
    clusters: Int[np.ndarray, " n"] | None = None
    design: Float[np.ndarray, "n k"] | None = None

    @classmethod
    def of(
        cls,
        rows: Rows,
        row: Int[np.ndarray, " n"],
        draws: Int[np.ndarray, "m n"],
        treatment: Treatment,
        summary: dict[str, Any],
        seed: int,
        clusters: Int[np.ndarray, " n"] | None = None,
        design: Float[np.ndarray, "n k"] | None = None,
    ) -> Memory:
        """Remember rows (one replication, in canonical order)."""
        count = len(row)
        kept = np.arange(count)
        if count > MOST_ROWS:
            kept = np.sort(generator(seed, REMEMBERED).choice(count, MOST_ROWS, replace=False))
        columns = (rows.x, rows.t, rows.y, rows.weight)
        x, t, y, weight = (np.asarray(values)[kept].astype(np.float64) for values in columns)
        x = x.astype(np.float32).astype(np.float64)  # as networks see it, half as large in a file
        row, draws = np.asarray(row, np.int64)[kept], np.asarray(draws, np.int16)[:, kept]
        some = lambda values: None if values is None else values[kept]
        own = some(clusters), some(design)
        return cls(x, t, y, weight, row, draws, treatment, summary, *own)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        return f"Memory of {count_of(len(self))} of the fit, {self.x.shape[1]} numbers each"

    @cached_property
    def groups(self) -> tuple[tuple[str, ...], Int[np.ndarray, " n"]]:
        """Names of groups of rows that were treated alike, and the group of each row."""
        return self.treatment.groups(self.t)

    @cached_property
    def propensity(self) -> PropensityModel | KnownPropensity:
        """Who is in which group (arms, or three groups of doses): known, or a model made of it."""
        group = self.groups[1].astype(float)
        model = lambda: PropensityModel(self.x, group, self.weight, self.clusters)
        return model() if self.design is None else KnownPropensity(self.design, model)

    @cached_property
    def light_outcomes(self) -> Float[np.ndarray, "s g n"]:
        """The outcomes expected of each row in every group by light, cross-fitted models."""
        group = self.groups[1].astype(float)
        return nuisances.expected_outcomes(self.x, self.y, group, self.weight, self.clusters)

    @cached_property
    def light_chances(self) -> Float[np.ndarray, "s n g"]:
        """The chances of every group, known or by light, cross-fitted models."""
        known = self.propensity.predicted_splits
        if self.design is not None:
            return known
        group = self.groups[1].astype(float)
        return nuisances.chances_of_arms(known, self.x, group, self.weight, self.clusters)

    def chances_by(self, expected: Float[np.ndarray, "s a n"]) -> Float[np.ndarray, "s n g"]:
        """Return the same chances, where those that are not known see expected outcomes, too."""
        if self.design is not None:
            return self.light_chances
        group = self.groups[1].astype(float)
        rows = group, self.weight, self.clusters
        return nuisances.refined(self.light_chances, expected, *rows)

    @property
    def resampled(self) -> bool:
        """Whether several members were trained on their own draws of the rows."""
        return len(self.draws) > 1 and bool((self.draws > 1).any())

    @property
    def trust(self) -> Bool[np.ndarray, "m n"]:
        """Which member may judge which row: members that did not train on it, if there are any."""
        unseen = self.draws == 0
        return unseen if unseen.any() else np.ones_like(unseen)

    @property
    def honest(self) -> bool:
        """Whether at least one member has not seen at least one row."""
        return bool((self.draws == 0).any())

    @property
    def kept_out(self) -> Int[np.ndarray, " h"]:
        """The positions of the rows that no member trained on."""
        return np.flatnonzero(~self.draws.any(axis=0))

    def need_resampled(self) -> None:
        """Raise if members were not trained on their own draws of the rows."""
        if not self.resampled:
            raise BadInput(
                "",
                "This interval needs members that were trained on resampled rows, and this model "
                "has none",
                (
                    "Fit it with ",
                    Setting("members", 5),
                    " (or more) and ",
                    Setting("bootstrap", True),
                    ".",
                ),
            )

    def need_unseen(self) -> None:
        """Raise if every member was trained on every row: residuals there are too small."""
        if self.draws.all():
            raise BadInput(
                "",
                "This interval needs rows that some member was not trained on, and this model was "
                "trained on all",
                (
                    "Fit it with ",
                    Setting("bootstrap", True),
                    " and ",
                    Setting("members", 5),
                    " (or more), or with ",
                    Setting("calibration", 0.2),
                    ".",
                ),
            )
