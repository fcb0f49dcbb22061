"""What every kind of treatment defines: how a column of it is read, compared and described."""

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
    """What the treatment column holds.

    Inside the library, a treatment is a number: the position of an arm, or the place of a dose
    between the smallest (0) and the largest (1). People use labels: names of arms, or doses.
    """

    name: ClassVar[str]
    one: ClassVar[str]  # what a single treatment is called
    about: ClassVar[str] = ""  # what a report writes behind the treatment's name
    whole_range: ClassVar[bool] = (
        False  # True for doses: values between observed ones have a meaning
    )

    @classmethod
    @abc.abstractmethod
    def claims(cls, column: np.ndarray) -> bool:
        """Tell whether a column is taken for this kind if the user does not name one."""

    @classmethod
    @abc.abstractmethod
    def read(cls, column: np.ndarray) -> AbstractTreatment:
        """Return the treatment in a column without missing values; raise if something is wrong."""

    def arranged(
        self, t: Float[np.ndarray, " n"], places: Callable[[], Int[np.ndarray, " n"]]
    ) -> AbstractTreatment:
        """Return the treatment with inside numbers that do not depend on what labels are called.

        t: the inside numbers of the rows so far. places: the place of each row in an order of the
        rows by covariates and outcome, worked out if it is needed.
        """
        return self

    @property
    @abc.abstractmethod
    def strata(self) -> int:
        """The number of groups that every split and minibatch takes in proportion."""

    @property
    def span(self) -> float:
        """How many of the user's units lie between the places 0 and 1."""
        return 1.0

    @property
    @abc.abstractmethod
    def contrast(self) -> tuple[Any, Any]:
        """What an effect compares by default; an error if that would be a guess."""

    @property
    @abc.abstractmethod
    def example(self) -> tuple[Any, Any]:
        """Two labels that could be compared, for messages."""

    @property
    def is_clear(self) -> bool:
        """Whether T0 and T1 may be left out."""
        try:
            return bool(self.contrast)
        except BadInput:
            return False

    @abc.abstractmethod
    def completed(self, T0: Any, T1: Any) -> tuple[Any, Any]:
        """Return both sides of a comparison of which the user named one side, or none."""

    @abc.abstractmethod
    def shown_against(self, T0: Any, T1: Any) -> tuple[Any, ...]:
        """Return the labels that a report on T1 against T0 compares with T0."""

    @abc.abstractmethod
    def comparisons(self) -> list[tuple[Any, Any]]:
        """Return the pairs (T0, T1) that a summary shows; none if the sign would be a guess."""

    @abc.abstractmethod
    def encode(self, values: object, argument: str) -> np.ndarray:
        """Turn labels (one, or one a row) into inside numbers; errors name the argument."""

    @abc.abstractmethod
    def label_of(self, t: Array) -> np.ndarray:
        """Turn inside numbers into labels."""

    @abc.abstractmethod
    def label_in(self, text: str, argument: str) -> Any:
        """Return the label that a text stands for."""

    @abc.abstractmethod
    def holds(self, t: Float[np.ndarray, " n"]) -> Bool[np.ndarray, " n"]:
        """Tell which inside numbers are treatments of this kind."""

    @abc.abstractmethod
    def alike(self, t: Float[np.ndarray, " n"], value: float) -> Bool[np.ndarray, " n"]:
        """Tell which rows had this treatment, or nearly this dose."""

    @abc.abstractmethod
    def rounded(self, t: np.ndarray) -> np.ndarray:
        """Return treatments in which those that hardly differ are made equal."""

    @abc.abstractmethod
    def groups(self, t: Float[np.ndarray, " n"]) -> tuple[tuple[str, ...], Int[np.ndarray, " n"]]:
        """Return names of groups of rows that were treated alike, and the group of each row."""

    def order(self, groups: int) -> Int[np.ndarray, " g"]:
        """Return the numbers of the groups in the order that people expect."""
        return np.arange(groups)

    @abc.abstractmethod
    def check_rows(self, t: Float[np.ndarray, " n"], needed: int, purpose: str) -> None:
        """Raise if a group has fewer rows than a method needs; `purpose` says what for."""

    @abc.abstractmethod
    def columns(self, t: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n c"]:
        """Return the treatment as columns of numbers, to be compared with covariates."""

    @abc.abstractmethod
    def words(self, summary: dict[str, Any]) -> str:
        """Write what the treatment is and how rows were treated; `summary` is as returned below."""

    @abc.abstractmethod
    def summary(self, t: Float[np.ndarray, " n"]) -> dict[str, Any]:
        """Return what a model remembers about how rows were treated, as plain JSON."""

    @abc.abstractmethod
    def table(self, summary: dict[str, Any]) -> tuple[tuple[str, ...], list[tuple[Any, ...]]]:
        """Return a summary as a table for people: its header and its rows."""

    @abc.abstractmethod
    def summary_checks(self) -> dict[str, Callable[[Any], bool]]:
        """Return a check for each part of a summary that was read from a file."""

    @abc.abstractmethod
    def to_json(self) -> dict[str, Any]:
        """Return the treatment as plain values of JSON."""

    @classmethod
    @abc.abstractmethod
    def from_json(cls, value: Any) -> AbstractTreatment:
        """Make a treatment from the result of `to_json`; anything else is refused."""

    @abc.abstractmethod
    def refused_by(self, method: str) -> BadInput:
        """Return the error for a method that cannot learn from such a treatment."""
