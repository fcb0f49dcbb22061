"""The stack: several learners, fitted fold by fold, and weighed by rows that they have not seen.

Every learner is fitted on all folds but one, for each fold; its fold models are the members. Their
answers about the fold that they have not seen decide the learner's weight (`weighing.py`). The
effect of the stack is the weighted mean of the learners' effects (`mixture.py`). For arms, one
effect for all rows is always among the learners, so that a table without differences gets none.
"""

from __future__ import annotations

import abc
import dataclasses
import math
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from jaxtyping import Int

from pairnet.core.errors import BadInput, listed
from pairnet.core.notices import notice
from pairnet.core.treatments import Arms, Dose, Treatment, can_take
from pairnet.core.types import Rows, is_number, is_whole
from pairnet.inference.resampling import generator
from pairnet.learners.folds import fold_of_rows
from pairnet.learners.in_turn import Learned, OutOfTime, one_by_one, side_by_side
from pairnet.learners.mixture import Mixture, Weights, brief, shown
from pairnet.learners.unseen import Candidate, mixed
from pairnet.model.face import Estimator
from pairnet.model.learner import Learner, expect, expect_one_of
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.model.replications import replication
from pairnet.model.stored import learner_of, plain
from pairnet.training.once import shared
from pairnet.training.progress import WAITING, Progress, silent, within

MOST_WEIGHED = 20_000  # rows by which learners are weighed; more would not make weights surer
MOST_LETTERS = 28  # of a learner's name in the progress bar
LEFT_OUT = "left out"  # what the progress bar says of a learner that fails or lacks the time
WEIGHED = 4  # a stream of random numbers beside those of pairnet.inference.resampling


class FittedLearner(NamedTuple):
    """A learner that was fitted fold by fold, to each replication."""

    learner: Learner
    predictors: Sequence[AbstractPredictor]
    seconds: float

    def of(self, replication: int) -> Candidate:
        """Return what it has learned from one replication."""
        name = shown(self.learner)
        about = plain(self.learner, "a learner") if self.learner.is_plain else {}
        return Candidate(name, about, self.predictors[replication], self.seconds)


