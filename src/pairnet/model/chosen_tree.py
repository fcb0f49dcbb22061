"""Whom to treat how as a tree of conditions, by the scores of the rows of the fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from pairnet.core.errors import BadInput
from pairnet.core.levels import check_level
from pairnet.core.words import shown, word
from pairnet.model.costs import Costs
from pairnet.model.groups import chosen_columns
from pairnet.model.judges import need_arms, others_of, placed, sign_of
from pairnet.model.model import Model
from pairnet.model.question import ask_memory
from pairnet.policy.tree import PolicyTree, check_size, grow


def tree(
    model: Model,
    depth: Any,
    columns: Any,
    cost: Any,
    sides: tuple[Any, Any],
    goal: Any,
    least: Any,
    alpha: Any,
) -> PolicyTree:
    """Return the tree; see `AskedOfPolicies.policy_tree`."""
    sign, level = sign_of(goal), check_level(alpha)
    need_arms(model, "policy_tree", "model.policy(X) chooses doses.")
    T0, others = others_of(model.treatment, *sides)
    question = ask_memory(model, T0, others[0])
    question.check_differs()
    rows = placed(question, others, sign, ordered=False)
    size = check_size(depth, least, len(rows.x))
    judges = rows.judges(tuple(map(word, others)))
    if cost is not None:
        costs = Costs.of(model, cost, (T0, *others), len(rows.x))
        if costs.by_row:
            advice = "Name a covariate that says what a row costs."
            raise BadInput("cost", "of a tree may not be numbers by row", advice)
        paid = costs.table(rows.x, None)
        assert paid is not None
        judges = judges.after((paid[:, 1:] - paid[:, :1]).T)
    numbers = None
    if columns is not None:
        if not isinstance(columns, str | int | list | tuple):
            raise BadInput("columns", f"must name covariates of the model, got {shown(columns)}")
        names = [columns] if isinstance(columns, str | int) else list(columns)
        found = chosen_columns(question, names, "columns")
        numbers = np.concatenate([at for _, at in found])
    schema = model.schema
    return grow(judges, rows.x, schema, (T0, *others), *size, level, numbers)
