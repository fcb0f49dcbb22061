"""Questions to a fitted model: every argument may be anything."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from attacks import odd
from attacks.ground import MODELS, Known, known
from attacks.oracle import Fault, Refused, about, asked, check_finite, check_same, given

EVEN = np.linspace(0, 1, 5)


def questions(rng: Random, place: Path) -> str:
    """Ask one question, some of whose arguments are odd."""
    model = known(rng.choice(tuple(MODELS)))
    X = model.X[:12] if isinstance(model.X, np.ndarray) else model.X.iloc[:12]
    name = rng.choice(tuple(QUESTIONS))
    with about(f"{name} of {type(model.method).__name__}, treatment {model.T0!r}, {model.T1!r}"):
        answer = QUESTIONS[name](rng, model, X)
    return "refused" if isinstance(answer, Refused) else "answers"


def _label(rng: Random, model: Known) -> Any:
    """Return a treatment, or something else in its place."""
    rows = len(model.X.iloc[:12] if hasattr(model.X, "iloc") else model.X[:12])
    own = 10 + 50 * rng.random() if model.is_dose else rng.choice(model.t[:12].tolist())
    by_row = [rng.choice((own, model.T0, model.T1)) for _ in range(rows)]
    spoiled = [*by_row[:-1], odd.value(rng)]
    ways = (own, own, own, by_row, np.asarray(by_row), by_row[:3], spoiled, odd.value(rng))
    return rng.choice((*ways, odd.number(rng), [own], str(own), None))


def effects(rng: Random, model: Known, X: Any) -> Any:
    """The effect is a difference of outcomes, and changes its sign with the sides."""
    T0, T1 = _label(rng, model), _label(rng, model)
    with about("T0, T1", T0, T1):
        effect = asked(lambda: model.method.effect(X, T0=T0, T1=T1))
        if isinstance(effect, Refused):
            return effect
        check_finite(effect, (12,))
        if T0 is None or T1 is None:
            return effect
        back = given(lambda: model.method.effect(X, T0=T1, T1=T0))
        check_same(effect, -np.asarray(back), "the other sign")
        low, high = (
            given(lambda T=T: model.method.predict_outcome(X, treatment=T)) for T in (T0, T1)
        )
        check_same(effect, np.asarray(high) - low, "the difference of outcomes", 1e-3)
        some = [2, 5, 7]
        one = given(lambda: model.method.effect(_rows(X, some), T0=_at(T0, some), T1=_at(T1, some)))
        check_same(np.asarray(effect)[some], one, "asking about some of the rows")
    return effect


def intervals(rng: Random, model: Known, X: Any) -> Any:
    """The lower end is below the upper one, and a smaller alpha is a wider interval."""
    alpha = rng.choice((0.05, 0.5, 1 - 1e-12, 1e-12, odd.number(rng), odd.value(rng)))
    kind = rng.choice(("bootstrap", "conformal", "doubly robust", odd.value(rng)))
    average = rng.random() < 0.3
    name = "ate_interval" if average else "effect_interval"
    ask = lambda alpha: getattr(model.method, name)(
        X, T0=model.T0, T1=model.T1, alpha=alpha, kind=kind
    )
    with about(f"{name}(alpha, kind)", alpha, kind):
        return _checked_ends(ask, alpha)


def bands(rng: Random, model: Known, X: Any) -> Any:
    """So it is with the bands of responses and slopes; models of arms refuse."""
    alpha = rng.choice((0.05, 0.5, 1 - 1e-12, 1e-12, odd.number(rng), odd.value(rng)))
    kind = rng.choice(("bootstrap", "doubly robust", "doubly robust", odd.value(rng)))
    where = rng.choice((None, 20 + 30 * EVEN, [20], 20.0, _label(rng, model)))
    method = model.method
    name, ask = rng.choice(
        (
            ("of rows", lambda alpha: method.dose_response_interval(X, where, alpha=alpha)),
            ("of slopes", lambda alpha: method.marginal_effect_interval(where, X, alpha=alpha)),
            (
                "of the average",
                lambda a: method.average_dose_response_interval(X, where, alpha=a, kind=kind),
            ),
        )
    )
    with about(f"bands {name}(where, alpha, kind)", where, alpha, kind):
        return _checked_ends(ask, alpha)


def _checked_ends(ask: Callable[[Any], Any], alpha: Any) -> Any:
    ends = asked(lambda: ask(alpha))
    if isinstance(ends, Refused):
        return ends
    low, high = np.asarray(ends[0], float), np.asarray(ends[1], float)
    if np.isnan(low).any() or np.isnan(high).any() or not (low <= high).all():
        raise Fault(f"an interval from {low} to {high}")
    wider = asked(lambda: ask(float(alpha) / 2))
    if isinstance(wider, tuple) and (np.any(wider[0] > low) or np.any(wider[1] < high)):
        raise Fault(f"at half of alpha {wider} is no wider than {ends}")
    return ends


def averages(rng: Random, model: Known, X: Any) -> Any:
    """An average is one number."""
    T0, T1 = rng.choice(((model.T0, model.T1), (_label(rng, model), _label(rng, model))))
    kind = rng.choice(("plugin", "doubly robust", odd.value(rng)))
    with about("ate(T0, T1, kind)", T0, T1, kind):
        answer = asked(lambda: model.method.ate(X, T0=T0, T1=T1, kind=kind))
        return answer if isinstance(answer, Refused) else check_finite(answer, ())


def outcomes(rng: Random, model: Known, X: Any) -> Any:
    """An outcome is one number a row; a chance lies between 0 and 1."""
    treatment = _label(rng, model)
    with about("predict_outcome(treatment)", treatment):
        answer = asked(lambda: model.method.predict_outcome(X, treatment=treatment))
        if isinstance(answer, Refused):
            return answer
        outcome = check_finite(answer, (12,))
        if model.method.outcome_labels_ and not ((outcome >= 0) & (outcome <= 1)).all():
            raise Fault(f"chances of {outcome}")
    return answer


def evidence(rng: Random, model: Known, X: Any) -> Any:
    """Partners are rows of the fit, the nearest first."""
    k = rng.choice((1, 3, 48, 60, 61, odd.number(rng), odd.value(rng)))
    space = rng.choice(("covariates", "covariates", "representation", odd.value(rng)))
    T0, T1 = rng.choice(((model.T0, model.T1), (_label(rng, model), _label(rng, model))))
    with about("support(T0, T1, k, space)", T0, T1, k, space):
        answer = asked(lambda: model.method.support(X, T0=T0, T1=T1, k=k, space=space))
        if isinstance(answer, Refused):
            return answer
        check_finite(answer.overlap, (12,))
        for side in (answer.T0, answer.T1):
            if (side.distances[:, :-1] > side.distances[:, 1:] * (1 + 1e-9)).any():
                raise Fault("partners that are not in the order of their distances")
            if (side.rows < -1).any() or (side.rows >= len(model.X)).any():
                raise Fault("partners that are not in the table")
        given(answer.frame)
    return answer


def responses(rng: Random, model: Known, X: Any) -> Any:
    """A response at a dose is the outcome under this dose."""
    grid = rng.choice((None, 20 + 30 * EVEN, [20], 20.0, (15, 25), _label(rng, model)))
    with about("dose_response(grid)", grid):
        answer = asked(lambda: model.method.dose_response(X, grid))
        if isinstance(answer, Refused):
            return answer
        curve = check_finite(answer)
        average = given(lambda: model.method.average_dose_response(X, grid))
        check_same(curve.mean(axis=0), average, "the average of the responses")
        if grid is not None:
            first = np.asarray(grid, float).reshape(-1)[0]
            there = given(lambda: model.method.predict_outcome(X, treatment=first))
            check_same(curve[:, 0], there, "the outcome under a dose", 1e-3)
    return answer


def slopes(rng: Random, model: Known, X: Any) -> Any:
    """A slope is one number a row."""
    T = _label(rng, model)
    with about("marginal_effect(T)", T):
        answer = asked(lambda: model.method.marginal_effect(T, X))
        return answer if isinstance(answer, Refused) else check_finite(answer, (12,))


def policies(rng: Random, model: Known, X: Any) -> Any:
    """The best treatment is one that there is, within its bounds."""
    labels = model.method.treatment_.comparisons() or [(model.T0, model.T1)]
    arms = {labels[0][0]: 0.5, labels[0][1]: odd.number(rng)}
    functions = (np.log, lambda doses: doses[0], lambda doses: "x", lambda doses: doses + np.inf)
    cost = rng.choice((None, 0.1, arms, rng.choice(functions), odd.number(rng), odd.value(rng)))
    bounds = rng.choice((None, None, (15, 40), (odd.number(rng), odd.number(rng)), odd.value(rng)))
    goal = rng.choice(("max", "min", odd.value(rng) if rng.random() < 0.3 else "max"))
    with about("optimal_treatment(cost, bounds, goal)", cost, bounds, goal):
        best = asked(lambda: model.method.optimal_treatment(X, cost=cost, bounds=bounds, goal=goal))
        if isinstance(best, Refused):
            return best
        if model.is_dose:
            doses = check_finite(best, (12,))
            low, high = (model.t.min(), model.t.max()) if bounds is None else map(float, bounds)
            if (doses < low).any() or (doses > high).any():
                raise Fault(f"best doses {doses} outside {low} to {high}")
        elif not set(np.asarray(best).tolist()) <= set(model.t.tolist()):
            raise Fault(f"best arms that there are not: {best}")
    return best


def plans(rng: Random, model: Known, X: Any) -> Any:
    """A plan keeps its budget, and gives what there is."""
    own = (0.5, [0.1] * 12, np.ones(12), {model.T0: 0.1}, {model.T1: [1.0] * 12}, "age", np.sqrt)
    cost = rng.choice((None, *own, odd.number(rng), odd.value(rng), {model.T1: odd.value(rng)}))
    budget = rng.choice((None, 1, 3.5, odd.number(rng), odd.value(rng)))
    worth = rng.choice((None, None, 2.0, odd.number(rng), odd.value(rng)))
    bounds = (15, 40) if model.is_dose and rng.random() < 0.5 else None
    more = {"bounds": bounds if rng.random() < 0.9 else odd.value(rng), "T0": model.T0}
    goal = rng.choice(("max", "min", odd.value(rng) if rng.random() < 0.3 else "max"))
    outcomes = {"y": model.y[:12], "treatment": model.t[:12]} if rng.random() < 0.3 else {}
    asked_for = {"cost": cost, "budget": budget, "worth": worth, "goal": goal, **more, **outcomes}
    with about("policy(cost, budget, worth, goal, bounds)", *asked_for.values()):
        found = asked(lambda: model.method.policy(X, **asked_for))
        if isinstance(found, Refused):
            return found
        check_finite(found.gain, (12,))
        check_finite(found.cost, (12,))
        if budget is not None and found.spent > float(budget) * (1 + 1e-6) + 1e-6:
            raise Fault(f"spent {found.spent} of {budget}")
        if not model.is_dose and not set(found.labels.tolist()) <= set(model.t.tolist()):
            raise Fault(f"arms that there are not: {found.labels}")
        given(lambda: (str(found), found.plan(), found._repr_html_()))
        if found.value is not None:
            check_finite([line.gain.value for line in found.value.lines])
    return found


def orders(rng: Random, model: Known, X: Any) -> Any:
    """An order of rows, a tree and a policy of one's own are judged, or refused in words."""
    sides = {"T0": _label(rng, model), "T1": _label(rng, model)}
    sides = rng.choice((sides, {"T0": model.T0, "T1": model.T1}))
    y = rng.choice((model.y[:12], model.y[:12].tolist(), odd.value(rng)))
    rows = rng.choice(({}, {"X": X, "y": y, "treatment": model.t[:12]}, {"X": X}))
    depth, least = rng.choice((1, 2, 3, odd.number(rng))), rng.choice((None, 5, odd.value(rng)))
    columns = rng.choice((None, None, list(model.method.schema_.names)[:1], odd.value(rng)))
    k, shares = rng.choice((0.3, odd.number(rng))), rng.choice((None, [0.5], odd.value(rng)))
    alpha = rng.choice((0.05, odd.number(rng)))
    cost = rng.choice((None, 0.1, {model.T1: 0.2}, odd.value(rng)))
    own = rng.choice((model.T0, model.t, model.t.tolist(), _label(rng, model), odd.value(rng)))
    with about("targeting, uplift_at_k(k), toc(shares)", *sides.values(), rows, k, shares, alpha):
        order = asked(lambda: model.method.targeting(**rows, **sides, alpha=alpha))
        if not isinstance(order, Refused):
            check_finite([order.rate().value, order.rate("qini").error, order.auuc().value])
            given(lambda: (str(order), order._repr_html_()))
            asked(lambda: order.uplift_at_k(k))
            asked(lambda: order.toc(shares))
    with about("policy_tree(depth, columns, cost, least)", depth, columns, cost, least):
        tree = asked(
            lambda: model.method.policy_tree(
                depth, columns=columns, cost=cost, least=least, **sides
            )
        )
        if not isinstance(tree, Refused):
            given(lambda: (str(tree), tree.predict(X)))
            check_finite(tree.share)
    with about("policy_value(assigned, X, y, treatment)", own, rows):
        value = asked(lambda: model.method.policy_value(own, **rows, T0=model.T0))
        if not isinstance(value, Refused):
            check_finite([line.gain.value for line in value.lines])
    return next((one for one in (order, tree, value) if not isinstance(one, Refused)), order)


