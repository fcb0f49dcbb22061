"""Tables from databases: read as they are, never written, and no password is ever shown."""

import datetime
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest

import database_server
from pairnet.core.errors import BadInput
from pairnet.tables.databases.base import without_password
from pairnet.tables.files import is_spelled, lines_of, read_table, write_table
from pairnet.tables.location import Query, location_of

N = 30
SQL = """
create table customers (id integer, age double precision, city text, member boolean, seen date,
    paid numeric(8, 2), since timestamp);
create table "Old Orders" (id integer);
create view adults as select * from customers where age >= 30;
"""
ROWS = [
    (
        i,
        None if i == 3 else 20.5 + i,
        ("Oslo", "Rome, Italy", 'the "old" town', "")[i % 4],
        i % 2 == 0,
        str(datetime.date(2023, 1, 30) + datetime.timedelta(days=i)),
        f"{i}.25",
        f"2023-01-30 12:30:{i:02d}",
    )
    for i in range(N)
]


def read(url):
    return read_table(location_of(url))


def check_customers(frame, has_types=True):
    assert frame.columns == ["id", "age", "city", "member", "seen", "paid", "since"]
    assert frame["id"].to_list() == list(range(N))
    assert frame["age"].null_count() == 1
    assert frame["age"][0] == 20.5
    assert frame["city"].to_list()[:4] == [row[2] for row in ROWS[:4]]
    assert frame["seen"].cast(pl.Date)[1] == datetime.date(2023, 1, 31)
    assert frame["paid"].sum() == sum(range(N)) + 0.25 * N
    assert frame["since"].dtype == pl.Datetime
    assert frame["since"][5] == datetime.datetime(2023, 1, 30, 12, 30, 5)
    if has_types:
        assert frame["member"].to_list()[:2] == [True, False]
        assert frame["seen"].dtype == pl.Date


@pytest.fixture
def sqlite(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("shop.db")) as connection:
        connection.executescript(SQL)
        connection.executemany("insert into customers values (?, ?, ?, ?, ?, ?, ?)", ROWS)
        connection.commit()
    return "sqlite:///shop.db"


@pytest.fixture
def duckdb(tmp_path, monkeypatch):
    package = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    with package.connect("shop.duckdb") as connection:
        connection.execute(SQL)
        connection.executemany("insert into customers values (?, ?, ?, ?, ?, ?, ?)", ROWS)
    return "duckdb:///shop.duckdb"


def test_a_query_of_sqlite_is_a_table(sqlite):
    check_customers(read(f"{sqlite}::select * from customers"), has_types=False)
    assert read(f"{sqlite}::customers").height == N
    with pytest.raises(BadInput, match="gives no rows"):
        read(f"{sqlite}::Old Orders")
    assert read(f"{sqlite}::select city, count(*) as n from adults group by city;\n").height == 4
    absolute = f"sqlite:///{Path('shop.db').absolute()}"
    for url in (absolute, absolute.replace("////", "///"), "sqlite://shop.db", "sqlite:shop.db"):
        assert read(f"{url}::adults")["id"][0] == 10


def test_text_in_a_database_is_read_as_text_in_a_file_is(sqlite):
    with closing(sqlite3.connect("shop.db")) as connection:
        connection.execute("create table t as select '$1,200.50' as paid, '24.12.2023' as day")
        connection.execute("insert into t values ('$3.00', 'n/a')")
        connection.commit()
    frame = read(f"{sqlite}::t")
    assert frame["paid"].to_list() == [1200.5, 3.0]
    assert frame["day"].to_list() == [datetime.date(2023, 12, 24), None]
    query = location_of(f"{sqlite}::t")
    assert is_spelled(query)
    assert lines_of(query, [0]) is None


def test_values_of_several_types_in_one_column_of_sqlite_are_text_or_numbers(sqlite):
    with closing(sqlite3.connect("shop.db")) as connection:
        connection.execute("create table t (a, b)")
        connection.executemany("insert into t values (?, ?)", [(1, 1), (2.5, "x"), (None, 2)])
        connection.commit()
    frame = read(f"{sqlite}::t")
    assert frame["a"].to_list() == [1, 2.5, None]
    assert frame["b"].to_list() == ["1", "x", "2"]


