"""Tables as people pass them in Python: frames, arrays and lists, with odd columns."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

import pairnet
from attacks import odd
from attacks.ground import TINY, known
from attacks.oracle import Fault, Refused, about, asked, check_finite, check_same, given
from attacks.stacks import cheap_stack
from attacks.steady import Steady
from pairnet import TARNet

MOST_ROWS = 50


def frames(rng: Random, place: Path) -> str:
    """Fit a table of odd columns, in any container; an answer must survive what cannot matter."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    n = rng.randint(8, MOST_ROWS)
    names = odd.names(rng, rng.randint(1, 4))
    columns = {name: odd.column(rng, numbers, n) for name in names}
    columns |= {} if rng.random() < 0.3 else {"size": odd.measured(rng, numbers, n)}
    X = rng.choice(CONTAINERS)(columns)
    t, y = _treatment(rng, numbers, n), _outcome(rng, numbers, n)
    weight = rng.choice((None, None, None, np.ones(n), numbers.uniform(size=n)))
    if rng.random() < 0.05:
        weight = odd.column(rng, numbers, n)
    method = _method(rng)
    ask = lambda X, t, y: asked(lambda: method().fit(X, y, treatment=t, sample_weight=weight))
    with about("fit of X, treatment, y, by", X, t, y, method()):
        fitted = ask(X, t, y)
        if isinstance(fitted, Refused):
            return "refused"
        effect = _effect(fitted, X, n)
        if isinstance(effect, Refused):
            return "refused"
        check = rng.choice(CHECKS)
        check(rng, Fitted(fitted, X, t, y, weight, effect, ask), place)
    return "answers"


def numbers_only(rng: Random, place: Path) -> str:
    """Fit numbers of odd sizes, with gaps; units and how gaps are written cannot matter."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    n = 40
    X, t = numbers.normal(size=(n, 3)), np.arange(n) % 2
    y = X[:, 1] + t * (1 + X[:, 0]) + 0.3 * numbers.normal(size=n)
    gaps = numbers.random(X.shape) < rng.choice((0.0, 0.0, 0.1))
    spoiled = rng.random() < 0.3
    if spoiled:
        X[rng.randrange(n), rng.randrange(3)] = float(rng.choice((1e30, -1e37, 1e-40, 0, 1e9)))
    method = _network if not gaps.any() and rng.random() < 0.1 else Steady
    holed = np.where(gaps, np.nan, X)
    with about(f"numbers with {gaps.sum()} gaps", X):
        first = asked(lambda: method().fit(holed, y, treatment=t))
        if isinstance(first, Refused):
            return "refused"
        effect = check_finite(given(lambda: first.effect(holed)), (n,))
        if spoiled:
            return "answers"
        form = rng.choice(FORMS)
        other, unit = form(rng, X, gaps)
        again = asked(lambda: method().fit(other, y * unit, treatment=t))
        if isinstance(again, Refused):
            if form is in_tiny_units:
                return "refused"
            raise Fault(f"{form.__name__} is refused: {again.why}")
        there = check_finite(given(lambda: again.effect(other)), (n,))
        check_same(effect, there / unit, form.__name__, 1e-2 if method is _network else 1e-4)
    return "answers"


def asked_about(rng: Random, place: Path) -> str:
    """Ask a fitted model about rows of odd columns."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    model = known(rng.choice(("two arms", "three arms", "yes or no", "doses", "array", "stack")))
    n = rng.randint(1, 20)
    rows = numbers.integers(0, len(model.X), n)
    X = model.X[rows] if isinstance(model.X, np.ndarray) else model.X.iloc[rows]
    columns = X.to_dict("list") if isinstance(X, pd.DataFrame) else dict(enumerate(X.T.tolist()))
    for _ in range(rng.randint(1, 2)):
        name = odd.text(rng) if rng.random() < 0.05 else rng.choice(tuple(columns))
        columns[name] = odd.column(rng, numbers, n)
    if rng.random() < 0.05:
        columns.pop(rng.choice(tuple(columns)))
    if rng.random() < 0.3:
        columns = dict(sorted(columns.items(), key=lambda item: rng.random()))
    X = rng.choice(CONTAINERS)(columns)
    with about("effect of", X):
        effect = asked(lambda: model.method.effect(X, T0=model.T0, T1=model.T1))
        if isinstance(effect, Refused):
            return "refused"
        effect = check_finite(effect, (n,))
        some = np.flatnonzero(numbers.random(n) < 0.5)
        if len(some):
            part = given(lambda: model.method.effect(taken(X, some), T0=model.T0, T1=model.T1))
            check_same(effect[some], part, "asking about some of the rows")
    return "answers"


