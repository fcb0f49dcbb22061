"""How effects differ, judged by outcomes: means of groups, the best line, and calibration.

All three are made of the doubly robust scores of the rows that the model remembers, so that no
number here trusts the model alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import BadInput, InPython
from pairnet.core.listing import Listing
from pairnet.core.notices import notice
from pairnet.core.words import p_text
from pairnet.inference import intervals
from pairnet.inference.groups import Means, means_of_groups, shares_of_groups
from pairnet.metrics.calibration import CalibrationTest, calibration_test
from pairnet.metrics.least_squares import Coefficients
from pairnet.metrics.passed import numbers_of
from pairnet.metrics.projection import best_linear_projection
from pairnet.model.groups import (
    chosen_columns,
    effects_of_fit,
    grouping,
    held_out,
    rows_of_fit,
)
from pairnet.model.question import Question

FEW = 20  # rows of an arm below which the effect of a group is hardly known
COLUMNS = "group rows share rows_T0 rows_T1 model effect error lower upper lower_alone upper_alone"


@dataclass(frozen=True, eq=False, repr=False)
class GroupEffects(Listing):
    """The effect in groups of rows, judged by outcomes; one line a group.

    rows: the rows of the fit in it, and how many of them had T0 and T1. share: of all rows that
    were asked about. model: the mean effect that the model says. effect: the doubly robust mean,
    with its standard error. lower, upper: intervals that hold for all groups at once; the ones
    `alone` are for one group looked at alone. few: fewer than 20 rows had T0 or T1. p_same: the
    p-value of the test that all groups have the same effect.
    """

    group: tuple[str, ...]
    rows: Int[np.ndarray, " g"]
    share: Float[np.ndarray, " g"]
    rows_T0: Int[np.ndarray, " g"]
    rows_T1: Int[np.ndarray, " g"]
    model: Float[np.ndarray, " g"]
    effect: Float[np.ndarray, " g"]
    error: Float[np.ndarray, " g"]
    lower: Float[np.ndarray, " g"]
    upper: Float[np.ndarray, " g"]
    lower_alone: Float[np.ndarray, " g"]
    upper_alone: Float[np.ndarray, " g"]
    p_same: float
    alpha: float
    ungrouped: float  # the share of rows that are in no group

    @property
    def few(self) -> Bool[np.ndarray, " g"]:
        """Which groups have too few rows of an arm to be sure of anything."""
        return np.minimum(self.rows_T0, self.rows_T1) < FEW

    def columns(self) -> dict[str, np.ndarray]:
        """Return a line a group."""
        return {name: np.asarray(getattr(self, name)) for name in (*COLUMNS.split(), "few")}

    def notes(self):
        held = f"{100 * (1 - self.alpha):g} %"
        notes = [f"lower and upper hold the effects of all groups at once ({held})."]
        if np.isfinite(self.p_same):
            p = p_text(self.p_same)
            notes.append(
                f"That all groups have the same effect: p {'' if p[0] in '<>' else '= '}{p}."
            )
        if self.ungrouped > 0:
            notes.append(f"{100 * self.ungrouped:.0f} % of the rows are in no group.")
        return tuple(notes)


def no_luck(shares: Float[np.ndarray, "k n"]) -> Float[np.ndarray, "k k"]:
    """Return the covariance of sums of scores that hang on no luck of splits and members."""
    return np.zeros((len(shares), len(shares)))


@dataclass(frozen=True, eq=False)
class Judged:
    """Rows that outcomes can judge: their doubly robust scores, and what is needed beside them.

    mine: which rows had T0, and which T1. possible: keeps effects inside what the outcome allows.
    clusters: which rows belong together. luck: the covariance that the luck of splits and members
    leaves in sums of the scores, as `Scores.luck_in`.
    """

    score: Float[np.ndarray, " n"]
    weight: Float[np.ndarray, " n"]
    mine: Bool[np.ndarray, "2 n"]
    possible: Callable[[np.ndarray], np.ndarray]
    clusters: Int[np.ndarray, " n"] | None = None
    luck: Callable[[np.ndarray], np.ndarray] = no_luck

    @property
    def share(self) -> Float[np.ndarray, " n"]:
        """The weights, adding up to 1."""
        return self.weight / self.weight.sum()

    def in_groups(
        self,
        labels: tuple[str, ...],
        groups: Bool[np.ndarray, "g n"],
        said: Float[np.ndarray, " n"],
        alpha: float = 0.05,
    ) -> GroupEffects:
        """Return the effects of groups of these rows; `said` are the effects by the model."""
        by_model = shares_of_groups(groups, self.weight) @ said
        means = self.means(self.score, groups)
        return self.listed(labels, groups, means, by_model, groups @ self.share, alpha)

    def means(self, values: Float[np.ndarray, " n"], groups: Bool[np.ndarray, "g n"]) -> Means:
        """Return the means of some values in groups of these rows, with the luck of the scores."""
        means = means_of_groups(values, groups, self.weight, self.clusters)
        luck = self.luck(shares_of_groups(groups, self.weight))
        return replace(means, covariance=means.covariance + luck)

    def line(
        self, X: Float[np.ndarray, "n d"], terms: Sequence[str], alpha: float = 0.05
    ) -> Coefficients:
        """Return the best linear projection of the effect on some columns."""
        found = best_linear_projection(
            self.score, X, weight=self.weight, clusters=self.clusters, names=terms, alpha=alpha
        )
        root = np.sqrt(self.weight)
        columns = np.column_stack([np.ones(len(X)), X]) * root[:, None]
        luck = self.luck(np.linalg.pinv(columns) * root)
        return replace(found, covariance=found.covariance + luck)

    def calibrated(
        self, effect: Float[np.ndarray, " n"], judged: Bool[np.ndarray, " n"]
    ) -> CalibrationTest:
        """Test whether differences between the effects of the rows that are judged show."""
        weight = self.weight * judged
        return calibration_test(self.score, effect, weight=weight, clusters=self.clusters)

    def listed(
        self,
        labels: tuple[str, ...],
        groups: Bool[np.ndarray, "g n"],
        means: Means,
        by_model: Float[np.ndarray, " g"],
        share: Float[np.ndarray, " g"],
        alpha: float,
    ) -> GroupEffects:
        """Return means of groups of these rows as a table, and tell which have few rows."""
        joint, alone = (self.possible(np.stack(ends)) for ends in means.ends(alpha))
        arms = [(groups & mine).sum(axis=1) for mine in self.mine]
        return GroupEffects(
            group=labels,
            rows=groups.sum(axis=1),
            share=share,
            rows_T0=arms[0],
            rows_T1=arms[1],
            model=by_model,
            effect=self.possible(means.value),
            error=means.error,
            lower=joint[0],
            upper=joint[1],
            lower_alone=alone[0],
            upper_alone=alone[1],
            p_same=means.p_same(),
            alpha=alpha,
            ungrouped=float(self.share @ ~groups.any(axis=0)),
        )


def judged_rows(question: Question) -> Judged:
    """Return the rows that the model remembers, with their scores."""
    scores, inside = question.targeting("all").scores, question.model.outcome.effect_inside
    own = scores.score, scores.weight, scores.mine
    return Judged(*own, inside, clusters=scores.clusters, luck=scores.luck_in)


def group_effects(question: Question, by: Any, alpha: float = 0.05) -> GroupEffects:
    """Return the effects of groups; see `Asked.group_effects`."""
    intervals.check_level(alpha)
    _check(question, "group_effects")
    groups, rows, alpha = grouping(question, by), judged_rows(question), float(alpha)
    of_fit = effects_of_fit(question).mean(axis=0)
    if groups.asked is None:
        said = of_fit if groups.effect is None else groups.effect
        found = rows.in_groups(groups.labels, groups.fit, said, alpha)
    else:  # the mean of these rows' own effects, plus what outcomes of the fit correct in the group
        own = means_of_groups(question.effect, groups.asked, np.ones(len(question.x)))
        corrected = rows.means(rows.score - of_fit, groups.fit)
        means, share = corrected.plus(own), groups.asked.mean(axis=1)
        found = rows.listed(groups.labels, groups.fit, means, own.value, share, alpha)
    _announce_few(found)
    return found


def projection(question: Question, columns: Any = None, alpha: float = 0.05) -> Coefficients:
    """Return the best linear projection of the effect; see `Asked.best_linear_projection`."""
    intervals.check_level(alpha)
    _check(question, "best_linear_projection")
    rows, alpha = judged_rows(question), float(alpha)
    if columns is None or isinstance(columns, str | list | tuple):
        return rows.line(*design(question, columns, question.memory.x), alpha)
    table, named = numbers_of(columns)
    return rows.line(table[rows_of_fit(question, len(table), "columns")], named, alpha)


def calibration(question: Question) -> CalibrationTest:
    """Return whether differences between effects show in outcomes."""
    _check(question, "calibration_test")
    rows = judged_rows(question)
    effect, judged = held_out(question)
    return rows.calibrated(effect, judged)


def design(
    question: Question, columns: Any, x: Float[np.ndarray, "n d"]
) -> tuple[Float[np.ndarray, "n c"], list[str]]:
    """Return covariates of encoded rows as columns of numbers with their names.

    Of the levels of a category the most common one is left out: others are compared with it.
    """
    schema = question.model.schema
    if columns is None:
        columns = [column.name for column in schema.columns if column.features]
    names = [columns] if isinstance(columns, str) else list(columns)
    kept: list[int] = []
    for column, at in chosen_columns(question, names, "columns"):
        differ = at[np.ptp(x[:, at], axis=0) > 0]
        if column.kind == "category":
            differ = np.delete(differ, x[:, differ].sum(axis=0).argmax()) if len(differ) else differ
        kept += differ.tolist()
    return x[:, kept], [schema.features[at] for at in kept]


def _check(question: Question, name: str) -> None:
    """Raise unless the question compares one arm with another, and some rows are held out."""
    if question.model.treatment.whole_range:
        raise BadInput(
            "",
            f"{name} is for arms; this model has doses",
            InPython("Use effect(X) or dose_response(X) of the rows of a group."),
        )
    question.check_differs()
    question.memory.need_unseen()


def _announce_few(found: GroupEffects) -> None:
    """Tell the user which groups have too few rows of an arm."""
    few = np.flatnonzero(found.few)
    if len(few) == 0:
        return
    named = [f"{found.group[k]} ({found.rows_T0[k]} and {found.rows_T1[k]})" for k in few[:5]]
    more = f" and {len(few) - 5} more" if len(few) > 5 else ""
    notice(
        f"Few rows of one arm (less than {FEW}): {', '.join(named)}{more}. What is said of their "
        "effects is hardly sure, and intervals may be too narrow."
    )
