"""The models that are attacked: fitted once in a process, and kept in folders of their own."""

from __future__ import annotations

import dataclasses
import tempfile
import warnings
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from attacks.stacks import cheap_stack
from attacks.steady import Steady
from pairnet import Plan, TARNet, VCNet
from pairnet.model.face import Estimator
from pairnet.tables.written.writing import Writing

ROWS = 60
TINY: dict[str, Any] = {
    "phi": (4,),
    "mu": (4,),
    "plan": Plan(longest=20, patience=10, warm_up=5),
}
RESAMPLED: dict[str, Any] = {"members": 3, "bootstrap": True, "calibration": 0.2}


@dataclass(frozen=True, eq=False)
class Known:
    """A fitted method, the table of its fit, and what it says of it.

    T0, T1: a comparison that it can make. folder: where it is saved.
    """

    method: Estimator
    X: Any
    y: np.ndarray
    t: np.ndarray
    T0: Any
    T1: Any
    folder: Path

    @property
    def effect(self) -> np.ndarray:
        """The effects of the rows of the fit."""
        return self.effect_of(self.X)

    def effect_of(self, X: Any) -> np.ndarray:
        """Return the effects of some rows."""
        return np.asarray(self.method.effect(X, T0=self.T0, T1=self.T1))

    @property
    def is_dose(self) -> bool:
        """Whether the treatment is a dose."""
        return self.method.treatment_.whole_range


@lru_cache
def folder() -> Path:
    """Return a folder for the models of this process, which goes when the process ends."""
    _keep.append(
        tempfile.TemporaryDirectory(prefix="pairnet-attacked-", ignore_cleanup_errors=True)
    )
    return Path(_keep[-1].name)


_keep: list[tempfile.TemporaryDirectory] = []


def frame(seed: int = 0, rows: int = ROWS) -> pd.DataFrame:
    """Return covariates of every kind that is used."""
    rng = np.random.default_rng(seed)
    weight = rng.normal(70, 10, rows)
    weight[::7] = np.nan
    return pd.DataFrame(
        {
            "age": rng.integers(20, 90, rows),
            "weight": weight,
            "city": np.array(["Oslo", "Rome", "Nice"])[rng.integers(0, 3, rows)],
            "smokes": rng.random(rows) < 0.4,
            "since": np.datetime64("2020-01-01") + rng.integers(0, 999, rows),
        }
    )


MODELS: dict[str, Any] = {
    "two arms": (Steady(**RESAMPLED), frame, ("none", "drug")),
    "three arms": (Steady(**RESAMPLED), frame, (0, 1, 2)),
    "yes or no": (Steady(**RESAMPLED), frame, (False, True)),
    "doses": (Steady(**RESAMPLED), frame, None),
    "array": (Steady(), None, (0, 1)),
    "stack": (cheap_stack(members=3, calibration=0.2), frame, ("none", "drug")),
    "stack of three arms": (cheap_stack(members=2), frame, (0, 1, 2)),
    "stack, yes or no": (cheap_stack(members=2), frame, (False, True)),
    "stack of doses": (cheap_stack(members=2, doses=True), frame, None),
    "network": (TARNet(**TINY, **RESAMPLED), None, ("a", "b")),
    "network of doses": (VCNet(**TINY, members=2, bootstrap=True), frame, None),
}


# Models that remember how the file of their fit was written.
WRITTEN = ("two arms", "stack")
IN_A_FILE = {
    "decimal": ",",
    "na": ["-9"],
    "columns": {
        "weight": {
            "way": {"decimal": ",", "thousands": ".", "unit": ""},
            "shown": ["70,5", "70.5"],
            "missing": ["-"],
        },
        "since": {"way": {"order": "day first"}, "missing": []},
    },
}


@lru_cache
def known(name: str, seed: int = 0) -> Known:
    """Return a model by its name; another seed gives a model of another table."""
    method, covariates, labels = MODELS[name]
    rng = np.random.default_rng([seed, sum(map(ord, name))])
    X = rng.normal(size=(ROWS, 3)) if covariates is None else frame(seed)
    first = X[:, 0] if covariates is None else (X["age"] - 50) / 20
    place = np.clip(rng.uniform(-0.1, 1.1, ROWS) + 0.1 * first, 0, 1)
    arm = np.minimum((place * len(labels or ())).astype(int), len(labels or (0,)) - 1)
    t = 10 + 50 * place if labels is None else np.array(labels)[arm]
    strength = place if labels is None else arm
    y = np.asarray(strength * (1 + first) + 0.3 * rng.normal(size=ROWS))
    if name.startswith("stack"):  # steps, so that its trees speak, too
        y = y + 2 * (first > 0.3) * (1 + strength)
    y = np.where(y > np.median(y), "well", "ill") if name.endswith("yes or no") else y
    fitted = type(method)(**method.get_params(deep=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        fitted.fit(X, y, treatment=t)
    if name in WRITTEN:
        schema = dataclasses.replace(fitted.schema_, written=Writing.from_json(IN_A_FILE))
        fitted.model_ = dataclasses.replace(fitted.model_, schema=schema)
    place_of = folder() / f"{name} {seed}".replace(" ", "-")
    fitted.save(place_of)
    T0, T1 = (15.0, 50.0) if labels is None else labels[:2]
    return Known(fitted, X, y, t, T0, T1, place_of)
