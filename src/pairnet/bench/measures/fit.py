"""The errors of a fitted method."""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.bench.evaluate import evaluate
from pairnet.bench.held_out import held_out_scores
from pairnet.bench.measures.base import AbstractMeasureOfMethod


@dataclass(frozen=True)
class Fit(AbstractMeasureOfMethod):
    """The errors of a fitted method's effects, and its scores that need no truth.

    It is fitted to the training rows; scores are taken on the test rows.
    """

    def __call__(self, study, numbers, report=None):
        scores = evaluate(self.method, study, numbers=numbers, report=report)
        rounds = {f"rounds_{stage}": count for stage, count in scores.rounds.items()}
        errors = {
            "pehe_in": scores.pehe_in,
            "pehe_out": scores.pehe_out,
            "ate_error_out": scores.ate_error_out,
        }
        return {**errors, **scores.more, **held_out_scores(study, scores), **rounds}
