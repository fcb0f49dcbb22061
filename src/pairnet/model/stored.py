"""A fitted model as plain JSON and named arrays, and back: what `model.save(folder)` writes and
`load(folder)` reads.

Networks are made anew from the method's recipe, as shapes without values, and filled with the
arrays of the same names.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Mapping
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np

from pairnet import __version__
from pairnet.core.outcomes import AbstractOutcome, Bernoulli, Gaussian
from pairnet.core.treatments import Arms, Dose, Treatment
from pairnet.core.types import is_number
from pairnet.evidence.memory import Training, check_summary
from pairnet.model.face import NetworkEstimator
from pairnet.model.folder import damaged, read, write
from pairnet.networks.base import Located
from pairnet.tables import Schema
from pairnet.training import Fitted, Plan, Recipe
from pairnet.training.scaling import Scaling

OUTCOMES: dict[str, AbstractOutcome] = {"gaussian": Gaussian(), "bernoulli": Bernoulli()}
NARROW = (
    np.uint8,
    np.int32,
    np.float32,
)  # kinds of numbers in which remembered rows are kept, if nothing is lost
LONGEST = 1000  # of a hyperparameter that is a list

Arrays = dict[str, np.ndarray]


def save(model: NetworkEstimator, folder: str | os.PathLike[str]) -> None:
    """Write a fitted model into a folder."""
    fitted, training = model.fitted_, model.training_
    kind = next(
        name for name, outcome in OUTCOMES.items() if type(outcome) is type(fitted.reading.kind)
    )
    is_flag = np.isin(training.x, (0.0, 1.0)).all(axis=0)
    content = {
        "pairnet": __version__,
        "method": plain(model, "the model"),
        "treatment": _treatment_to_json(model.treatment_),
        "outcome": {"kind": kind, "labels": model.outcome_labels_},
        "stages": sorted(fitted.rounds),
        "schema": model.schema_.to_json(),
        "flags": np.flatnonzero(is_flag).tolist(),
        "summary": training.summary,
    }
    fields = {
        name: getattr(fitted, name) for name in ("networks", "scaling", "offset", "rounds", "score")
    }
    rows = {name: getattr(training, name) for name in ("t", "y", "weight", "row", "draws")}
    rows |= {"flags": training.x[:, is_flag], "numbers": training.x[:, ~is_flag]}
    rows = {name: _narrow(array) for name, array in rows.items()}
    write(folder, content, _named(fields) | _named({"training": rows}))


def load(
    folder: str | os.PathLike[str], known: Mapping[str, type[NetworkEstimator]]
) -> NetworkEstimator:
    """Return the model in a folder; its class must be among the known methods."""
    content, arrays, as_written = read(folder)
    try:
        model = _method(content["method"], known)
        model.check()
        treatment = _treatment(content["treatment"])
        schema = Schema.from_json(content["schema"])
        outcome, labels = _outcome(content["outcome"])
        recipe = model.recipe(
            outcome, treatment, 1000
        )  # the number of rows matters in training only
        width, members = len(schema.features), int(model.members)
        fitted = _fitted(recipe, content["stages"], arrays, width, members)
        check_summary(content["summary"], treatment, members)
        training = _training(content, arrays, width, members)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError, AttributeError) as error:
        why = f"{error} is missing" if type(error) is KeyError else str(error).rstrip(".")
        raise damaged(folder, why) from None
    if not as_written:
        raise damaged(folder, "model.json is not as it was saved (its checksum differs)")
    model.fitted_, model.treatment_, model.schema_, model.outcome_labels_ = (
        fitted,
        treatment,
        schema,
        labels,
    )
    model.training_ = training
    model.remember_columns()
    return model


def plain(value: Any, name: str) -> Any:
    """Return a hyperparameter as plain JSON."""
    if isinstance(value, NetworkEstimator | Plan):
        fields = {
            each.name: plain(getattr(value, each.name), each.name)
            for each in dataclasses.fields(value)
        }
        return {"class": type(value).__name__, "hyperparameters": fields}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple | list):
        return [plain(each, name) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise ValueError(
        f"{name} is {value!r}, which cannot be saved: expected numbers, text, tuples or a method."
    )


def _method(value: Any, known: Mapping[str, type[NetworkEstimator]]) -> NetworkEstimator:
    """Return the method that a JSON value describes."""
    made = _made(value, {kind.__name__: kind for kind in known.values()} | {"Plan": Plan})
    if not isinstance(made, NetworkEstimator):
        raise ValueError("it names no method")
    return made


def _made(value: Any, classes: Mapping[str, type]) -> Any:
    """Return the hyperparameter that a JSON value describes; only classes that are known are
    made."""
    if isinstance(value, list):
        if len(value) > LONGEST:
            raise ValueError(f"a hyperparameter has {len(value)} values")
        return tuple(_made(each, classes) for each in value)
    if not isinstance(value, dict):
        return value
    if set(value) == {"float"}:
        return {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}[value["float"]]
    if set(value) != {"class", "hyperparameters"} or not isinstance(value["hyperparameters"], dict):
        raise ValueError(f"a hyperparameter is {str(value)[:100]}")
    name = value["class"]
    if not isinstance(name, str) or name not in classes:
        raise ValueError(
            f"it is of the class {str(name)[:100]!r}, which this pairnet does not know"
        )
    known = {
        each.name for each in dataclasses.fields(classes[name])
    }  # new ones since it was saved have their default
    if odd := sorted(set(value["hyperparameters"]) - known):
        raise ValueError(f"{name} has no hyperparameter {', '.join(odd[:5])} in this pairnet")
    return classes[name](
        **{key: _made(each, classes) for key, each in value["hyperparameters"].items()}
    )


def _treatment_to_json(treatment: Treatment) -> dict[str, Any]:
    if isinstance(treatment, Arms):
        return {"kind": "arms", "labels": plain(treatment.labels, "an arm")}
    return {"kind": "dose", "low": treatment.low, "high": treatment.high, "usual": treatment.usual}


def _treatment(value: Any) -> Treatment:
    if value["kind"] == "dose":
        low, high = value["low"], value["high"]
        first, last = value.get("usual") or (low, high)  # models of older versions do not say
        good = all(map(is_number, (low, first, last, high))) and low <= first < last <= high
        if not good:
            raise ValueError(
                f"its doses go from {low!r} to {high!r}, most of them from {first!r} to {last!r}"
            )
        return Dose(float(low), float(high), (float(first), float(last)))
    labels = value["labels"]
    if value["kind"] != "arms" or not isinstance(labels, list) or len(labels) < 2:
        raise ValueError("it does not say what the treatment is")
    good = (
        all(isinstance(label, str | bool | int | float) for label in labels)
        and len({*map(type, labels)}) == 1
    )
    if not good or np.unique(labels).tolist() != labels:
        raise ValueError("its arms are not different labels in order")
    return Arms(tuple(labels))


def _outcome(value: Any) -> tuple[AbstractOutcome, tuple[str, str] | None]:
    labels = value["labels"]
    if labels is None:
        return OUTCOMES[value["kind"]], None
    if len(labels) != 2 or not all(isinstance(label, str) for label in labels):
        raise ValueError("its outcome has labels that are not two texts")
    return OUTCOMES[value["kind"]], (labels[0], labels[1])


def _fitted(recipe: Recipe, stages: Any, arrays: Arrays, width: int, members: int) -> Fitted:
    """Fill the networks of a recipe."""
    known = {stage.name for stage in recipe.stages}
    if not isinstance(stages, list) or not known <= set(stages) <= known | {"pilot"}:
        raise ValueError(f"its stages are {str(stages)[:100]} where its method has {sorted(known)}")
    shape = lambda kind, *sizes: jax.ShapeDtypeStruct((1, *sizes), kind)
    names = {"centre": (width,), "spread": (width,), "location": (), "unit": ()}
    wanted = {
        "networks": _skeletons(recipe, width, members),
        "scaling": {name: shape(np.float64, *sizes) for name, sizes in names.items()},
        "offset": shape(np.float64, members),
        "rounds": {name: shape(np.int32, members) for name in stages},
        "score": shape(np.float32, members),
    }
    full = jax.tree_util.tree_map_with_path(
        lambda path, leaf: _take(arrays, _path(path), leaf), wanted
    )
    return Fitted(
        full["networks"],
        recipe.reading,
        Scaling(**full["scaling"]),
        full["offset"],
        full["rounds"],
        full["score"],
    )


def _skeletons(recipe: Recipe, width: int, members: int) -> dict[str, Any]:
    """Return the networks of a recipe as shapes, with leading axes of one replication and its
    members."""

    def make(data):
        key = jr.wrap_key_data(data)
        return {
            stage.name: Located(stage.network(width, key=key), jnp.zeros(()))
            for stage in recipe.stages
        }

    keys = jax.eval_shape(lambda: jr.key_data(jr.key(0)))
    many = jax.ShapeDtypeStruct((1, members, *keys.shape), keys.dtype)
    return eqx.filter_eval_shape(lambda data: jax.vmap(jax.vmap(make))(data), many)


def _training(content: dict[str, Any], arrays: Arrays, width: int, members: int) -> Training:
    """Return the remembered rows."""
    flags, said = content["flags"], content["summary"]
    rows = len(arrays["training.t"])
    is_flag = np.isin(np.arange(width), flags)
    if int(is_flag.sum()) != len(flags):
        raise ValueError("it does not say which of its columns are flags")
    part = lambda name, kind, *sizes: _wide(arrays, f"training.{name}", kind, sizes)
    x = np.empty((rows, width))
    x[:, is_flag] = part("flags", np.float64, rows, len(flags))
    x[:, ~is_flag] = part("numbers", np.float64, rows, width - len(flags))
    t, y, weight = (part(name, np.float64, rows) for name in ("t", "y", "weight"))
    return Training(
        x, t, y, weight, part("row", np.int64, rows), part("draws", np.int16, members, rows), said
    )


def _narrow(array: np.ndarray) -> np.ndarray:
    """Return an array in the fewest bytes that lose nothing."""
    for kind in NARROW:
        with np.errstate(invalid="ignore"):  # of a value that does not fit
            small = array.astype(kind)
        if np.array_equal(small, array):
            return small
    return array


def _wide(arrays: Arrays, name: str, kind: type, sizes: tuple[int, ...]) -> np.ndarray:
    """Return what `_narrow` made small."""
    stored = arrays[name].dtype
    if stored not in (*NARROW, kind):
        raise ValueError(f"the array {name} is {stored}, expected {np.dtype(kind)}")
    return _take(arrays, name, jax.ShapeDtypeStruct(sizes, stored)).astype(kind)


def _take(arrays: Arrays, name: str, wanted: jax.ShapeDtypeStruct) -> np.ndarray:
    """Return an array by name, if it is what it must be."""
    if name not in arrays:
        raise ValueError(f"the array {name} is missing")
    found = arrays[name]
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        raise ValueError(
            f"the array {name} is {found.dtype}{found.shape}, expected {wanted.dtype}{wanted.shape}"
        )
    if not np.isfinite(found).all():
        raise ValueError(f"the array {name} holds values that are not finite")
    return found


def _named(tree: Any) -> Arrays:
    return {
        _path(path): np.asarray(leaf)
        for path, leaf in jax.tree_util.tree_flatten_with_path(tree)[0]
    }


def _path(path: Any) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")
