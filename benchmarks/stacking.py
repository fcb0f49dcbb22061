"""How the stack was set: learners on development tables, fold by fold.

    python benchmarks/stacking.py tables --out dev          # writes the tables, a group a file
    python benchmarks/stacking.py networks --tables dev/shapes.npz --out out/shapes.npz
    python benchmarks/stacking.py others --tables dev/shapes.npz --out out/shapes-others.npz
    python benchmarks/stacking.py weigh --tables dev --fits out

No table of a report is among them: `shapes` and `confounded` have seeds of their own, ACIC has
seeds 11 to 14, the surfaces of IHDP are drawn anew. `networks` wants an accelerator.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from pairnet.core.outcomes import Bernoulli, Gaussian
from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import Rows
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
    """Return IHDP's covariates and treatments with surfaces drawn anew, as Hill (2011) drew them."""
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


GROUPS: dict[str, Callable[[], dict[str, np.ndarray]]] = {
    "shapes": lambda: _joined(*_shapes(4, rows=1000, test=500, covariates=20)),
    "small": lambda: _pasted(
        _joined(
            _of("confounded", 8, "672", rows=672, test=75, covariates=25, treated=0.2, seed=71)
        ),
        _ihdp_anew(8, 72),
    ),
    "acic": lambda: _joined(
        *(
            ([load("acic2016", setting=s, seeds=range(11, 15))], [f"acic {s}"] * 4)
            for s in (2, 7, 26)
        )
    ),
    "tau": lambda: _joined(
        *(
            (
                [load("tau-complexity", effect=None, setup=s, rho=r, realisations=range(50, 53))],
                [f"tau {s}"] * 3,
            )
            for s, r in (("A", 0.1), ("B", 0.4))
        )
    ),
    "few": lambda: _joined(
        _of("confounded", 6, "2000, 5 %", rows=2000, covariates=10, treated=0.05, seed=73),
        _of("confounded", 4, "2000", rows=2000, covariates=10, treated=0.2, seed=74),
    ),
    "binary": lambda: _joined(
        *_shapes(
            3,
            ("sine", "constant", "smooth"),
            rows=1000,
            test=500,
            covariates=20,
            binary=True,
            seed=75,
        )
    ),
    "sine8": lambda: _joined(
        _of("shapes", 8, "sine, 8", kind="sine", rows=1000, test=500, covariates=8, seed=78)
    ),
    "dose": lambda: _joined(
        _of("confounded", 6, "dose 471", rows=471, test=200, covariates=25, dose=True, seed=79),
        _of(
            "confounded",
            4,
            "dose 471, 0.3",
            rows=471,
            test=200,
            covariates=25,
            dose=True,
            noise=0.3,
            seed=80,
        ),
    ),
    "doses": lambda: _joined(
        *_shapes(
            2, ("sine", "steps", "lines", "smooth"), rows=1000, test=200, covariates=20, dose=True
        )
    ),
    "large": lambda: _joined(
        *_shapes(2, ("smooth", "steps", "constant"), rows=5000, test=500, covariates=20, seed=76)
    ),
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
    codes, done = {"codes": 8}, out.with_suffix(".done")
    names = list(of) if is_dose else ["T", "P", "RA"]
    todo = [(name, "r", {}) for name in names]
    todo += [(name, "r", codes) for name in names if name != "P"]
    todo += [(name, "alone", {}) for name in names[:3:2] if is_dose] + [
        ("T", "alone", {}),
        ("P", "alone", {}),
    ] * (not is_dose)
    todo += [
        ("X", "r", {}),
        ("N", "r", {}),
        ("RA", 1, codes),
        ("P", "r", codes),
        ("R", "r", {}),
        ("T", 1, codes),
        ("DR", "r", {}),
    ] * (not is_dose)
    todo += [
        (name, part, {}) for part in (1, 4, 16) for name in (("V", "PV") if is_dose else ("T", "P"))
    ] * (is_dose or path.stem == "sine8")
    trained = pilots.train
    for name, part, more in todo:
        if time.time() - begun > seconds:
            break
        since, strength = time.time(), learned.strength
        if part == "alone":
            pilots.train = trained
            recipe = of[name]()._recipe(outcome, treatment, n)
            fitted = fitting.fit_recipe(recipe, rows, plan, keys, members=FOLDS)
        else:
            strength = strength if part == "r" else np.full(len(t), 1 / part, np.float32)
            pilots.train = lambda *a, s=strength, **k: pilots.Learned(learned.noise, s, {})
            recipe = of[name](**more)._recipe(outcome, treatment, n)
            fitted = fitting.fit_recipe(recipe, rows, plan, keys, members=FOLDS, draws=draws)
        pilots.train = trained
        label = f"{name}{part}{'c' if more else ''}"
        if part != "alone":
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
        TreeSLearner,
        LinearTLearner,
        TreeDRLearner,
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


def main() -> None:
    """Do one of the steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("tables", "networks", "others"))
    parser.add_argument("--tables", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--seconds", type=float, default=540)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args()
    if args.step == "tables":
        tables(args.out)
    elif args.step == "networks":
        networks(args.tables, args.out, args.seconds, args.quick)
    else:
        others(args.tables, args.out, args.jobs)


if __name__ == "__main__":
    main()
