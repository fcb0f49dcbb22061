"""Saved models and stored results, damaged by chance or changed by somebody hostile."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from safetensors.numpy import load as arrays_in
from safetensors.numpy import save as as_bytes

import pairnet
from attacks import odd
from attacks.as_files import damaged
from attacks.ground import MODELS, Known, known
from attacks.oracle import Fault, Refused, about, asked, check_finite, check_is_ours, given
from cheap import TABLE, Shifted
from pairnet.bench.job import Job
from pairnet.bench.runner import run
from pairnet.bench.store import Corrupt, Store
from pairnet.model.folder import checksum
from pairnet.report.model import model_report

# What would be the work of somebody who was let in, by those who read a model.
FORBIDDEN = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "pickle.find_class",
    "exec",
)
READERS = ("pairnet", "safetensors", "json", "numpy")
watching: list[str] = []


def models(rng: Random, place: Path) -> str:
    """Load a model some of whose bytes, values or arrays are others; the checksums may be right."""
    model = known(rng.choice(tuple(MODELS)))
    folder = place / "model"
    shutil.copytree(model.folder, folder)
    way = rng.choice((_bytes, _values, _values, _arrays, _arrays))
    with about(f"{way.__name__.strip('_')} of a {model.folder.name}: {way(rng, folder)}"):
        loaded = _watched(lambda: asked(lambda: pairnet.load(folder)))
        if isinstance(loaded, Refused):
            return "refused"
        if way is _bytes:
            if not np.array_equal(_effect(loaded, model), model.effect):
                raise Fault("a damaged model gives other effects")
            return "answers"
        return _answers(rng, loaded, model)


def results(rng: Random, place: Path) -> str:
    """Damage a stored result: it is noticed, done again, and the numbers are the same."""
    store, shift = Store(place), rng.choice((0.0, 0.5, 2.0))
    jobs = [Job(Shifted(shift), TABLE, k) for k in range(3)]
    run(jobs, store)
    before = [store.read(job) for job in jobs]
    file = store.path(rng.choice(jobs))
    if rng.random() < 0.7:
        what = damaged(rng, file)
    else:
        hostile = ("[" * 100_000, "{}", "null", "1e999", '"a"', "", '{"content": ' * 900, "[]")
        what = rng.choice(hostile)
        file.write_text(what)
    with about(f"a result: {what[:100]}"):
        for job, record in zip(jobs, before, strict=True):
            try:
                same = store.read(job) == record
            except Corrupt:
                continue
            except Exception as error:
                check_is_ours(error)
                raise Fault(f"an error other than Corrupt: {error}") from None
            if not same and store.read(job) is not None:
                raise Fault("a damaged result was taken for a number")
        run(jobs, store)
        if [store.read(job).metrics for job in jobs] != [record.metrics for record in before]:
            raise Fault("after a damage other numbers were made")
    return "answers"


def _answers(rng: Random, loaded: Any, model: Known) -> str:
    """Ask a model that was let in everything: answers are numbers, or words."""
    X = model.X[:9] if isinstance(model.X, np.ndarray) else model.X.iloc[:9]
    T0, T1 = loaded.treatment_.example
    asks = [
        lambda: loaded.effect(X, T0=T0, T1=T1),
        lambda: loaded.effect_interval(X, T0=T0, T1=T1),
        lambda: loaded.effect_interval(X, T0=T0, T1=T1, kind="conformal", alpha=0.3),
        lambda: loaded.predict_outcome(X, treatment=T1),
    ]
    if rng.random() < 0.2:  # these take longer
        asks += [
            lambda: loaded.support(X, T0=T0, T1=T1).overlap,
            lambda: loaded.ate(X, T0=T0, T1=T1, kind="doubly robust"),
            lambda: loaded.covariate_balance().before,
        ]
    if isinstance(loaded, pairnet.Stack):
        given(lambda: str(loaded.weights_))
    if rng.random() < 0.02:
        asked(lambda: model_report(loaded, T0=T0, T1=T1).html())
    answers = [asked(ask) for ask in asks]
    for answer in answers:
        if not isinstance(answer, Refused) and np.isnan(np.asarray(answer, float)).any():
            raise Fault(f"an answer that is no number: {answer}")  # few rows have endless intervals
    if not isinstance(asked(lambda: repr(loaded.schema_.summary())), str):
        raise Fault("its schema cannot be shown")
    return "refused" if isinstance(answers[0], Refused) else "answers"


def _effect(loaded: Any, model: Known) -> np.ndarray:
    return check_finite(loaded.effect(model.X, T0=model.T0, T1=model.T1))


def _watched(ask: Any) -> Any:
    """Return an answer; it is a fault if anything was executed for it."""
    _watch()
    watching.append("")
    try:
        answer = ask()
        seen = watching[1:]
    finally:
        watching.clear()
    if seen:
        raise Fault(f"something was executed: {', '.join(seen[:5])}")
    return answer


def _watch(installed: list[bool] = []) -> None:  # noqa: B006 (an audit hook is there for ever)
    def hook(event: str, args: tuple[Any, ...]) -> None:
        if watching and event in FORBIDDEN:
            who = sys._getframe(1).f_globals.get("__name__", "").partition(".")[0]
            if event != "exec" or who in READERS:  # others make classes in this way
                watching.append(f"{event} {args!r:.200}")

    if not installed:
        installed.append(True)
        sys.addaudithook(hook)


def _bytes(rng: Random, folder: Path) -> str:
    """Change bytes of a file."""
    file = rng.choice(sorted(folder.iterdir()))
    before = file.read_bytes()
    what = damaged(rng, file)
    return f"{file.name}, {what}" if file.read_bytes() != before else "nothing"


def _values(rng: Random, folder: Path) -> str:
    """Change values of model.json, and make its checksum right."""
    file = folder / "model.json"
    content = json.loads(file.read_text())
    done = []
    for _ in range(rng.choice((1, 1, 1, 3))):
        if "[" * 99 in str(content):  # there is nothing more to find behind such nesting
            break
        holder, key = rng.choice(list(_places(content)))
        done.append(f"{key!r} of {str(holder)[:60]}")
        _change(rng, content, holder, key)
        done[-1] += f" -> {str(holder)[:60]}"
    _sign(file, content)
    return "; ".join(done)


def _change(rng: Random, content: Any, holder: Any, key: Any) -> None:
    odd_values = (
        *(None, True, False, 0, -1, 1, 2, 3, 10**30, 0.5, -0.5, 1e308, 5e-324, "", "x", "../x"),
        *([], {}, [[]], [0] * 2000, odd.nested(900), "1", {"float": "nan"}, {"float": "inf"}),
        *({"class": "PairNet", "hyperparameters": {}}, {"class": "TARNet", "hyperparameters": 1}),
        *("\ud800", "é" * 3000, 2**63, -(2**63), 10**400, 1e39),
    )
    old = holder[key]
    number = isinstance(old, int | float) and not isinstance(old, bool)
    near = (old + 1, old - 1, -old, old * 2, old * 1.0, 0) if number and abs(old) < 1e300 else ()
    elsewhere, there = rng.choice(list(_places(content)))
    what = rng.choice(("odd", "odd", "near", "gone", "swapped", "more", "twice"))
    if what == "gone":
        del holder[key]
    elif what == "swapped":
        copy = json.loads(json.dumps(elsewhere[there]))
        holder[key] = copy
    elif what == "more" and isinstance(old, dict):
        old[rng.choice(("__class__", "x", "", "name", "kind"))] = rng.choice(odd_values)
    elif what == "twice" and isinstance(old, list):
        holder[key] = old + old
    elif what == "near" and near:
        holder[key] = rng.choice(near)
    else:
        holder[key] = rng.choice(odd_values)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place in JSON, as what holds it and its key."""
    keys = list(value) if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


