"""Tables: what each column is taken for, and that pandas, polars and arrays say the same."""

import datetime
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from checks import easy_problem, small
from pairnet.tables import Schema, files
from pairnet.tables.files import read_table
from pairnet.tables.formats import delimited

N = 120
X, T, Y, _ = easy_problem(N)
DAYS = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=i % 50) for i in range(N)]
COLUMNS = {
    "age": X[:, 0],
    "visits": np.where(np.arange(N) % 10 == 3, np.nan, np.arange(N) % 7),
    "member": X[:, 1] > 0,
    "city": [None if i % 20 == 1 else ("Oslo", "Paris", "Rome")[i % 3] for i in range(N)],
    "shop": [f"shop {i % 30}" if i % 4 == 0 else "online" for i in range(N)],
    "joined": DAYS,
    "customer": np.arange(N) + 1000,
    "country": ["Norway"] * N,
    "note": [f"text {i}" for i in range(N)],
    "empty": [None] * N,
}
PANDAS, POLARS = pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS, strict=False)
FRAMES = {
    "pandas": PANDAS,
    "polars": POLARS,
    "pandas with categories": PANDAS.astype({"city": "category"}),
}


def column(values, name="a", kind=pd):
    frame = kind.DataFrame({name: values, "other": np.linspace(0, 1, len(values))})
    return Schema.of(frame).columns[0]


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


def test_text_that_spells_numbers_or_dates_is_read_as_such():
    assert column([f"{i / 3:.2f}" for i in range(60)]).kind == "number"
    assert column([f"2024-05-{1 + i % 28:02d}" for i in range(60)]).kind == "date"
    assert column([f"2024-05-{1 + i % 28:02d} 12:30" for i in range(60)]).low % 1 == pytest.approx(
        12.5 / 24
    )
    assert column(pd.Categorical([f"0{i % 3}" for i in range(60)])).levels == ("00", "01", "02")
    assert column(pd.Categorical([i % 3 for i in range(60)])).levels == ("0", "1", "2")
    assert column([True, None] * 30).kind == "flag"
    assert column([3, None, 2.5] * 20).kind == "number"


def test_text_that_looks_like_numbers_or_dates_is_told_so(tmp_path):
    texts = {
        "price": [f"{i},{i % 7}5" for i in range(60)],
        "rate": [f"{i % 3},5" for i in range(60)],
        "seen": [f"{1 + i % 12:02d}/{1 + i % 28:02d}/2024" for i in range(60)],
        "born": [f"{1 + i % 3}.{1 + i % 2}.1980" for i in range(60)],
        "name": [f"Smith, {i}" for i in range(60)],
    }
    frame = pl.DataFrame(texts | {"other": np.linspace(0, 1, 60)})
    frame.write_csv(tmp_path / "table.csv")
    for table in (frame, read_table(tmp_path / "table.csv")):
        said = Schema.of(table).summary()
        assert max(map(len, said.splitlines())) <= 80
        flat = " ".join(said.split())
        for part in (
            "price left out looks like numbers with commas ('0,05'): write them with a decimal point",
            "rate category 0 3 levels: '0,5', '1,5', '2,5' looks like numbers with commas ('0,5')",
            "seen left out looks like dates ('01/01/2024'): write them as 2024-12-31",
            "born category 0 6 levels: 1.1.1980,",
            "looks like dates ('1.1.1980')",
            "name left out looks like an identifier or free text",
        ):
            assert part in flat
    assert read_table(tmp_path / "table.csv", dates=["born"])["born"].dtype == pl.Date


def test_lines_of_rows_are_those_of_an_editor(tmp_path):
    path = tmp_path / "table.csv"
    for text, lines in (
        ("a,b\n1,2\n3,4\n", [2, 3]),
        ('\n\na,"b\nc"\n"1\n\n1",2\n\n3,4', [5, 8, 9]),
        ("\ufeffa,b\r\n1,2\r\n3,4", [2, 3]),
    ):
        path.write_bytes(text.encode())
        assert files.lines_of(path, range(len(lines))) == lines
        assert read_table(path).height == len(lines)


def test_one_column_and_levels_with_commas_are_said_as_people_would():
    said = Schema.of(pd.DataFrame({"city": ["Paris, Texas", "Oslo"] * 30})).summary()
    assert "2 levels: Oslo, 'Paris, Texas'" in said
    assert said.endswith("1 column becomes 2 numbers; 0 left out.")
    assert (
        Schema.of(pd.DataFrame({"age": X[:, 0]}))
        .summary()
        .endswith("1 column becomes 1 number; 0 left out.")
    )


