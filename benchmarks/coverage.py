"""How often intervals hold the truth, and how wide they are, on studies whose true effects are
known.

    python benchmarks/coverage.py --out results/coverage.csv [--realisations 10] [--members 5]
        [--only confounded-500]

Needs the data files (PAIRNET_DATA) for all but `confounded`. Every realisation is fitted with
bootstrapped members and a fifth of the rows kept out. Effects are those of rows not trained on.
Targets: "effect" is the true effect of a row, "pair" the difference of two outcomes with their
noise (that of the study, drawn anew), "average" the mean true effect of all rows of the
realisation. Width is the median over rows; "infinite" is the share of rows whose interval has no
end. No constant of an interval was chosen by looking at these figures. `--table
results/coverage.csv` prints what was measured as the table of docs/intervals.md. `--decompose`
says where intervals of effects go wrong: see decompose.py.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import time
from pathlib import Path

import decompose
import equinox as eqx
import jax
import numpy as np

from pairnet.core.treatments import Treatment
from pairnet.core.types import Rows
from pairnet.evidence.memory import Memory
from pairnet.inference import resampling
from pairnet.learners.networked import NetworkPredictor
from pairnet.methods import PairNet, Stack, VCNet
from pairnet.model.model import Model
from pairnet.model.question import Question
from pairnet.studies import Study, load
from pairnet.tables import Schema
from pairnet.training import Fitted

LEVELS = (0.2, 0.1, 0.05)
CALIBRATION = 0.2
HEADER = [
    "study",
    "realisations",
    "members",
    "interval",
    "target",
    "level",
    "coverage",
    "error",
    "width",
    "infinite",
]
HEADER += ["seconds"]


def studies(count: int) -> dict:
    """Return how to load each study."""
    first = range(1, count + 1)
    return {
        "confounded-500": lambda: load("confounded", rows=500, test=2000, realisations=count),
        "confounded-2000": lambda: load("confounded", rows=2000, test=2000, realisations=count),
        "confounded-5000": lambda: load("confounded", rows=5000, test=2000, realisations=count),
        "confounded-yes-no-1000": lambda: load(
            "confounded", rows=1000, test=2000, realisations=count, binary=True
        ),
        "confounded-dose-1000": lambda: load(
            "confounded", rows=1000, test=2000, realisations=count, dose=True
        ),
        **{
            kind: lambda kind=kind: load(
                "shapes", kind=kind, rows=1000, covariates=20, realisations=count, seed=1
            )
            for kind in ("steps", "lines", "rare", "sparse")
        },
        "ihdp": lambda: load("ihdp", realisations=first),
        "acic2016": lambda: _some(load("acic2016"), count),
        "ihdp-dose": lambda: load("ihdp-dose", realisations=first),
    }


def _some(study: Study, count: int) -> Study:
    """Return realisations at even steps, so that all settings take part."""
    chosen = np.unique(np.linspace(0, len(study) - 1, min(count, len(study))).astype(int))
    pick = lambda values, axes: values[chosen] if values.ndim == axes else values
    rows = study.rows
    return dataclasses.replace(
        study,
        rows=Rows(pick(rows.x, 3), rows.t[chosen], rows.y[chosen], rows.weight[chosen]),
        mu=study.mu[chosen],
        mean=study.mean[chosen],
        train=pick(study.train, 2),
        test=pick(study.test, 2),
        propensity=None,
    )


def of_one(fitted: Fitted, k: int) -> Fitted:
    """Return realisation k of a fit of many; covariates' units may be shared."""
    take = lambda tree: jax.tree.map(lambda leaf: leaf[k : k + 1], tree)
    scaling = fitted.scaling
    shared = scaling.centre.ndim == 1
    mine = dataclasses.replace(
        scaling,
        centre=scaling.centre if shared else scaling.centre[k : k + 1],
        spread=scaling.spread if shared else scaling.spread[k : k + 1],
        location=scaling.location[k : k + 1],
        unit=scaling.unit[k : k + 1],
    )
    parts = lambda f: (f.networks, f.offset, f.rounds, f.score)
    cut = eqx.tree_at(parts, fitted, tuple(take(part) for part in parts(fitted)))
    return eqx.tree_at(lambda f: f.scaling, cut, mine, is_leaf=lambda leaf: leaf is scaling)