def groups(rng: Random, model: Known, X: Any) -> Any:
    """Effects of groups lie inside their intervals, and a line has a coefficient a term."""
    rows, numbers = len(model.X), np.random.default_rng(rng.randrange(1000))
    names = list(model.method.schema_.names)
    ways = ("effect", 2, 5, names, names[:1], rng.choice(names), odd.number(rng), odd.value(rng))
    columns = (numbers.integers(0, 3, rows), numbers.random((rows, 2)) < 0.5)
    by = rng.choice((*ways, *columns, odd.column(rng, numbers, rows), [odd.value(rng)]))
    sides, table = {"T0": model.T0, "T1": model.T1}, rng.choice((None, model.X, X))
    with about("group_effects(X, by)", by), about("columns", by):
        found = asked(lambda: model.method.group_effects(table, by=by, **sides))
        line = asked(lambda: model.method.best_linear_projection(by, **sides))
        if not isinstance(line, Refused) and not np.isfinite(line.value).all():
            raise Fault(f"a line of {line.value}")
        if isinstance(found, Refused):
            return found
        known = np.isfinite(found.error)
        inside = (found.lower <= found.effect) & (found.effect <= found.upper)
        if not inside[known].all():
            raise Fault(f"effects outside their intervals: {found}")
        given(found.frame)
        given(lambda: model.method.calibration_test(**sides))
    return found


