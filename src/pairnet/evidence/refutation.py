"""Attempts to refute an effect: what they found, how strong a hidden cause would have to be, grade.

The arithmetic is here; `pairnet.model.refuting` makes the tables that are estimated again. What a
hidden cause can do is bounded as in Cinelli and Hazlett (2020), for doubly robust averages as in
Chernozhukov et al. (2022): if it explains the shares a and b of what is left of the outcome and of
the treatment, the average moves by at most scale sqrt(a b / (1 - b)).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy import stats

from pairnet.core.listing import Listing
from pairnet.core.types import is_finite
from pairnet.core.words import say

HOLDS, DOUBTFUL, FAILS, NOT_DONE = "holds", "doubtful", "fails", "not done"
VERDICTS = (HOLDS, DOUBTFUL, FAILS, NOT_DONE)
AVERAGE, DIFFERENCES, HIDDEN = "average", "differences", "hidden"  # what a verdict is about
GRADES = ("passes", "doubtful", "fails")
# An average that is off by half of its error has 95 % intervals that hold in 92 %; by all of it,
# in 83 %.
HALF, WHOLE = 0.5, 1.0
CHANCE = 0.01  # what is less likely than this is no chance
MUCH, TOO_MUCH = 1.5, 2.0  # spreads, against the errors that are said


@dataclass(frozen=True)
class Attempt:
    """One attempt to refute an effect.

    found, expected: a number, and what it would be if all was well. off: their distance, in
    standard errors of the answer. about: what was done, in a sentence.
    """

    test: str
    found: float
    expected: float
    off: float
    verdict: str
    about: str
    of: str = AVERAGE
    in_outcome: bool = True


@dataclass(frozen=True)
class Strength:
    """How much of outcome and treatment a column explains, of what the others leave over.

    left: the answer that would be left, at worst, if something hidden explained as much. end: the
    end of its interval that is nearer to 0.
    """

    column: str
    outcome: float
    treatment: float
    left: float
    end: float


@dataclass(frozen=True, eq=False, repr=False)
class Refutation(Listing):
    """What attempts to refute an effect found, as a table; one line an attempt.

    T0, T1: what was compared. value, lower, upper: the average effect that was put to the test, and
    its interval. robustness: a hidden cause must explain this share of what is left of the
    treatment and of the outcome to bring the effect to 0; robustness_of_interval: to bring its
    interval to 0 (0: it holds 0 already). Both are None where the chances of treatments are known.
    strongest: observed columns for comparison. e_value, e_value_of_interval: for yes / no outcomes,
    the risk ratio that a hidden cause must have with treatment and outcome. rows: how many took
    part. what: what the average is of.
    """

    T0: str
    T1: str
    value: float
    lower: float
    upper: float
    attempts: tuple[Attempt, ...]
    robustness: float | None = None
    robustness_of_interval: float | None = None
    strongest: tuple[Strength, ...] = ()
    e_value: float | None = None
    e_value_of_interval: float | None = None
    rows: int = 0
    what: str = "average effect"

    @property
    def grade(self) -> str:
        """The worst verdict on the average in a word: "passes", "doubtful" or "fails"."""
        verdicts = [attempt.verdict for attempt in self.attempts if attempt.of == AVERAGE]
        return GRADES[2] if FAILS in verdicts else GRADES[1] if DOUBTFUL in verdicts else GRADES[0]

    def __getitem__(self, test: str) -> Attempt:
        """Return the attempt of a name."""
        return next(attempt for attempt in self.attempts if attempt.test == test)

    def columns(self):
        names = ("test", "found", "expected", "off", "verdict")
        return {
            name: np.asarray([getattr(attempt, name) for attempt in self.attempts])
            for name in names
        }

    def notes(self):
        return (self.about_grade, *self.about_differences, *self.about_hidden)

    @property
    def about_grade(self) -> str:
        """The grade in a sentence."""
        answer = f"{say(self.value)} ({say(self.lower)} to {say(self.upper)})"
        bad = "; ".join(
            f"{verdict}: {', '.join(named)}"
            for verdict in (FAILS, DOUBTFUL)
            if (named := self.with_verdict(verdict))
        )
        return (
            f"The {self.what} of {self.T1} against {self.T0}, {answer}: {self.grade}"
            f"{f' ({bad})' if bad else ''}."
        )

    @property
    def about_differences(self) -> tuple[str, ...]:
        """What is said of differences between effects, in sentences."""
        doubted = self.with_verdict(DOUBTFUL, DIFFERENCES)
        if not doubted:
            return ()
        return (f"How effects differ from row to row is doubtful ({', '.join(doubted)}).",)

    def with_verdict(self, verdict: str, of: str = AVERAGE) -> list[str]:
        """Return the names of the attempts on something that have a verdict."""
        return [a.test for a in self.attempts if a.verdict == verdict and a.of == of]

    @property
    def about_hidden(self) -> tuple[str, ...]:
        """What is said of hidden causes, in sentences."""
        if self.robustness is None:
            return ("The chances of treatments are known, so nothing hidden can have driven them.",)
        said = [
            "A hidden cause would have to explain "
            f"{_per_cent(self.robustness)} of what is left of the treatment and of the outcome to "
            f"bring the effect to 0, {_per_cent(self.robustness_of_interval or 0.0)} to bring its "
            "interval there."
        ]
        if self.strongest:
            most = self.strongest[0]
            said.append(
                f"The observed column that could hide most, {most.column}, explains "
                f"{_per_cent(most.treatment)} of the treatment and {_per_cent(most.outcome)} of "
                f"the outcome: one like it would leave {say(most.left)} at worst."
            )
        if self.e_value is not None:
            said.append(
                f"E-value {self.e_value:.3g} (of the interval {self.e_value_of_interval or 1:.3g}):"
                " a hidden cause must have this risk ratio with both treatment and outcome."
            )
        if not any(a.test.startswith("negative control") for a in self.attempts):
            said.append("Nothing here can see a hidden cause; negative controls may.")
        return tuple(said)

    def in_units(self, scale: float) -> Refutation:
        """Return it with outcomes multiplied by a number, as for per cent."""
        attempts = tuple(
            replace(a, found=a.found * scale, expected=a.expected * scale) if a.in_outcome else a
            for a in self.attempts
        )
        strongest = tuple(
            replace(s, left=s.left * scale, end=s.end * scale) for s in self.strongest
        )
        ends = {name: getattr(self, name) * scale for name in ("value", "lower", "upper")}
        return replace(self, attempts=attempts, strongest=strongest, **ends)

    def to_json(self) -> dict[str, Any]:
        """Return everything as plain values."""
        return asdict(self) | {
            "attempts": [asdict(attempt) for attempt in self.attempts],
            "strongest": [asdict(strength) for strength in self.strongest],
        }

    @classmethod
    def from_json(cls, value: Any) -> Refutation:
        """Make a refutation of the result of `to_json`; anything else is refused."""
        if not isinstance(value, dict):
            raise ValueError("a refutation is a JSON object")
        parts = {
            "attempts": tuple(Attempt(**one) for one in value["attempts"]),
            "strongest": tuple(Strength(**one) for one in value["strongest"]),
        }
        return cls(**(value | parts)).checked()

    def checked(self) -> Refutation:
        """Return it; raise if it says what no refutation can say."""
        numbers: list[Any] = [self.value, self.lower, self.upper, self.rows]
        texts: list[Any] = [self.T0, self.T1, self.what]
        for attempt in self.attempts:
            numbers += [attempt.found, attempt.expected, attempt.off]
            texts += [attempt.test, attempt.about, attempt.of]
        for strength in self.strongest:
            numbers += [strength.outcome, strength.treatment, strength.left, strength.end]
            texts.append(strength.column)
        others = (
            self.robustness,
            self.robustness_of_interval,
            self.e_value,
            self.e_value_of_interval,
        )
        numbers += [number for number in others if number is not None]
        if not all(map(is_finite, numbers)) or not all(isinstance(text, str) for text in texts):
            raise ValueError("a refutation has numbers and texts in their places")
        if any(attempt.verdict not in VERDICTS for attempt in self.attempts):
            raise ValueError(f"the verdict of an attempt is one of {', '.join(VERDICTS)}")
        return self


def robustness_value(effect: float, scale: float, reach: float = 0.0) -> float:
    """Return the share of what is left that a hidden cause must explain, of both alike.

    It then moves the effect by |effect| - reach: to 0, or to where an interval that reaches so far
    touches 0. In a linear regression the scale is the standard error times the root of the degrees
    of freedom, and this is the robustness value of Cinelli and Hazlett (2020).
    """
    gap = max(abs(effect) - reach, 0.0)
    if gap == 0:
        return 0.0
    if scale <= 0:
        return 1.0
    square = (gap / scale) ** 2
    # 2 / (1 + sqrt(1 + 4 / f^2)) is (sqrt(f^4 + 4 f^2) - f^2) / 2, without its cancellation
    return float(2 / (1 + np.sqrt(1 + 4 / square)))


def most_bias(scale: float, outcome: float, treatment: float) -> float:
    """Return by how much a hidden cause moves the effect at most.

    outcome, treatment: the shares of what is left of them that it explains.
    """
    return float(scale * np.sqrt(outcome * treatment / (1 - treatment)))


def e_value(ratio: float) -> float:
    """Return the risk ratio that a hidden cause must have with treatment and outcome.

    It could then explain all of a risk ratio (VanderWeele and Ding, 2017); below 1, its inverse.
    """
    ratio = max(ratio, 1 / ratio)
    return float(ratio + np.sqrt(ratio * (ratio - 1)))


def judged_bias(tries: Sequence[float] | np.ndarray, error: float) -> tuple[float, str]:
    """Return how far the mean of several tries is from 0, in errors of the answer, and a verdict.

    A distance that may be chance holds. One try alone has no chance in it.
    """
    values = np.asarray(tries, float)
    mean = float(values.mean())
    off, chance = abs(mean) / max(error, 1e-300), 0.0
    if len(values) > 1:
        chance = float(values.std(ddof=1) / np.sqrt(len(values)))
        chance *= float(stats.t.ppf(1 - CHANCE / 2, len(values) - 1))
    if abs(mean) <= chance or off <= HALF:
        return off, HOLDS
    return off, FAILS if off > WHOLE else DOUBTFUL


def judged_spread(ratios: Sequence[float] | np.ndarray) -> tuple[float, str]:
    """Return the root mean square of distances in their own errors, and a verdict: it should be 1.

    Only a spread that is larger than chance makes it may be too large.
    """
    values = np.asarray(ratios, float)
    spread = float(np.sqrt(np.mean(values**2)))
    by_chance = np.sqrt(stats.chi2.ppf(1 - CHANCE, len(values)) / len(values))
    if spread <= max(MUCH, by_chance):
        return spread, HOLDS
    return spread, FAILS if spread > TOO_MUCH else DOUBTFUL


def _per_cent(share: float) -> str:
    return f"{100 * share:.2g} %" if share < 0.1 else f"{100 * share:.0f} %"
