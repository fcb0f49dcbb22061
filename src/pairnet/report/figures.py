"""Pictures. Each function returns a matplotlib figure; nothing is shown or saved here."""

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
from pairnet.methods import NetworkEstimator
from pairnet.pairing import Neighbours
from pairnet.studies import Study, load

BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "#777777"  # told apart by everyone, in print too


def demo_figure(study: Study, results: list[Scores], *, seed: int = 0) -> Figure:
    """True against estimated effect for every method, and the pairs drawn on the paper's
    one-dimensional study."""
    figure = Figure(figsize=(4.2 * (len(results) + 1), 4.3), layout="constrained")
    axes = figure.subplots(1, len(results) + 1)
    truth = study.effect(study.test)[0]
    values = np.concatenate([truth, *(scores.effect_out[0] for scores in results)])
    low, high = values.min() - 0.05 * np.ptp(values), values.max() + 0.05 * np.ptp(values)
    for axis, scores in zip(axes, results, strict=False):
        axis.plot([low, high], [low, high], color=GREY, linewidth=1, label="exact", zorder=1)
        axis.scatter(
            truth,
            scores.effect_out[0],
            s=9,
            alpha=0.6,
            color=BLUE,
            linewidths=0,
            label="a test row",
        )
        axis.set(
            xlabel="true effect", ylabel="estimated effect", xlim=(low, high), ylim=(low, high)
        )
        axis.set_title(
            f"{scores.method}: PEHE {scores.pehe_out[0]:.2f} (realisation 1)", fontsize=11
        )
        axis.legend(frameon=False, loc="upper left")
    draw_pairs(axes[-1], seed=seed)
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def dose_figure(
    model: NetworkEstimator,
    X: Any,
    *,
    observed: Any = None,
    grid: Any = None,
    rows: int = 30,
    labels: tuple[str, str] = ("dose", "expected outcome"),
) -> Figure:
    """Each row's response to the dose and the average, with a rug of the doses that were observed.

    observed: the doses of the table that the model was fitted to, for the rug. rows: how many rows
    are drawn, the first ones of X; the average is over all. Where a grid goes beyond the observed
    doses, that part is grey.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # the grey part says it
        curves = model.dose_response(X, grid)  # says what is wrong, if anything
    dose = model.treatment_
    assert isinstance(dose, Dose)
    doses = dose_grid(dose) if grid is None else np.asarray(grid, float)
    figure = Figure(figsize=(6.4, 4.4), layout="constrained")
    axis = figure.subplots()
    for k, curve in enumerate(curves[:rows]):
        axis.plot(
            doses, curve, color=GREY, linewidth=0.7, alpha=0.5, label="one row" if k == 0 else None
        )
    axis.plot(doses, curves.mean(axis=0), color=BLUE, linewidth=2.4, label="average of all rows")
    ends = ((doses.min(), dose.low), (dose.high, doses.max()))
    outside = [end for end in ends if end[1] - end[0] > 1e-9 * (dose.high - dose.low)]
    for k, end in enumerate(outside):
        axis.axvspan(
            *end,
            color="#dddddd",
            linewidth=0,
            zorder=0,
            label="no dose was observed" if k == 0 else None,
        )
    if observed is not None:
        rug = dose.amount(dose.encode(observed, "observed")).reshape(-1)
        faint = min(1.0, 60 / max(1, len(rug)))
        (line,) = axis.plot(
            rug, np.zeros(len(rug)), "|", color=ORANGE, alpha=faint, markersize=11, clip_on=False
        )
        line.set_transform(axis.get_xaxis_transform())  # on the axis itself
        axis.plot([], [], "|", color=ORANGE, markersize=11, label="an observed dose")
    axis.set(xlabel=labels[0], ylabel=labels[1])
    axis.set_xlim(doses.min(), doses.max())
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9)
    return figure


def draw_pairs(axis: Axes, *, seed: int = 0, pairs: int = 1) -> None:
    """Draw the paper's Figure 1a: rows of two arms on a line, true outcomes, and the pairs between
    near rows."""
    study = load("gp", seed=seed, test=200)
    rows = study.part(study.train)
    x, t, y = rows.x[0, :, 0], rows.t[0], rows.y[0]
    place, arm_of = jnp.asarray(rows.x[0], jnp.float32), jnp.asarray(t, jnp.float32)
    everyone = Embedded(place, arm_of, weight=jnp.ones(len(t)), row=jnp.arange(len(t)))
    nearest = Neighbours(pairs, number(0.05), number(0.0), True)
    partners = np.asarray(nearest.draw(everyone, everyone, jr.key(seed)).index)
    for i, chosen in enumerate(partners):
        for j in chosen:
            axis.plot(x[[i, j]], y[[i, j]], color="black", linewidth=0.8, alpha=0.6, zorder=1)
    axis.plot([], [], color="black", linewidth=0.8, label="a pair")
    for arm, colour, marker in ((0, BLUE, "o"), (1, ORANGE, "s")):
        curve = study.mu[0, study.test, arm]
        axis.plot(
            study.rows.x[0, study.test, 0],
            curve,
            color=colour,
            linewidth=1.2,
            linestyle=":",
            zorder=2,
        )
        mine = t == arm
        axis.scatter(
            x[mine],
            y[mine],
            color=colour,
            marker=marker,
            s=34,
            label=f"observed, arm {arm}",
            zorder=3,
        )
    axis.set(xlabel="covariate x", ylabel="outcome y")
    axis.margins(y=0.12)
    axis.set_title("Pairs in one dimension (dotted: truth)", fontsize=11)
    axis.legend(
        frameon=False,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.14),
        ncols=3,
        fontsize=9,
        handletextpad=0.3,
    )