WRITING = [
    "delete from customers",
    "drop table customers",
    "insert into customers (id) values (1)",
    "update customers set age = 0",
    "create table t as select 1",
    "/* a select */ delete from customers",
    "select 1; delete from customers",
    "select 1) as a; delete from customers; select * from (select 1",
    "with a as (select 1) insert into customers (id) select * from a",
    "attach database 'other.db' as other",
    "pragma user_version = 5",
    "copy (select 1) to 'stolen.csv'",
]


def refuses_to_write(url):
    for sql in WRITING:
        with pytest.raises(BadInput, match="would change|fails|neither a query that reads"):
            read(f"{url}::{sql}")
    assert read(f"{url}::select count(*) as n from customers")["n"][0] == N
    assert not Path("stolen.csv").exists()
    assert not Path("other.db").exists()


def says_which_tables_there_are(url):
    with pytest.raises(BadInput, match="no table 'costumers'.*customers.*Did you mean 'customers'"):
        read(f"{url}::select * from costumers")
    with pytest.raises(BadInput, match="no table 'costumers'.*Old Orders"):
        read(f"{url}::costumers")
    with pytest.raises(BadInput, match="names no query: expected .*::select .*customers"):
        read(url)
    with pytest.raises(BadInput, match="fails: .*nothere"):
        read(f"{url}::select nothere from customers")
    with pytest.raises(BadInput, match="gives no rows"):
        read(f"{url}::select * from customers where id < 0")
    with pytest.raises(BadInput, match="several columns 'id'"):
        read(f"{url}::select a.id, b.id from customers a join customers b on a.id = b.id")


def test_sqlite_is_only_read(sqlite):
    refuses_to_write(sqlite)


def test_sqlite_says_which_tables_there_are(sqlite):
    says_which_tables_there_are(sqlite)


def test_files_that_are_not_there_or_something_else_are_refused(sqlite):
    for url, message in (
        ("sqlite:///nowhere.db::customers", "There is no file at nowhere.db"),
        ("sqlite:///::customers", "no file is named"),
        (
            "mysql://ann:secret@shop/db::customers",
            r"mysql is no database that can be read.*duckdb://",
        ),
    ):
        with pytest.raises(BadInput, match=message) as error:
            read(url)
        assert "secret" not in str(error.value)
    Path("text.db").write_text("no database at all, only words that somebody wrote\n" * 20)
    with pytest.raises(BadInput, match="no file of SQLite"):
        read("sqlite:///text.db::customers")
    assert not Path("nowhere.db").exists()
    with pytest.raises(BadInput, match="must end in"):
        write_table(pl.DataFrame({"a": [1]}), Path("shop.db"))


def test_what_is_no_address_of_a_database_is_a_file():
    for text in ("customers.csv", "a::b.csv", "C:/x.csv", "sqlite.csv", "./sqlite/x.csv"):
        assert location_of(text) == Path(text)


@pytest.mark.parametrize(
    ("text", "shown", "sql"),
    [
        ("postgresql://ann:s3c/db::t", "postgresql://ann:s3c/db::t", "t"),  # a server and a port
        (
            "postgresql://ann:s3c@host/db::select 'a@b'",
            "postgresql://ann:***@host/db::select 'a@b'",
            "select 'a@b'",
        ),
        ("postgresql://ann:a::b@host:5/db?x=1::t", "postgresql://ann:***@host:5/db?x=1::t", "t"),
        ("postgresql://[::1]:5432/db::t", "postgresql://[::1]:5432/db::t", "t"),
        (
            "postgres://host::select a/b from t",
            "postgres://host::select a/b from t",
            "select a/b from t",
        ),
        (
            "postgresql://host/db?password=s3c&user=ann::t",
            "postgresql://host/db?password=***&user=ann::t",
            "t",
        ),
        ("duckdb:///a.db::select 'x::y'", "duckdb:///a.db::select 'x::y'", "select 'x::y'"),
    ],
)
def test_an_address_ends_where_the_query_begins_and_hides_its_password(text, shown, sql):
    query = location_of(text)
    assert isinstance(query, Query)
    assert query.sql == sql
    assert str(query) == shown
    assert "s3c@" not in repr(query)
    assert query.scrubbed("it was 'a::b', s3c") in (
        "it was '***', s3c",
        "it was 'a::b', ***",
        "it was 'a::b', s3c",
    )