@dataclasses.dataclass
class Fitted:
    """A fit that was answered, and how to make it again."""

    method: Any
    X: Any
    t: Any
    y: Any
    weight: Any
    effect: np.ndarray
    fit: Callable[[Any, Any, Any], Any]


def shuffled(rng: Random, fitted: Fitted, place: Path) -> None:
    """Compare with the fit of the same rows in another order."""
    n = len(fitted.effect)
    order = np.asarray(rng.sample(range(n), n))
    if fitted.weight is not None:
        return
    rest = [taken(one, order) for one in (fitted.X, fitted.t, fitted.y)]
    again = fitted.fit(rest[0], rest[1], rest[2])
    if isinstance(again, Refused):
        raise Fault(f"rows in another order are refused: {again.why}")
    there = _effect(again, rest[0], n, fitted.method)
    check_same(fitted.effect[order], there, "shuffling the rows")


def some_rows(rng: Random, fitted: Fitted, place: Path) -> None:
    """Compare with asking about some of the rows."""
    rows = np.flatnonzero([rng.random() < 0.5 for _ in fitted.effect])
    if len(rows):
        there = _effect(fitted.method, taken(fitted.X, rows), len(rows))
        check_same(fitted.effect[rows], there, "asking about some of the rows")


def saved(rng: Random, fitted: Fitted, place: Path) -> None:
    """Compare with the model after it was saved and loaded."""
    kept = asked(lambda: fitted.method.save(place / "model"))
    if isinstance(kept, Refused):
        raise Fault(f"a model that was trained cannot be saved: {kept.why}")
    loaded = given(lambda: pairnet.load(place / "model"))
    there = _effect(loaded, fitted.X, len(fitted.effect), fitted.method)
    if not np.array_equal(fitted.effect, np.asarray(there, float)):
        raise Fault("saving and loading gives other effects")