def scores(rng: Random, model: Known, X: Any) -> Any:
    """A score is one number, or a word about what is wrong."""
    y, t = model.y[:12].tolist(), model.t[:12].tolist()
    weight = rng.choice((None, None, [1] * 12, odd.column(rng, np.random.default_rng(0), 12)))
    spoiled = rng.choice((y, t))
    if rng.random() < 0.7:
        spoiled[rng.randrange(12)] = odd.value(rng)
    given_y = rng.choice((y, y, np.asarray(y, object), y[:5], odd.value(rng)))
    with about("score(y, treatment, sample_weight)", given_y, t, weight):
        answer = asked(lambda: model.method.score(X, given_y, treatment=t, sample_weight=weight))
        return answer if isinstance(answer, Refused) else check_finite(answer, ())


def tables(rng: Random, model: Known, X: Any) -> Any:
    """What is asked about may be no table at all."""
    thing = rng.choice((odd.value(rng), [odd.value(rng)], [[odd.value(rng)] * 3] * 2, {"X": X}))
    with about("effect of", thing):
        answer = asked(lambda: model.method.effect(thing, T0=model.T0, T1=model.T1))
        return answer if isinstance(answer, Refused) else check_finite(answer)


def words(rng: Random, model: Known, X: Any) -> Any:
    """Names for reports may be anything, and the page is made all the same."""
    from pairnet.report.model import model_report

    names = {rng.choice(("treatment", "outcome", "other")): odd.value(rng)}
    goal = rng.choice(("max", "min", odd.value(rng)))
    if rng.random() < 0.8:  # a page takes a while
        T0, T1 = _label(rng, model), "no such arm"
        return asked(lambda: model_report(model.method, T0=T0, T1=T1, goal=goal))
    with about("call_columns(names), goal", names, goal), warnings.catch_warnings():
        before = model.method.model_
        try:
            called = asked(lambda: model.method.call_columns(**names))
            if isinstance(called, Refused):
                return called
            ask = lambda: model_report(model.method, T0=model.T0, T1=model.T1, goal=goal).html()
            return asked(ask)
        finally:
            model.method.model_ = before


QUESTIONS: dict[str, Callable[[Random, Known, Any], Any]] = {
    ask.__name__: ask
    for ask in (
        *(effects, intervals, averages, outcomes, evidence, responses, slopes, bands, policies),
        *(plans, orders, groups, scores, tables, words),
    )
}


def _rows(X: Any, rows: list[int]) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


def _at(T: Any, rows: list[int]) -> Any:
    return T if np.ndim(T) == 0 else np.asarray(T, object)[rows].tolist()
