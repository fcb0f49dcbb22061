"""Groups whose effects differ: the leaves of a shallow tree, each described by conditions."""

from __future__ import annotations

import numpy as np
from sklearn.tree import DecisionTreeRegressor

from pairnet.report.model.subject import Subject
from pairnet.tables.grouping import Group
from pairnet.tables.rules import Splits, rules

LEAVES, DEPTH = 6, 3


def leaves(subject: Subject) -> list[Group]:
    """Return the leaves of a shallow tree of effects with their rules, the largest gain first."""
    count = len(subject.x)
    tree = DecisionTreeRegressor(
        max_depth=DEPTH,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=max(1, min(count // 4, max(25, count // 20))),
    )
    tree.fit(subject.x, subject.effect)
    where = tree.apply(subject.x)
    found = tree.tree_
    splits = Splits(found.feature, found.threshold, found.children_left, found.children_right)
    said = rules(splits, list(subject.schema.blocks(subject.x)))
    groups = [
        Group(said[leaf], np.flatnonzero(where == leaf)) for leaf in np.unique(where).tolist()
    ]
    return sorted(
        groups, key=lambda group: -subject.goal * float(subject.effect[group.rows].mean())
    )