def renamed(rng: Random, fitted: Fitted, place: Path) -> None:
    """Compare with the fit under other names of the arms."""
    treatment = fitted.method.treatment_
    if treatment.whole_range or fitted.weight is not None:
        return
    labels = list(treatment.in_order)
    names = rng.sample(("none", "a drug", "Zebra", "é", "1b", "placebo", "x y"), 7)
    new = {label: names[k % 7] + "z" * (k // 7) for k, label in enumerate(labels)}
    t = [new[label] for label in np.asarray(labels)[_positions(fitted, labels)].tolist()]
    again = fitted.fit(fitted.X, t, fitted.y)
    if isinstance(again, Refused):
        raise Fault(f"arms of other names are refused: {again.why}")
    T0, T1 = (new[label] for label in _contrast(fitted.method))
    there = asked(lambda: again.effect(fitted.X, T0=T0, T1=T1))
    check_same(fitted.effect, there, "renaming the arms")


def named(rng: Random, fitted: Fitted, place: Path) -> None:
    """Compare with the fit that names columns of one frame, and is asked about all of it."""
    X, given = fitted.X, {"the treatment": fitted.t, "the outcome": fitted.y}
    if not isinstance(X, pd.DataFrame) or not all(isinstance(name, str) for name in X.columns):
        return
    try:
        if any(np.ndim(values) != 1 for values in given.values()):  # columns of one column
            return
        columns = {name: pd.Series(list(values), index=X.index) for name, values in given.items()}
        whole = X.assign(**columns)
    except Exception:  # pandas has no column for such values
        return
    again = fitted.fit(whole, "the treatment", "the outcome")
    if isinstance(again, Refused):
        raise Fault(f"columns by their names are refused: {again.why}")
    there = _effect(again, whole, len(fitted.effect), fitted.method)
    check_same(fitted.effect, there, "naming the columns")


def nothing(rng: Random, fitted: Fitted, place: Path) -> None:
    """Compare with nothing, but ask the rest."""
    T0, T1 = _contrast(fitted.method)
    for ask in (
        lambda: fitted.method.support(fitted.X, T0=T0, T1=T1).overlap,
        lambda: fitted.method.ate(fitted.X, T0=T0, T1=T1, kind="doubly robust"),
        lambda: fitted.method.ate_interval(fitted.X, T0=T0, T1=T1),
    ):
        answer = asked(ask)
        if not isinstance(answer, Refused):
            check_finite(answer)


# The last is dear, since it looks for evidence.
CHECKS = (shuffled, shuffled, some_rows, some_rows, saved, saved, renamed, renamed, named, nothing)


def masked(rng: Random, X: np.ndarray, gaps: np.ndarray) -> tuple[Any, float]:
    """A mask is a gap, whatever number lies under it."""
    return np.ma.masked_array(np.where(gaps, -999.0, X), gaps), 1.0


def in_polars(rng: Random, X: np.ndarray, gaps: np.ndarray) -> tuple[Any, float]:
    """A null is a gap."""
    columns = [pl.Series(str(k), values) for k, values in enumerate(np.where(gaps, np.nan, X).T)]
    return pl.DataFrame([column.fill_nan(None) for column in columns]), 1.0


def in_pandas(rng: Random, X: np.ndarray, gaps: np.ndarray) -> tuple[Any, float]:
    """A type that knows gaps, or one that does not."""
    made = pd.DataFrame(np.where(gaps, np.nan, X))
    return (made.convert_dtypes() if rng.random() < 0.5 else made), 1.0


def as_objects(rng: Random, X: np.ndarray, gaps: np.ndarray) -> tuple[Any, float]:
    """A None is a gap."""
    return np.where(gaps, None, X.astype(object)), 1.0


def in_other_units(rng: Random, X: np.ndarray, gaps: np.ndarray) -> tuple[Any, float]:
    """Covariates and outcomes in other units."""
    units = [10.0 ** rng.randint(-30, 30) for _ in range(3)]
    return np.where(gaps, np.nan, X) * units, 10.0 ** rng.randint(-30, 30)


def in_tiny_units(rng: Random, X: np.ndarray, gaps: np.ndarray) -> tuple[Any, float]:
    """Covariates or outcomes in units near the smallest that there are."""
    unit = 10.0 ** -rng.randint(100, 290)
    both = rng.choice(((1.0, unit), (unit, 1.0), (unit, unit)))
    return np.where(gaps, np.nan, X) * both[0], both[1]


FORMS = (masked, in_polars, in_pandas, as_objects, in_other_units, in_other_units, in_tiny_units)


def _network() -> TARNet:
    return TARNet(**TINY)


def _method(rng: Random) -> Callable[[], Any]:
    options: dict[str, Any] = {"seed": rng.randint(0, 3), "strength": rng.choice((0.1, 1.0, 10.0))}
    if rng.random() < 0.4:
        options |= {"members": 3, "bootstrap": True}
    if rng.random() < 0.2:
        options["treatment"] = rng.choice(("arms", "dose"))
    if rng.random() < 0.1:
        kind = options.get("treatment", "auto")
        return lambda: cheap_stack(members=2, seed=options["seed"], treatment=kind)
    return lambda: Steady(**options)


def _treatment(rng: Random, numbers: odd.Numbers, n: int) -> Any:
    """Return a treatment: mostly two or three arms, or a dose."""
    labels = rng.choice(((0, 1), ("none", "drug"), (True, False), (1, 2, 3), ("b", "a", "ä")))
    arms = [labels[k % len(labels)] for k in range(n)]
    dose = numbers.uniform(0, 10, n).tolist()
    column = rng.choice((arms, arms, arms, dose, odd.column(rng, numbers, n)))
    if rng.random() < 0.1:
        column[rng.randrange(len(column))] = odd.value(rng)
    return series(rng, column)


def _outcome(rng: Random, numbers: odd.Numbers, n: int) -> Any:
    plain, yes = odd.measured(rng, numbers, n), [("no", "yes")[k % 2] for k in range(n)]
    column = rng.choice((plain, plain, plain, yes, odd.column(rng, numbers, n)))
    if rng.random() < 0.1:
        column[rng.randrange(len(column))] = odd.value(rng)
    return series(rng, column)


def series(rng: Random, column: odd.Column) -> Any:
    """Return a column in any container that takes it."""
    ways = (
        lambda: column,
        lambda: tuple(column),
        lambda: np.asarray(column),
        lambda: np.asarray(column)[:, None],
        lambda: np.array(column, object),
        lambda: pd.Series(column),
        lambda: pd.Series(column, index=np.arange(len(column))[:: rng.choice((1, 1, -1))]),
        lambda: pl.Series(column, strict=False),
        lambda: np.ma.masked_array(column, [rng.random() < 0.05 for _ in column]),
        lambda: pd.Series(column).astype("category"),
    )
    return _first_that_works(rng.choice(ways), lambda: column)


def _frame(columns: dict[str, odd.Column]) -> Any:
    return pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})


