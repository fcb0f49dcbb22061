"""Are all numbers the same as before, to the last bit? Fits every method on small tables and keeps
all it says.

    python benchmarks/same_numbers.py before.npz                        # with the old code
    python benchmarks/same_numbers.py after.npz --against before.npz    # with the new code

It asks by public names alone, so that it runs with any version. On one kind of machine the same
code gives the same bits; what differs was changed by the code.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np

from pairnet import Plan, load
from pairnet.methods import methods

ROWS = 240
SHORT = Plan(patience=50, longest=200, warm_up=20)
SMALL = {"phi": (16,), "mu": (8,)}
DOSED = ("drnet", "vcnet")
TWO_STEP = ("xlearner", "rlearner", "drlearner", "ralearner", "ipw")
FORMS: dict[str, dict[str, Any]] = {
    "drawn": {"form": "drawn"},
    "drawn, dropped": {"form": "drawn", "drop": 0.2, "space": "covariates", "distance": "raw"},
    "psi": {"form": "drawn", "space": "psi"},
    "phi": {"form": "drawn", "space": "phi"},
    "near": {"space": "covariates", "temperature": 0.2},
    "columns": {"space": "covariates", "columns": (0, 2)},
    "alpha": {"alpha": 1.0},
}


def table(seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Return covariates, one of them a flag, and places of treatments from 0 to 1."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(ROWS, 4))
    x[:, 3] = x[:, 3] > 0.5
    return x, np.clip(rng.uniform(-0.2, 1.2, ROWS) + 0.15 * x[:, 0], 0, 1), rng


def kinds() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return covariates, treatments and outcomes of every kind of question."""
    x, place, rng = table()
    two, three = (place > 0.5).astype(int), np.clip((place * 3).astype(int), 0, 2)
    outcome = lambda t: x[:, 1] + t * (1 + x[:, 0]) + 0.3 * rng.normal(size=ROWS)
    yes = lambda t: (rng.random(ROWS) < 0.2 + 0.5 * t).astype(int)
    return {
        "arms": (x, two, outcome(two)),
        "three arms": (x, np.array(["control", "half", "whole"])[three], outcome(three / 2)),
        "yes / no": (x, two, yes(two)),
        "doses": (x, 10 + 50 * place, outcome(place)),
        "doses, yes / no": (x, 10 + 50 * place, yes(place)),
    }


