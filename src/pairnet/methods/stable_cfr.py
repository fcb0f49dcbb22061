"""StableCFR: rows of rare arms are sampled more often, cell by cell of covariate space."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from pairnet.core.types import is_number, is_whole, number
from pairnet.learners.layered import Layered
from pairnet.losses import Pair
from pairnet.model.learner import expect
from pairnet.pairing import Stratified
from pairnet.training.spaces import Covariates


@dataclass(kw_only=True, eq=False, repr=False)
class StableCFR(Layered):
    """TARNet on rows matched across arms inside cells of covariate space (Wu et al., ICML 2023).

    Every row stands beside a row of each other arm from its own cell, so that arms which are rare
    in a cell are sampled more often there. cells: how many. explore: how often the match is any row
    of the cell instead of the nearest one. Deviation: cells are those of k-means on the covariates;
    the original partitions a learned representation.
    """

    cells: int = 20
    explore: float = 0.1

    def check(self):
        super().check()
        expect(
            is_whole(self.cells) and self.cells >= 1, self, "cells", "a whole number, at least 1"
        )
        good = is_number(self.explore) and 0 <= self.explore <= 1
        expect(good, self, "explore", "a share from 0 to 1")

    def recipe(self, outcome, treatment, rows):
        """mu: TwoHead x Pair(alpha 0) . Stratified @ Covariates.

        The effect is the difference of two heads.
        """
        loss = 0.5 * Pair(outcome, number(0.0)) + self.penalty(outcome, rows)
        matched = Stratified(int(self.cells), len(treatment), number(self.explore))
        mu = self.outcome_stage(outcome, treatment, rows, pairing=matched, space=Covariates())
        return self.difference(
            dataclasses.replace(mu, loss=loss, score=loss),
            outcome=outcome,
            treatment=treatment,
            rows=rows,
        )