def measure_stack(study: Study, seed: int):
    """Yield the same of stacks, fitted table by table to all rows; and the errors of effects.

    Of a line "error" the coverage is the root mean squared error of effects, that of the average is
    how far it is off.
    """
    rows, test = study.part(study.train), study.part(study.test)
    places = (16, 48) if study.treatment.whole_range else (0, 1)
    T0, T1 = (study.grid[place] for place in places)
    kind = "dose" if study.treatment.whole_range else "arms"
    pick = lambda x, k: np.asarray(x if x.ndim == 2 else x[k], np.float64)
    measured: dict[tuple, list] = {}
    for k in range(len(study)):
        stack = Stack(seed=seed, treatment=kind).fit(
            pick(rows.x, k), np.asarray(rows.y[k]), treatment=np.asarray(rows.t[k])
        )
        asked = stack.ask(pick(test.x, k), T0=T0, T1=T1)
        everyone = stack.ask(pick(rows.x, k), T0=T0, T1=T1)
        effect, own = study.effect(study.test, *places)[k], study.effect(study.train, *places)[k]
        averages = {"all": own.mean()}
        if kind == "arms":
            averages["treated"] = own[np.asarray(rows.t[k]) == 1].mean()
        found = [("error", "effect", 0.0, np.sqrt(np.mean((asked.effect - effect) ** 2)), 0.0, 0.0)]
        found += [("error", "average", 0.0, everyone.mean - averages["all"], 0.0, 0.0)]
        for alpha in LEVELS:
            ends, within = asked.interval(alpha), _of_averages(everyone, averages, alpha)
            for (interval, target), ((low, high), truth) in [
                (("stack", "effect"), (ends, effect)),
                *((("stack" if i == "bootstrap" else i, of), value) for (i, of), value in within),
            ]:
                held = np.mean((low <= truth) & (truth <= high))
                found.append((interval, target, alpha, held, *_width(np.asarray(high - low))))
        for interval, target, alpha, *values in found:
            measured.setdefault((interval, target, alpha), []).append(values)
        print(k, *(f"{value:.3f}" for _, _, _, value, _, _ in found), flush=True)
    for name, values in measured.items():
        covered, width, infinite = np.array(values).T
        yield *name, covered, width.mean(), infinite.mean()


def measure(study: Study, members: int, seed: int):
    """Yield what was measured of one study, for each interval, target and level.

    It is the coverage of every realisation, the width, and the share of rows without an end.
    """
    rows, kind = study.part(study.train), study.treatment
    t = np.asarray(rows.t)
    out = np.stack([resampling.kept_out(each, kind.strata, CALIBRATION, seed) for each in t])
    base = VCNet() if kind.whole_range else None
    method = PairNet(base=base, members=members, bootstrap=True, seed=seed)
    seen = Rows(rows.x, rows.t, rows.y, np.where(out, 0.0, rows.weight))
    fitted = method.fit_replications(seen, kind)
    drawn = resampling.bootstrap(t, kind.strata, members, seed, method.rows_needed)
    draws = np.where(out[:, None], 0, drawn)
    places = (16, 48) if kind.whole_range else (0, 1)  # on the grid of the truth
    test, train_effect = study.part(study.test), study.effect(study.train, *places)
    effect = study.effect(study.test, *places)
    pick = lambda x, k: np.asarray(x if x.ndim == 2 else x[k], np.float64)
    rng = np.random.default_rng(seed)
    measured: dict[tuple, list] = {}
    for k in range(len(study)):
        model = model_of(fitted, k, kind, pick(rows.x, k), rows, draws[k])
        t0, t1 = (np.asarray(study.grid[place], np.float32) for place in places)
        asked = Question(model, pick(test.x, k), t0, t1, t0, t1)
        everyone = Question(model, model.memory.x, t0, t1, t0, t1)
        noise = _noise(study, k, len(asked.x), rng) - _noise(study, k, len(asked.x), rng)
        averages = {"all": np.concatenate([train_effect[k], effect[k]]).mean()}
        if not kind.whole_range:
            averages["treated"] = train_effect[k][t[k] == 1].mean()
        for alpha in LEVELS:
            for name, (ends, truth) in _targets(asked, everyone, effect[k], noise, averages, alpha):
                covered = np.mean((ends[0] <= truth) & (truth <= ends[1]))
                measured.setdefault((*name, alpha), []).append(
                    (covered, *_width(ends[1] - ends[0]))
                )
    for (interval, target, alpha), values in sorted(
        measured.items(), key=lambda item: (item[0][1], item[0][0])
    ):
        covered, width, infinite = np.array(values).T
        yield interval, target, alpha, covered, width.mean(), infinite.mean()


def model_of(
    fitted: Fitted, k: int, kind: Treatment, x: np.ndarray, rows: Rows, draws: np.ndarray
) -> Model:
    """Return the model of realisation k, with the rows that it was trained on."""
    t, y, weight = (np.asarray(values[k], np.float64) for values in (rows.t, rows.y, rows.weight))
    memory = Memory(x, t, y, weight, np.arange(len(x)), draws, kind, {})
    predictor, outcome = NetworkPredictor(of_one(fitted, k)), fitted.reading.kind
    return Model(predictor, kind, outcome, None, Schema.of(x), memory, "PairNet")


