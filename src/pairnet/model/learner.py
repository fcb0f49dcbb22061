"""What learns: hyperparameters, and a way from rows to a predictor."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Int

from pairnet.core.errors import BadInput, Part, Setting, listed
from pairnet.core.outcomes import AbstractOutcome, outcomes
from pairnet.core.treatments import Arms, Treatment, treatments
from pairnet.core.types import Rows, is_number, is_one_of, is_seed, is_whole, too_large
from pairnet.core.words import shown
from pairnet.engines import AbstractEngine
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.model.replications import replication
from pairnet.training.progress import Progress, silent


@dataclass(kw_only=True, eq=False, repr=False)
class Learner(abc.ABC):
    """Hyperparameters that all learners share; subclasses define how to `learn`.

    members: how many models to fit and average. outcome: "gaussian" (a number), "bernoulli" (0 or
    1), or "auto". treatment: "arms", "dose", or "auto": what the method can take; if it can take
    both, a dose where the column holds numbers with more than ten different values. seed: the same
    seed and rows give the same numbers. verbose: show a progress bar; at a Python prompt or in a
    notebook a fit of more than a few seconds shows one while it lasts. bootstrap: every member
    learns from its own draw of the rows, which intervals need (at least 2 members). calibration:
    the share of rows that no member learns from, which conformal intervals need.
    """

    members: int = 1
    outcome: str = "auto"
    treatment: str = "auto"
    seed: int = 0
    verbose: bool = False
    bootstrap: bool = False
    calibration: float = 0.0

    takes: ClassVar[tuple[type[Treatment], ...]] = (Arms,)  # the kinds of treatment it can learn
    what_doses_mean: ClassVar[str] = ""  # said where a column that nobody explained holds doses
    is_plain: ClassVar[bool] = True  # whether its hyperparameters can be saved

    @abc.abstractmethod
    def learn(
        self,
        rows: Rows,
        treatment: Treatment,
        outcome: AbstractOutcome,
        *,
        draws: Int[np.ndarray, "m n"] | None = None,
        report: Progress = silent,
        engine: AbstractEngine | None = None,
    ) -> AbstractPredictor:
        """Learn from encoded covariates, treatments as numbers, and outcomes in their own units.

        A treatment is the position of an arm, or the place of a dose from 0 to 1.

        draws: how often each member draws each row, as in a bootstrap, or 0 for a row that it must
        not see; None: every member sees every row once. engine: where tasks are done that do not
        have to be done together; None: in this process.
        """

    def learn_replications(
        self,
        rows: Rows,
        treatment: Treatment,
        outcome: AbstractOutcome,
        *,
        numbers: Sequence[int],
        draws: Int[np.ndarray, "r m n"] | None = None,
        report: Progress = silent,
    ) -> list[AbstractPredictor]:
        """Learn from every replication; rows have a leading axis, which x may lack.

        numbers: the numbers of these replications in a larger whole, which decide their seeds.
        """
        predictors = []
        for k, number in enumerate(numbers):
            learner = dataclasses.replace(self, seed=self.seed + int(number))
            own = None if draws is None else draws[k]
            one = learner.learn(replication(rows, k), treatment, outcome, draws=own)
            report("", float(k + 1), len(numbers), 1)
            predictors.append(one)
        return predictors

    @abc.abstractmethod
    def restore(
        self, stored: Stored, treatment: Treatment, outcome: AbstractOutcome, width: int
    ) -> AbstractPredictor:
        """Make a predictor of what `stored` returned; width: the number of encoded columns."""

    def check(self) -> None:
        """Raise for a hyperparameter that makes no sense."""
        expect(
            is_whole(self.members) and self.members >= 1,
            self,
            "members",
            "a whole number, at least 1",
        )
        expect(is_seed(self.seed), self, "seed", "a whole number below 2**32")
        expect_one_of(self, "outcome", ("auto", *outcomes))
        expect_one_of(self, "treatment", ("auto", *treatments))
        expect(isinstance(self.bootstrap, bool | np.bool_), self, "bootstrap", "True or False")
        expect(
            not self.bootstrap or self.members >= 2,
            self,
            "members",
            "at least 2 where bootstrap is on, better 5",
        )
        expect(
            is_number(self.calibration) and 0 <= self.calibration < 1,
            self,
            "calibration",
            "a share from 0 up to, not including, 1 (0.2 keeps 20 % of the rows out)",
        )

    @property
    def rows_needed(self) -> int:
        """How many rows every arm must have."""
        return 2

    @property
    def rows_purpose(self) -> str:
        """What that many rows are needed for, as the end of a sentence."""
        return "to learn from"

    @property
    def has_intervals(self) -> bool:
        """Whether its models say how sure effects are."""
        return bool(self.bootstrap)

    @property
    def title(self) -> str:
        """What people call the method, in tables of methods."""
        return type(self).__name__

    @property
    def label(self) -> str:
        """The method's name in errors."""
        return self.title

    @property
    def results_version(self) -> int:
        """The version of the method's numbers: raised by every change of code that changes them."""
        return 1

    def stands_for(self, name: str) -> Learner | None:
        """Return the learner that a hyperparameter stands for where it is None, if there is one."""
        return None

    @property
    def about_training(self) -> str:
        """What a reader must know to understand the log of a training."""
        return ""

    def announcement(self, treatment: Treatment) -> tuple[Part, ...]:
        """Return what to tell the user about how the treatment was understood, or nothing."""
        if len(self.takes) < 2 or self.treatment != "auto" or not treatment.whole_range:
            return ()
        low, high = treatment.label_of(np.array([0.0, 1.0]))
        return (
            f"The treatment holds many different numbers, from {low:g} to {high:g}: it is taken as "
            f"a dose{self.what_doses_mean}. Say ",
            Setting("treatment", "dose"),
            " if that is right, ",
            Setting("treatment", "arms"),
            " if the numbers are labels.",
        )


def expect(good: Any, learner: object, name: str, what: str) -> None:
    """Raise if a hyperparameter is not what it must be."""
    if not good:
        value = getattr(learner, name)
        limit = "" if name == "seed" else too_large(value)
        problem = f"must be {what}, got {shown(value)}{limit}"
        raise BadInput(f"{type(learner).__name__}.{name}", problem)


def expect_not_negative(learner: object, *names: str) -> None:
    """Raise if a hyperparameter is no number, or below 0."""
    for name in names:
        value = getattr(learner, name)
        expect(is_number(value) and 0 <= value < math.inf, learner, name, "0 or more")


def expect_one_of(learner: object, name: str, words: Sequence[str]) -> None:
    """Raise if a hyperparameter is none of these words."""
    good = is_one_of(getattr(learner, name), words)
    expect(good, learner, name, listed(list(map(repr, words)), "or"))
