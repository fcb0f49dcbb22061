"""Could the groups be compared at all? Overlap of treatments, and balance of covariates before and
after weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pairnet.core.treatments import Arms
from pairnet.evidence.overlap import SURE, balance, lacks
from pairnet.report.charts import Point, bars, dots, histogram
from pairnet.report.document import Block, figure, table
from pairnet.report.model_view import View
from pairnet.report.words import per_cent, say

APART = 0.1  # a standardised difference that is usually taken as small
SHOWN = 12  # covariates in the chart


def overlap_of_arms(view: View) -> tuple[list[Block], list[str]]:
    """Return blocks and warnings on whether rows like each other were treated differently."""
    assert isinstance(view.treatment, Arms)
    assert view.t is not None
    first, second = (int(view.inside(label)) for label in view.labels)
    among = np.isin(view.t, (first, second))
    chance = view.chances[:, second] / np.maximum(
        view.chances[:, first] + view.chances[:, second], 1e-12
    )
    groups = {
        view.arm(view.treatment.labels[arm]): 100 * chance[view.t == arm] for arm in (first, second)
    }
    only = " (of these two)" if len(view.treatment) > 2 else ""
    picture = histogram(
        groups,
        x=f"chance of {view.arm(view.labels[1])}{only} (%)",
        ends=(0, 100),
        bins=20,
        says="Chances of the treatment by arm",
    )
    second_share = float(np.mean(view.t[among] == second))
    rare = float(
        np.mean(
            lacks(
                np.stack([1 - chance, chance], axis=1), np.array([1 - second_share, second_share])
            )
        )
    )
    blocks: list[Block] = [
        figure(
            picture,
            "Overlap: each row's chance of the second arm given its covariates, by the arm that "
            "it had. Where the two "
            f"lie over one another, like was compared with like. {per_cent(rare)} of rows had "
            "hardly any chance of one "
            f"of the two: below {per_cent(SURE)}, and less than half of how common it is. "
            "(Chances by logistic "
            "regression, read off on rows it had not seen.)",
        )
    ]
    weights = [np.where(view.t == arm, 1 / view.chances[:, arm], 0.0) for arm in (first, second)]
    rows = [
        (
            view.treatment.labels[arm],
            f"{int((weight > 0).sum()):,}",
            say(weight.sum() ** 2 / np.square(weight).sum()),
        )
        for arm, weight in zip((first, second), weights, strict=True)
    ]
    caption = "Rows, and how many equally weighted rows the weights 1 / chance are worth"
    blocks.append(table(("arm", "rows", "worth"), rows, caption))
    more, worst = _balance(view, weights)
    blocks += more
    warnings = []
    if rare > 0.05:
        warnings.append(
            f"{per_cent(rare)} of the rows had hardly any chance of one of the two arms: for them "
            "there is nobody "
            "alike to compare with, and their effects are extrapolated."
        )
    if worst > 2 * APART:
        warnings.append(
            f"After weighting, a covariate still differs by {say(worst)} standard deviations "
            "between the arms: the "
            "arms are hard to compare."
        )
    return blocks, warnings


def _balance(view: View, weights: Sequence[np.ndarray]) -> tuple[list[Block], float]:
    names = view.model.schema_.features
    plain = [np.where(weight > 0, 1.0, 0.0) for weight in weights]
    before, after = (_difference(view.x, *pair) for pair in (plain, weights))
    order = np.argsort(-np.abs(before), kind="stable")
    points = [
        Point(names[k], float(value[k]), group=group)
        for k in order[:SHOWN]
        for group, value in (("as observed", before), ("weighted by 1 / chance", after))
    ]
    chart = dots(
        points,
        x="difference of means (standard deviations)",
        reference_label="balanced",
        says="Balance",
    )
    more = f" The {SHOWN} largest of {len(names)} are shown." if len(names) > SHOWN else ""
    apart = int((np.abs(before) > APART).sum()), int((np.abs(after) > APART).sum())
    caption = (
        f"Balance: how far the arms' means of each covariate lie apart. {apart[0]} of "
        f"{len(names)} differ by more than "
        f"{APART} as observed, {apart[1]} after weighting.{more}"
    )
    return [figure(chart, caption)], float(np.abs(after).max())


def _difference(x: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return standardised mean differences; the standard deviation is that of all rows of the two
    arms, unweighted."""
    spread = x[(first > 0) | (second > 0)].std(axis=0)
    means = [weight @ x / weight.sum() for weight in (first, second)]
    return np.where(spread > 0, (means[1] - means[0]) / np.where(spread > 0, spread, 1), 0.0)


def overlap_of_doses(view: View) -> tuple[list[Block], list[str]]:
    """Return blocks and warnings: which doses were given, and to whom."""
    assert view.t is not None
    amounts = view.treatment.amount(view.t)  # type: ignore[union-attr]
    name = view.names["treatment"]
    marks = {"compared": float(view.labels[0]), "with": float(view.labels[1])}  # type: ignore[arg-type]
    blocks: list[Block] = [
        figure(
            histogram({name: amounts}, x=name, marks=marks),
            "Overlap: the doses that were observed.",
        ),
    ]
    spread = view.x.std(axis=0)
    usable = np.flatnonzero(spread > 0)
    related = np.asarray([np.corrcoef(view.x[:, k], view.t)[0, 1] for k in usable])
    order = np.argsort(-np.abs(related), kind="stable")[:SHOWN]
    features = view.model.schema_.features
    points = [Point(features[usable[k]], float(related[k])) for k in order]
    blocks.append(
        figure(
            bars(
                points, x=f"correlation with {name}", says="Correlation of covariates with the dose"
            ),
            "Who got much: correlation of each covariate with the dose. Near 0, it played no part "
            "in the dose.",
        )
    )
    found = []
    if np.abs(related).max() > 0.7:
        k = int(np.argmax(np.abs(related)))
        found.append(
            f"The dose goes nearly hand in hand with {features[usable[k]]!r} (correlation "
            f"{related[k]:.2f}): their "
            "effects are hard to tell apart."
        )
    apart = balance(view.model.training_, view.treatment, features)
    order = np.argsort(-apart.before, kind="stable")[:SHOWN]
    both = (("as observed", apart.before), ("weighted by 1 / chance", apart.after))
    points = [
        Point(features[k], float(value[k]), group=group) for k in order for group, value in both
    ]
    caption = (
        "Balance: the training rows in three groups of low, middle and high doses, and how far "
        "the groups' means of "
        "each covariate lie apart at most."
    )
    name = "largest difference of means (standard deviations)"
    blocks.append(
        figure(
            dots(points, x=name, reference_label="balanced", says="Balance of three groups"),
            caption,
        )
    )
    return blocks, found
