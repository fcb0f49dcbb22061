"""How large are a stack's effects on average? Ways to set their level, on development tables.

    python benchmarks/level.py fit --fits level [--only rare:0,ihdp:1]     # a minute or more each
    python benchmarks/level.py compare --fits level --out results/level.csv

`fit` fits a balanced stack to each table and keeps what its learners said about rows that they had
not seen, and about test rows. `compare` trains nothing: it weighs them as the stack does, with the
level set in several ways. No table of a report is among them.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from pairnet import Stack
from pairnet.inference.propensity import PropensityModel
from pairnet.learners import stacked, weighing
from pairnet.learners.unseen import Unseen
from pairnet.studies import load
from pairnet.studies.shapes import SHAPES


class Table(NamedTuple):
    """Rows to fit to with their true effects, and test rows with theirs."""

    x: np.ndarray
    t: np.ndarray
    y: np.ndarray
    effect: np.ndarray
    x_test: np.ndarray
    effect_test: np.ndarray


def _of(name: str, options: dict) -> Callable[[int], Table]:
    def draw(number: int) -> Table:
        counted = {} if name == "acic2016" else {"realisations": number + 1}
        study = load(name, **options, **counted)
        own = lambda values: np.asarray(values[number] if np.ndim(values) == 3 else values, float)
        train, test = study.part(study.train), study.part(study.test)
        return Table(
            own(train.x),
            np.asarray(train.t[number]).astype(int),
            np.asarray(train.y[number], float),
            study.effect(study.train)[number],
            own(test.x),
            study.effect(study.test)[number],
        )

    return draw


def _ihdp_anew(number: int) -> Table:
    """Return IHDP's rows with a surface drawn as by Hill (2011), split anew."""
    study, rng = load("ihdp"), np.random.default_rng(9000 + number)
    x = np.asarray(study.rows.x, float).reshape(-1, study.rows.x.shape[-1])[:747]
    t = np.asarray(study.rows.t[0])[:747].astype(int)
    beta = rng.choice([0, 0.1, 0.2, 0.3, 0.4], x.shape[1], p=[0.6, 0.1, 0.1, 0.1, 0.1])
    mu0, mu1 = np.exp((x + 0.5) @ beta), x @ beta
    mu1 = mu1 + 4 - (mu1 - mu0)[t == 1].mean()
    y, effect = np.where(t == 1, mu1, mu0) + rng.normal(size=len(t)), mu1 - mu0
    order = rng.permutation(len(t))
    a, b = order[:672], order[672:]
    return Table(x[a], t[a], y[a], effect[a], x[b], effect[b])


_confounded = lambda seed, **options: _of(
    "confounded", {"seed": seed, "test": 1000, "covariates": 10} | options
)
KINDS: dict[str, Callable[[int], Table]] = {
    **{
        kind: _of("shapes", {"kind": kind, "seed": 2100 + number, "covariates": 20})
        for number, kind in enumerate(SHAPES)
    },
    "672 x 25": _confounded(272, rows=672, covariates=25, treated=0.2),
    "2000": _confounded(273, rows=2000),
    "2000, 5 %": _confounded(274, rows=2000, treated=0.05),
    "yes / no": _confounded(275, rows=1000, binary=True),
    "ihdp anew": _ihdp_anew,
    **{
        f"acic {setting}": _of("acic2016", {"setting": setting, "seeds": range(11, 15)})
        for setting in (2, 7, 26)
    },
}


def fit(folder: Path, only: str) -> None:
    """Fit stacks to tables, as "kind:number" with commas between them, and keep their answers."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in only.split(","):
        kind, number = name.rsplit(":", 1)
        path = folder / f"{kind.replace('/', 'or')}-{number}.npz"
        if path.exists():
            continue
        table, seen = KINDS[kind](int(number)), {}

        def keep(candidates, rows, draws, treatment, *rest, seen=seen, mixed=stacked.mixed):
            seen.update(candidates=candidates, rows=rows, draws=draws, treatment=treatment)
            return mixed(candidates, rows, draws, treatment, *rest)

        with mock.patch.object(stacked, "mixed", keep):
            stack = Stack().fit(table.x, table.y, treatment=table.t)
        predictors = [candidate.predictor for candidate in seen["candidates"]]
        unseen = Unseen.of(predictors, seen["rows"], seen["draws"], seen["treatment"])
        x, arms = stack.model_.schema.encode, (np.zeros(()), np.ones(()))
        np.savez_compressed(
            path,
            names=[candidate.name for candidate in seen["candidates"]],
            own=unseen.own,
            outcomes=unseen.outcomes,
            effects=unseen.effects[..., 1],
            draws=seen["draws"],
            rx=np.asarray(seen["rows"].x),
            rt=unseen.t,
            ry=unseen.y,
            eff=table.effect,
            efft=table.effect_test,
            **{
                part: np.array([own.effect(encoded(x, rows), *arms) for own in predictors])
                for part, rows in (("train", table.x), ("test", table.x_test))
            },
        )
        print(name, flush=True)


def encoded(encode: Callable, x: np.ndarray) -> np.ndarray:
    """Return rows as the model's numbers."""
    from pairnet.tables import opened

    return encode(opened(x))


