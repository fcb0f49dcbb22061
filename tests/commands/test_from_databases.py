"""The same commands on a table that a database holds."""

import json
import shlex
import sqlite3
from contextlib import closing

import polars as pl
import pytest

import database_server
from commands_helpers import TABLE, ask, fit


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("shop.db")) as connection:
        names = ", ".join(TABLE.columns)
        connection.execute(f"create table patients ({names})")
        marks = ", ".join("?" * TABLE.width)
        connection.executemany(f"insert into patients values ({marks})", TABLE.rows())
        connection.commit()
    return tmp_path


def test_a_table_of_a_database_goes_all_the_way(shop, capsys, quick_methods):
    query = "sqlite:///shop.db::select * from patients where age is not null"
    looked = ask(capsys, "init", query, "--treatment", "drug", "--outcome", "health", "-o", "model")
    assert looked.code == 0, looked.err
    assert shlex.quote(query) in looked.out
    said = fit(capsys, query, shop)
    assert said.code == 0, said.err
    assert f"pairnet effect {shop}/model '{query}' --from" in said.out
    new = "sqlite:///shop.db::select person, age, height, city from patients limit 10"
    effects = ask(capsys, "effect", shop / "model", new, "-o", "effects.csv")
    assert effects.code == 0, effects.err
    assert pl.read_csv("effects.csv").height == 10
    plan = ask(capsys, "policy", shop / "model", new, "--cost", 1, "-o", "plan.parquet")
    assert plan.code == 0, plan.err
    assert pl.read_parquet("plan.parquet").height == 10
    ranked = ask(
        capsys,
        "compare",
        query,
        "--treatment",
        "drug",
        "--outcome",
        "health",
        "--methods",
        "lineartlearner,linearslearner",
        "--folds",
        1,
        "--json",
    )
    assert ranked.code == 0, ranked.err
    assert json.loads(ranked.out)["table"] == query


def test_mistakes_end_with_a_line_and_no_file(shop, capsys):
    for query, message in (
        (
            "sqlite:///shop.db::patient",
            "has no table 'patient'. It has patients. Did you mean 'patients'?",
        ),
        (
            "sqlite:///shop.db::drop table patients",
            "neither a query that reads nor a table of sqlite:///shop.db",
        ),
        ("sqlite:///other.db::patients", "There is no file at other.db"),
        ("oracle://ann:s3c@host/db::patients", "oracle is no database that can be read"),
    ):
        said = fit(capsys, query, shop, method="lineartlearner")
        assert said.code == 2
        assert message in said.flat
        assert "s3c" not in said.flat
        assert "Traceback" not in said.err
    said = fit(
        capsys, "sqlite:///shop.db::patients", shop, "--sheet", "May", method="lineartlearner"
    )
    assert "--sheet means nothing for sqlite:///shop.db::patients" in said.flat
    assert sorted(path.name for path in shop.iterdir()) == ["shop.db"]


@pytest.mark.bridge("psycopg")
def test_no_password_is_shown_or_saved(tmp_path, capsys, monkeypatch):
    with database_server.running() as server:
        goes_all_the_way(server, tmp_path, capsys, monkeypatch)


def goes_all_the_way(server, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make = "create table patients (id int, age float8, drug text, health float8)"
    rows = [(i, 20.0 + i % 37, ("no", "yes")[i % 2], float(i % 11 + i % 2)) for i in range(120)]
    import psycopg

    with psycopg.connect(server) as connection:
        connection.execute(make)
        connection.cursor().executemany("insert into patients values (%s, %s, %s, %s)", rows)
    query = f"{server}::select age, drug, health from patients order by id"
    said = fit(capsys, query, tmp_path, method="lineartlearner")
    assert said.code == 0, said.err
    effects = ask(capsys, "effect", tmp_path / "model", query, "-o", "effects.csv")
    page = ask(capsys, "report", tmp_path / "model", "-o", "report.html")
    told = said.flat + effects.flat + page.flat
    assert "postgresql://ann:***@127.0.0.1" in told
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {"effects.csv", "report.html", "model.json"} <= {path.name for path in written}
    for secret in ("s3c%3Ar", "s3c:r"):
        assert secret not in told
        assert not any(secret.encode() in path.read_bytes() for path in written)
