"""Hyperparameters: values of any kind for every method, and texts of any kind on the command line."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from attacks import odd
from attacks.ground import TINY, frame, known
from attacks.oracle import (
    Refused,
    about,
    asked,
    check_finite,
    check_nothing,
    check_table,
    command,
    untouched,
)
from attacks.steady import Steady
from pairnet import PairNet, Plan, TARNet
from pairnet.core.outcomes import Bernoulli, Gaussian
from pairnet.core.treatments import Arms, Dose
from pairnet.methods import methods

# Numbers that a training takes as arguments of its program: another value compiles nothing.
TRAINED = {
    "tarnet": ("l2",),
    "pairnet": ("alpha", "drop", "temperature", "window"),
    "cfrnet": ("balance", "l2"),
    "dragonnet": ("propensity", "clip"),
    "vcnet": ("clip", "propensity"),
}


def hyperparameters(rng: Random, place: Path) -> str:
    """Set one or two hyperparameters to anything; what passes the check makes a recipe."""
    name = rng.choice(tuple(methods))
    if rng.random() < 0.15:
        return _plan(rng)
    method = _small(name)
    fields = [field.name for field in dataclasses.fields(method)]
    changes = {rng.choice(fields): _setting(rng, method, fields) for _ in range(rng.choice((1, 2)))}
    with about(f"{name}.set_params of", changes):
        method.set_params(**changes)
        if isinstance(asked(method.check), Refused):
            return "refused"
        dose = Dose in method.takes
        treatment = Dose(0.0, 1.0) if dose else Arms((0, 1))
        outcome = rng.choice((Gaussian(), Bernoulli()))
        if hasattr(method, "recipe"):
            made = asked(lambda: method.recipe(outcome, treatment, 60))
            if isinstance(made, Refused):
                return "refused"
    return "answers"


def trained(rng: Random, place: Path) -> str:
    """Train with an extreme value of a number that passes the check: effects must be finite."""
    name = rng.choice(tuple(TRAINED))
    field = rng.choice((*TRAINED[name], "learning_rate", "tolerance", "seed"))
    value = rng.choice((0, 0.0, 1e-30, 1e-3, 0.4, 1, 1.9, 2, 1e3, 1e30, 1e38, 1e300, np.inf))
    model = known("network of doses" if name == "vcnet" else "array")
    X = np.asarray(model.method.schema_.encode(model.X))[:, :3]
    with about(f"{name}({field}={value!r}).fit"):
        if field in ("learning_rate", "tolerance"):
            plan = asked(lambda: dataclasses.replace(TINY["plan"], **{field: value}))
            if isinstance(plan, Refused):
                return "refused"
            changes = {"plan": plan}
        else:
            changes = {field: value}
        method = _small(name).set_params(**changes)
        fitted = asked(lambda: method.fit(X, model.y, treatment=model.t))
        if isinstance(fitted, Refused):
            return "refused"
        check_finite(fitted.effect(X), (len(X),))
    return "answers"


def typed(rng: Random, place: Path) -> str:
    """Type a command whose options hold anything."""
    model = known(rng.choice(("two arms", "three arms", "doses", "stack", "stack of doses")))
    file = place / "table.csv"
    table = frame(rng.randint(0, 3), 40).assign(
        drug=[("none", "drug")[k % 2] for k in range(40)],
        health=np.random.default_rng(0).normal(size=40),
    )
    table.to_csv(file, index=False)
    words = rng.choice(LINES)(rng, file, model, place)
    words = [word for word in map(str, words) if "\0" not in word and "\ud800" not in word]
    with untouched(file):
        said = command(*words)
    allowed = {file.name, "out.csv", "out.html", "model", "store", "x"}
    check_nothing(place, *(allowed if said.code == 0 else {file.name}))
    if (place / "out.csv").exists():
        check_table(place / "out.csv")
    return "answers" if said.code == 0 else "refused"


def _plan(rng: Random) -> str:
    fields = [field.name for field in dataclasses.fields(Plan)]
    changes = {rng.choice(fields): odd.value(rng)}
    with about("Plan of", changes):
        plan = asked(lambda: Plan(**changes))
        if isinstance(plan, Refused):
            return "refused"
        schedule = asked(lambda: plan.schedule(100, 50))
        return "refused" if isinstance(schedule, Refused) else "answers"


@lru_cache
def _bases() -> tuple[Any, ...]:
    return (TARNet(**TINY), methods["vcnet"](**TINY), Steady(), PairNet())


def _small(name: str) -> Any:
    kind = methods[name]
    fields = kind.__dataclass_fields__
    options = {key: value for key, value in TINY.items() if key in fields}
    return kind(**options)


def _setting(rng: Random, method: Any, fields: list[str]) -> Any:
    """Return a value for a hyperparameter: odd, another's, or nearly right."""
    near = (0, 1, 2, 5, 0.1, 0.5, (4,), (4, 4), [4], (0,), (4.5,), (), "drawn", "psi", "raw", None)
    other = getattr(method, rng.choice(fields))
    base = rng.choice(_bases())
    return rng.choice((odd.value(rng), odd.number(rng), rng.choice(near), other, base, type(base)))


