"""A mixture of fitted learners: the weighted mean of their effects, member by member."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from jaxtyping import Float

from pairnet.core.treatments import Treatment
from pairnet.core.types import is_finite
from pairnet.model.learner import Learner
from pairnet.model.predictor import AbstractPredictor, Stored
from pairnet.training import Plan

CONSTANT = "one effect for all"
# Hyperparameters that a stack sets for all of its learners.
OF_STACK = ("members", "outcome", "treatment", "seed", "verbose", "bootstrap", "calibration")
RESERVED = "mixture"  # the prefix of the names of the mixture's own arrays
OWN = ("weights", "outcome_weights", "arm_shares", "constant", "shift")  # these arrays


class Voice(NamedTuple):
    """What a learner has to say in a stack, and what it has shown on rows that it has not seen.

    weight: its share of effects. outcome_weight: its share of the level of outcomes. factual, pair,
    r: its held-out losses, as root mean squares in units of the outcome (r for arms alone); smaller
    is better. averages: its average effect of each arm but the first against the first.
    """

    learner: str
    weight: float
    outcome_weight: float
    factual: float | None
    pair: float | None
    r: float | None
    seconds: float
    averages: tuple[float, ...] = ()

    def average(self, t0: int, t1: int) -> float | None:
        """Return its average effect of one arm against another; of doses there is none."""
        by_arm = (0.0, *self.averages)
        return by_arm[t1] - by_arm[t0] if self.averages else None


class Weights(tuple[Voice, ...]):
    """The learners of a stack, the loudest first; it shows as a table."""

    def __str__(self) -> str:
        wide = max((len(voice.learner) for voice in self), default=0)
        number = lambda loss: f"{loss:>10.4g}" if loss is not None else f"{'-':>10}"
        head = f"{'learner':<{wide}}  weight  of level   factual      pair         r   seconds"
        lines = [
            f"{v.learner:<{wide}}  {v.weight:>6.1%}  {v.outcome_weight:>8.1%}"
            f"{number(v.factual)}{number(v.pair)}{number(v.r)}{v.seconds:>10.1f}"
            for v in self
        ]
        return "\n".join([head, *lines])

    __repr__ = __str__


def shown(learner: Learner | Plan) -> str:
    """Return how a learner is written, without defaults and what the stack sets itself."""
    default = type(learner)()
    told = []
    for field in dataclasses.fields(learner):
        if field.name in OF_STACK or not field.repr:
            continue
        value = getattr(learner, field.name)
        if value != getattr(default, field.name):
            inside = shown(value) if isinstance(value, Learner | Plan) else repr(value)
            told.append(f"{field.name}={inside}")
    name = learner.title if isinstance(learner, Learner) else type(learner).__name__
    return f"{name}({', '.join(told)})"


def brief(name: str, most: int = 48) -> str:
    """Return the name of a learner without empty brackets, and with so many letters at most."""
    name = name.removesuffix("()")
    return name if len(name) <= most else f"{name[: most - 3].rstrip()}..."


@dataclass(frozen=True, eq=False)
class Mixture(AbstractPredictor):
    """Fitted learners with their weights; those without any weight are not kept.

    Effects are those of the learners by their weights, plus a shift that is the same for all rows.
    A level plus differences: outcomes are sum_c v_c mean_c(x) + sum_c w_c (effect_c(x, t) - mean
    effect_c(x)), where the means are over arms by their shares. So differences of outcomes are
    effects. For doses they are sum_c w_c outcome_c(x, t) + offset.
    """

    is_stack: ClassVar[bool] = True

    parts: tuple[AbstractPredictor, ...]
    learners: tuple[dict[str, Any], ...]  # what each part was learned with, as plain JSON
    weights: Float[np.ndarray, " p"]  # of the parts' effects
    outcome_weights: Float[np.ndarray, " p"]
    arm_shares: Float[np.ndarray, " k"]  # of rows in each arm; empty for doses
    constant: Float[np.ndarray, "m k"]  # one effect of each arm for all rows, times its weight
    shift: Float[np.ndarray, " k"]  # what is added to all effects of an arm; empty for doses
    offset: float
    voices: tuple[Voice, ...]

    def effect(self, x, t0, t1):
        answers = self._sum(self.weights, lambda part: part.effect(x, t0, t1), len(x))
        if not len(self.arm_shares):
            return answers
        return answers + _between(self.constant + self.shift, t0, t1, len(x))

    def outcome(self, x, t):
        if not len(self.arm_shares):
            return self.offset + self._sum(self.weights, lambda p: p.outcome(x, t), len(x))
        arms = np.arange(len(self.arm_shares), dtype=float)
        level = self._sum(
            self.outcome_weights,
            lambda part: sum(
                share * part.outcome(x, np.asarray(arm))
                for share, arm in zip(self.arm_shares, arms, strict=True)
            ),
            len(x),
        )
        first = np.zeros(())
        mean = sum(
            share * self.effect(x, first, np.asarray(arm))
            for share, arm in zip(self.arm_shares, arms, strict=True)
        )
        return self.offset + level + self.effect(x, first, t) - mean

    def curve(self, x, t):
        if len(self.arm_shares):
            return super().curve(x, t)
        return self.offset + self._sum(self.weights, lambda part: part.curve(x, t), len(x))

    def slope(self, x, t):
        return self._sum(self.weights, lambda part: part.slope(x, t), len(x))

    def speakers(self):
        speaks = np.flatnonzero(self.weights)
        return tuple(self.parts[k] for k in speaks), self.weights[speaks]

    def by_learner(self, x, t0, t1):
        parts, shares = self.speakers()
        effects = [part.effect(x, t0, t1).mean(axis=0) for part in parts]
        weights = list(shares)
        if self.weight_alone > 0:
            effects.append(_between(self.constant.mean(axis=0) / self.weight_alone, t0, t1, len(x)))
            weights.append(self.weight_alone)
        return np.stack(effects), np.asarray(weights)

    @property
    def weight_alone(self) -> float:
        """The weight of one effect for all rows."""
        return next((voice.weight for voice in self.voices if voice.learner == CONSTANT), 0.0)

    def stored(self):
        stored = [part.stored() for part in self.parts]
        arrays = {
            f"{number}.{name}": array
            for number, part in enumerate(stored)
            for name, array in part.arrays.items()
        }
        for name in OWN:
            arrays[f"{RESERVED}.{name}"] = np.asarray(getattr(self, name))
        voices = [{**voice._asdict(), "averages": list(voice.averages)} for voice in self.voices]
        json = {
            "parts": [part.json for part in stored],
            "learners": list(self.learners),
            "offset": self.offset,
            "voices": voices,
        }
        return Stored(json, arrays)

    @classmethod
    def restored(
        cls,
        stored: Stored,
        parts: Sequence[AbstractPredictor],
        treatment: Treatment,
        members: int,
    ) -> Mixture:
        """Make a mixture again of its restored parts."""
        arms = 0 if treatment.whole_range else treatment.strata
        own = {name: np.asarray(stored.arrays[f"{RESERVED}.{name}"], np.float64) for name in OWN}
        sizes = {
            "weights": (len(parts),),
            "outcome_weights": (len(parts),),
            "arm_shares": (arms,),
            "constant": (members, arms),
            "shift": (arms,),
        }
        for name, array in own.items():
            if array.shape != sizes[name] or not np.isfinite(array).all():
                raise ValueError(f"the mixture's {name} are {array.shape}, not {sizes[name]}")
        voices = tuple(_voice(value, max(arms - 1, 0)) for value in stored.json["voices"])
        if not is_finite(offset := stored.json["offset"]):
            raise ValueError("the mixture's offset is no number")
        learners = tuple(stored.json["learners"])
        made = cls(tuple(parts), learners, **own, offset=float(offset), voices=voices)
        return made.checked()

    def checked(self) -> Mixture:
        """Return the mixture; raise if its weights are none that a stack can have."""
        shares = {
            "weights": np.append(self.weights, self.weight_alone),
            "outcome_weights": self.outcome_weights,
        }
        shares |= {"arm_shares": self.arm_shares} if len(self.arm_shares) else {}
        for name, share in shares.items():
            if not len(share) or share.min() < 0 or not np.isclose(share.sum(), 1):
                raise ValueError(f"the mixture's {name} are no shares of 1")
        said = [voice.weight for voice in self.voices if voice.learner != CONSTANT and voice.weight]
        if sorted(said) != sorted(self.weights[self.weights > 0].tolist()):
            raise ValueError(
                "the mixture's weights are not those that its learners are said to have"
            )
        no_effect = self.constant if self.weight_alone == 0 else self.constant[:, :1]
        if no_effect.any() or self.shift[:1].any():
            raise ValueError("the mixture's constant has an effect that nobody speaks for")
        return self

    def _sum(self, weights: np.ndarray, answer: Any, rows: int) -> Float[np.ndarray, "m n *g"]:
        """Return the weighted sum of the parts' answers."""
        total: Any = np.zeros((len(self.constant), rows))
        started = False
        for part, weight in zip(self.parts, weights, strict=True):
            if weight > 0:
                one = weight * answer(part)
                total, started = (total + one if started else one), True
        return np.asarray(total)


def _between(
    by_arm: Float[np.ndarray, "*m k"], t0: Any, t1: Any, rows: int
) -> Float[np.ndarray, "*m n"]:
    """Return how far what belongs to arms lies apart for t1 and t0, row by row."""
    of = lambda t: by_arm[..., np.broadcast_to(np.asarray(t), rows).astype(int)]
    return np.asarray(of(t1) - of(t0))


def _voice(value: Any, others: int) -> Voice:
    """Return a voice as it was stored; others: how many arms there are but the first."""
    voice = Voice(**{**value, "averages": tuple(value["averages"])})
    if not isinstance(voice.learner, str):
        raise ValueError("a learner of the stack has no name")
    losses = [loss for loss in (voice.factual, voice.pair, voice.r) if loss is not None]
    numbers = (voice.weight, voice.outcome_weight, voice.seconds, *losses, *voice.averages)
    if not all(map(is_finite, numbers)) or min(voice.seconds, *losses, 0) < 0:
        raise ValueError(f"what {voice.learner[:100]} has shown is no numbers")
    if len(voice.averages) != others:
        raise ValueError(f"{voice.learner[:100]} has no average effect of every arm")
    return voice