def _targets(
    asked: Question, everyone: Question, effect, noise, averages: dict[str, float], alpha: float
):
    """Yield (interval, target) with the interval's ends and the truth."""
    conformal = asked.interval(alpha, "conformal")
    yield ("bootstrap", "effect"), (asked.interval(alpha), effect)
    yield ("conformal", "effect"), (conformal, effect)
    if asked.model.outcome.has_unit:  # the noise of a yes or no is not the same for all rows
        yield ("conformal", "pair"), (conformal, effect + noise)
    yield from _of_averages(everyone, averages, alpha)


def _of_averages(everyone: Question, averages: dict[str, float], alpha: float):
    """Yield the same of averages."""
    for target, average in averages.items():
        name = "average" if target == "all" else f"average of the {target}"
        own = dataclasses.replace(everyone, target=target)
        yield ("bootstrap", name), (own.average_interval(alpha), average)
        if not everyone.model.treatment.whole_range:
            yield ("doubly robust", name), (own.average_interval(alpha, "doubly robust"), average)


def _noise(study: Study, k: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return noise of outcomes of realisation k, drawn anew."""
    return rng.choice(study.rows.y[k] - study.mean[k], count)


def _width(width) -> tuple[float, float]:
    """Return the median width, and the share of rows whose interval has no end."""
    return float(np.median(width)), float(np.mean(np.isinf(width)))


def table(path: str) -> str:
    """Return what was measured as a table: coverage at 80, 90 and 95 %, and the width at 90 %."""
    with open(path, newline="") as stream:
        lines = list(csv.DictReader(stream))
    found: dict[tuple, dict[str, dict[str, str]]] = {}
    for line in lines:
        key = (line["study"], line["realisations"], line["interval"], line["target"])
        found.setdefault(key, {})[line["level"]] = line
    said = [
        "| study | tables | interval | of | 80 % | 90 % | 95 % | width at 90 % |",
        "| --- " * 8 + "|",
    ]
    for (study, realisations, interval, target), by_level in found.items():
        covered = " | ".join(
            f"{100 * float(by_level[level]['coverage']):.0f}" for level in ("0.8", "0.9", "0.95")
        )
        at_90 = by_level["0.9"]
        endless = (
            f" ({100 * float(at_90['infinite']):.0f} % infinite)"
            if float(at_90["infinite"]) > 0.005
            else ""
        )
        width = f"{float(at_90['width']):.2f}{endless}"
        said.append(f"| {study} | {realisations} | {interval} | {target} | {covered} | {width} |")
    return "\n".join(said)


def main() -> None:
    """Measure every study and write a line an interval and level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="coverage.csv")
    parser.add_argument("--realisations", type=int, default=10)
    parser.add_argument("--members", type=int, default=5)
    parser.add_argument("--only", help="names of studies, with commas between them")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--table", help="print this file as a table and measure nothing")
    parser.add_argument("--stack", action="store_true", help="of stacks, on all rows")
    parser.add_argument("--decompose", action="store_true", help="where do intervals go wrong?")
    parser.add_argument("--raw", type=Path, default=Path("fits"), help="where fits are kept")
    parser.add_argument("--learners", help="names of learners, with commas between them")
    parser.add_argument("--figure", help="draw what was found into this file")
    options = parser.parse_args()
    if options.table:
        print(table(options.table))
        return
    if options.decompose:
        decompose.decompose(options.raw, options.out, options.only, options.learners)
        if options.figure:
            decompose.figure(options.out, options.figure)
        return
    known = studies(options.realisations)
    names = options.only.split(",") if options.only else list(known)
    with open(options.out, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(HEADER)
        for name in names:
            begun = time.perf_counter()
            if options.stack:
                lines = list(measure_stack(known[name](), options.seed))
            else:
                lines = list(measure(known[name](), options.members, options.seed))
            seconds = time.perf_counter() - begun
            for interval, target, alpha, covered, width, infinite in lines:
                error = covered.std(ddof=1) / np.sqrt(len(covered)) if len(covered) > 1 else np.nan
                row = [name, len(covered), options.members, interval, target, f"{1 - alpha:g}"]
                row += [
                    f"{covered.mean():.3f}",
                    f"{error:.3f}",
                    f"{width:.3f}",
                    f"{infinite:.3f}",
                    f"{seconds:.0f}",
                ]
                writer.writerow(row)
                print(*row, sep=" | ", flush=True)
            stream.flush()


if __name__ == "__main__":
    main()