def test_passwords_are_hidden_in_any_text():
    assert without_password("see postgresql://u:p%40@h/d now") == "see postgresql://u:***@h/d now"
    assert location_of("postgresql://u:p%40w@h/d::t").scrubbed("p%40w or p@w") == "*** or ***"


@pytest.mark.bridge("duckdb")
def test_a_query_of_duckdb_is_a_table_without_pyarrow(duckdb, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    check_customers(read(f"{duckdb}::select * from customers"))
    assert read(f"{duckdb}::customers").height == N
    assert read(f"{duckdb}::from adults")["id"][0] == 10
    assert read(f"{duckdb}::select sum(id) as s from customers")["s"][0] == sum(range(N))
    odd = read(
        f"{duckdb}::select null::integer as gap, [1, 2] as a, {{'b': 1}} as s, 'x'::blob as blob, 1.25::decimal(9, 2) "
        "as paid, true as yes, timestamp '2023-01-30 12:00' as at, date '2023-01-30' as \"d \"\"e\", null::varchar as t"
    )
    assert odd["gap"][0] is None
    assert odd["t"][0] is None
    assert odd["paid"][0] == 1.25
    assert odd["yes"][0] is True
    assert odd['d "e'][0] == datetime.date(2023, 1, 30)
    assert odd["at"][0] == datetime.datetime(2023, 1, 30, 12)
    refuses_to_write(duckdb)
    says_which_tables_there_are(duckdb)
    Path("text.db").write_text("no database at all, only words that somebody wrote\n" * 200)
    with pytest.raises(BadInput, match="no file of DuckDB"):
        read("duckdb:///text.db::customers")


@pytest.fixture(scope="module")
def server():
    """The address of a server with the tables."""
    with database_server.running() as address:
        import psycopg

        with psycopg.connect(address) as connection:
            connection.execute(SQL)
            marks = ", ".join(["%s"] * 7)
            connection.cursor().executemany(f"insert into customers values ({marks})", ROWS)
        yield address


@pytest.mark.bridge("psycopg")
def test_a_query_of_postgresql_is_a_table(server):
    check_customers(read(f"{server}::select * from customers order by id"))
    assert read(f"{server}::public.customers").height == N
    assert read(f"{server}::select count(*) as n from adults -- a comment")["n"][0] == N - 10
    odd = read(
        f"{server}::select '{{}}'::jsonb as j, interval '1 day' as i, array[1, 2] as a, null::float8 as gap, "
        "'NaN'::float8 as nan, timestamptz '2023-01-30 12:00+02' as tz, 'x' as \"a \"\"b\"\", c\""
    )
    assert odd["tz"][0] == datetime.datetime(2023, 1, 30, 10)
    assert odd["gap"][0] is None
    assert odd['a "b", c'][0] == "x"
    assert odd["j"][0] == "{}"


@pytest.mark.bridge("psycopg")
def test_postgresql_is_only_read(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refuses_to_write(server)
    for sql in (
        "with gone as (delete from customers returning *) select * from gone",
        "select 1) as a; commit; delete from customers; select * from (select 1",
    ):
        with pytest.raises(BadInput, match="would change"):
            read(f"{server}::{sql}")
    assert read(f"{server}::customers").height == N


@pytest.mark.bridge("psycopg")
def test_postgresql_says_what_is_wrong_and_never_the_password(server):
    says_which_tables_there_are(server)
    for url, message in (
        (server.replace("s3c", "wr0ng"), "password authentication failed"),
        (server.replace("/postgres", "/nowhere"), 'database "nowhere" does not exist'),
        (server.rpartition(":")[0] + ":1/postgres", "refused"),
        (server.replace("%3A", "%zz"), "cannot be opened"),
    ):
        with pytest.raises(BadInput, match=message) as error:
            read(f"{url}::customers")
        assert not any(word in str(error.value) for word in ("s3c", "wr0ng", "r/t"))