@pytest.mark.parametrize("asked", [{"separator": ";"}, {"decimal": ","}])
def test_options_of_text_are_not_taken_for_other_files_and_ignored(asked, tmp_path):
    pl.DataFrame({"a": [1.5]}).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="--separator and --decimal are for text files"):
        read_table(tmp_path / "t.parquet", **asked)


def test_decimal_commas_and_points_between_thousands(tmp_path):
    lines = [
        "a;b;c;version;day",
        "1,5;1.234,5;1.234;1.000;03.05.2024",
        "2;999;950;1.001;25.05.2024",
        ";;;;",
    ]
    (tmp_path / "table.csv").write_text("\n".join(lines))
    found = read_table(tmp_path / "table.csv", ";", words=["version"], decimal=",")
    assert [found[name].to_list() for name in "abc"] == [
        [1.5, 2, None],
        [1234.5, 999, None],
        [1234, 950, None],
    ]
    assert found["version"].to_list() == ["1.000", "1.001", None]
    assert found["day"].dtype == pl.Date
    with pytest.raises(ValueError, match="Say --separator ';'.$"):
        read_table(tmp_path / "table.csv", decimal=",")


def test_numbers_as_text_are_told_of_an_outcome_and_not_of_declared_categories():
    with pytest.raises(
        ValueError,
        match=r"It holds numbers as text \('.*'\): make them numbers with y.astype\(float\)\.",
    ):
        small().fit(X, Y.astype(str), treatment=T)
    assert column(pd.Categorical([f"0{i % 3}" for i in range(60)])).hint() == ""


def test_dates_of_new_rows_are_read_only_where_day_and_month_are_sure(tmp_path):
    path = tmp_path / "new.csv"

    def read(*values):
        path.write_text("\n".join(["seen,n", *(f"{value},1" for value in values)]))
        return read_table(path, dates=["seen"])["seen"].to_list()

    assert read("03.05.2024", "", "04.05.2024") == [
        datetime.date(2024, 5, 3),
        None,
        datetime.date(2024, 5, 4),
    ]
    assert read("03/05/2024", "25/05/2024") == [datetime.date(2024, 5, day) for day in (3, 25)]
    assert read("2024-05-03") == [datetime.date(2024, 5, 3)]
    for values in (("03/05/2024",), ("", "03-05-2024", "04-05-2024"), ("03.05.2024", "3/5/2024")):
        with pytest.raises(
            ValueError, match=r"'seen' whose day and month could be .* Write .* as 2024-12-31"
        ):
            read(*values)


def test_a_few_words_among_numbers_are_an_error_that_says_where():
    values = [str(i % 50) for i in range(500)]
    values[7], values[90] = "n/a", "12,5"
    with pytest.raises(
        ValueError,
        match=r"Column 'a' holds numbers in 498 rows and text in 2: got 'n/a', '12,5' in rows 7, 90",
    ):
        column(values)
    assert column(pl.Series(values, dtype=pl.Categorical), kind=pl).kind == "category"


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


@pytest.fixture(scope="module")
def fitted():
    with pytest.warns(UserWarning, match="Left out of the covariates|holds two labels") as said:
        model = small().fit(
            PANDAS, np.where(Y > 0, "yes", "no"), treatment=pl.Series(["drug", "none"]).gather(T)
        )
    assert any("'customer' looks like an identifier" in str(w.message) for w in said)
    assert any("'no' counts as 0 and 'yes' as 1" in str(w.message) for w in said)
    return model


def test_a_model_of_a_mixed_frame_answers_in_the_frames_own_kind(fitted):
    contrast = dict(T0="drug", T1="none")
    indexed = PANDAS.set_axis([f"row {i}" for i in range(N)])
    effect = fitted.effect(indexed, **contrast)
    assert effect.name == "effect"
    assert effect.index.equals(indexed.index)
    assert isinstance(fitted.effect(POLARS, **contrast), pl.Series)
    assert np.array_equal(fitted.effect(POLARS, **contrast).to_numpy(), effect.to_numpy())
    assert np.isclose(fitted.ate(POLARS, **contrast), effect.mean())
    outcome = fitted.predict_outcome(indexed.iloc[5:9], treatment="drug")
    assert outcome.name == "outcome"
    assert list(outcome.index) == ["row 5", "row 6", "row 7", "row 8"]
    assert set(fitted.optimal_treatment(POLARS)) <= {"drug", "none"}
    assert fitted.feature_names_in_.tolist() == list(COLUMNS)
    assert fitted.n_features_in_ == len(COLUMNS)


