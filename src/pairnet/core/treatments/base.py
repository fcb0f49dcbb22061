"""What every kind of treatment is: how a column of it is read, compared and spoken of."""

from __future__ import annotations

import abc
from collections.abc import Callable, Hashable
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Bool, Float, Int

from pairnet.core.errors import BadInput
from pairnet.core.types import Array

Label = Hashable  # an arm's name, or a dose in the user's units


class AbstractTreatment(abc.ABC):
    """What the treatment column is.

    Inside, a treatment is a number: the position of an arm, or the place of a dose between the
    smallest (0) and the largest (1). People speak of labels: names of arms, or doses.
    """

    name: ClassVar[str]
    one: ClassVar[str]  # what a single treatment is called
    about: ClassVar[str] = ""  # what stands behind the treatment's name in the report, if anything
    whole_range: ClassVar[bool] = False  # whether amounts between those observed make sense

    @classmethod
    @abc.abstractmethod
    def claims(cls, column: np.ndarray) -> bool:
        """Tell whether a column is taken for this kind where nobody says what it is."""

    @classmethod
    @abc.abstractmethod
    def read(cls, column: np.ndarray) -> AbstractTreatment:
        """Read what the treatment is off a column without missing values, or say what is wrong."""

    @property
    @abc.abstractmethod
    def strata(self) -> int:
        """How many groups a split and a minibatch take their share of."""

    @property
    def span(self) -> float:
        """How many of the user's units lie between the places 0 and 1."""
        return 1.0

    @property
    @abc.abstractmethod
    def contrast(self) -> tuple[Any, Any]:
        """What an effect compares where nobody says; an error where that would be a guess."""

    @property
    @abc.abstractmethod
    def example(self) -> tuple[Any, Any]:
        """Two labels that could be compared, for messages."""

    @property
    def is_clear(self) -> bool:
        """Whether it is clear what an effect compares where nobody says."""
        try:
            return bool(self.contrast)
        except BadInput:
            return False

    @abc.abstractmethod
    def completed(self, T0: Any, T1: Any) -> tuple[Any, Any]:
        """Return both sides of a comparison of which one or none was named."""

    @abc.abstractmethod
    def shown_against(self, T0: Any, T1: Any) -> tuple[Any, ...]:
        """Return the labels that a report on T1 against T0 compares with T0."""

    @abc.abstractmethod
    def comparisons(self) -> list[tuple[Any, Any]]:
        """Return the pairs (T0, T1) that a summary shows; none where the sign would be a guess."""

    @abc.abstractmethod
    def encode(self, values: object, argument: str) -> np.ndarray:
        """Turn labels (one, or one a row) into inside numbers; errors name the argument."""

    @abc.abstractmethod
    def label_of(self, t: Array) -> np.ndarray:
        """Turn inside numbers into labels."""

    @abc.abstractmethod
    def label_in(self, text: str, argument: str) -> Any:
        """Return the label that a text spells."""

    @abc.abstractmethod
    def alike(self, t: Float[np.ndarray, " n"], value: float) -> Bool[np.ndarray, " n"]:
        """Tell which rows were treated like this, or nearly so."""

    @abc.abstractmethod
    def rounded(self, t: np.ndarray) -> np.ndarray:
        """Return treatments with those that hardly differ made the same."""

    @abc.abstractmethod
    def groups(self, t: Float[np.ndarray, " n"]) -> tuple[tuple[str, ...], Int[np.ndarray, " n"]]:
        """Return names of groups of rows that were treated alike, and the group of each row."""

    @abc.abstractmethod
    def check_rows(self, t: Float[np.ndarray, " n"], needed: int, purpose: str) -> None:
        """Raise where a group has fewer rows than a method needs; `purpose` says for what."""

    @abc.abstractmethod
    def columns(self, t: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n c"]:
        """Return the treatment as the columns that a covariate may repeat."""

    @abc.abstractmethod
    def words(self, summary: dict[str, Any]) -> str:
        """Say what the treatment is and how rows were treated, given what `summary` returned."""

    @abc.abstractmethod
    def summary(self, t: Float[np.ndarray, " n"]) -> dict[str, Any]:
        """Return what a model remembers of how rows were treated, as plain JSON."""

    @abc.abstractmethod
    def table(self, summary: dict[str, Any]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return what `summary` returned as a table for people: its header and its rows."""

    @abc.abstractmethod
    def summary_checks(self) -> dict[str, Callable[[Any], bool]]:
        """Return what tells, part by part, whether a value could have come from `summary`."""

    @abc.abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the treatment as plain values."""

    @classmethod
    @abc.abstractmethod
    def from_json(cls, value: Any) -> AbstractTreatment:
        """Make a treatment of what `to_json` returned; anything else is refused."""

    @abc.abstractmethod
    def refused_by(self, method: str) -> BadInput:
        """Return the error of a method that cannot learn from such a treatment."""
