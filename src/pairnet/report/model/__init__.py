"""The report of a fitted model: the answer, how sure it is, for whom it holds, how to check it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pairnet.methods import Estimator
from pairnet.report.document import Document
from pairnet.report.model.page import findings
from pairnet.report.model.several import several_models as several_models


def model_report(
    model: Estimator,
    X: Any = None,
    y: Any = None,
    treatment: Any = None,
    *,
    T0: Any = None,
    T1: Any = None,
    goal: str = "max",
    target: str | None = None,
    by: str | Sequence[str | int] = (),
    command: str = "",
    calculator: bool = False,
) -> Document:
    """Return a page on a fitted model, made from the rows given or from those that it remembers.

    T0, T1: the two treatments that are compared. Left out, they are what `model.effect` compares;
    of several arms, the last one is compared with the arm whose name says that it is untreated.
    goal: whether a large outcome is good ("max") or a small one ("min"). target: whose average
    effect the page says ("all", "treated", "untreated", "overlap"); left out, that of all rows or,
    where overlap is poor, of the treated or the untreated, which it says. by: names of covariates
    whose groups are shown, too. command: what was typed to make the page, if that is to be shown.
    calculator: whether a model that is too large for the page is put there as a small copy, so that
    readers can ask it about another person; small models always are.
    """
    by = [by] if isinstance(by, str) else list(by)
    asked = {"T0": T0, "T1": T1, "goal": goal, "target": target, "calculator": calculator}
    return findings(model, X, y, treatment, by=by, command=command, **asked).page()
