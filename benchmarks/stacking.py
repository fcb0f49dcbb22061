"""How the stack was set: learners on development tables, fold by fold.

    python benchmarks/stacking.py tables --out dev          # writes the tables, a group a file
    python benchmarks/stacking.py networks --tables dev/shapes.npz --out out/shapes.npz
    python benchmarks/stacking.py others --tables dev/shapes.npz --out out/shapes-others.npz
    python benchmarks/stacking.py weigh --tables dev --fits out --out stacking.csv

No table of a report is among them: `shapes` and `confounded` have seeds of their own, ACIC has
seeds 11 to 14, the surfaces of IHDP are drawn anew. `networks` wants an accelerator. `weigh` takes
what the others wrote, for every group that has both files, and trains nothing: it weighs sets of
learners as the stack does, and prints each set's error by kind of table, as per cent of TARNet's.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pairnet.core.outcomes import Bernoulli, Gaussian
from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import Rows
from pairnet.inference.propensity import PropensityModel
from pairnet.learners import weighing
from pairnet.learners.folds import FOLDS, fold_of_rows
from pairnet.studies import load
from pairnet.studies.shapes import SHAPES
from pairnet.studies.stack import stack
from pairnet.studies.study import DOSES
from pairnet.training import Plan

TREATMENT = Arms((0, 1))
GRID = DOSES[::8]


# Tables


def _arrays(studies: list, kinds: list[str]) -> dict[str, np.ndarray]:
    study = stack(studies)
    train, test = study.part(study.train), study.part(study.test)
    return {
        "kind": np.array(kinds),
        **{name: np.asarray(getattr(train, name), np.float32) for name in ("x", "t", "y")},
        "x_test": np.asarray(test.x, np.float32),
        "effect": _asked(study, study.test),
        "effect_train": _asked(study, study.train),
    }


def _asked(study, index: np.ndarray) -> np.ndarray:
    """Return true effects of arms, or true outcomes under some doses."""
    is_dose = isinstance(study.treatment, Dose)
    return study.truth(index)[..., ::8] if is_dose else study.effect(index)


def _of(name: str, count: int, label: str, /, **options) -> tuple[list, list[str]]:
    return [load(name, realisations=count, **options)], [label] * count


def _joined(*parts: tuple[list, list[str]]) -> dict[str, np.ndarray]:
    return _arrays(
        [s for studies, _ in parts for s in studies], [k for _, own in parts for k in own]
    )


def _shapes(count: int, kinds=tuple(SHAPES), **options) -> Iterator[tuple[list, list[str]]]:
    for number, kind in enumerate(kinds):
        yield _of("shapes", count, kind, **{"kind": kind, "seed": 1100 + number} | options)


def _ihdp_anew(count: int, seed: int) -> dict[str, np.ndarray]:
    """Return IHDP's covariates and treatments with surfaces drawn anew, as by Hill (2011)."""
    study, rng = load("ihdp"), np.random.default_rng(seed)
    tables = []
    for number in range(count):
        x = np.asarray(study.rows.x if study.rows.x.ndim == 2 else study.rows.x[number], float)
        t = np.asarray(study.rows.t[number])
        beta = rng.choice([0, 0.1, 0.2, 0.3, 0.4], x.shape[1], p=[0.6, 0.1, 0.1, 0.1, 0.1])
        mu0, mu1 = np.exp((x + 0.5) @ beta), x @ beta
        mu1 += 4 - (mu1 - mu0)[t == 1].mean()
        mu = np.stack([mu0, mu1], axis=-1)
        y = np.where(t == 1, mu1, mu0) + rng.normal(size=len(t))
        train = study.train if study.train.ndim == 1 else study.train[number]
        test = study.test if study.test.ndim == 1 else study.test[number]
        tables.append((x[train], t[train], y[train], x[test], (mu1 - mu0)[test], mu[train]))
    x, t, y, x_test, effect, mu = (np.stack(values) for values in zip(*tables, strict=True))
    own = {"x": x, "t": t, "y": y, "x_test": x_test}
    return {
        "kind": np.array(["ihdp anew"] * count),
        **{name: values.astype(np.float32) for name, values in own.items()},
        "effect": effect,
        "effect_train": mu[..., 1] - mu[..., 0],
    }