def _fit(rng: Random, file: Path, model: Any, place: Path) -> list[Any]:
    options = {
        "--treatment": "drug",
        "--outcome": "health",
        "-o": place / "model",
        "--method": "steady",
        "--members": 2,
    }
    if rng.random() < 0.3:  # the default is a stack
        del options["--method"]
    columns = ("--covariates", "--ignore", "--categories")
    name = rng.choice((*options, "--seed", "--kind", "--preset", "--time-limit", *columns))
    options[name] = odd.text(rng)
    if name in ("-o", "--method"):
        options[name] = rng.choice(("", place / "table.csv", "steadi", place / "x" / "y", "*"))
        options["-o"] = options["-o"] if Path(options["-o"]).is_absolute() else file
    settings = ["--set", f"{odd.text(rng)}={odd.text(rng)}"] if rng.random() < 0.3 else []
    return ["fit", file, *_flat(options), *settings]


def _effect(rng: Random, file: Path, model: Any, place: Path) -> list[Any]:
    options = {"--from": model.T0, "--to": model.T1, "-o": place / "out.csv"}
    name = rng.choice((*options, "--alpha", "--keep", "--separator", "--decimal"))
    options[name] = odd.text(rng)
    if name == "-o":
        options[name] = rng.choice((file, place, place / "x" / "out.csv", place / "out.xyz", ""))
    which = rng.choice((model.folder, model.folder, model.folder, place, file, odd.text(rng)))
    return ["effect", which, file, *_flat(options), "--no-evidence"]


def _report(rng: Random, file: Path, model: Any, place: Path) -> list[Any]:
    options = {"--from": model.T0, "--to": model.T1, "-o": place / "out.html"}
    name = rng.choice((*options, "--goal"))
    options[name] = odd.text(rng)
    if name == "-o":
        options[name] = rng.choice((file, place, place / "x" / "out.html", place / "out.pdf", ""))
    return ["report", model.folder, *_flat(options)]


def _others(rng: Random, file: Path, model: Any, place: Path) -> list[Any]:
    text = odd.text(rng)
    return rng.choice(
        (
            [text],
            [text, file],
            ["fit", file],
            ["list", text],
            ["run", text, "--store", place / "store"],
            ["run", "tiny", "--device", text],
            ["run", "tiny", "--methods", text, "--store", place / "store"],
            ["export", model.folder, "-o", rng.choice((place, file, place / f"out{text[:3]}"))],
            ["data", "check", text],
            ["report", "--store", place / text.strip("./"), "-o", place / "out.html"],
            ["compare", file, "--treatment", "drug", "--outcome", "health", "--methods", text],
            _compare(rng, file),
        )
    )


def _compare(rng: Random, file: Path) -> list[Any]:
    options = {"--treatment": "drug", "--outcome": "health", "--methods": "steady", "--folds": 1}
    options[rng.choice((*options, "--engine", "--jobs", "--kind"))] = rng.choice(odd.WORDS[:20])
    return ["compare", file, *_flat(options)]


def _flat(options: dict[str, Any]) -> list[Any]:
    return [word for option in options.items() for word in option]


LINES = (_fit, _fit, _effect, _effect, _report, _others)
