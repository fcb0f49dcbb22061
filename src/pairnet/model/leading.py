"""Whose average a summary begins with, where nobody says: all rows', unless overlap is poor.

Who is like whom decides it, by the support of the rows of the fit; outcomes have no say.
"""

from __future__ import annotations

import numpy as np

from pairnet.evidence.support import SAMPLED, VERDICTS, by_covariates, some_of, support
from pairnet.model.question import Question, ask_memory

POOR = 0.2  # the share of rows that extrapolate above which overlap is poor
MUCH_LESS = 0.5  # a target is led with if it extrapolates in at most this part of that share


def leading_target(question: Question) -> str:
    """Return "all", or the treated or the untreated if overlap is poor and theirs is not.

    Overlap is poor if more than a fifth of the rows of the fit extrapolate. The treated come first:
    who was treated is who the treatment was for.
    """
    if question.model.treatment.whole_range:
        return "all"
    of_fit = ask_memory(question.model, question.T0, question.T1)
    everyone = extrapolated(of_fit)
    if everyone > POOR:
        for target in ("treated", "untreated"):
            if extrapolated(of_fit.targeting(target)) <= MUCH_LESS * everyone:
                return target
    return "all"


def extrapolated(question: Question) -> float:
    """Return the share of the target's rows that extrapolate, by a sample of them."""
    share, rows = question.counted.share, len(question.x)
    some = some_of(rows)
    if share is not None:
        some = np.random.default_rng(0).choice(rows, SAMPLED, p=share)
    asked, count = np.unique(some, return_counts=True)
    memory = question.memory
    x, t0, t1 = question.x[asked], question.t0, question.t1
    verdict = support(memory, by_covariates(memory), x, t0, t1, 3).verdict
    return float(np.average(verdict == VERDICTS[-1], weights=count))
