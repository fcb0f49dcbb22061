"""Columns that tell the outcome or the treatment of rows not seen, alone or two together."""

import numpy as np
import pandas as pd
import pytest

from pairnet.core.treatments import Arms, Dose
from pairnet.evidence.leaks import leaks
from pairnet.tables import Schema

N = 400


def found(columns, y, t, kind=None):
    frame = pd.DataFrame(columns)
    schema = Schema.of(frame)
    kind = Arms((0, 1)) if kind is None else kind
    t, y = np.asarray(t, float), np.asarray(y, float)
    return {(leak.columns, leak.tells) for leak in leaks(schema, schema.encode(frame), t, y, kind)}


def people(n=N, seed=0):
    rng = np.random.default_rng(seed)
    x = {f"x{k}": rng.normal(size=n) for k in range(4)}
    x["member"], x["town"] = rng.random(n) < 0.5, rng.choice(["Oslo", "Rome", "Turku"], n)
    t = (rng.random(n) < 0.5).astype(float)
    return rng, x, t, x["x0"] + t + rng.normal(size=n)


OUTCOME, TREATMENT = "outcome", "treatment"


@pytest.mark.parametrize(
    "made",
    [lambda y: np.exp(y), lambda y: y**3, lambda y: np.round(y, 2), lambda y: np.abs(y - 50)],
    ids=["exponential", "cube", "rounded", "distance"],
)
def test_a_column_made_from_the_outcome_is_found_though_it_is_no_line(made):
    _, x, t, y = people()
    assert found(x | {"late": made(y)}, y, t) == {(("late",), OUTCOME)}


def test_what_two_columns_make_together_is_found_and_both_are_named():
    rng, x, t, y = people()
    before = 70 + 15 * rng.normal(size=N)
    after = before + y
    assert found(x | {"before": before, "after": after}, y, t) == {(("before", "after"), OUTCOME)}
    after[rng.random(N) < 0.2] = np.nan
    assert found(x | {"before": before, "after": after}, y, t) == {(("before", "after"), OUTCOME)}
    assert found(x | {"before": before}, y, t) == set()


def test_a_column_that_decides_the_treatment_is_found_though_it_is_no_line():
    rng, x, t, y = people()
    size = np.where(t == 1, rng.exponential(size=N) + 0.01, 0)
    assert found(x | {"size": size}, y, t) == {(("size",), TREATMENT)}
    between = np.where(t == 1, rng.uniform(-1, 1, N), rng.choice([-1, 1], N) * rng.uniform(1, 2, N))
    assert found(x | {"between": between}, y, t) == {(("between",), TREATMENT)}
    source = np.where(t == 1, rng.choice(["a", "b"], N), rng.choice(["c", "d", "e"], N))
    assert found(x | {"source": source}, y, t) == {(("source",), TREATMENT)}
    dated = np.where(t == 1, rng.normal(size=N), np.nan)  # only those who were treated have it
    assert found(x | {"dated": dated}, y, t) == {(("dated",), TREATMENT)}


def test_a_rare_arm_is_enough_and_an_arm_among_several():
    rng, x, _, y = people(4000)
    rare = (rng.random(4000) < 0.01).astype(float)
    assert found(x | {"flag": rare * rng.uniform(1, 2, 4000)}, y, rare) == {(("flag",), TREATMENT)}
    arm = rng.integers(0, 3, 4000).astype(float)
    told = np.where(arm == 2, rng.uniform(5, 6, 4000), rng.uniform(0, 1, 4000))
    assert found(x | {"told": told}, y, arm, Arms((0, 1, 2))) == {(("told",), TREATMENT)}


def test_a_dose_and_a_yes_or_no_outcome_are_told_too():
    rng, x, t, y = people()
    dose = rng.random(N)
    weight = 50 + 10 * rng.normal(size=N)
    given = x | {"log": np.log(dose), "weight": weight, "rest": weight - dose}
    assert found(given, y, dose, Dose(0.0, 1.0)) == {
        (("log",), TREATMENT),
        (("weight", "rest"), TREATMENT),
    }
    score = rng.normal(size=N)
    assert found(x | {"score": score}, score > 0.3, t) == {(("score",), OUTCOME)}


@pytest.mark.parametrize("n", [30, 45, 60, 150, 400, 2000])
def test_ordinary_tables_raise_no_alarm(n):
    for seed in range(4 if n < 1000 else 1):
        rng, x, t, y = people(n, seed)
        noise = rng.normal(size=n)
        before = 3 * rng.normal(size=n)  # explains 0.9 of what follows
        for outcome in (
            y,
            before + t + 0.5 * noise,
            5 * before + t + noise,  # 0.99 and more
            before + 2 * t,  # without noise: the column does not hold the effect
            x["x0"] + x["x1"] * x["x2"] - x["member"] + 2 * t,
            before + t + noise > 0,
            np.where(before > 0, np.exp(noise), 0),
        ):
            assert found(x | {"before": before}, outcome, t) == set()
        by_town = rng.random(n) < np.where(x["town"] == "Oslo", 0.8, 0.2)
        by_number = rng.random(n) < 1 / (1 + np.exp(-3 * x["x0"]))
        for treated in (by_town, by_number, rng.random(n) < 0.1):
            assert found(x, y, treated) == set()


def test_a_person_with_several_rows_is_no_leak():
    rng, x, _, _ = people(100)
    who = np.repeat(np.arange(100), 5)
    x = {name: values[who] for name, values in x.items()}
    t = (rng.random(100) < 0.5).astype(float)[who]
    assert found(x, rng.normal(size=100)[who], t) == set()


def test_chance_finds_nothing_among_many_columns():
    rng = np.random.default_rng(0)
    for n in (40, 300):
        x = rng.normal(size=(n, 150)) > np.where(np.arange(150) % 2, 0, -9)
        x = np.where(np.arange(150) % 2, x, rng.normal(size=(n, 150)))
        columns = {f"c{k}": x[:, k] for k in range(150)}
        y, t = rng.normal(size=n), rng.random(n) < 0.5
        assert found(columns, y, t) == found(columns, y > 0, t) == set()


def test_a_leak_says_what_it_tells_and_what_to_do():
    rng, x, t, y = people()
    before = rng.normal(size=N)
    frame = pd.DataFrame(x | {"before": before, "after": before + y, "size": t * rng.random(N)})
    schema = Schema.of(frame)
    two, one = leaks(schema, schema.encode(frame), t, y, Arms((0, 1)))
    assert str(two) == (
        "The covariates 'before' and 'after' together predict the outcome almost perfectly on rows "
        "not seen."
    )
    assert str(one) == (
        "The covariate 'size' predicts the treatment almost perfectly on rows not seen."
    )
    assert "measured after the treatment" in one.advice[0]
