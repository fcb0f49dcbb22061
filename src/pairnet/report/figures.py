"""Pictures: each function returns a matplotlib figure, and neither shows nor saves it."""

from __future__ import annotations

import warnings
from typing import Any

import jax.numpy as jnp
import jax.random as jr
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from pairnet.bench.evaluate import Scores
from pairnet.core.treatments import Dose, dose_grid
from pairnet.core.types import Embedded, number
from pairnet.methods import Estimator
from pairnet.pairing import Neighbours
from pairnet.studies import Study, load

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#777777"  # everyone can tell them apart, also in print


def demo_figure(study: Study, results: list[Scores], *, seed: int = 0) -> Figure:
    """Draw true against estimated effects of each method, and pairs on a study of one covariate."""
    figure = Figure(figsize=(4.2 * (len(results) + 1), 4.3), layout="constrained")
    axes = figure.subplots(1, len(results) + 1)
    truth = study.effect(study.test)[0]
    values = np.concatenate([truth, *(scores.effect_out[0] for scores in results)])
    room = 0.05 * np.ptp(values)
    ends = (values.min() - room, values.max() + room)
    for axis, scores in zip(axes, results, strict=False):
        _draw_estimates(axis, truth, scores, ends)
    draw_pairs(axes[-1], seed=seed)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def dose_figure(
    model: Estimator,
    X: Any,
    *,
    observed: Any = None,
    grid: Any = None,
    rows: int = 30,
    labels: tuple[str, str] = ("dose", "expected outcome"),
) -> Figure:
    """Draw each row's response to the dose, the average, and a rug of the observed doses.

    observed: the doses of the table that the model was fitted to, for the rug. rows: how many rows
    are drawn, the first ones of X; the average is over all rows. If a grid goes beyond the observed
    doses, that part is grey.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the grey part of the picture shows it
        curves = model.dose_response(X, grid)  # raises if something is wrong
    dose = model.treatment_
    assert isinstance(dose, Dose)
    doses = dose_grid(dose) if grid is None else np.asarray(grid, float)
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axis = figure.subplots()
    _draw_curves(axis, doses, curves, rows)
    _shade_beyond(axis, doses, dose)
    if observed is not None:
        _draw_rug(axis, dose.amount(dose.encode(observed, "observed")).reshape(-1))
    axis.set(xlabel=labels[0], ylabel=labels[1])
    axis.set_xlim(doses.min(), doses.max())
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9)
    return figure


def draw_pairs(axis: Axes, *, seed: int = 0, pairs: int = 1) -> None:
    """Draw the paper's Figure 1a: rows of two arms on a line, true outcomes, and near pairs."""
    study = load("gp", seed=seed, test=200)
    rows = study.part(study.train)
    x, t, y = rows.x[0, :, 0], rows.t[0], rows.y[0]
    for i, partners in enumerate(_partners(rows.x[0], t, pairs)):
        for j in partners:
            axis.plot(x[[i, j]], y[[i, j]], color="black", linewidth=0.8, alpha=0.6, zorder=1)
    axis.plot([], [], color="black", linewidth=0.8, label="a pair")
    every_x, truth = study.rows.x[0, study.test, 0], study.mu[0, study.test]
    for arm, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "s")):
        look: dict[str, Any] = {"color": colour, "marker": marker, "s": 34, "zorder": 3}
        axis.scatter(x[t == arm], y[t == arm], label=f"observed, arm {arm}", **look)
        axis.plot(every_x, truth[:, arm], color=colour, linewidth=1.2, linestyle=":", zorder=2)
    axis.set(xlabel="covariate x", ylabel="outcome y")
    axis.margins(y=0.12)
    axis.set_title("Pairs in one dimension (dotted: truth)", fontsize=11)
    below: dict[str, Any] = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.14), "ncols": 3}
    axis.legend(frameon=False, fontsize=9, handletextpad=0.3, **below)


def _draw_estimates(
    axis: Axes, truth: np.ndarray, scores: Scores, ends: tuple[float, float]
) -> None:
    """Draw the effects that a method estimates against the true ones."""
    estimates = scores.effect_out[0]
    look: dict[str, Any] = {"s": 9, "alpha": 0.6, "color": BLUE, "linewidths": 0}
    axis.plot(ends, ends, color=GREY, linewidth=1, label="exact", zorder=1)
    axis.scatter(truth, estimates, label="a test row", **look)
    axis.set(xlabel="true effect", ylabel="estimated effect", xlim=ends, ylim=ends)
    title = f"{scores.method}: PEHE {scores.pehe_out[0]:.2f} (realisation 1)"
    axis.set_title(title, fontsize=11)
    axis.legend(frameon=False, loc="upper left")


def _draw_curves(axis: Axes, doses: np.ndarray, curves: np.ndarray, rows: int) -> None:
    """Draw the responses of some rows, and the average of all."""
    for k, curve in enumerate(curves[:rows]):
        label = "one row" if k == 0 else None
        axis.plot(doses, curve, color=GREY, linewidth=0.7, alpha=0.5, label=label)
    axis.plot(doses, curves.mean(axis=0), color=BLUE, linewidth=2.4, label="average of all rows")


def _shade_beyond(axis: Axes, doses: np.ndarray, dose: Dose) -> None:
    """Shade where no dose was observed."""
    spans = ((doses.min(), dose.low), (dose.high, doses.max()))
    beyond = [span for span in spans if span[1] - span[0] > 1e-9 * (dose.high - dose.low)]
    for k, span in enumerate(beyond):
        label = "no dose was observed" if k == 0 else None
        axis.axvspan(*span, color="#dddddd", linewidth=0, zorder=0, label=label)


def _draw_rug(axis: Axes, doses: np.ndarray) -> None:
    """Mark the observed doses on the axis itself."""
    look: dict[str, Any] = {"color": ORANGE, "markersize": 11}
    alpha = min(1.0, 60 / max(1, len(doses)))
    (rug,) = axis.plot(doses, np.zeros(len(doses)), "|", alpha=alpha, clip_on=False, **look)
    rug.set_transform(axis.get_xaxis_transform())
    axis.plot([], [], "|", label="an observed dose", **look)


def _partners(x: np.ndarray, t: np.ndarray, pairs: int) -> np.ndarray:
    """Return the partners that pair training would draw for each row, usually the nearest."""
    place, arm = jnp.asarray(x, jnp.float32), jnp.asarray(t, jnp.float32)
    everyone = Embedded(place, arm, weight=jnp.ones(len(t)), row=jnp.arange(len(t)))
    nearest = Neighbours(pairs, number(0.05), number(0.0), True)
    return np.asarray(nearest.draw(everyone, everyone, jr.key(0)).index)