def _objects(columns: dict[str, odd.Column]) -> np.ndarray:
    made = np.empty((len(next(iter(columns.values()))), len(columns)), object)
    for place, values in enumerate(columns.values()):
        for row, one in enumerate(values):
            made[row, place] = one
    return made


def _polars(columns: dict[str, odd.Column]) -> Any:
    made = lambda: pl.DataFrame(
        [pl.Series(str(name), values, strict=False) for name, values in columns.items()]
    )
    return _first_that_works(made, lambda: _frame(columns))


CONTAINERS: tuple[Callable[[dict[str, odd.Column]], Any], ...] = (
    _frame,
    _polars,
    _polars,
    _objects,
    lambda columns: _frame(columns).set_index(np.arange(len(_frame(columns)))[::-1] * 2),
    lambda columns: _first_that_works(
        lambda: _frame(columns).convert_dtypes(), lambda: _frame(columns)
    ),
    lambda columns: [list(row) for row in zip(*columns.values(), strict=True)],
    lambda columns: _first_that_works(
        lambda: np.asarray(_objects(columns).tolist(), float), lambda: _objects(columns)
    ),
)


def _first_that_works(first: Callable[[], Any], other: Callable[[], Any]) -> Any:
    """Return a container, or another where its library does not take the values."""
    try:
        return first()
    except BaseException:
        return other()


def taken(values: Any, rows: np.ndarray) -> Any:
    """Return some rows of any container, in this order."""
    if isinstance(values, pd.DataFrame | pd.Series):
        return values.iloc[rows]
    if isinstance(values, list | tuple):
        return [values[row] for row in rows]
    return values[rows]


def _contrast(method: Any) -> tuple[Any, Any]:
    treatment = method.treatment_
    if treatment.whole_range:
        return treatment.contrast
    return treatment.in_order[0], treatment.in_order[-1]


def _effect(method: Any, X: Any, n: int, like: Any = None) -> np.ndarray | Refused:
    T0, T1 = _contrast(like or method)
    effect = asked(lambda: method.effect(X, T0=T0, T1=T1))
    return effect if isinstance(effect, Refused) else check_finite(effect, (n,))


def _positions(fitted: Fitted, labels: list[Any]) -> list[int]:
    """Return the position of each row's arm among labels, as the fit understood them."""
    memory = fitted.method.model_.memory
    arms = [labels.index(one) for one in memory.treatment.label_of(memory.t).tolist()]
    positions = [0] * len(arms)
    for row, arm in zip(memory.row.tolist(), arms, strict=True):
        positions[row] = arm
    return positions
