"""What a table is taken for: the kind of each column, and what is left out."""

import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pairnet.tables import Schema
from tables_helpers import COLUMNS, DAYS, FRAMES, PANDAS, POLARS, N, X, column


@pytest.mark.parametrize("kind", list(FRAMES))
def test_each_column_is_known_for_what_it_is(kind):
    schema = Schema.of(FRAMES[kind])
    kinds = {column.name: column.kind for column in schema.columns}
    assert kinds == dict(
        age="number",
        visits="number",
        member="flag",
        city="category",
        shop="category",
        joined="date",
    ) | (dict.fromkeys(("customer", "country", "note", "empty"), "left out"))
    numbers = ("age", "visits", "visits is missing", "member")
    city = ("city=Oslo", "city=Paris", "city=Rome", "city is missing")
    assert schema.features == (*numbers, *city, "shop=online", "shop=other", "joined")


def test_all_libraries_give_the_same_numbers_and_they_are_right():
    schema = Schema.of(PANDAS)
    x = schema.encode(PANDAS)
    assert all(np.array_equal(schema.encode(frame), x) for frame in FRAMES.values())
    by_name = dict(zip(schema.features, x.T, strict=True))
    assert np.array_equal(by_name["age"], X[:, 0])
    gone = np.isnan(COLUMNS["visits"])
    assert np.array_equal(by_name["visits is missing"], gone)
    assert set(by_name["visits"][gone]) == {np.nanmedian(COLUMNS["visits"])}
    assert np.array_equal(by_name["city=Rome"], [city == "Rome" for city in COLUMNS["city"]])
    assert np.array_equal(by_name["city is missing"], [city is None for city in COLUMNS["city"]])
    assert np.array_equal(by_name["shop=other"], [shop != "online" for shop in COLUMNS["shop"]])
    assert np.allclose(np.diff(by_name["joined"][:50]), 1)


def test_columns_may_come_in_another_order_and_unused_ones_may_stay_away():
    schema = Schema.of(PANDAS)
    assert np.array_equal(
        schema.encode(PANDAS.drop(columns=["note", "customer"])), schema.encode(PANDAS)
    )
    assert np.array_equal(schema.encode(POLARS.select(POLARS.columns[::-1])), schema.encode(PANDAS))
    with pytest.raises(ValueError, match=r"missing \['age'\]; not seen in fit \['years'\]"):
        schema.encode(POLARS.rename({"age": "years"}))


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_what_fit_has_not_seen_is_counted_in_one_warning(kind):
    schema = Schema.of(FRAMES[kind])
    values = COLUMNS | {
        "age": [np.nan, *X[1:, 0]],
        "city": ["Lima", "Lima", "Bonn", *COLUMNS["city"][3:]],
        "shop": ["kiosk", *COLUMNS["shop"][1:]],
        "joined": [*DAYS[:-2], None, None],
    }
    new = pd.DataFrame(values) if kind == "pandas" else pl.DataFrame(values, strict=False)
    with pytest.warns(UserWarning, match="differs") as said:
        x = schema.encode(new)
    assert len(said) == 1
    text = str(said[0].message)
    for part in (
        "column 'age' has 1 row without a value",
        "'city' has 3 rows with levels not seen in fit ('Bonn', 'Lima'): taken as none",
        "'shop' has 1 row with levels not seen in fit ('kiosk'): taken as 'other'",
        "'joined' has 2 rows without a value, unlike in fit: taken as 2024-01",
    ):
        assert part in text
    by_name = dict(zip(schema.features, x.T, strict=True))
    assert [by_name[f"city={city}"][0] for city in ("Oslo", "Paris", "Rome")] == [0, 0, 0]
    assert by_name["shop=other"][0] == 1


