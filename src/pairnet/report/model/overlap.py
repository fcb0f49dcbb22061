"""Overlap and balance: could the groups be compared at all, before and after weighting?"""

from __future__ import annotations

import numpy as np

from pairnet.core.words import word
from pairnet.evidence.balance import balance, group_means
from pairnet.evidence.overlap import HARDLY, lacks, worth
from pairnet.report.charts import Point, bars, dots, histogram
from pairnet.report.document import Block, figure, paragraph, table
from pairnet.report.model.causes import columns_of, unlike
from pairnet.report.model.parts import NO_OUTCOMES, Part
from pairnet.report.model.ranges import where_rows_are
from pairnet.report.model.subject import Subject
from pairnet.report.words import between, per_cent, say

APART = 0.1  # a standardised difference up to this is usually called small
NAMED = 4  # columns that a sentence names
IN_CHART = 12  # covariates in the chart
WARNED = 0.05  # a larger share of rows without overlap gives a warning
RELATED = 0.7  # a larger correlation of a covariate with the dose gives a warning


TITLE = "Overlap and balance"


def overlap(subject: Subject) -> Part:
    """Return the part on whether like could be compared with like."""
    if subject.t is None:
        return Part(TITLE, NO_OUTCOMES)
    of_kind = overlap_of_doses if subject.treatment.whole_range else overlap_of_arms
    finding, blocks, warnings = of_kind(subject)
    return Part(TITLE, finding, tuple(blocks), tuple(warnings))


def overlap_of_arms(subject: Subject) -> tuple[str, list[Block], list[str]]:
    """Return a sentence, blocks and warnings: were like rows treated differently?"""
    assert subject.t is not None
    arms = [int(subject.inside(label)) for label in subject.labels]
    own = subject.t[:, None] == np.array(arms)
    absent = [label for label, had in zip(subject.labels, own.any(axis=0), strict=True) if not had]
    if absent:
        message = f"None of these rows had {subject.arm(absent[0])}: who had it is not compared."
        return message, [], [message]
    weight = own * subject.weight[:, None]
    picture, rare = _chances(subject, own, subject.chances[:, arms])
    share = float(rare.mean())
    rows = [
        (word(label), f"{count:,}", say(equal))
        for label, count, equal in zip(
            subject.labels, own.sum(axis=0), worth(weight / subject.chances[:, arms]), strict=True
        )
    ]
    caption = "Rows, and how many equally weighted rows the weights 1 / chance are worth"
    chart, after = _balance(subject, weight, subject.chances[:, arms])
    warnings = []
    if share > WARNED:
        why = unlike(subject, np.arange(len(rare)), rare)
        warnings.append(
            f"{per_cent(share)} of the rows had hardly any chance of one of the two arms: for them "
            "there is nobody alike to compare with, and their effects are extrapolated. "
            f"{why}".strip()
        )
    if after.max() > 2 * APART:
        names = columns_of(subject, after, 2 * APART)
        more = f" and {len(names) - NAMED} more" * (len(names) > NAMED)
        still = f"{', '.join(names[:NAMED])}{more} still differ{'s' * (len(names) == 1)}"
        warnings.append(
            f"After weighting, {still} by {'up to ' * (len(names) > 1)}{say(after.max())} standard "
            "deviations between the arms: the arms are hard to compare."
        )
    apart = columns_of(subject, after, APART)
    still = f" ({', '.join(apart[:NAMED])}{', ...' * (len(apart) > NAMED)})" if apart else ""
    used = sum(bool(column.features) for column in subject.schema.columns)
    finding = (
        f"{per_cent(share)} of the rows had hardly any chance of one of the two arms. After "
        f"weighting, {len(apart)} of {used} covariates{still} differ by more than {APART} standard "
        "deviations."
    )
    return finding, [picture, table(("arm", "rows", "worth"), rows, caption), chart], warnings


def _chances(subject: Subject, own: np.ndarray, chances: np.ndarray) -> tuple[Block, np.ndarray]:
    """Draw each row's chance of the second of two arms.

    Also return which rows had hardly any chance of one of the two arms.
    """
    second = chances[:, 1] / np.maximum(chances.sum(axis=1), 1e-12)
    share = own[:, 1].sum() / own.sum()
    of_two = np.stack([1 - second, second], axis=1)
    rare = lacks(of_two, np.array([1 - share, share]))
    only = " (of these two)" if subject.treatment.strata > 2 else ""
    picture = histogram(
        {subject.arm(label): 100 * second[own[:, k]] for k, label in enumerate(subject.labels)},
        x=f"chance of {subject.arm(subject.labels[1])}{only} (%)",
        ends=(0, 100),
        bins=20,
        says="Chances of the treatment by arm",
    )
    caption = (
        "Overlap: each row's chance of the second arm given its covariates, by the arm that it "
        f"had. Where the two lie over one another, like was compared with like. "
        f"{per_cent(rare.mean())} "
        f"of rows had hardly any chance of one of the two: below {per_cent(HARDLY)}, and less than "
        "half of how common it is. (Chances by logistic regression, read off on rows it had not "
        "seen.)"
    )
    return figure(picture, caption), rare