class Way(NamedTuple):
    """A way to set the level: nu of the outcomes' mixture, nu of that of effects, and the level."""

    of_outcomes: float = weighing.NU_OF_OUTCOMES
    of_effects: float = weighing.NU
    by_outcomes: float = 0.5  # the share of the outcomes' mixture in the level
    corrected: bool = False  # whether outcomes correct that mixture's answer (AIPW)


WAYS = {
    "level by effects": Way(of_outcomes=0.0, by_outcomes=0.0),
    **{f"by effects, nu {nu:g} of outcomes": Way(nu, by_outcomes=0.0) for nu in (0.3, 0.7, 0.9)},
    "both": Way(),
    "both, nu 0.5 of effects": Way(of_effects=0.5),
    "both, nu 0.3 of outcomes": Way(0.3),
    "by outcomes": Way(by_outcomes=1.0),
    "by outcomes, corrected": Way(by_outcomes=1.0, corrected=True),
}


def errors(fits: dict[str, np.ndarray], way: Way) -> tuple[float, float]:
    """Return the error of effects of test rows, and of their average over the rows of the fit."""
    t, y, weight = fits["rt"].astype(int), fits["ry"], np.ones(len(fits["ry"]))
    chances = weighing.clipped(PropensityModel(fits["rx"], t.astype(float), weight).chances)
    shares = weighing.factual(fits["own"], y, weight).shares(way.of_outcomes)
    outcomes = np.einsum("nck,c->nk", fits["outcomes"], shares)
    expected = (outcomes * chances).sum(axis=1)
    seen = fits["draws"].astype(bool)
    of_fold = np.array(
        [weighing.one_effect(t[s], y[s], expected[s], chances[s], weight[s])[1] for s in seen]
    )
    says = np.column_stack([fits["effects"], of_fold[seen.argmin(axis=0)]])
    both = np.stack([np.zeros_like(says), says], axis=2)
    of = weighing.residuals(both, t, y, expected, chances, weight).shares(way.of_effects)
    test = of[:-1] @ fits["test"].mean(axis=1) + of[-1] * of_fold.mean()
    by_effects = of[:-1] @ fits["train"].mean(axis=(1, 2)) + of[-1] * of_fold.mean()
    off = y - outcomes[np.arange(len(t)), t]
    by_outcomes = (outcomes[:, 1] - outcomes[:, 0]).mean()
    if way.corrected:
        by_outcomes += (off * (2 * t - 1) / chances[np.arange(len(t)), t]).mean()
    shift = way.by_outcomes * (by_outcomes - of @ says.mean(axis=0))
    root = np.sqrt(np.mean((test + shift - fits["efft"]) ** 2))
    return float(root), float(by_effects + shift - fits["eff"].mean())


def compare(folder: Path, out: Path) -> None:
    """Write the errors of every table and way, and print them by kind, relative to TARNet's."""
    lines, alone = [], {}
    for path in sorted(folder.glob("*.npz")):
        fits = dict(np.load(path))
        kind = path.stem.rsplit("-", 1)[0]
        tarnet = fits["test"][fits["names"].tolist().index("TARNet()")].mean(axis=0)
        alone.setdefault(kind, []).append(np.sqrt(np.mean((tarnet - fits["efft"]) ** 2)))
        for way, own in WAYS.items():
            pehe, off = errors(fits, own)
            lines.append([kind, path.stem.rsplit("-", 1)[1], way, f"{pehe:.4f}", f"{off:.4f}"])
    with open(out, "w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, lineterminator="\n").writerows(
            [["kind", "table", "way", "pehe", "average_off"], *lines]
        )
    for way in WAYS:
        own = lambda kind, place, way=way: [
            abs(float(line[place])) for line in lines if line[0] == kind and line[2] == way
        ]
        relative = {kind: np.mean(own(kind, 3)) / np.mean(alone[kind]) for kind in alone}
        off = np.mean([np.mean(own(kind, 4)) for kind in alone])
        mean = np.exp(np.mean([np.log(value) for value in relative.values()]))
        without = [np.log(value) for kind, value in relative.items() if kind != "acic 2"]
        each = " ".join(f"{kind} {value:.2f}" for kind, value in relative.items())
        print(
            f"{way}: {mean:.3f}, without acic 2 {np.exp(np.mean(without)):.3f}, worst "
            f"{max(relative.values()):.2f}, average off by {off:.3f}; {each}"
        )


def main() -> None:
    """Fit or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("fit", "compare"))
    parser.add_argument("--fits", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("level.csv"))
    every = ",".join(f"{kind}:{number}" for number in range(3) for kind in KINDS)
    parser.add_argument("--only", default=every, help="kind:number, with commas between them")
    options = parser.parse_args()
    if options.step == "fit":
        fit(options.fits, options.only)
    else:
        compare(options.fits, options.out)


if __name__ == "__main__":
    main()
