"""Tables that are wrong, each in its own way, end with a line that says how."""

import numpy as np
import polars as pl
import pytest

from commands_helpers import TABLE, N, ask, fit, spoiled

pytestmark = pytest.mark.usefixtures("quick_methods")

BAD_TABLES = {
    "a missing column": (
        TABLE.drop("drug"),
        {},
        "has no column 'drug' (--treatment). Its columns: person, age, height",
    ),
    "a misspelt column": (TABLE, {"outcome": "heath"}, "Did you mean 'health'?"),
    "a column in other letters": (
        TABLE.rename({"health": "hp"}).with_columns(HPI=1),
        {"outcome": "HP"},
        "Did you mean 'hp'?",
    ),
    "text in the outcome below a row without one": (
        spoiled("health", ["", "dead"], [2, 5]),
        {},
        "text in 1: got 'dead' in line 7 of the file",
    ),
    "a constant outcome": (
        TABLE.with_columns(health=pl.lit(1.5)),
        {},
        "Is it the right column? (The outcome is the column 'health', the treatment 'drug'.)",
    ),
    "treatment equal to outcome": (
        TABLE,
        {"treatment": "health"},
        "both name 'health': they must be different",
    ),
    "one arm only": (
        TABLE.with_columns(drug=pl.lit("yes")),
        {},
        "at least two values, got only 'yes' in all 140 rows",
    ),
    "nothing but empty columns": (
        TABLE.select("drug", "health").with_columns(age=pl.lit(None, pl.Float64)),
        {},
        "no column to learn from: 'age' has no values at all",
    ),
    "no outcomes": (TABLE.with_columns(health=pl.lit(None, pl.Float64)), {}, "No row of"),
    "doubled names": ("a,b,a\n1,2,3\n", {}, "several columns of the same name: 'a'"),
    "text in a numeric column": (
        spoiled("age", ["soon", "12,5"], [7, 20]),
        {},
        "Column 'age' holds numbers in 138 rows and text in 2: got 'soon', '12,5' in lines 9, 22 of the file. Make",
    ),
    "text in the outcome": (
        spoiled("health", ["dead"], [5]),
        {},
        "Column 'health' holds numbers in 139 rows and text in 1",
    ),
    "an empty file": ("", {}, "is empty: expected a table"),
    "no rows": ("drug,health,age\n", {}, "has column names and no rows"),
    "another separator": (
        "drug;health;age\n1;2;3\n",
        {},
        "separated by ';', not ','. Say --separator ';'",
    ),
    "another separator and decimal commas": (
        "drug;health;age\n1;2;3\n1;-2,5;3\n",
        {},
        "separated by ';', not ',', and to have decimal commas. Say --separator ';' --decimal ','.",
    ),
    "an outcome with two readings": (
        TABLE.with_columns(health=pl.Series([f"{1 + i % 9},{i:03d}" for i in range(N)])).drop(
            "age", "height"
        ),
        {},
        "'1,000' is 1000 with --thousands ',', and 1 with --decimal ','. Say one of these options",
    ),
    "an outcome with a word among dollars": (
        TABLE.with_columns(health=pl.Series([f"${i},000" if i != 5 else "dead" for i in range(N)])),
        {},
        "Column 'health' holds numbers, as '$0,000', and text: got 'dead' in line 7 of the file.",
    ),
    "infinite values": (
        TABLE.with_columns(
            age=pl.when(pl.col("person") == "p9").then(np.inf).otherwise(pl.col("age"))
        ),
        {},
        "infinite values: 1 in all in column 'age', the first at line 11 of the file: inf",
    ),
    "a huge covariate": (
        spoiled("age", ["1e300"], [9]),
        {},
        "The table has values beyond 1e+38: 1 in all in column 'age', the first at line 11 of the file: 1e+300. Is it",
    ),
    "a huge outcome": (
        spoiled("health", ["-1e200"], [4]),
        {},
        "--outcome has values beyond 1e+38: 1 in all in column",
    ),
    "an infinite outcome": (
        spoiled("health", ["inf"], [4]),
        {},
        "--outcome has infinite values: 1 in all in column 'health', the first at line 6 of the file: inf",
    ),
    "an outcome of many labels": (
        TABLE,
        {"outcome": "person"},
        "two labels, got text with 140 different values",
    ),
    "rows that are too long": (
        "drug,health\n1,2\n1,2,3\n",
        {},
        "more values than there are column names",
    ),
    "another encoding": ("drug,h\xe4lsa\n1,2\n".encode("latin-1"), {}, "is not in UTF-8"),
    "an unknown method": (TABLE, {"method": "quik"}, "Unknown method 'quik'"),
}