def _arrays(rng: Random, folder: Path) -> str:
    """Change arrays, and make all checksums right."""
    weights = next(folder.glob("weights-*"))
    arrays = arrays_in(weights.read_bytes())
    name = rng.choice(sorted(arrays))
    old = arrays[name]
    flat = old.copy().reshape(-1)
    values = (0, 1, -1, 2, 200, 1e6, 1e30, 1e-30, np.nan, np.inf, -np.inf, -5, 0.5)
    with np.errstate(all="ignore"):
        value = rng.choice((*values, -flat[0])) if flat.size else 0
        what = rng.choice(("one", "one", "all", "type", "shape", "gone", "more", "cut", "swapped"))
        if what == "one" and flat.size:
            flat[rng.randrange(flat.size)] = np.asarray(value).astype(old.dtype)
            arrays[name] = flat.reshape(old.shape)
        elif what == "type":
            kinds = (np.float64, np.float16, np.int64, np.uint8, np.bool_, np.int32, np.float32)
            arrays[name] = old.astype(rng.choice(kinds))
        elif what == "shape":
            arrays[name] = rng.choice((old[None], old.reshape(-1), old.T, old[..., None]))
        elif what == "gone":
            del arrays[name]
        elif what == "more":
            arrays[rng.choice(("x", "training.z", "", "networks", "training"))] = old
        elif what == "cut":
            arrays[name] = rng.choice((old[:0], old[..., :0], old[1:], np.concatenate([old, old])))
        elif what == "swapped":
            arrays[name] = arrays[rng.choice(sorted(arrays))]
        else:
            arrays[name] = np.full(old.shape, value).astype(old.dtype)
    data = as_bytes({key: np.ascontiguousarray(array) for key, array in arrays.items()})
    digest = hashlib.sha256(data).hexdigest()
    weights.unlink()
    (folder / f"weights-{digest[:16]}.safetensors").write_bytes(data)
    content = json.loads((folder / "model.json").read_text())
    content["weights"] = {"bytes": len(data), "sha256": digest}
    (folder / "model.json").write_text(json.dumps(content))
    return f"{what} of {name} {old.dtype}{old.shape}, {value}"


def _sign(file: Path, content: Any) -> None:
    head = ("format", "version", "weights", "sha256")
    if isinstance(content, dict):
        with contextlib.suppress(ValueError, RecursionError):  # it has none, then
            content["sha256"] = checksum({k: v for k, v in content.items() if k not in head})
    file.write_text(json.dumps(content), errors="replace")
