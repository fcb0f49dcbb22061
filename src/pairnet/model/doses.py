"""What people ask of a model of doses: responses and slopes, and how sure these are."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float
from sklearn.exceptions import NotFittedError

from pairnet.core.errors import BadInput
from pairnet.core.treatments import dose_grid
from pairnet.inference import intervals
from pairnet.model.model import Model
from pairnet.model.responses import KINDS, Responses
from pairnet.tables import AbstractTable, opened


class AskedOfDoses:
    """Answers about doses; `model_` is the fitted model as one frozen value."""

    model_: Model

    @property
    def _model(self) -> Model:
        if not hasattr(self, "model_"):
            raise NotFittedError(
                f"This {type(self).__name__} is not fitted yet. Call fit(X, y, treatment=t) first."
            )
        return self.model_

    def dose_response(self, X: Any, grid: Any = None) -> Float[np.ndarray, "n g"]:
        """Return each row's expected outcome under every dose of `grid`.

        If the grid is left out, it has 64 even steps over the range of the doses.
        """
        return self.member_responses(X, grid).mean(axis=0)

    def member_responses(self, X: Any, grid: Any = None) -> Float[np.ndarray, "m n g"]:
        """Return each row's dose response by every member; `dose_response` is their mean."""
        return self._responses(X, grid).members

    def dose_response_interval(
        self, X: Any, grid: Any = None, *, alpha: float = 0.05
    ) -> tuple[Float[np.ndarray, "n g"], Float[np.ndarray, "n g"]]:
        """Return the lower and upper ends of `dose_response`, for each dose by itself.

        The share `alpha` may miss at one dose, so more curves leave the band somewhere. It needs
        members of bootstrap=True, or a stack.
        """
        intervals.check_level(alpha)
        return self._responses(X, grid).interval(float(alpha))

    def average_dose_response(
        self, X: Any, grid: Any = None, *, kind: str = "plugin"
    ) -> Float[np.ndarray, " g"]:
        """Return the expected outcome under every dose of `grid`, averaged over the rows of X.

        kind: "plugin" is the mean of the model's own responses; "doubly robust" is corrected by
        the outcomes of rows of the fit whose doses are near.
        """
        intervals.check_kind(kind, KINDS)
        return self._responses(X, grid).average(kind)

    def average_dose_response_interval(
        self, X: Any, grid: Any = None, *, alpha: float = 0.05, kind: str = "bootstrap"
    ) -> tuple[Float[np.ndarray, " g"], Float[np.ndarray, " g"]]:
        """Return the lower and upper ends of the average response, for each dose by itself.

        It is for the average among people of whom X is a sample. kind: "bootstrap" is around the
        members' average (fit with bootstrap=True), "doubly robust" around
        `average_dose_response(X, kind="doubly robust")`.
        """
        intervals.check_level(alpha)
        intervals.check_kind(kind, ("bootstrap", "doubly robust"))
        return self._responses(X, grid).average_interval(float(alpha), kind)

    def marginal_effect(self, T: Any, X: Any) -> Any:
        """Return how fast each row's outcome changes at the dose T, per unit of dose.

        T is one dose for all rows, or one a row.
        """
        table, x, t = self._at(T, X)
        return table.series(self._model.slopes(x, t).mean(axis=0), "marginal_effect")

    def marginal_effect_interval(self, T: Any, X: Any, *, alpha: float = 0.05) -> tuple[Any, Any]:
        """Return the lower and upper ends of each row's marginal effect.

        It needs members of bootstrap=True, or a stack.
        """
        intervals.check_level(alpha)
        table, x, t = self._at(T, X)
        model = self._model
        model.need_interval()
        by_learner = model.each_learner(lambda part: part.slope(x, t) / model.treatment.span)
        lower, upper = intervals.of_answers(model.slopes(x, t), by_learner, float(alpha))
        return table.series(lower, "lower"), table.series(upper, "upper")

    def _responses(self, X: Any, grid: Any) -> Responses:
        model = self._model
        x = model.encoded(opened(X))
        model.need_doses("dose_response")
        doses = dose_grid(model.treatment) if grid is None else grid  # type: ignore[arg-type]
        places = np.atleast_1d(model.treatment.encode(doses, "grid"))
        if places.ndim != 1 or places.size == 0:
            problem = f"must be a list of one or more doses, got shape {places.shape}"
            raise BadInput("grid", problem)
        return Responses(model, x, places)

    def _at(self, T: Any, X: Any) -> tuple[AbstractTable, np.ndarray, np.ndarray]:
        """Return the table of the rows, their covariates and the places of the doses T."""
        model, table = self._model, opened(X)
        x = model.encoded(table)
        model.need_doses("marginal_effect")
        return table, x, model.inside(T, "T", len(x))