def _pasted(*groups: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    own = lambda group, name: (
        np.broadcast_to(group[name], (len(group["kind"]), *group[name].shape))
        if name in ("x", "x_test") and group[name].ndim == 2
        else group[name]
    )
    return {name: np.concatenate([own(group, name) for group in groups]) for name in groups[0]}


def _confounded(count: int, label: str, rows: int, **options) -> tuple[list, list[str]]:
    return _of("confounded", count, label, rows=rows, **options)


def _acic(setting: int) -> tuple[list, list[str]]:
    return [load("acic2016", setting=setting, seeds=range(11, 15))], [f"acic {setting}"] * 4


def _tau(setup: str, rho: float) -> tuple[list, list[str]]:
    own = {"setup": setup, "rho": rho, "realisations": range(50, 53)}
    return [load("tau-complexity", effect=None, **own)], [f"tau {setup}"] * 3


SMALL = {"rows": 1000, "test": 500, "covariates": 20}
BINARY = {**SMALL, "binary": True, "seed": 75}
DOSED = {"rows": 471, "test": 200, "covariates": 25, "dose": True}
FEW = {"rows": 2000, "covariates": 10}
LARGE = {"rows": 5000, "test": 500, "covariates": 20, "seed": 76}

GROUPS: dict[str, Callable[[], dict[str, np.ndarray]]] = {
    "shapes": lambda: _joined(*_shapes(4, **SMALL)),
    "small": lambda: _pasted(
        _joined(_confounded(8, "672", 672, test=75, covariates=25, treated=0.2, seed=71)),
        _ihdp_anew(8, 72),
    ),
    "acic": lambda: _joined(*(_acic(setting) for setting in (2, 7, 26))),
    "tau": lambda: _joined(_tau("A", 0.1), _tau("B", 0.4)),
    "few": lambda: _joined(
        _confounded(6, "2000, 5 %", **FEW, treated=0.05, seed=73),
        _confounded(4, "2000", **FEW, treated=0.2, seed=74),
    ),
    "binary": lambda: _joined(*_shapes(3, ("sine", "constant", "smooth"), **BINARY)),
    "sine8": lambda: _joined(
        _of("shapes", 8, "sine, 8", kind="sine", rows=1000, test=500, covariates=8, seed=78)
    ),
    "dose": lambda: _joined(
        _confounded(6, "dose 471", **DOSED, seed=79),
        _confounded(4, "dose 471, 0.3", **DOSED, noise=0.3, seed=80),
    ),
    "doses": lambda: _joined(
        *_shapes(2, ("sine", "steps", "lines", "smooth"), **{**SMALL, "test": 200}, dose=True)
    ),
    "large": lambda: _joined(*_shapes(2, ("smooth", "steps", "constant"), **LARGE)),
}


def tables(out: Path) -> None:
    """Write the tables of every group."""
    out.mkdir(parents=True, exist_ok=True)
    for name, make in GROUPS.items():
        group = make()
        np.savez_compressed(out / f"{name}.npz", **group)
        print(
            name,
            group["x"].shape,
            dict(zip(*np.unique(group["kind"], return_counts=True), strict=True)),
        )


def draws_of(t: np.ndarray, strata: int = 2) -> np.ndarray:
    """Return 1 for rows that each fold model trains on, and 0 for those of its own fold."""
    fold = np.stack([fold_of_rows(own, strata, 0) for own in t])
    return (fold[:, None, :] != np.arange(FOLDS)[:, None]).astype(int)


def _unseen(by_member: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return each row's answer by the fold model that has not seen it."""
    return np.take_along_axis(by_member, draws.argmin(axis=1)[:, None], axis=1)[:, 0]


# Networks


def networks(path: Path, out: Path, seconds: float, quick: bool) -> None:
    """Fit the networks on one group of tables, all tables at once."""
    import jax.random as jr

    from pairnet.methods import (
        DRLearner,
        DRNet,
        PairNet,
        RALearner,
        RLearner,
        TARNet,
        VCNet,
        XLearner,
    )
    from pairnet.training import fit as fitting
    from pairnet.training import pilots

    begun = time.time()
    group = dict(np.load(path))
    if quick:
        group = {k: v if k.startswith("x") and v.ndim == 2 else v[:2] for k, v in group.items()}
    is_dose = "dose" in path.stem
    treatment = Dose(0.0, 1.0) if is_dose else TREATMENT
    outcome = Bernoulli() if np.isin(group["y"], (0, 1)).all() else Gaussian()
    x, t, y = group["x"], group["t"], group["y"]
    rows, draws = Rows(x, t, y, np.ones_like(y)), draws_of(t, treatment.strata)
    keys, n = jr.split(jr.key(0), len(t)), t.shape[-1]
    short = {"longest": 100, "patience": 50} if quick else {}
    plan = Plan(**short)
    base = (VCNet if is_dose else TARNet)(plan=plan).recipe(outcome, treatment, n)
    _, ready = fitting._standardised(base, rows, plan)
    pilot_keys = jr.split(jr.key(1), len(t))
    losses = []
    seen = pilots.fit_stage
    pilots.fit_stage = lambda *a, **k: losses.append(seen(*a, **k)) or losses[-1]
    learned = pilots.train(base, ready, plan, pilot_keys, False, fitting.silent)
    pilots.fit_stage = seen
    result = {
        "pilot_loss": np.asarray(losses[0].score).reshape(len(t), -1),
        "noise": np.ones(len(t)) if learned.noise is None else learned.noise,
        "chosen": learned.strength,
    }
    print(path.stem, "pilots", round(time.time() - begun), flush=True)
    near = {"space": "covariates", "temperature": 0.2}
    of = {
        "T": lambda **k: TARNet(plan=plan, **k),
        "P": lambda **k: PairNet(plan=plan, **k),
        "N": lambda **k: PairNet(plan=plan, **k, **near),
        "RA": lambda **k: RALearner(plan=plan, **k),
        "X": lambda **k: XLearner(plan=plan, **k),
        "R": lambda **k: RLearner(plan=plan, **k),
        "DR": lambda **k: DRLearner(plan=plan, folds=2, **k),
    }
    if is_dose:
        of = {
            "V": lambda **k: VCNet(plan=plan, **k),
            "D": lambda **k: DRNet(plan=plan, **k),
            "PV": lambda **k: PairNet(plan=plan, **k),
            "PD": lambda **k: PairNet(plan=plan, base=DRNet(), **k),
        }
    codes, names = {"codes": 8}, list(of) if is_dose else ["T", "P", "RA"]
    todo = [(name, "r", {}) for name in names]
    todo += [(name, "r", codes) for name in names if name != "P"]
    if is_dose:
        todo += [("V", "alone", {}), ("PV", "alone", {})]
    else:
        todo += [("T", "alone", {}), ("P", "alone", {}), ("T", "former", {}), ("P", "former", {})]
        todo += [("X", "r", {}), ("N", "r", {}), ("RA", 1, codes), ("P", "r", codes)]
        todo += [("R", "r", {}), ("T", 1, codes), ("DR", "r", {})]
    if is_dose or path.stem == "sine8":
        pair = ("V", "PV") if is_dose else ("T", "P")
        todo += [(name, part, {}) for part in (1, 4, 16) for name in pair]
    trained = pilots.train
    for name, part, more in todo:
        if time.time() - begun > seconds:
            break
        since, strength = time.time(), learned.strength
        if part in ("alone", "former"):  # five members, as the method is by itself
            pilots.train = trained
            own = plan if part == "alone" else dataclasses.replace(plan, penalty="rows")
            recipe = dataclasses.replace(of[name](), plan=own)._recipe(outcome, treatment, n)
            fitted = fitting.fit_recipe(recipe, rows, own, keys, members=FOLDS)
        else:
            strength = strength if part == "r" else np.full(len(t), 1 / part, np.float32)
            pilots.train = lambda *a, s=strength, **k: pilots.Learned(learned.noise, s, {})
            recipe = of[name](**more)._recipe(outcome, treatment, n)
            fitted = fitting.fit_recipe(recipe, rows, plan, keys, members=FOLDS, draws=draws)
        pilots.train = trained
        label = f"{name}{part}{'c' if more else ''}"
        if part not in ("alone", "former"):
            result[f"{label}.own"] = _unseen(fitted.outcome(x, t), draws).astype(np.float32)
            if not is_dose:
                by_arm = [_unseen(fitted.outcome(x, np.full((), arm)), draws) for arm in (0.0, 1.0)]
                result[f"{label}.mu"] = np.stack(by_arm, axis=-1).astype(np.float32)
        x_test = group["x_test"]
        if is_dose:
            effect = fitted.curve(x_test, GRID)
        else:
            effect = fitted.effect(x_test, np.zeros(()), np.ones(()))
        result[f"{label}.effect"] = effect.mean(axis=1).astype(np.float32)
        result[f"{label}.spread"] = effect.std(axis=1).astype(np.float32)
        result[f"{label}.seconds"] = np.array(time.time() - since)
        np.savez_compressed(out, **result)
        error = effect.mean(axis=1) - group["effect"][: len(t)]
        error = np.sqrt((error.reshape(len(t), -1) ** 2).mean(axis=1))
        print(path.stem, label, round(time.time() - since), np.round(error.mean(), 3), flush=True)


# Lines and trees


def others(path: Path, out: Path, jobs: int) -> None:
    """Fit lines and trees on one group of tables, a table a task."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    group = dict(np.load(path))
    count = len(group["kind"])
    own = lambda name, k: (
        group[name] if group[name].ndim == 2 and name.startswith("x") else group[name][k]
    )
    is_dose = "dose" in path.stem
    parts = ("x", "t", "y", "x_test")
    tasks = [(*(own(name, k) for name in parts), is_dose) for k in range(count)]
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        answers = list(pool.map(_others_of, tasks))
    names = answers[0].keys()
    np.savez_compressed(out, **{name: np.stack([a[name] for a in answers]) for name in names})
    for name in names:
        if name.endswith(".effect"):
            error = np.stack([a[name] for a in answers]) - group["effect"]
            error = np.sqrt((error.reshape(count, -1) ** 2).mean(axis=1))
            print(path.stem, name, np.round(error.mean(), 3), flush=True)


def _others_of(table: tuple[np.ndarray, ...]) -> dict[str, np.ndarray]:
    from pairnet.methods import (
        LinearSLearner,
        LinearTLearner,
        TreeDRLearner,
        TreeSLearner,
        TreeTLearner,
        TreeXLearner,
    )

    x, t, y, x_test, is_dose = table
    treatment = Dose(0.0, 1.0) if is_dose else TREATMENT
    outcome = Bernoulli() if np.isin(y, (0, 1)).all() else Gaussian()
    draws, rows = draws_of(t[None], treatment.strata)[0], Rows(x, t, y, np.ones_like(y))
    result = {}
    kinds = (LinearSLearner, TreeSLearner)
    more = (LinearTLearner, TreeTLearner, TreeXLearner, TreeDRLearner)
    for kind in kinds if is_dose else (*kinds, *more):
        since, name = time.process_time(), kind.__name__
        learned = kind().learn(rows, treatment, outcome, draws=draws)
        own = lambda answers: _unseen(answers[None], draws[None])[0].astype(np.float32)
        result[f"{name}.own"] = own(learned.outcome(x, t))
        if is_dose:
            effect = learned.curve(x_test, GRID)
        else:
            zero, one = np.array(0.0), np.array(1.0)
            effect = learned.effect(x_test, zero, one)
            by_arm = [own(learned.outcome(x, arm)) for arm in (zero, one)]
            result[f"{name}.mu"] = np.stack(by_arm, axis=-1)
            result[f"{name}.tau"] = own(learned.effect(x, zero, one))
        result |= {
            f"{name}.effect": effect.mean(axis=0).astype(np.float32),
            f"{name}.spread": effect.std(axis=0).astype(np.float32),
            f"{name}.seconds": np.array(time.process_time() - since),
        }
    return result


# Weights


class Tried(NamedTuple):
    """A way to answer: some learners, and how they are weighed."""

    learners: Sequence[str]
    nu: float = weighing.NU
    alone: bool = True  # for arms, one effect for all is among the learners
    by: str = "shares"  # or "best", the one with the least loss; or "alike", without any weighing


def _one(name: str) -> Tried:
    return Tried([name], by="alike")


FAST = ("LinearSLearner", "TreeXLearner", "Pr")
BALANCED = (*FAST, "Tr", "RAr", "Trc")
OF_ARMS = {
    "TARNet, 300 / rows": _one("Tformer"),
    "PairNet, 300 / rows": _one("Pformer"),
    "TARNet": _one("Talone"),
    "PairNet": _one("Palone"),
    **{f"{name} of folds": _one(name) for name in (*BALANCED, "Nr", "Xr")},
    "fast": Tried(FAST),
    **{f"balanced, nu {nu:g}": Tried(BALANCED, nu) for nu in (0, 0.1, 0.3, 0.5, 0.7)},
    "best": Tried((*BALANCED, "Nr", "Xr")),
    "balanced, no trees": Tried([name for name in BALANCED if name != "TreeXLearner"]),
    "balanced, no lines": Tried([name for name in BALANCED if name != "LinearSLearner"]),
    "balanced, no networks": Tried(["LinearSLearner", "TreeXLearner"]),
    "balanced, no one effect": Tried(BALANCED, alone=False),
    "balanced, the best alone": Tried(BALANCED, by="best"),
    "balanced, all alike": Tried(BALANCED, by="alike"),
}
FAST_DOSES = ("LinearSLearner", "TreeSLearner", "PVr")
BALANCED_DOSES = (*FAST_DOSES, "Vr", "Vrc")
OF_DOSES = {
    "VCNet": _one("Valone"),
    "PairNet": _one("PValone"),
    **{f"{name} of folds": _one(name) for name in (*BALANCED_DOSES, "PDr", "Dr")},
    "fast": Tried(FAST_DOSES),
    **{f"balanced, nu {nu:g}": Tried(BALANCED_DOSES, nu) for nu in (0, 0.1, 0.3, 0.5, 0.7)},
    "best": Tried((*BALANCED_DOSES, "PDr", "Dr")),
    "balanced, the best alone": Tried(BALANCED_DOSES, by="best"),
    "balanced, all alike": Tried(BALANCED_DOSES, by="alike"),
}
# What errors are relative to: five members under the former penalty, or fold models with it.
BASES = ("Tformer", "T1", "V1")
OF_GROUP = {"binary": "yes / no", "large": "5000 rows", "doses": "doses"}


@dataclass(frozen=True)
class Known:
    """A table, and what learners say about its rows, which they have not seen, and test rows."""

    kind: str
    t: np.ndarray
    y: np.ndarray
    truth: np.ndarray
    answers: dict[str, np.ndarray]
    chances: np.ndarray | None  # of the arms; None for doses

    def all_of(self, learners: Sequence[str], what: str) -> np.ndarray:
        """Return what learners say, along the second axis."""
        return np.stack([self.answers[f"{name}.{what}"] for name in learners], axis=1).astype(float)

    def can(self, learners: Sequence[str]) -> bool:
        """Tell whether these learners were fitted to this table."""
        return all(f"{name}.effect" in self.answers for name in learners)

    def error(self, tried: Tried) -> float:
        """Return the PEHE on test rows; for doses, that of outcomes against the row's mean."""
        says = self.all_of(tried.learners, "effect")
        if tried.by == "alike":
            shares = np.full(len(tried.learners), 1 / len(tried.learners))
        else:
            task, one_effect = self.task(tried)
            if one_effect is not None:
                says = np.column_stack([says, np.full(len(says), one_effect)])
            best = np.eye(says.shape[1])[task.losses.argmin()]
            shares = best if tried.by == "best" else task.shares(tried.nu)
        off = np.einsum("nc...,c->n...", says, shares) - self.truth
        if self.chances is None:
            off = off - off.mean(axis=1, keepdims=True)
        return float(np.sqrt(np.mean(off**2)))

    def task(self, tried: Tried) -> tuple[weighing.Task, float | None]:
        """Return what the stack would weigh these learners by, and one effect for all."""
        t, y, weight = self.t, self.y, np.ones(len(self.y))
        own = self.all_of(tried.learners, "own")
        if self.chances is None:
            return weighing.pairs(own, y, weight), None
        outcomes = self.all_of(tried.learners, "mu")
        level = weighing.factual(own, y, weight).shares(nu=0)
        expected = (np.einsum("nck,c->nk", outcomes, level) * self.chances).sum(axis=1)
        says = self.all_of(tried.learners, "tau")
        mean = None
        if tried.alone:
            seen = draws_of(t[None])[0].astype(bool)
            of_fold = np.array(
                [
                    weighing.one_effect(t[s], y[s], expected[s], self.chances[s], weight[s])[1]
                    for s in seen
                ]
            )
            says = np.column_stack([says, of_fold[seen.argmin(axis=0)]])
            mean = float(of_fold.mean())
        effects = np.stack([np.zeros_like(says), says], axis=-1)
        return weighing.residuals(effects, t, y, expected, self.chances, weight), mean


def _known(path: Path, fits: Path) -> Iterator[Known]:
    """Return the tables of a group with what learners say."""
    group, answers = dict(np.load(path)), {}
    for name in (f"{path.stem}.npz", f"{path.stem}-others.npz"):
        answers |= dict(np.load(fits / name))
    for name in [name for name in answers if name.endswith(".mu")]:
        effect = answers[name][..., 1] - answers[name][..., 0]
        answers.setdefault(f"{name.removesuffix('.mu')}.tau", effect)
    for k, kind in enumerate(group["kind"]):
        x = group["x"] if group["x"].ndim == 2 else group["x"][k]
        t, y, chances = group["t"][k], group["y"][k].astype(float), None
        if "dose" not in path.stem:
            t = t.astype(int)
            chances = PropensityModel(x.astype(float), t.astype(float), np.ones(len(t))).chances
            chances = weighing.clipped(chances)
        where = OF_GROUP.get(path.stem)
        own = {name: value[k] for name, value in answers.items() if value.ndim > 1}
        label = f"{kind}, {where}" if where else str(kind)
        yield Known(label, t, y, group["effect"][k], own, chances)


def weigh(folder: Path, fits: Path, out: Path | None) -> None:
    """Print the error of every set of learners by kind of table, relative to TARNet's."""
    lines: list[dict[str, object]] = []
    is_here = lambda path: (
        (fits / path.name).exists() and (fits / f"{path.stem}-others.npz").exists()
    )
    for path in filter(is_here, sorted(folder.glob("*.npz"))):
        known = list(_known(path, fits))
        sets = OF_ARMS if known[0].chances is not None else OF_DOSES
        for kind in dict.fromkeys(table.kind for table in known):
            own = [table for table in known if table.kind == kind]
            mean = lambda tried, own=own: float(np.mean([table.error(tried) for table in own]))
            base = mean(next(_one(name) for name in BASES if own[0].can([name])))
            for label, tried in sets.items():
                if own[0].can(tried.learners):
                    pehe = mean(tried)
                    nu = tried.nu if tried.by == "shares" else ""
                    line = {"kind": kind, "set": label, "nu": nu, "pehe": f"{pehe:.4f}"}
                    lines.append({**line, "relative": f"{pehe / base:.3f}"})
    _print(lines)
    if out is not None:
        with open(out, "w", newline="", encoding="utf-8") as stream:
            table = csv.DictWriter(stream, list(lines[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(lines)


def _print(lines: list[dict[str, object]]) -> None:
    """Print a line a set: its geometric mean over kinds, how many these are, the worst, and all."""
    for label in dict.fromkeys(line["set"] for line in lines):
        for is_dose in (False, True):
            own = {
                str(line["kind"]): float(str(line["relative"]))
                for line in lines
                if line["set"] == label and ("dose" in str(line["kind"])) == is_dose
            }
            if own:
                values = np.array(list(own.values()))
                mean, worst = np.exp(np.log(values).mean()), max(own, key=lambda kind: own[kind])
                head = f"{label}{', doses' * is_dose}: {mean:.3f} over {len(own)} kinds"
                each = " ".join(f"{kind} {100 * value:.0f};" for kind, value in own.items())
                print(f"{head}; worst {own[worst]:.2f} ({worst}); {each}")


def main() -> None:
    """Do one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("tables", "networks", "others", "weigh"))
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--fits", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.step == "tables":
        tables(args.out)
    elif args.step == "networks":
        networks(args.tables, args.out, args.seconds, args.quick)
    elif args.step == "others":
        others(args.tables, args.out, args.jobs)
    else:
        weigh(args.tables, args.fits, args.out)


if __name__ == "__main__":
    main()
