"""What fitted learners say about rows that they have not seen, and the mixture that follows."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.notices import notice
from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows
from pairnet.inference.propensity import PropensityModel
from pairnet.learners import weighing
from pairnet.learners.mixture import CONSTANT, Mixture, Voice
from pairnet.model.predictor import AbstractPredictor


class Candidate(NamedTuple):
    """A learner that was fitted fold by fold: its name, what is saved of it, and its models."""

    name: str
    about: dict[str, Any]
    predictor: Any
    seconds: float


@dataclass(frozen=True, eq=False)
class Unseen:
    """Rows, and each learner's answers about them by the fold model that has not seen the row."""

    rows: Rows
    t: Int[np.ndarray, " n"] | Float[np.ndarray, " n"]
    draws: Int[np.ndarray, "m n"]
    own: Float[np.ndarray, "n c"]  # expected outcomes under the rows' own treatments
    outcomes: Float[np.ndarray, "n c k"]  # under every arm; for doses none
    effects: Float[np.ndarray, "n c k"]  # of every arm against the first

    @classmethod
    def of(
        cls,
        predictors: Sequence[AbstractPredictor],
        rows: Rows,
        draws: Int[np.ndarray, "m n"],
        treatment: Treatment,
    ) -> Unseen:
        """Ask every learner about the rows."""
        x = np.asarray(rows.x, np.float64)
        t = np.asarray(rows.t, np.float64) if treatment.whole_range else np.asarray(rows.t, int)
        fold, at = draws.argmin(axis=0), np.arange(len(t))
        pick = lambda answers: np.asarray(answers, np.float64)[fold, at]
        arms = (
            [] if treatment.whole_range else [np.asarray(float(a)) for a in range(treatment.strata)]
        )
        own, outcomes, effects = [], [], []
        for predictor in predictors:
            by_arm = np.array([pick(predictor.outcome(x, arm)) for arm in arms]).reshape(-1, len(t))
            of_arm = [pick(predictor.effect(x, arms[0], arm)) for arm in arms[1:]]
            is_own = by_arm[t, at] if len(arms) else pick(predictor.outcome(x, t))
            own.append(is_own)
            outcomes.append(by_arm.T)
            effects.append(np.array([np.zeros(len(t))] * bool(arms) + of_arm).reshape(-1, len(t)).T)
        together = lambda values: np.stack(values, axis=1)
        return cls(rows, t, draws, together(own), together(outcomes), together(effects))

    @property
    def y(self) -> Float[np.ndarray, " n"]:
        """The outcomes of the rows."""
        return np.asarray(self.rows.y, np.float64)

    @property
    def weight(self) -> Float[np.ndarray, " n"]:
        """The weights of the rows."""
        return np.asarray(self.rows.weight, np.float64)

    def sound(self) -> Bool[np.ndarray, " c"]:
        """Tell which learners have a number for every row."""
        finite = lambda values: np.isfinite(values.reshape(*values.shape[:2], -1)).all(axis=(0, 2))
        return finite(self.own) & finite(self.outcomes) & finite(self.effects)


def mixed(
    candidates: Sequence[Candidate],
    rows: Rows,
    draws: Int[np.ndarray, "m n"],
    treatment: Treatment,
    weigh_by: str,
    level: str,
) -> Mixture:
    """Return the mixture of learners that is best for rows that they have not seen."""
    unseen = Unseen.of([candidate.predictor for candidate in candidates], rows, draws, treatment)
    sound = unseen.sound()
    if not sound.any():
        raise BadInput("learners", "must have one that has a number for every row")
    if not sound.all():
        for candidate, good in zip(candidates, sound, strict=True):
            if not good:
                why = "it has no number for some rows"
                notice(f"{candidate.name} is left out of the stack: {why}.")
        kept = [candidate for candidate, good in zip(candidates, sound, strict=True) if good]
        return mixed(kept, rows, draws, treatment, weigh_by, level)
    if treatment.whole_range:
        mixture = _of_doses(candidates, unseen)
    else:
        mixture = _of_arms(candidates, unseen, treatment.strata, weigh_by, level)
    return _at_level(mixture, unseen)


def _at_level(mixture: Mixture, unseen: Unseen) -> Mixture:
    """Return the mixture whose outcomes are at the rows' level, as those of every method are."""
    expected = mixture.outcome(np.asarray(unseen.rows.x, np.float64), unseen.t).mean(axis=0)
    offset = float(np.average(unseen.y - expected, weights=unseen.weight))
    return dataclasses.replace(mixture, offset=offset)


