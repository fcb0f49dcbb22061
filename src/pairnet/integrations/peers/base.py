"""What a method of another library must do here: learn effects of rows from a table of two arms."""

from __future__ import annotations

import abc
import functools
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float, Int

from pairnet.core.errors import NotInstalled

Effects = Callable[[Float[np.ndarray, "n d"]], Float[np.ndarray, " n"]]


@dataclass(frozen=True)
class AbstractPeer(abc.ABC):
    """Hyperparameters, and a way from rows to effects. All of it runs on one core."""

    package: ClassVar[str]  # the package to import
    title: ClassVar[str]  # what people call it

    def learn(
        self,
        x: Float[np.ndarray, "n d"],
        t: Int[np.ndarray, " n"],
        y: Float[np.ndarray, " n"],
        seed: int,
    ) -> Effects:
        """Return a function from covariates to effects of arm 1 against arm 0.

        t: 0 or 1. The same seed and rows give the same effects.
        """
        if not self.is_installed():
            raise NotInstalled(f"{type(self).__name__} needs", self.title, "'pairnet[peers]'")
        effects = _quiet(self._learned)(x, t, y, seed)
        return _quiet(effects)

    def is_installed(self) -> bool:
        """Tell whether the other library is there."""
        return find_spec(self.package) is not None

    @abc.abstractmethod
    def _learned(self, x: np.ndarray, t: np.ndarray, y: np.ndarray, seed: int) -> Effects:
        """Do what `learn` says, with the library at hand."""


def _quiet(does: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function without its warnings, which are for the authors of other libraries."""

    @functools.wraps(does)
    def quietly(*args: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return does(*args)

    return quietly
