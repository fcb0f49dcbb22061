"""Attempts to refute the average effect of a model, made on the rows that it remembers.

Most of them estimate the effect again by a light method, many times, from tables that were changed
so that the answer is known. Two learn the model's own method again. docs/refutation.md explains
each, and shows how often effects of each grade hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from pairnet.core.errors import BadInput, InPython
from pairnet.core.notices import notice
from pairnet.core.types import is_seed, is_whole
from pairnet.core.words import say, shown, word
from pairnet.evidence.light import AbstractLight, Average, LightArms, LightDoses, Sample
from pairnet.evidence.refutation import (
    DOUBTFUL,
    FAILS,
    HIDDEN,
    HOLDS,
    Attempt,
    Refutation,
    Strength,
    judged_bias,
    judged_spread,
    robustness_value,
)
from pairnet.inference import intervals
from pairnet.inference.intervals import Estimate
from pairnet.model.hidden import e_values, strongest_columns
from pairnet.model.learner import Learner
from pairnet.model.negative_controls import Control
from pairnet.model.planting import half, is_yes_no, plant
from pairnet.model.question import Question
from pairnet.model.refits import Again

REPEATS, FEWEST = 10, 3
MOST_ROWS, MOST_QUICK = 5000, 2000  # that take part in the light attempts
LONG = 60.0  # seconds of refitting that are announced
APART, FAR_APART = 1.0, 2.0  # errors between two ways to the same answer


@dataclass(frozen=True, eq=False)
class Bench:
    """The rows, the light method and its answer: what all light attempts begin from."""

    sample: Sample
    light: AbstractLight
    chances: Any
    base: Average
    rng: np.random.Generator
    repeats: int

    def tries(self, one: Callable[[], Average]) -> list[Average]:
        """Return so many tries."""
        return [one() for _ in range(self.repeats)]


def refute(
    method: Learner,
    question: Question,
    controls: Sequence[Control] = (),
    repeats: Any = REPEATS,
    quick: bool = False,
    seed: Any = 0,
) -> Refutation:
    """Return what attempts to refute the average effect found; see `Asked.refute`.

    question: about the rows that the model remembers.
    """
    _check(question, repeats, seed)
    with threadpool_limits(1):  # products are small: threads would wait for one another
        return _refuted(method, question, controls, int(repeats), quick, int(seed))


def _refuted(
    method: Learner,
    question: Question,
    controls: Sequence[Control],
    repeats: int,
    quick: bool,
    seed: int,
) -> Refutation:
    memory, rng = question.memory, np.random.default_rng(seed)
    full = Sample.of(memory)
    some = _some(len(full), MOST_QUICK if quick else MOST_ROWS, rng)
    light = _light(question)
    sample = full.rows(some)
    chances = light.chances(sample)
    base = light.average(sample, chances)
    bench = Bench(sample, light, chances, base, rng, repeats)
    answer = _answer(question, light, full)
    attempts = [*_light_attempts(bench, question, answer)]
    if not quick:
        attempts += _own_attempts(Again(method, question, answer.error), light, full, rng)
    attempts += [_of_control(light, full, control, len(controls)) for control in controls]
    low, high = intervals.around(answer, 0.05)
    found = Refutation(
        word(question.T0),
        word(question.T1),
        answer.value,
        low,
        high,
        tuple(attempts),
        rows=len(sample),
        what="straight-line effect" if question.model.treatment.whole_range else "average effect",
    )
    if memory.design is not None:
        return found
    return _with_strength(found, question, bench, answer)


def _check(question: Question, repeats: Any, seed: Any) -> None:
    question.check_differs()
    if not (is_whole(repeats) and repeats >= FEWEST):
        problem = f"must be a whole number, at least {FEWEST}, got {shown(repeats)}"
        raise BadInput("repeats", problem)
    if not (is_seed(seed) and seed >= 0):
        raise BadInput("seed", f"must be a whole number from 0 up to 2**32, got {shown(seed)}")


def _light(question: Question) -> AbstractLight:
    if question.model.treatment.whole_range:
        return LightDoses(float(question.t0), float(question.t1))
    return LightArms(int(question.t0), int(question.t1))


def _some(rows: int, most: int, rng: np.random.Generator) -> np.ndarray:
    return np.arange(rows) if rows <= most else np.sort(rng.choice(rows, most, replace=False))


def _answer(question: Question, light: AbstractLight, full: Sample) -> Estimate:
    """Return the average that is put to the test: the doubly robust one of the model.

    Where all rows were trained on by all members, or treatments are doses, it is the light one.
    """
    if question.model.treatment.whole_range or not question.memory.honest:
        return light.average(full, splits=None).estimate
    return question.targeting("all").doubly_robust


def _light_attempts(bench: Bench, question: Question, answer: Estimate) -> Iterator[Attempt]:
    sample, light, base, rng = bench.sample, bench.light, bench.base, bench.rng

    def placebo() -> Average:
        drawn = light.placebo(sample, bench.chances, rng)
        return light.average(drawn, sample.design)

    placebos = bench.tries(placebo)
    yield _attempt(
        "placebo treatment",
        [one.value for one in placebos],
        0.0,
        base,
        "Treatments were drawn anew by the chances that covariates give, so that they have no "
        "effect: what is found all the same.",
    )
    mixed = lambda: replace(sample, y=rng.permutation(sample.y))
    shuffled = bench.tries(lambda: light.average(mixed(), bench.chances))
    yield _attempt(
        "shuffled outcome",
        [one.value for one in shuffled],
        0.0,
        base,
        "Outcomes were exchanged at random: what is found all the same.",
    )
    yield from _planted(bench, question)

    def with_noise() -> Average:
        noise = rng.normal(size=(len(sample), 1))
        return light.average(replace(sample, x=np.hstack([sample.x, noise])))

    yield _attempt(
        "random common cause",
        [one.value for one in bench.tries(with_noise)],
        base.value,
        base,
        "A column of random numbers joined the covariates: the effect must hardly move.",
    )
    halves = [_halves(bench) for _ in range(bench.repeats)]
    yield _attempt(
        "halves",
        [(one.value + other.value) / 2 for one, other in halves],
        base.value,
        base,
        "The rows were cut into halves at random: the mean of the two answers.",
    )
    apart = [
        (one.value - other.value) / max(np.hypot(one.error, other.error), 1e-300)
        for one, other in halves
    ]
    apart += [one.value / max(one.error, 1e-300) for one in (*placebos, *shuffled)]
    spread, verdict = judged_spread(apart)
    about = "How far halves, placebos and shuffled outcomes were off, in their own errors."
    yield Attempt("errors", spread, 1.0, abs(spread - 1), verdict, about, in_outcome=False)
    yield from _other_ways(bench, question, answer)


def _attempt(test: str, tries: list[float], expected: float, base: Average, about: str) -> Attempt:
    off, verdict = judged_bias([value - expected for value in tries], base.error)
    return Attempt(test, float(np.mean(tries)), expected, off, verdict, about)


def _other_ways(bench: Bench, question: Question, answer: Estimate) -> Iterator[Attempt]:
    """Yield how far other ways to the same average are from the answer."""
    if question.model.treatment.whole_range:
        return
    ways = {"model's own average": (question.targeting("all").mean, 2 * APART, 2 * FAR_APART)}
    if question.memory.honest:
        light = bench.light.average(Sample.of(question.memory), splits=None)
        ways = {"light method": (light.value, APART, FAR_APART), **ways}
    about = {
        "light method": "The doubly robust average with light models in the place of the model.",
        "model's own average": "The mean of the model's own effects, without any correction.",
    }
    for name, (value, near, far) in ways.items():
        off = abs(value - answer.value) / max(answer.error, 1e-300)
        verdict = HOLDS if off <= near else DOUBTFUL if off <= far else FAILS
        if name == "model's own average" and verdict == FAILS:
            verdict = DOUBTFUL  # the answer is the corrected one
        yield Attempt(name, value, answer.value, off, verdict, about[name])


def _planted(bench: Bench, question: Question) -> Iterator[Attempt]:
    sample, light, base = bench.sample, bench.light, bench.base
    where, named = half(question, sample)
    tries, expected, said = [], [], ""
    for _ in range(bench.repeats if is_yes_no(question) else 1):
        planted = plant(question, light, sample, base, where, named, bench.rng)
        if planted is None:
            return
        found = light.average(replace(sample, y=planted.y), bench.chances)
        tries.append(found.value - base.value)
        expected.append(planted.size * float(sample.share @ where))
        said = f"{planted.said} The answer must move."
    off, verdict = judged_bias(np.asarray(tries) - np.asarray(expected), base.error)
    means = float(np.mean(tries)), float(np.mean(expected))
    yield Attempt("planted effect", *means, off, verdict, said)


def _own_attempts(
    again: Again, light: AbstractLight, full: Sample, rng: np.random.Generator
) -> list[Attempt]:
    question = again.question
    seconds = 2 * float(question.memory.summary.get("seconds", 0.0))
    if seconds > LONG:
        notice(
            f"The method is fitted two more times, about {say(seconds, 2)} s. ",
            InPython("quick=True leaves that out.", "--quick leaves that out."),
        )
    arms = not question.model.treatment.whole_range
    chances = question.memory.propensity.chances if arms else light.chances(full)
    found = again.placebo(light.placebo(full, chances, rng).t)
    where, named = half(question, full)
    base = light.average(full, chances)
    if planted := plant(question, light, full, base, where, named, rng):
        found += again.planted(planted.y, where, planted.size, planted.said)
    return found


def _halves(bench: Bench) -> tuple[Average, Average]:
    """Return the answers of two halves of the units; both have all treatments."""
    sample, rng = bench.sample, bench.rng
    units = sample.units
    count = int(units.max()) + 1
    first = np.unique(units, return_index=True)[1]
    order = np.lexsort((rng.random(count), sample.t[first]))
    half = np.empty(count, bool)
    half[order] = np.arange(count) % 2 == 0
    mine = half[units]
    answer = lambda some: bench.light.average(sample.rows(some))
    return answer(mine), answer(~mine)


def _of_control(light: AbstractLight, full: Sample, control: Control, count: int) -> Attempt:
    """Return the effect on an outcome that the treatment cannot have changed."""
    sample = replace(full.rows(control.rows), y=control.y[control.rows])
    sample = replace(sample, x=sample.x[:, control.kept])
    found = light.average(sample, splits=None).estimate
    low, high = (intervals.around(found, level / count) for level in (0.01, 0.05))
    outside = lambda ends: not ends[0] <= 0 <= ends[1]
    verdict = FAILS if outside(low) else DOUBTFUL if outside(high) else HOLDS
    off = abs(found.value) / max(found.error, 1e-300)
    about = (
        f"The effect on {control.name}, which the treatment cannot have changed; off is in errors "
        "of this effect."
    )
    name = f"negative control {control.name}"
    return Attempt(name, found.value, 0.0, off, verdict, about, in_outcome=False)


def _with_strength(
    found: Refutation, question: Question, bench: Bench, answer: Estimate
) -> Refutation:
    """Return the refutation with what is known of hidden causes."""
    reach = (found.upper - found.lower) / 2
    scale = bench.base.scale
    columns = strongest_columns(
        question, bench.light, bench.sample, bench.base, answer.value, reach
    )
    attempts = found.attempts
    if columns and not found.lower <= 0 <= found.upper:
        attempts = (*attempts, _like_the_strongest(columns[0], found, answer.error))
    risks = e_values(question, bench.light)
    return replace(
        found,
        attempts=attempts,
        robustness=robustness_value(answer.value, scale),
        robustness_of_interval=robustness_value(answer.value, scale, reach),
        strongest=tuple(columns),
        e_value=None if risks is None else risks[0],
        e_value_of_interval=None if risks is None else risks[1],
    )


def _like_the_strongest(column: Strength, found: Refutation, error: float) -> Attempt:
    """Return whether a hidden cause like the strongest column would leave an effect."""
    sign = float(np.sign(found.value))
    end = found.lower if sign > 0 else found.upper
    about = (
        "The end of the interval that is nearer to 0, and what would be left of it at worst if "
        f"something hidden explained as much as {column.column}."
    )
    verdict = HOLDS if column.end * sign > 0 else DOUBTFUL
    name, off = "hidden cause like the strongest", abs(column.end - end) / max(error, 1e-300)
    return Attempt(name, column.end, end, off, verdict, about, of=HIDDEN)