def _of_doses(candidates: Sequence[Candidate], unseen: Unseen) -> Mixture:
    """Return the mixture of dose responses with the least loss of pairs of rows."""
    factual = weighing.factual(unseen.own, unseen.y, unseen.weight)
    pairs = weighing.pairs(unseen.own, unseen.y, unseen.weight)
    shares = pairs.shares()
    none = np.zeros((len(candidates), 0))
    voices = _voices(candidates, shares, shares, (factual, pairs, None), none)
    nothing = np.zeros(0), np.zeros((len(unseen.draws), 0)), np.zeros(0)
    return _kept(candidates, shares, shares, *nothing, voices)


def _of_arms(
    candidates: Sequence[Candidate], unseen: Unseen, arms: int, weigh_by: str, level: str
) -> Mixture:
    """Return the mixture of effects with the least R-loss, or loss of pairs.

    First comes the mixture of outcomes that is best under the rows' own arms. One effect for all
    rows is a further learner of effects. How effects differ is told by the mixture of effects, how
    large they are on average by that alone (level "effects"), or by both mixtures alike ("both").
    """
    y, weight, t = unseen.y, unseen.weight, unseen.t
    factual = weighing.factual(unseen.own, y, weight)
    level_shares = factual.shares(weighing.NU_OF_OUTCOMES if level == "both" else 0.0)
    chances = weighing.clipped(
        PropensityModel(np.asarray(unseen.rows.x), t.astype(float), weight).chances
    )
    outcomes = np.einsum("nck,c->nk", unseen.outcomes, level_shares)
    expected = (outcomes * chances).sum(axis=1)

    of_fold = np.array(
        [
            weighing.one_effect(t[seen], y[seen], expected[seen], chances[seen], weight[seen])
            for seen in unseen.draws.astype(bool)
        ]
    )
    constant = of_fold[unseen.draws.argmin(axis=0)]
    effects = np.concatenate([unseen.effects, constant[:, None]], axis=1)
    own = unseen.own

    share_of_arm = np.bincount(t, weight, arms) / weight.sum()
    base = outcomes @ share_of_arm
    own_effect = np.take_along_axis(effects, t[:, None, None], axis=2)[:, :, 0]
    predicted = base[:, None] + own_effect - effects @ share_of_arm
    r = weighing.residuals(effects, t, y, expected, chances, weight)
    pairs = weighing.pairs(predicted, y, weighing.alike(t, weight))
    shares = (pairs if weigh_by == "pair" else r).shares()
    averages = np.average(effects, axis=0, weights=weight)[:, 1:]
    factual = weighing.factual(np.column_stack([own, predicted[:, -1]]), y, weight)
    everyone = [*candidates, Candidate(CONSTANT, {}, None, 0.0)]
    voices = _voices(everyone, shares, np.append(level_shares, 0), (factual, pairs, r), averages)
    by_outcomes = np.average(outcomes - outcomes[:, :1], axis=0, weights=weight)
    apart = by_outcomes - np.append(0.0, shares @ averages)
    added = shares[-1] * of_fold, apart / 2 if level == "both" else np.zeros(arms)
    return _kept(candidates, shares, level_shares, share_of_arm, *added, voices)


def _voices(
    candidates: Sequence[Candidate],
    shares: np.ndarray,
    level_shares: np.ndarray,
    tasks: tuple[weighing.Task, weighing.Task, weighing.Task | None],
    averages: np.ndarray,
) -> tuple[Voice, ...]:
    """Return what each learner has to say, the loudest first."""
    losses = [np.full(len(shares), np.nan) if task is None else task.losses for task in tasks]
    root = lambda loss: None if np.isnan(loss) else float(np.sqrt(loss))
    voices = [
        Voice(
            learner=candidate.name,
            weight=float(shares[k]),
            outcome_weight=float(level_shares[k]),
            factual=root(losses[0][k]),
            pair=root(losses[1][k]),
            r=root(losses[2][k]),
            seconds=round(candidate.seconds, 3),
            averages=tuple(map(float, averages[k])),
        )
        for k, candidate in enumerate(candidates)
    ]
    return tuple(sorted(voices, key=lambda voice: -voice.weight))


def _kept(
    candidates: Sequence[Candidate],
    shares: np.ndarray,
    level_shares: np.ndarray,
    share_of_arm: np.ndarray,
    constant: np.ndarray,
    shift: np.ndarray,
    voices: tuple[Voice, ...],
) -> Mixture:
    """Return the mixture of those learners that have any weight, whatever its level."""
    own = shares[: len(candidates)]
    speaks = np.flatnonzero((own > 0) | (level_shares > 0)).tolist()
    return Mixture(
        tuple(candidates[k].predictor for k in speaks),
        tuple(candidates[k].about for k in speaks),
        own[speaks],
        level_shares[speaks],
        share_of_arm,
        constant,
        shift,
        0.0,
        voices,
    )
