"""Where intervals of effects go wrong: bias, or a spread of members that is too small?

`python benchmarks/coverage.py --decompose --raw fits --out results/decompose.csv --figure
docs/decompose.svg`, with `--only confounded-500` and `--learners PairNet` for some of it.

A population is one surface of effects. Several tables are drawn from it, and each is fitted with
bootstrapped members; all are asked about the same rows. So each row has

- a bias: the mean over tables of the members' mean, less the truth;
- an error by chance: how far the members' means of several tables lie apart;
- a spread: the standard deviation of the members of one table, which should be that error.

No table of a report is among the populations. `--raw` keeps every member's effects; what is there
is not fitted again.
"""

from __future__ import annotations

import csv
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import stats

from pairnet.methods import LinearSLearner, LinearTLearner, PairNet, Stack, TARNet, TreeXLearner
from pairnet.studies import load
from pairnet.studies.shapes import SHAPES
from pairnet.training import Plan, pilots

MEMBERS, TEST, LEVELS = 5, 500, (0.8, 0.95)
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#000000", "#56b4e9")
HEADER = [
    *("population", "learner", "tables", "rows", "effects", "error", "bias", "chance", "spread"),
    *("held_80", "held_95", "own_mean_held_95", "width_95", "cpu_seconds"),
]
BOTH = {"members": MEMBERS, "bootstrap": True}


class Tables(NamedTuple):
    """Tables of one population, all as long, and the rows that are asked about."""

    x: np.ndarray
    t: np.ndarray
    y: np.ndarray
    asked: np.ndarray
    effect: np.ndarray


class Learner(NamedTuple):
    """What is fitted to how many tables."""

    make: Callable
    tables: int
    weakest: float = pilots.WEAKEST  # the weakest penalty that pilots may choose
    cheap: bool = False  # whether it is fitted to every population


LEARNERS = {
    "LinearTLearner": Learner(lambda: LinearTLearner(**BOTH), 20, cheap=True),
    "TreeXLearner": Learner(lambda: TreeXLearner(**BOTH), 4, cheap=True),
    "Stack of lines and trees": Learner(
        lambda: Stack(learners=[LinearSLearner(), TreeXLearner()]), 3, cheap=True
    ),
    "PairNet": Learner(lambda: PairNet(**BOTH), 2),
    "PairNet-rows": Learner(lambda: PairNet(**BOTH, plan=Plan(penalty="rows")), 2),
    "PairNet-sixteenth": Learner(lambda: PairNet(**BOTH), 2, weakest=1 / 16),
    "TARNet": Learner(lambda: TARNet(**BOTH), 2),
}


def _from(study: str, rows: int, /, **options) -> Callable[[int], Tables]:
    """Return what cuts one large table of a study into so many tables."""

    def draw(tables: int) -> Tables:
        many = load(study, realisations=1, rows=rows * tables, test=TEST, **options)
        part = many.part(many.train)
        cut = lambda values: np.asarray(values[0]).reshape(tables, rows, *values.shape[2:])
        x, t, y = cut(part.x), cut(part.t), cut(part.y)
        return Tables(x, t, y, np.asarray(many.part(many.test).x[0]), many.effect(many.test)[0])

    return draw


def _ihdp_anew(tables: int) -> Tables:
    """Return IHDP's rows with one surface drawn as by Hill (2011), and outcomes drawn anew."""
    study, rng = load("ihdp"), np.random.default_rng(172)
    x, t = np.asarray(study.rows.x, float).reshape(-1, study.rows.x.shape[-1]), study.rows.t[0]
    x, t = x[: len(t)], np.asarray(t)
    beta = rng.choice([0, 0.1, 0.2, 0.3, 0.4], x.shape[1], p=[0.6, 0.1, 0.1, 0.1, 0.1])
    mu = np.stack([np.exp((x + 0.5) @ beta), x @ beta])
    mu[1] += 4 - (mu[1] - mu[0])[t == 1].mean()
    seen = rng.permutation(len(t))[:672]
    y = np.where(t == 1, mu[1], mu[0])[seen] + rng.normal(size=(tables, 672))
    repeated = lambda values: np.broadcast_to(values[seen], (tables, *values[seen].shape))
    unseen = np.setdiff1d(np.arange(len(t)), seen)
    return Tables(repeated(x), repeated(t), y, x[unseen], (mu[1] - mu[0])[unseen])


_confounded = lambda rows, seed, **options: _from(
    "confounded", rows, covariates=10, seed=seed, **options
)
_shape = lambda kind, **options: _from("shapes", 1000, kind=kind, covariates=20, **options)
POPULATIONS = {  # those of networks, too
    "confounded-500": _confounded(500, 171),
    "confounded-2000": _confounded(2000, 171),
    "confounded-2000-few": _confounded(2000, 173, treated=0.05),
    "confounded-yes-no": _confounded(1000, 175, binary=True),
    **{kind: _shape(kind, seed=1200 + number) for number, kind in enumerate(SHAPES)},
    "smooth-yes-no": _shape("smooth", seed=176, binary=True),
    "ihdp-anew": _ihdp_anew,
}
CHEAP = {  # one thing changes at a time
    **{f"rows {rows}": _confounded(rows, 171) for rows in (250, 1000, 4000)},
    **{f"noise {noise:g}": _confounded(1000, 171, noise=noise) for noise in (0.3, 3.0)},
    **{f"treated {share:g}": _confounded(1000, 171, treated=share) for share in (0.05, 0.1, 0.5)},
}


