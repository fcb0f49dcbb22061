"""What people ask of a fitted model about whom to treat, and how much that gains."""

from __future__ import annotations

from typing import Any

from pairnet.model import chosen, chosen_tree
from pairnet.model import targeting as order
from pairnet.model.chosen import Policy, Wanted
from pairnet.model.chosen_doses import dose_policy
from pairnet.model.doses import AskedOfDoses
from pairnet.model.judges import sign_of
from pairnet.model.targeting import Targeting
from pairnet.policy.best import best_treatment
from pairnet.policy.tree import PolicyTree
from pairnet.policy.value import PolicyValue
from pairnet.tables import opened


class AskedOfPolicies(AskedOfDoses):
    """Answers about whom to treat; docs/policy.md has examples."""

    def policy(
        self,
        X: Any,
        y: Any = None,
        *,
        treatment: Any = None,
        budget: Any = None,
        cost: Any = None,
        worth: Any = None,
        T0: Any = None,
        T1: Any = None,
        bounds: Any = None,
        goal: str = "max",
        sample_weight: Any = None,
        seed: int = 0,
        alpha: float = 0.05,
    ) -> Policy:
        """Return whom to treat how: what gains most for its cost, until the budget is spent.

        budget: the most that may be spent on the rows of X (left out: no limit). cost: what it
        costs to give a row something else than T0: a number, a dictionary by arm, one number a row,
        or the name of a covariate; a dictionary may hold all of these. For doses, the cost of a
        unit of dose: a number, one a row, a name, or a function of doses. worth: what a unit of the
        outcome is worth in units of cost; what is not worth its cost is not done then. T0: what
        those get who are left alone (left out: the arm whose name says untreated, or the lowest
        dose). T1: the one arm that may be given beside it (left out: any). bounds: the smallest and
        the largest dose. goal: whether a large outcome is good ("max") or a small one ("min").

        The same rule is judged by outcomes on the rows of the fit, each placed by members that have
        not seen it or, if y and treatment are passed, on the rows of X. seed: for the lots between
        rows that gain alike.
        """
        wanted = Wanted(T0, T1, budget, cost, worth, bounds, goal, seed, alpha)
        if self._model.treatment.whole_range:
            return dose_policy(self._model, X, wanted)
        return chosen.arm_policy(self._model, X, wanted, y, treatment, sample_weight)

    def policy_value(
        self,
        assigned: Any,
        X: Any = None,
        y: Any = None,
        *,
        treatment: Any = None,
        T0: Any = None,
        goal: str = "max",
        sample_weight: Any = None,
        alpha: float = 0.05,
    ) -> PolicyValue:
        """Return what a policy of your own gains, by outcomes: against nobody, everybody, chance.

        assigned: the arm that it gives to each row of the fit or, if X comes with outcomes y and
        treatments, of X. The policy must not have been made of these outcomes.
        """
        outcomes = (y, treatment, sample_weight)
        return chosen.value_of(self._model, assigned, X, outcomes, T0, goal, alpha)

    def policy_tree(
        self,
        depth: int = 2,
        *,
        columns: Any = None,
        cost: Any = None,
        T0: Any = None,
        T1: Any = None,
        goal: str = "max",
        least: Any = None,
        alpha: float = 0.05,
    ) -> PolicyTree:
        """Return whom to treat how as a tree of a few conditions, by doubly robust scores.

        columns: the covariates that it may look at (left out: all). cost: what an arm costs, in
        units of the outcome, as in `policy`. See `pairnet.policy.policy_tree`.
        """
        sides = (T0, T1)
        return chosen_tree.tree(self._model, depth, columns, cost, sides, goal, least, alpha)

    def targeting(
        self,
        X: Any = None,
        y: Any = None,
        *,
        treatment: Any = None,
        T0: Any = None,
        T1: Any = None,
        goal: str = "max",
        sample_weight: Any = None,
        alpha: float = 0.05,
    ) -> Targeting:
        """Return how much is gained by treating those first who should gain most.

        It has RATE, TOC, the Qini curve and others, by doubly robust scores: of the rows of the
        fit, each placed by members that have not seen it, or of rows X with outcomes y and
        treatments.
        """
        sides = (T0, T1)
        return order.targeting(self._model, X, y, treatment, sides, goal, sample_weight, alpha)

    def optimal_treatment(
        self, X: Any, *, cost: Any = None, bounds: Any = None, goal: str = "max"
    ) -> Any:
        """Return each row's best treatment: the one that is worth most after its cost.

        goal: whether a large outcome is good ("max") or a small one ("min"). cost: what a treatment
        costs, in units of the outcome: for doses a number (per unit of dose) or a function of
        doses, for arms a dictionary by arm. bounds: the smallest and the largest dose to choose
        from; left out, those observed.
        """
        model, table = self._model, opened(X)
        x = model.encoded(table)
        sign = sign_of(goal)
        outcomes = lambda x, t: sign * model.predictor.curve(x, t).mean(axis=0)
        best = best_treatment(model.treatment, x, outcomes, cost, bounds)
        return table.series(best, "treatment")