@pytest.mark.parametrize("case", list(BAD_TABLES))
def test_a_bad_table_ends_with_its_own_line_and_exit_code_2(case, tmp_path, capsys):
    table, names, message = BAD_TABLES[case]
    path = tmp_path / "table.csv"
    if isinstance(table, pl.DataFrame):
        table.write_csv(path)
    else:
        path.write_bytes(table if isinstance(table, bytes) else table.encode())
    said = fit(capsys, path, tmp_path, **names)
    assert said.code == 2
    assert message in " ".join(said.err.split())
    assert "Traceback" not in said.err
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("ending", ["feather", "parquet"])
def test_files_that_are_not_what_their_name_says_are_told_in_our_words(ending, tmp_path, capsys):
    path = tmp_path / f"table.{ending}"
    for content, message in (
        (
            b"drug,health,age\n1,2,3\n",
            "it holds text; if that is a table, let its name end in .csv.",
        ),
        (
            (b"PAR1" if ending == "parquet" else b"ARROW1\0\0") + b"\0" * 100,
            "damaged or incomplete",
        ),
        (b"\x89PNG\0\0" * 20, "it is of another format."),
    ):
        path.write_bytes(content)
        said = fit(capsys, path, tmp_path)
        assert (said.code, f"cannot be read as {ending}: " in said.flat, message in said.flat) == (
            2,
            True,
            True,
        )


def test_a_table_without_the_models_columns_and_a_folder_without_a_model(
    home, said_of_fit, tmp_path, capsys
):
    TABLE.drop("age", "city").write_csv(tmp_path / "less.csv")
    said = ask(capsys, "effect", home / "model", tmp_path / "less.csv", "-o", tmp_path / "e.csv")
    assert said.code == 2
    assert "lacks 2 of the 3 covariates of the model: 'age', 'city'" in said.flat
    said = ask(capsys, "effect", tmp_path, home / "table.csv", "-o", tmp_path / "e.csv")
    assert said.code == 2
    assert "is no pairnet model: it has no model.json" in said.flat
    said = fit(capsys, home / "table.csv", home / "table.csv")
    assert said.code == 2
    said = ask(
        capsys, "fit", home / "table.csv", "--treatment", "drug", "--outcome", "health", "-o", home
    )
    assert said.code == 2
    assert "it is left alone" in said.flat


def test_errors_name_lines_of_text_files_and_rows_of_others(home, said_of_fit, tmp_path, capsys):
    broken = TABLE.with_columns(
        city=pl.when(pl.col("person") == "p1").then(pl.lit("Os\nlo")).otherwise("city")
    )
    broken = broken.with_columns(
        age=pl.when(pl.col("person") == "p3").then(np.inf).otherwise("age")
    )
    broken.write_csv(tmp_path / "new.csv")
    broken.write_parquet(tmp_path / "new.parquet")
    asked = ("-o", tmp_path / "e.csv")
    said = ask(capsys, "effect", home / "model", tmp_path / "new.csv", *asked)
    assert (said.code, "column 'age', the first at line 6 of the file: inf" in said.flat) == (
        2,
        True,
    )
    said = ask(capsys, "effect", home / "model", tmp_path / "new.parquet", *asked)
    assert (
        said.code,
        "column 'age', the first at row 3 (the first row is 0): inf" in said.flat,
    ) == (2, True)


def test_a_new_date_that_could_be_in_march_or_in_may_is_refused(tmp_path, capsys):
    days = pl.Series([f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(N)])
    TABLE.with_columns(seen=days).write_csv(tmp_path / "table.csv")
    said = fit(capsys, tmp_path / "table.csv", tmp_path)
    assert "seen date 0 2024-01-01 to" in said.flat, said.err
    for day, code in (("03/05/2024", 2), ("03.05.2024", 0), ("2024-05-03", 0)):
        TABLE[:1].with_columns(seen=pl.lit(day)).write_csv(tmp_path / "new.csv")
        said = ask(
            capsys, "effect", tmp_path / "model", tmp_path / "new.csv", "-o", tmp_path / "e.csv"
        )
        assert (said.code, "day and month could be either way round" in said.flat) == (
            code,
            bool(code),
        ), said.err