def _balance(subject: Subject, weight: np.ndarray, chances: np.ndarray) -> tuple[Block, np.ndarray]:
    """Draw how far apart the means of two arms are; also return the gaps after weighting."""
    names = subject.schema.features
    means = group_means(subject.x, weight, chances)
    before, after = ((side[1] - side[0]) / means.spread for side in (means.before, means.after))
    order = np.argsort(-np.abs(before), kind="stable")
    points = [
        Point(names[k], float(value[k]), group=group)
        for k in order[:IN_CHART]
        for group, value in (("as observed", before), ("weighted by 1 / chance", after))
    ]
    chart = dots(
        points,
        x="difference of means (standard deviations)",
        reference_label="balanced",
        says="Balance",
    )
    more = f" The {IN_CHART} largest of {len(names)} are shown." if len(names) > IN_CHART else ""
    differ = [int((np.abs(value) > APART).sum()) for value in (before, after)]
    caption = (
        f"Balance: how far the arms' means of each covariate lie apart. {differ[0]} of "
        f"{len(names)} differ by more than {APART} as observed, {differ[1]} after weighting.{more}"
    )
    return figure(chart, caption), np.abs(after)


def overlap_of_doses(subject: Subject) -> tuple[str, list[Block], list[str]]:
    """Return a sentence, blocks and warnings: which doses were given, and to whom."""
    assert subject.t is not None
    name = subject.names["treatment"]
    doses = subject.treatment.label_of(subject.t)
    ends, beyond = where_rows_are(doses, subject.labels)
    marks = dict(zip(("with", "compared"), map(float, subject.labels), strict=True))  # type: ignore[arg-type]
    observed = histogram({name: doses}, x=name, marks=marks, ends=ends)
    chart, doubts = _correlations(subject, name)
    finding = f"Most rows had {name} of {between(*np.percentile(doses, (5, 95)))}."
    caption = f"Overlap: the doses that were observed.{beyond}"
    return finding, [figure(observed, caption), chart, _balance_of_doses(subject)], doubts


def _correlations(subject: Subject, name: str) -> tuple[Block, list[str]]:
    """Draw the correlations of covariates with the dose; warn of one that nearly is the dose."""
    features, usable = subject.schema.features, np.flatnonzero(subject.x.std(axis=0) > 0)
    if len(usable) == 0:
        return paragraph("These rows are alike in every covariate.", kind="note"), []
    related = np.asarray([np.corrcoef(subject.x[:, k], subject.t)[0, 1] for k in usable])
    order = np.argsort(-np.abs(related), kind="stable")
    points = [Point(features[usable[k]], float(related[k])) for k in order[:IN_CHART]]
    chart = bars(
        points, x=f"correlation with {name}", says="Correlation of covariates with the dose"
    )
    block = figure(
        chart,
        "Who got much: correlation of each covariate with the dose. Near 0, it played no part in "
        "the dose.",
    )
    most = order[0]
    if abs(related[most]) <= RELATED:
        return block, []
    return block, [
        f"The dose goes nearly hand in hand with {features[usable[most]]!r} (correlation "
        f"{related[most]:.2f}): their effects are hard to tell apart."
    ]


def _balance_of_doses(subject: Subject) -> Block:
    """Draw how far apart the covariates of three groups of doses are."""
    features = subject.schema.features
    apart = balance(subject.memory, features)
    order = np.argsort(-apart.before, kind="stable")[:IN_CHART]
    both = (("as observed", apart.before), ("weighted by 1 / chance", apart.after))
    points = [
        Point(features[k], float(value[k]), group=group) for k in order for group, value in both
    ]
    axis = "largest difference of means (standard deviations)"
    return figure(
        dots(points, x=axis, reference_label="balanced", says="Balance of three groups"),
        "Balance: the training rows in three groups of low, middle and high doses, and how far the "
        "groups' means of each covariate lie apart at most.",
    )