def test_numbers_far_outside_those_of_the_fit_are_counted():
    frame = pd.DataFrame(
        {"age": np.linspace(30, 84, N), "fit": np.arange(N) % 2 == 0, "seen": DAYS, "gap": 1.5}
    )
    frame.loc[3, "gap"] = np.nan
    schema = Schema.of(frame)
    near = frame.assign(age=frame["age"] + 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schema.encode(near)
    assert not schema.far(near).any()
    new = frame.astype({"fit": float})
    new.loc[[0, 1], "age"], new.loc[2, "fit"], new.loc[3, "seen"] = (
        [5e30, -200],
        7.0,
        pd.Timestamp("1924-01-01"),
    )
    with pytest.warns(UserWarning, match="differs") as said:
        schema.encode(new)
    for part in (
        "column 'age' has 2 rows far outside the range of fit, 30 to 84: as far as 5e+30",
        "column 'fit' has 1 row far outside the range of fit, no to yes: as far as 7",
        "column 'seen' has 1 row far outside the range of fit, 2024-01-01 to 2024-02-19: as far as 1924-01-01",
    ):
        assert part in str(said[0].message)
    assert schema.far(new).tolist() == [True] * 4 + [False] * (N - 4)


def test_a_schema_goes_through_json_and_back_and_a_spoiled_one_is_refused():
    schema = Schema.of(PANDAS)
    text = json.dumps(schema.to_json(), allow_nan=False)
    assert Schema.from_json(json.loads(text)) == schema
    for spoil in (
        lambda value: value["columns"][0].update(kind="exec"),
        lambda value: value["columns"][0].update(fill="0"),
        lambda value: value["columns"][3].update(levels=[1]),
        lambda value: value["columns"][3].update(more=1),
        lambda value: value["columns"].append(value["columns"][0]),
        lambda value: value.update(columns={}),
    ):
        value = json.loads(text)
        spoil(value)
        with pytest.raises(ValueError, match="column|schema"):
            Schema.from_json(value)


def test_the_summary_fits_a_terminal_and_says_why_columns_are_left_out():
    said = Schema.of(PANDAS.rename(columns={"age": "age" * 20})).summary()
    assert max(map(len, said.splitlines())) <= 80
    flat = " ".join(said.split())
    for part in (
        "looks like an identifier",
        "the same in all rows",
        "has no values at all",
        "6 columns become 11 numbers",
    ):
        assert part in flat


def test_whole_numbers_are_identifiers_only_if_every_row_has_its_own_close_to_the_others_or_by_name():
    rng = np.random.default_rng(0)
    amounts = rng.choice(10**6, 100, replace=False)
    assert column(amounts, "income").kind == "number"
    assert column(amounts, "customer_id").kind == "left out"
    assert column(rng.permutation(np.arange(100)) + 7).kind == "left out"
    assert column(np.arange(100.0)).kind == "number"


@pytest.mark.parametrize("kind", [pd, pl])
def test_identifiers_may_have_gaps_and_repeats_and_genuine_whole_numbers_are_kept(kind):
    rng = np.random.default_rng(0)
    running, far = np.arange(200), rng.choice(10**6, 200, replace=False)
    for values in (running, far):
        repeated = np.where(running == 9, values[5], values).tolist()
        for spoiled in (repeated, [None, *repeated[1:]]):
            assert "identifier: 19" in column(spoiled, "customer_id", kind).about()
    assert column([None, *running[1:].tolist()], "row", kind).kind == "left out"
    assert column(running % 199, "row", kind).kind == "left out"
    for name, values in {
        "age": rng.integers(18, 90, 200),
        "income": far,
        "amount_paid": far,
        "days": rng.integers(0, 500, 200),
        "store_id": running % 20,
    }.items():
        gaps = np.where(running % 50 == 3, None, values).tolist()
        assert column(values, name, kind).kind == column(gaps, name, kind).kind == "number"


def test_one_column_and_levels_with_commas_are_said_as_people_would():
    said = Schema.of(pd.DataFrame({"city": ["Paris, Texas", "Oslo"] * 30})).summary()
    assert "2 levels: Oslo, 'Paris, Texas'" in said
    assert said.endswith("1 column becomes 2 numbers; 0 left out.")
    assert (
        Schema.of(pd.DataFrame({"age": X[:, 0]}))
        .summary()
        .endswith("1 column becomes 1 number; 0 left out.")
    )


@pytest.mark.parametrize("frame", [PANDAS, POLARS], ids=["pandas", "polars"])
def test_infinite_values_and_doubled_names_are_refused(frame):
    bad = np.where(np.arange(N) == 5, np.inf, X[:, 0])
    spoiled = (
        frame.assign(age=bad) if frame is PANDAS else frame.with_columns(pl.Series("age", bad))
    )
    with pytest.raises(
        ValueError, match="infinite values: 1 in all in column 'age', the first at row 5"
    ):
        Schema.of(spoiled)
    with pytest.raises(ValueError, match="several columns of the same name: 'age'"):
        Schema.of(PANDAS.rename(columns={"visits": "age"}))
    with pytest.raises(ValueError, match="no column to learn from: 'country' the same in all rows"):
        Schema.of(PANDAS[["country", "empty"]])


def test_arrays_are_taken_at_their_word_and_their_gaps_filled():
    x = np.stack([np.arange(N), np.ones(N), X[:, 0]], axis=1)
    assert np.array_equal(Schema.of(x).encode(x), x)
    x[[3, 4], 2] = np.nan
    encoded = Schema.of(x).encode(x)
    assert encoded.shape == (N, 4)
    assert np.array_equal(encoded[:, 3], np.isnan(x[:, 2]))
    mixed = np.array([[1.5, "a", None], [2, "b", True]] * 30, dtype=object)
    assert Schema.of(mixed[:, :2]).features == ("0", "1=a", "1=b")
    assert Schema.of(mixed.tolist()).columns[2].missing == 30
    unnamed = pd.DataFrame(X)
    assert not Schema.of(unnamed).named
    assert np.array_equal(Schema.of(unnamed).encode(X), X)