def decompose(raw: Path, out: str, only: str | None, learners: str | None) -> None:
    """Fit what is missing among the raw fits, and write a line for each population and learner.

    only, learners: names with commas between them (left out: all); with `only=""` nothing is
    fitted, and what is there is written.
    """
    raw.mkdir(parents=True, exist_ok=True)
    populations, lines = {**POPULATIONS, **CHEAP}, []
    for population, draw in populations.items():
        for name, learner in LEARNERS.items():
            path = raw / f"{population}, {name}.npz"
            wanted = _is_in(only, population) and _is_in(learners, name)
            if not path.exists() and wanted and (learner.cheap or population in POPULATIONS):
                np.savez_compressed(path, **_fits(draw, learner))
            if path.exists():
                lines.append([population, name, *_line(dict(np.load(path)))])
                print(*lines[-1], sep=" | ", flush=True)
    with open(out, "w", newline="") as stream:
        csv.writer(stream).writerows([HEADER, *lines])


def _is_in(names: str | None, name: str) -> bool:
    return names is None or name in names.split(",")


def figure(out: str, path: str) -> None:
    """Draw how often 95 % intervals hold the truth by how large bias is, beside what bias does."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    with open(out, newline="") as stream:
        lines = list(csv.DictReader(stream))
    rcParams["svg.fonttype"], rcParams["svg.hashsalt"] = "none", "decompose"
    picture = Figure(figsize=(7, 4.2), layout="constrained")
    axis = picture.subplots()
    names = list(dict.fromkeys(line["learner"] for line in lines))
    for number, name in enumerate(names):
        own = [line for line in lines if line["learner"] == name]
        ratio = [float(line["bias"]) / float(line["chance"]) for line in own]
        held = [100 * float(line["held_95"]) for line in own]
        axis.scatter(ratio, held, s=26, color=COLOURS[number], marker="osD^vP"[number], label=name)
    most = axis.get_xlim()[1]
    ratio, factor = np.linspace(0, most, 100), stats.t.ppf(0.975, MEMBERS - 1)
    t = stats.nct(MEMBERS - 1, ratio)
    alone = t.cdf(factor) - t.cdf(-factor)
    axis.plot(ratio, 100 * alone, color="#777777", label="if every row had just this bias")
    axis.axhline(95, color="#777777", linewidth=0.8, linestyle=":")
    axis.set(xlabel="bias, in units of the error by chance", xlim=(0, most), ylim=(0, 102))
    axis.set_ylabel("rows whose 95 % interval holds the effect, %")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=9)
    picture.savefig(path, metadata={"Date": None, "Creator": None})


def _fits(draw: Callable[[int], Tables], learner: Learner) -> dict[str, np.ndarray]:
    tables, begun = draw(learner.tables), time.process_time()
    answers, ends = [], []
    usual, pilots.WEAKEST = pilots.WEAKEST, learner.weakest
    for x, t, y in zip(tables.x, tables.t, tables.y, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            method = learner.make().fit(x, y, treatment=t.astype(int))
        answers.append(method.member_effects(tables.asked))
        ends.append([method.effect_interval(tables.asked, alpha=1 - level) for level in LEVELS])
    pilots.WEAKEST = usual
    return {
        "members": np.asarray(answers, np.float32),
        "ends": np.asarray(ends, np.float32),  # by table, level and side
        "effect": tables.effect,
        "rows": np.array(tables.x.shape[1]),
        "seconds": np.array((time.process_time() - begun) / len(answers)),
    }


def parts(members: np.ndarray, effect: np.ndarray) -> dict[str, float]:
    """Return root mean squares over rows of effects, errors, bias, chance and spread.

    members: effects by table, member and row. Of the square of a mean of so many tables, what
    chance leaves in it is taken off.
    """
    middle, count = members.mean(axis=1), len(members)
    chance = middle.var(axis=0, ddof=1)
    bias = (middle.mean(axis=0) - effect) ** 2 - chance / count
    squares = {
        "effects": (effect - effect.mean()) ** 2,
        "error": (middle - effect) ** 2,
        "bias": bias,
        "chance": chance,
        "spread": members.var(axis=1, ddof=1),
    }
    return {name: float(np.sqrt(max(square.mean(), 0))) for name, square in squares.items()}


def _line(fits: dict[str, np.ndarray]) -> list[str]:
    members, effect = fits["members"].astype(float), fits["effect"]
    lower, upper = fits["ends"].astype(float).transpose(2, 1, 0, 3)  # by level, table and row
    held = np.mean((lower <= effect) & (effect <= upper), axis=(1, 2))
    wide = upper[1] - lower[1]
    # What members of other tables say on average is the truth without any bias.
    middle, count = members.mean(axis=1), len(members)
    others = (middle.sum(axis=0) - middle) / (count - 1)
    reach = wide / 2 * np.sqrt(count / (count - 1))
    of_mean = np.mean(np.abs(middle - others) <= reach)
    numbers = [*parts(members, effect).values(), *held, of_mean]
    numbers.append(float(np.median(wide)))
    whole = [str(count), str(int(fits["rows"]))]
    return [*whole, *(f"{value:.3f}" for value in numbers), f"{float(fits['seconds']):.1f}"]