@dataclass(kw_only=True, eq=False, repr=False)
class Stacked(Estimator):
    """What stacks share; subclasses say which learners they have.

    members: the number of folds: the fold models of the learners are the members. weigh_by: what
    weighs the learners: the "r" loss (for arms), the loss of "pair"s of rows, or "auto": r for
    arms, pair for doses. level: what tells how large effects of arms are on average: the mixture of
    "effects", or "both", that and the mixture of outcomes. time_limit: seconds after which no
    learner is trained on; the first one always is.
    """

    members: int = 5
    weigh_by: Literal["auto", "r", "pair"] = "auto"
    level: Literal["both", "effects"] = "both"
    time_limit: float | None = None

    takes: ClassVar[tuple[type[Treatment], ...]] = (Arms, Dose)

    @abc.abstractmethod
    def learners_for(self, treatment: Treatment) -> tuple[Learner, ...]:
        """Return the learners for a treatment: those that pay most a second come first."""

    @abc.abstractmethod
    def known_methods(self) -> Mapping[str, type[Estimator]]:
        """Return all methods that a saved stack may name."""

    def check(self):
        super().check()
        good = is_whole(self.members) and self.members >= 2
        expect(good, self, "members", "a number of folds, at least 2")
        good = not self.bootstrap
        expect(good, self, "bootstrap", "left off: the fold models of a stack are its ensemble")
        expect_one_of(self, "weigh_by", ("auto", "r", "pair"))
        expect_one_of(self, "level", ("both", "effects"))
        good = self.time_limit is None or (is_number(self.time_limit) and self.time_limit > 0)
        expect(good, self, "time_limit", "a number of seconds above 0, or None for no limit")

    @property
    def rows_needed(self):
        return 2 * int(self.members)

    @property
    def rows_purpose(self):
        return "so that every fold has some"

    @property
    def has_intervals(self):
        return True

    def learn(self, rows, treatment, outcome, *, draws=None, report=silent, engine=None):
        """Learn fold by fold; an engine of several workers gets the learners as tasks."""
        draws = self._draws(np.asarray(rows.t)[None], treatment)[0] if draws is None else draws
        learners, asked = self.own_learners(treatment), (rows, treatment, outcome)
        tells, ends = _tells(report, learners), self._ends()
        if engine is not None and engine.is_parallel:
            turns = side_by_side(learners, tells, engine, *asked, draws, ends)
        else:
            fit = lambda learner, tell: [
                learner.learn(*asked, draws=draws, report=tell, engine=engine)
            ]
            turns = one_by_one(learners, tells, fit, ends)
        fitted = self._fitted(learners, tells, turns)
        return self._weighed([one.of(0) for one in fitted], rows, treatment, draws)

    def learn_replications(
        self, rows, treatment, outcome, *, numbers, draws=None, report=silent
    ) -> list[AbstractPredictor]:
        """Learn every replication; each learner fits all of them before the next begins."""
        draws = self._draws(np.asarray(rows.t), treatment) if draws is None else draws
        learners = self.own_learners(treatment)
        tells = _tells(report, learners)
        fit = lambda learner, tell: learner.learn_replications(
            rows, treatment, outcome, numbers=numbers, draws=draws, report=tell
        )
        fitted = self._fitted(learners, tells, one_by_one(learners, tells, fit, self._ends()))
        return [
            self._weighed([one.of(k) for one in fitted], replication(rows, k), treatment, draws[k])
            for k in range(len(rows.t))
        ]

    def own_learners(self, treatment: Treatment) -> tuple[Learner, ...]:
        """Return the learners with the stack's members and seed; only those that can take it."""
        good = self.weigh_by != "r" or not treatment.whole_range
        expect(good, self, "weigh_by", "'pair' or 'auto' for doses: the R-loss is for arms")
        own = []
        for learner in self.learners_for(treatment):
            try:
                can_take(treatment, learner.takes, learner.label)
            except BadInput as error:
                _leave_out([learner], error)
                continue
            seed = int(math.fmod(int(self.seed) + int(learner.seed), 2**32))  # so it is a seed
            own.append(
                dataclasses.replace(
                    learner, members=self.members, seed=seed, bootstrap=False, calibration=0.0
                )
            )
        return tuple(own)

    def _ends(self) -> float:
        """Return when the time limit is over, by the clock of `time.perf_counter`."""
        return np.inf if self.time_limit is None else time.perf_counter() + float(self.time_limit)

    def _fitted(
        self,
        learners: Sequence[Learner],
        tells: Sequence[Progress],
        turns: Generator[Learned],
    ) -> list[FittedLearner]:
        """Return what the learners learn, in their order, without those that fail or are late."""
        done: dict[int, FittedLearner] = {}
        left = dict(enumerate(learners))
        problem: Exception | None = None
        over = f"the time limit of {self.time_limit or 0:g} s is over"
        try:
            with shared(), closing(turns):
                for number, predictors, seconds, error in turns:
                    if isinstance(error, OutOfTime):
                        continue
                    learner = left.pop(number)
                    if error is None:
                        done[number] = FittedLearner(learner, predictors, seconds)
                    else:
                        problem = error
                        _without([tells[number]])
                        _leave_out([learner], error)
            if left:
                _leave_out(list(left.values()), over)
        except KeyboardInterrupt:
            if not done:
                raise
            notice("Interrupted: the stack has the learners that are done.")
        _without([tells[number] for number in left])
        if not done:
            raise problem or BadInput("learners", "must have one that takes this treatment")
        return [done[number] for number in sorted(done)]

    def _weighed(
        self,
        candidates: Sequence[Candidate],
        rows: Rows,
        treatment: Treatment,
        draws: Int[np.ndarray, "m n"],
    ) -> Mixture:
        """Return the mixture of learners that is best for rows that they have not seen."""
        some = np.arange(len(rows.t))
        if len(some) > MOST_WEIGHED:
            random = generator(int(self.seed), WEIGHED)
            some = np.sort(random.choice(len(some), MOST_WEIGHED, replace=False))
        own = self.weigh_by, self.level
        return mixed(candidates, rows.take(some), draws[:, some], treatment, *own)

    def restore(self, stored, treatment, outcome, width):
        """Restore every part by the learner that it was learned with."""
        known, parts = self.known_methods(), []
        for number, (about, value) in enumerate(
            zip(stored.json["parts"], stored.json["learners"], strict=True)
        ):
            start = f"{number}."
            own = {
                name.removeprefix(start): array
                for name, array in stored.arrays.items()
                if name.startswith(start)
            }
            learner = learner_of(value, known)
            learner.check()
            if learner.members != self.members:
                raise ValueError("a learner of the stack has another number of members")
            parts.append(learner.restore(Stored(about, own), treatment, outcome, width))
        return Mixture.restored(stored, parts, treatment, int(self.members))

    def _draws(self, t, treatment, clusters=None):
        """Return 1 for the rows that a fold model learns from, 0 for those of its own fold."""
        members = np.arange(self.members)
        strata, seed = treatment.strata, int(self.seed)
        fold = [fold_of_rows(own, strata, seed, self.members, clusters) for own in t]
        return (np.stack(fold)[:, None, :] != members[:, None]).astype(int)

    @property
    def weights_(self) -> Weights:
        """Who speaks, the loudest first: learner, weight, held-out losses, seconds."""
        predictor = self._model.predictor
        assert isinstance(predictor, Mixture)
        return Weights(predictor.voices)


def _tells(report: Progress, learners: Sequence[Learner]) -> list[Progress]:
    """Return a report for each learner that names it, too; all of them are waiting now."""
    tells = []
    for number, learner in enumerate(learners, 1):
        name = f"{brief(shown(learner), MOST_LETTERS)} ({number} of {len(learners)})"
        tells.append(_named(report, name))
        tells[-1](WAITING, 0.0, 1, 0)
    return tells


def _named(report: Progress, name: str) -> Progress:
    """Return a report that names the learner, too."""
    return lambda stage, finished, total, rounds: report(
        within(name, stage), finished, total, rounds
    )


def _without(tells: Sequence[Progress]) -> None:
    """Report that learners are left out."""
    for tell in tells:
        tell(LEFT_OUT, 0.0, 1, 0)


def _leave_out(learners: Sequence[Learner], why: object) -> None:
    names, are = listed([shown(learner) for learner in learners]), "are" if learners[1:] else "is"
    notice(f"{names} {are} left out of the stack: {str(why).rstrip('.')}.")