def test_evidence_comes_as_a_frame_of_the_library_that_asked(fitted):
    contrast = dict(T0="drug", T1="none", k=2)
    indexed = PANDAS.set_axis([f"row {i}" for i in range(N)])
    wanted = fitted.support(indexed[:5], **contrast).frame()
    assert list(wanted.index) == [f"row {i}" for i in range(5)]
    found = fitted.support(POLARS[:5], **contrast).frame()
    assert isinstance(found, pl.DataFrame)
    assert found.to_dict(as_series=False) == wanted.to_dict("list")


def test_a_lazy_frame_is_told_to_be_collected(fitted):
    for ask in (fitted.effect, lambda x: small().fit(x, Y, treatment=T), Schema.of):
        with pytest.raises(TypeError, match=r"lazy frame.*Call X\.collect\(\) first"):
            ask(POLARS.lazy())
    with pytest.raises(TypeError, match=r"y is a lazy frame.*Call \.collect"):
        small().fit(POLARS, POLARS.lazy().select("age"), treatment=T)


def test_two_labels_of_an_outcome_are_kept(fitted):
    assert fitted.outcome_labels_ == ("no", "yes")
    t = np.array(["drug", "none"])[T]
    assert np.isfinite(fitted.score(PANDAS, np.where(Y > 0, "yes", "no"), treatment=t))
    with pytest.raises(ValueError, match="y must be 'no' or 'yes', as in fit, got 'maybe'"):
        fitted.score(PANDAS, np.full(N, "maybe"), treatment=t)
    with pytest.raises(ValueError, match="y must be 'no' or 'yes', as in fit"):
        fitted.score(PANDAS, Y, treatment=t)


def test_absent_rows_and_their_order_do_not_matter_in_a_mixed_frame():
    used = [name for name in COLUMNS if name not in ("customer", "country", "note", "empty")]
    frame = PANDAS[used]
    reference = small().fit(frame, Y, treatment=T).effect(frame).to_numpy()
    order = np.random.default_rng(0).permutation(N)
    more = pd.concat([frame, frame.iloc[:5].assign(city="Atlantis", age=np.nan, visits=1e9)])
    weight = np.r_[np.ones(N), np.zeros(5)]
    again = small().fit(more, np.r_[Y, Y[:5]], treatment=np.r_[T, T[:5]], sample_weight=weight)
    shuffled = small().fit(
        pl.DataFrame(COLUMNS, strict=False).select(used)[order], Y[order], treatment=T[order]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(again.effect(frame), reference)
        assert np.array_equal(shuffled.effect(frame), reference)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2", "3", "x"], pl.String),
        (["1", "2", "3", "4.5"], pl.Float64),
        (["", "", "", "7"], pl.Int64),
    ],
)
def test_what_stands_late_in_a_long_file_still_says_of_which_kind_a_column_is(
    tmp_path, monkeypatch, values, kind
):
    monkeypatch.setattr(delimited, "FIRST_ROWS", 3)
    lines = ["value,day", *(f"{value},2024-01-02" for value in values)]
    (tmp_path / "late.csv").write_text("\n".join(lines))
    assert dict(read_table(tmp_path / "late.csv").schema) == {"value": kind, "day": pl.Date}


def test_years_of_two_digits_are_of_our_time(tmp_path):
    (tmp_path / "t.csv").write_text("day,x\n29.02.24,1\n25.03.71,2\n,3\n")
    found = read_table(tmp_path / "t.csv")["day"]
    assert found.to_list() == [datetime.date(2024, 2, 29), datetime.date(1971, 3, 25), None]


@pytest.mark.parametrize("separator", [",", ";"])
def test_decimal_points_are_not_taken_away_from_a_file_without_decimal_commas(tmp_path, separator):
    (tmp_path / "t.csv").write_text(
        f"price{separator}count\n1.234{separator}5\n21.519{separator}6\n"
    )
    with pytest.raises(
        ValueError, match="no number with a decimal comma, but points in column 'price', as '1.234'"
    ):
        read_table(tmp_path / "t.csv", separator, decimal=",")
    assert read_table(tmp_path / "t.csv", separator)["price"].to_list() == [1.234, 21.519]
