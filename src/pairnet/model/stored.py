"""Saving and loading: a fitted method as plain JSON and named arrays, and back."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from pairnet import __version__
from pairnet.core.errors import BadInput
from pairnet.core.outcomes import AbstractOutcome, outcome_from_json
from pairnet.core.own_jax import CannotRun
from pairnet.core.treatments import Treatment, treatment_from_json
from pairnet.evidence.memory import MOST_ROWS, Memory
from pairnet.model.arrays import Arrays, named, narrow, wide
from pairnet.model.face import Estimator
from pairnet.model.folder import damaged, read, write
from pairnet.model.learner import Learner
from pairnet.model.model import Model
from pairnet.model.predictor import Stored
from pairnet.model.summary import check_summary
from pairnet.tables import Schema
from pairnet.training import Plan

LONGEST_LIST = 1000  # the most values of a hyperparameter that is a list
ROWS = "training"  # the prefix of the names of arrays of remembered rows


def save(method: Estimator, folder: str | os.PathLike[str]) -> None:
    """Write a fitted method into a folder."""
    model, about = method.model_, plain(method, "the model")
    memory, stored = model.memory, model.predictor.stored()
    is_flag = np.isin(memory.x, (0.0, 1.0)).all(axis=0)
    treatment = {key: plain(value, "an arm") for key, value in model.treatment.to_json().items()}
    content = {
        "pairnet": __version__,
        "method": about,
        "treatment": treatment,
        "outcome": {"kind": model.outcome.name, "labels": model.labels},
        "predictor": stored.json,
        "schema": model.schema.to_json(),
        "flags": np.flatnonzero(is_flag).tolist(),
        "summary": memory.summary,
    }
    rows = {name: getattr(memory, name) for name in ("t", "y", "weight", "row", "draws")}
    rows |= {"flags": memory.x[:, is_flag], "numbers": memory.x[:, ~is_flag]}
    known = {"clusters": memory.clusters, "design": memory.design}
    rows |= {name: array for name, array in known.items() if array is not None}
    rows = {name: narrow(array) for name, array in rows.items()}
    write(folder, content, stored.arrays | named({ROWS: rows}))


def load(folder: str | os.PathLike[str], known: Mapping[str, type[Estimator]]) -> Estimator:
    """Return the method that is saved in a folder; its class must be among the known ones."""
    content, arrays, as_written = read(folder)
    try:
        method = learner_of(content["method"], known)
        method.check()
        method.model_ = _model(method, content, arrays)
    except CannotRun:
        raise
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError) as error:
        why = f"{error} is missing" if type(error) is KeyError else str(error).rstrip(".")
        raise damaged(folder, why) from None
    if not as_written:
        raise damaged(folder, "model.json is not as it was saved (its checksum differs)")
    method.remember_columns()
    return method


def _model(method: Estimator, content: dict[str, Any], arrays: Arrays) -> Model:
    treatment = treatment_from_json(content["treatment"])
    schema = Schema.from_json(content["schema"])
    outcome, labels = _outcome(content["outcome"])
    # Format 1, of version 0.1.0, kept the stages of networks beside the rest.
    about = content["predictor"] if "predictor" in content else {"stages": content["stages"]}
    own = {name: array for name, array in arrays.items() if not name.startswith(f"{ROWS}.")}
    width, members = len(schema.features), int(method.members)
    predictor = method.restore(Stored(about, own), treatment, outcome, width)
    check_summary(content["summary"], treatment, outcome, width, members)
    memory = _memory(content, arrays, width, members, treatment)
    _check_memory(memory, schema, outcome, labels)
    return Model(predictor, treatment, outcome, labels, schema, memory, method.label)


def _outcome(value: Any) -> tuple[AbstractOutcome, tuple[str, str] | None]:
    labels, outcome = value["labels"], outcome_from_json(value["kind"])
    if labels is None:
        return outcome, None
    texts = all(isinstance(label, str) for label in labels)
    if not texts or len(labels) != 2 or not labels[0] < labels[1]:
        raise ValueError("its outcome has labels that are not two texts in order")
    return outcome, (labels[0], labels[1])


def _memory(
    content: dict[str, Any], arrays: Arrays, width: int, members: int, treatment: Treatment
) -> Memory:
    """Return the remembered rows."""
    flags, summary = content["flags"], content["summary"]
    rows = len(arrays[f"{ROWS}.t"])
    is_flag = np.isin(np.arange(width), flags)
    if np.flatnonzero(is_flag).tolist() != flags:
        raise ValueError("it does not say which of its columns are flags")
    part = lambda name, kind, *sizes: wide(arrays, f"{ROWS}.{name}", kind, sizes)
    x = np.empty((rows, width))
    x[:, is_flag] = part("flags", np.float64, rows, len(flags))
    x[:, ~is_flag] = part("numbers", np.float64, rows, width - len(flags))
    t, y, weight = (part(name, np.float64, rows) for name in ("t", "y", "weight"))
    row, draws = part("row", np.int64, rows), part("draws", np.int16, members, rows)
    has = lambda name: f"{ROWS}.{name}" in arrays  # models of people who know of neither have none
    clusters = part("clusters", np.int64, rows) if has("clusters") else None
    design = part("design", np.float64, rows, treatment.strata) if has("design") else None
    return Memory(x, t, y, weight, row, draws, treatment, summary, clusters, design)


def _check_memory(
    memory: Memory, schema: Schema, outcome: AbstractOutcome, labels: tuple[str, str] | None
) -> None:
    """Raise if remembered rows are not rows that a model can have been fitted to."""
    x, t, y = memory.x, memory.t, memory.y
    low, high = schema.bounds.astype(np.float32).T  # rounded as remembered rows are
    is_outcome = outcome.allows(y) and (labels is None or np.isin(y, (0.0, 1.0)).all())
    good = {
        "too few rows to be fitted to": len(y) >= 2,
        "covariates outside the range of their columns": ((low <= x) & (x <= high)).all(),
        "treatments that it does not know": memory.treatment.holds(t).all(),
        "rows of one treatment only": len(y) == MOST_ROWS or len(np.unique(t)) > 1,
        "outcomes that its kind of outcome cannot have": is_outcome,
        "weights that are not above 0": (memory.weight > 0).all(),
        "row numbers that no table has": len({*memory.row.tolist()}) == len(y)
        and (memory.row >= 0).all(),
        "draws of rows that cannot be": (memory.draws >= 0).all() and memory.draws.any(1).all(),
        "clusters that have no number": memory.clusters is None or (memory.clusters >= 0).all(),
        "chances that are not those of arms": memory.design is None or _are_chances(memory.design),
    }
    if wrong := [what for what, right in good.items() if not right]:
        raise ValueError(f"it remembers {wrong[0]}")


def _are_chances(design: np.ndarray) -> bool:
    inside = ((design > 0) & (design < 1)).all()
    return bool(inside and np.allclose(design.sum(axis=1), 1))


def plain(value: Any, name: str) -> Any:
    """Return a hyperparameter as plain JSON."""
    if isinstance(value, Learner) and not value.is_plain:
        raise BadInput(
            "",
            f"{value.title} is a model of another library, which cannot be saved here: such "
            "models are kept as pickles, which may run any code when they are read",
            "Leave it out, or fit again where it is needed.",
        )
    if isinstance(value, Learner | Plan):
        fields = [field.name for field in dataclasses.fields(value)]
        parameters = {field: plain(getattr(value, field), field) for field in fields}
        return {"class": type(value).__name__, "hyperparameters": parameters}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list):
        return [plain(element, name) for element in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(
        f"{name} is {value!r}, which cannot be saved: expected numbers, text, tuples or a method."
    )


def learner_of(value: Any, known: Mapping[str, type[Estimator]]) -> Estimator:
    """Return the method that a JSON value describes; its class must be among the known ones."""
    classes = {kind.__name__: kind for kind in known.values()} | {"Plan": Plan}
    method = _made(value, classes)
    if not isinstance(method, Estimator):
        raise ValueError("it names no method")
    return method


def _made(value: Any, classes: Mapping[str, type]) -> Any:
    """Return the hyperparameter that a JSON value describes; only known classes are made."""
    if isinstance(value, list):
        if len(value) > LONGEST_LIST:
            raise ValueError(f"a hyperparameter has {len(value)} values")
        return tuple(_made(element, classes) for element in value)
    if not isinstance(value, dict):
        return value
    if set(value) == {"float"}:
        return {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[value["float"]]
    parameters = value.get("hyperparameters")
    if set(value) != {"class", "hyperparameters"} or not isinstance(parameters, dict):
        raise ValueError(f"a hyperparameter is {str(value)[:100]}")
    name = value["class"]
    if not isinstance(name, str) or name not in classes:
        raise ValueError(
            f"it is of the class {str(name)[:100]!r}, which this pairnet does not know. A method "
            "of your own must be registered first: import its file, which has @methods.register"
        )
    # Hyperparameters that are newer than the file have their defaults.
    fields = {field.name for field in dataclasses.fields(classes[name])}
    if odd := sorted(set(parameters) - fields):
        raise ValueError(f"{name} has no hyperparameter {', '.join(odd[:5])} in this pairnet")
    return classes[name](
        **{field: _made(content, classes) for field, content in parameters.items()}
    )