def cases() -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Yield a name, a method, its hyperparameters, and the kind of table."""
    for name in methods:
        for kind in kinds():
            if name == "pairnet" or kind.startswith("doses") == (name in DOSED):
                yield f"{name}: {kind}", name, {}, kind
    for name in ("pairnet", "tarnet", "drlearner"):
        yield f"{name}: bootstrap", name, {"members": 3, "bootstrap": True}, "arms"
        yield f"{name}: calibration", name, {"members": 2, "calibration": 0.3}, "yes / no"
    yield (
        "vcnet: bootstrap",
        "vcnet",
        {"members": 3, "bootstrap": True, "calibration": 0.3},
        "doses",
    )
    for name in TWO_STEP:
        if "folds" in methods[name].__dataclass_fields__:
            yield f"{name}: folds", name, {"folds": 3}, "three arms"
    for word, options in FORMS.items():
        yield f"pairnet: {word}", "pairnet", options, "arms"
        if "columns" not in options:
            yield f"pairnet: {word}, doses", "pairnet", options, "doses"
    yield "pairnet: paper's difference", "pairnet", {"difference": "paper"}, "yes / no"
    yield "knn: psi", "knn", {"space": "psi", "temperature": 1.0}, "arms"
    yield "vcnet: targeted", "vcnet", {"targeted": 1.0, "hsic": 0.1}, "doses"
    yield "dragonnet: targeted", "dragonnet", {"targeted": 1.0}, "arms"
    yield "cfrnet: kernel", "cfrnet", {"measure": "kernel"}, "arms"


def made(name: str, options: dict[str, Any], is_dose: bool) -> Any:
    """Return a method with small networks and a short plan."""
    if name == "pairnet":
        base = methods["vcnet" if is_dose else "tarnet"](**SMALL, l2=0.1)
        return methods[name](**{"base": base, "plan": SHORT} | options)
    fields = methods[name].__dataclass_fields__
    wanted = {"plan": SHORT, "l2": 0.1} | SMALL | options
    return methods[name](**{key: value for key, value in wanted.items() if key in fields})


def answers(
    model: Any, x: np.ndarray, t: np.ndarray, y: np.ndarray, is_dose: bool
) -> dict[str, Any]:
    """Ask a fitted model everything."""
    T0, T1 = (15.0, 50.0) if is_dose else ("control", "whole") if t.dtype.kind == "U" else (0, 1)
    asked = {"T0": T0, "T1": T1}
    support = model.support(x[:40], **asked)
    balance = model.covariate_balance()
    said = {
        "effect": model.effect(x, **asked),
        "members": model.member_effects(x, **asked),
        "outcome": model.predict_outcome(x, treatment=t),
        "ate": model.ate(x, **asked),
        "score": model.score(x, y, treatment=t),
        "overlap": support.overlap,
        "verdict": support.verdict.astype("U"),
        "partners": support.T1.rows,
        "distances": support.T0.distances,
        "inside": model.overlap().inside,
        "effective": model.overlap().effective,
        "before": balance.before,
        "after": balance.after,
        "best": np.asarray(model.optimal_treatment(x[:40])),
    }
    if is_dose:
        said |= {"curve": model.dose_response(x[:40]), "slope": model.marginal_effect(30.0, x[:40])}
    if model.bootstrap:
        said["interval"] = np.stack(model.effect_interval(x, **asked))
        said["ate interval"] = np.array(model.ate_interval(x, **asked))
        if not is_dose:
            said["robust"] = model.ate(x, kind="doubly robust", **asked)
            said["robust interval"] = np.array(model.ate_interval(x, kind="doubly robust", **asked))
    if model.calibration:
        said["conformal"] = np.stack(model.effect_interval(x, kind="conformal", alpha=0.3, **asked))
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "model")
        said["loaded"] = load(Path(folder) / "model").effect(x, **asked)
    return said


def jobs() -> np.ndarray:
    """Return the names of all jobs of all experiments, as one digest each."""
    try:
        from pairnet.paper import experiments
    except ImportError:
        from pairnet.experiments import experiments
    found = []
    for name in sorted(experiments):
        keys = sorted({job.key for job in experiments[name].all_jobs()})
        found.append(
            f"{name} {len(keys)} {hashlib.sha256(' '.join(keys).encode()).hexdigest()[:16]}"
        )
    return np.array(found)


def main() -> None:
    """Fit, ask, write, and compare."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--against", type=Path)
    parser.add_argument("--only", default="", help="cases whose name begins like this")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    tables, everything = kinds(), {"jobs": jobs()}
    for case, name, options, kind in cases():
        if not case.startswith(given.only):
            continue
        x, t, y = tables[kind]
        is_dose = kind.startswith("doses")
        model = made(name, options, is_dose).fit(x, y, treatment=t)
        for what, value in answers(model, x, t, y, is_dose).items():
            everything[f"{case} / {what}"] = np.asarray(value)
        jax.clear_caches()  # a process can hold only so many compiled programs
    np.savez(given.out, **everything)
    print(f"{len(everything)} answers written to {given.out}")
    if given.against is None:
        return
    with np.load(given.against) as before:
        names = [each for each in before.files if each.startswith((given.only, "jobs"))]
        absent = sorted(set(names) - set(everything))
        moved = [
            each
            for each in names
            if each in everything and not same(before[each], everything[each])
        ]
        for each in moved:
            print(f"differs: {each}, by {apart(before[each], everything[each])}")
        print(
            f"{len(names) - len(absent) - len(moved)} the same, {len(moved)} differ, "
            f"{len(absent)} absent: {absent[:5]}"
        )


def same(old: np.ndarray, new: np.ndarray) -> bool:
    """Tell whether two answers have the same bits."""
    return old.dtype == new.dtype and old.shape == new.shape and old.tobytes() == new.tobytes()


def apart(old: np.ndarray, new: np.ndarray) -> str:
    """Say how far two answers are apart."""
    if old.shape != new.shape or old.dtype.kind not in "fi":
        return f"{old.dtype}{old.shape} and {new.dtype}{new.shape}"
    return f"{np.nanmax(np.abs(old - new)):.3g} at most"


if __name__ == "__main__":
    main()
