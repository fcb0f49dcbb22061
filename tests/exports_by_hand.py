"""One table as many programs export it: each writer takes a path, and writes as that program does.

`TRUTH` is what a person means by the table; `OPENED` are files that open, `REFUSED` those with two
readings, or with none.
"""

import csv
import datetime
import gzip
import json
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import polars as pl
import pyreadstat
import xlsxwriter
import zstandard

N = 40
RNG = np.random.default_rng(22)
DAYS = [datetime.date(2023, 1, 3) + datetime.timedelta(days=int(8.5 * i)) for i in range(N)]
TRUTH = pl.DataFrame(
    {
        "id": [f"C-{i:03d}" for i in range(N)],
        "age": RNG.integers(20, 70, N),
        "income": np.round(np.linspace(950.25, 32_407.58, N), 2),
        "share": np.round(RNG.random(N), 3),
        "seen": DAYS,
        "city": [("Oslo", "Rome", "Bonn")[i % 3] for i in range(N)],
        "promo": [("no", "yes")[i % 2] for i in range(N)],
        "spend": np.round(RNG.normal(0, 2000, N), 2),
    }
)
ROWS = TRUTH.rows(named=True)
NAMES = TRUTH.columns
GAPS = {3: "age", 7: "income", 11: "spend"}  # where writers that can leave values out


def american(value):
    return f"{value:,.2f}"


def german(value):
    return american(value).translate(str.maketrans(",.", ".,"))


def lines(
    separator=",", *, quote="", end="\n", income=None, share=None, seen=None, spend=None, gap=None
):
    """Return the lines of a text file; functions write values as a program does."""
    ways = {"income": income, "share": share, "seen": seen, "spend": spend}

    def field(name, row, at):
        value = row[name]
        if gap is not None and GAPS.get(at) == name:
            return gap
        text = ways[name](value) if ways.get(name) else str(value)
        return f'"{text}"' if separator in text or (quote and isinstance(value, str)) else text

    rows = [separator.join(field(name, row, at) for name in NAMES) for at, row in enumerate(ROWS)]
    names = separator.join(f"{quote}{name}{quote}" for name in NAMES)
    return end.join([names, *rows]) + end


def text(content, encoding="utf-8"):
    return lambda path: path.write_bytes(content.encode(encoding))


def workbook(*sheets, cells=None, above=(), below=(), right=0, down=0):
    """Return a writer of a workbook; cells: functions of a row's value, by column."""

    def write(path):
        book = xlsxwriter.Workbook(path)
        date = book.add_format({"num_format": "dd/mm/yyyy"})
        for name in sheets or ("Data",):
            sheet = book.add_worksheet(name)
            if name.startswith("Empty"):
                continue
            for at, row in enumerate(above):
                sheet.write_row(at, 0, row)
            table = [NAMES] + [
                [((cells or {}).get(name) or (lambda v, at: v))(row[name], at) for name in NAMES]
                for at, row in enumerate(ROWS)
            ]
            for at, row in enumerate([*table, *below], down + len(above)):
                for place, value in enumerate(row, right):
                    if isinstance(value, datetime.date):
                        sheet.write_datetime(
                            at, place, datetime.datetime.combine(value, datetime.time()), date
                        )
                    elif isinstance(value, str):
                        sheet.write_string(at, place, value)
                    elif value is not None:
                        sheet.write(at, place, value)
        book.close()

    return write


def with_names_of_rows(content, separator, name):
    first, *rest = content.splitlines()
    rows = [f'"{at}"{separator}{line}' for at, line in enumerate(rest, 1)]
    return "\n".join([name + first, *rows]) + "\n"


def labelled(write):
    """Return a writer of Stata or SPSS: the treatment is a number with labels, the age without."""

    def write_it(path):
        number = TRUTH.with_columns(promo=(pl.col("promo") == "yes").cast(pl.Int64))
        write(
            number, path, variable_value_labels={"promo": {0: "no", 1: "yes"}, "age": {20: "young"}}
        )

    return write_it


def json_by_columns(path):
    rows = [{**row, "seen": str(row["seen"])} for row in ROWS]
    path.write_text(
        json.dumps({name: {str(at): row[name] for at, row in enumerate(rows)} for name in NAMES})
    )


def json_of_an_api(path):
    rows = [{**row, "seen": f"{row['seen']}T00:00:00Z"} for row in ROWS]
    del rows[7]["income"]
    path.write_text(json.dumps(rows))


def json_lines(path):
    TRUTH.write_ndjson(path)


def dollars(value):
    return f"-${american(-value)}" if value < 0 else f"${american(value)}"


def in_brackets(value):
    return f"({american(-value)})" if value < 0 else american(value)


def minus_behind(value):
    return f"{german(-value)}-" if value < 0 else german(value)


def us_date(day):
    return f"{day.month:02d}/{day.day:02d}/{day.year}"


def de_date(day):
    return f"{day.day:02d}.{day.month:02d}.{day.year}"


def per_cent(value):
    return f"{100 * value:.1f}%"


US = {"income": dollars, "share": per_cent, "seen": us_date, "spend": in_brackets}
DE = {
    "income": lambda v: f"{german(v)} €",
    "share": lambda v: per_cent(v).replace(".", ","),
    "seen": de_date,
    "spend": german,
}
TITLE = "Campaign export,,,,,,,\n,,,,,,,\n"
FRENCH = {
    "income": lambda v: american(v).replace(",", "\u202f").replace(".", ","),
    "share": lambda v: str(v).replace(".", ","),
    "seen": lambda day: f"{day:%d/%m/%Y}",
    "spend": lambda v: american(v).replace(",", "\u00a0").replace(".", ","),
}
SWISS = {
    "income": lambda v: american(v).replace(",", "’"),
    "spend": lambda v: american(v).replace(",", "'"),
}
ORACLE = {"seen": lambda day: f"{day:%d-%b-%y}".upper()}
STATA = {"seen": lambda day: f"{day.day:02d}{day:%b}{day.year}".lower()}

# the ending, the writer, options, and words that are said of it
OPENED = {
    "Excel in the US": (".csv", text(lines(**US, end="\r\n")), {}, ["'$950.25' is read as 950.25"]),
    "Excel in the US, with gaps": (".csv", text(lines(**US, gap="n/a")), {}, ["'n/a' is missing"]),
    "Excel in the US, with dashes": (".csv", text(lines(**US, gap=" - ")), {}, ["'-' is missing"]),
    "a title, and a total below": (
        ".csv",
        text(TITLE + lines(**US) + "Total,1800,,,,,,9.5\n"),
        {},
        ["lines 1 to 2 above the names ('Campaign export", "line 44 below the rows ('Total,1800"],
    ),
    "lines to skip": (".csv", text("a;b\n" + lines()), {"skip": 1}, ["line 1 above the names"]),
    "Excel in Germany": (
        ".csv",
        text(lines(";", **DE), "utf-8-sig"),
        {"separator": ";"},
        ["'950,25 €' is read as 950.25", "%' is read as 0.", "is read as 2023-01-"],
    ),
    "Excel in Germany, said": (
        ".csv",
        text(lines(";", **DE)),
        {"separator": ";", "decimal": ","},
        ["€' is read as"],
    ),
    "Excel in Germany, with sep=": (".csv", text("sep=;\n" + lines(";", **DE)), {}, ["'950,25 €'"]),
    "Excel in France": (".csv", text(lines(";", **FRENCH)), {"separator": ";"}, ["'950,25'"]),
    "Excel in Switzerland": (".csv", text(lines(**SWISS)), {}, ["is read as"]),
    "SAP": (
        ".txt",
        text(lines("\t", spend=minus_behind, seen=de_date, income=german)),
        {},
        ["separated by tabs", "-' is read as -"],
    ),
    "commas at the ends of lines": (
        ".csv",
        text("".join(f"{line},,\n" for line in lines().splitlines())),
        {},
        [],
    ),
    "SQL Server": (
        ".csv",
        text(lines(gap="NULL") + f"\n({N} rows affected)\n"),
        {},
        [f"below the rows ('({N} rows affected)')"],
    ),
    "MySQL": (".tsv", text(lines("\t", gap="\\N")), {}, ["'\\\\N' is missing"]),
    "PostgreSQL": (".csv", text(lines(seen=lambda day: f"{day} 00:00:00+00", gap="")), {}, []),
    "Oracle": (".csv", text(lines(**ORACLE)), {}, ["'03-JAN-23' is read as 2023-01-03"]),
    "Stata's outsheet": (
        ".txt",
        text(lines("\t", **STATA, gap=".")),
        {},
        ["'.' is missing", "'03jan2023' is read as 2023-01-03"],
    ),
    "R, write.csv": (
        ".csv",
        text(with_names_of_rows(lines(quote='"', gap="NA"), ",", '"",')),
        {},
        [],
    ),
    "R, write.csv2": (
        ".csv",
        text(
            with_names_of_rows(
                lines(
                    ";",
                    quote='"',
                    **dict.fromkeys(
                        ("income", "share", "spend"), lambda v: str(v).replace(".", ",")
                    ),
                ),
                ";",
                '"";',
            )
        ),
        {"separator": ";"},
        [],
    ),
    "R, write.table": (
        ".txt",
        text(with_names_of_rows(lines(" ", quote='"', gap="NA"), " ", "")),
        {},
        ["separated by spaces", "names of rows"],
    ),
    "pandas, to_csv": (
        ".csv",
        text(with_names_of_rows(lines(), ",", ",").replace('"', "")),
        {},
        [],
    ),
    "pandas, to_json": (".json", json_by_columns, {}, []),
    "an API": (".json", json_of_an_api, {}, []),
    "a log": (".ndjson", json_lines, {}, []),
    "packed by gzip": (
        ".csv.gz",
        lambda path: path.write_bytes(gzip.compress(lines().encode())),
        {},
        [],
    ),
    "packed by zstd": (
        ".csv.zst",
        lambda path: path.write_bytes(zstandard.compress(lines().encode())),
        {},
        [],
    ),
    "tabs, packed": (
        ".tsv.gz",
        lambda path: path.write_bytes(gzip.compress(lines("\t").encode())),
        {},
        [],
    ),
    "a workbook": (".xlsx", workbook(), {}, []),
    "a workbook with an empty sheet": (".xlsx", workbook("Data", "Empty"), {}, []),
    "a sheet by its name": (".xlsx", workbook("May", "June"), {"sheet": "June"}, []),
    "a sheet by its number": (".xlsx", workbook("May", "June"), {"sheet": "2"}, []),
    "a workbook with a title, a note and a total, somewhere on the sheet": (
        ".xlsx",
        workbook(
            above=[["Campaign export"], [], ["made by the shop system"]],
            below=[[], ["Total", None, 5.0], ["Source: the shop system"]],
            right=2,
            down=1,
        ),
        {},
        ["above the names ('Campaign export')", "below the rows ('Total"],
    ),
    "a workbook with words for gaps": (
        ".xlsx",
        workbook(
            cells={
                name: (lambda v, at, name=name: "n/a" if GAPS.get(at) == name else v)
                for name in set(GAPS.values())
            }
        ),
        {},
        ["Missing in column 'age': 'n/a'"],
    ),
    "a workbook whose numbers and dates are text": (
        ".xlsx",
        workbook(
            cells={
                "income": lambda v, at: f"{german(v)} €",
                "seen": lambda v, at: us_date(v),
                "spend": lambda v, at: german(v),
            }
        ),
        {},
        ["'950,25 €' is read as 950.25", "is read as 2023-01-"],
    ),
    "Stata": (".dta", labelled(pyreadstat.write_dta), {}, []),
    "SPSS": (".sav", labelled(pyreadstat.write_sav), {}, []),
}

# More programs, some of which write above, among and below the rows.
PANDAS = pd.DataFrame({name: TRUTH[name].to_list() for name in NAMES})
OF_TEXT = PANDAS.assign(seen=PANDAS["seen"].astype(str))
DUTCH = {
    "income": lambda v: f"€ {german(v)}",
    "share": lambda v: str(v).replace(".", ","),
    "seen": lambda day: f"{day:%d-%m-%Y}",
    "spend": lambda v: f"€ -{german(-v)}" if v < 0 else f"€ {german(v)}",
}
BRITISH = {
    "income": lambda v: f"£{american(v)}",
    "seen": lambda day: f"{day:%d/%m/%Y}",
    "spend": lambda v: f"-£{american(-v)}" if v < 0 else f"£{american(v)}",
}
INDIAN = {"income": lambda v: f"₹{v + 1_200_000:,.2f}".replace("1,2", "12,", 1)}
SALESFORCE = (
    '\n\n"Campaign Report"\n"Copyright (c) 2000-2023 salesforce.com, inc. All rights reserved."\n'
    '"Confidential Information - Do Not Distribute"\n"Generated By:  Ann  03/05/2023 10:15"\n"Acme"\n'
)
ANALYTICS = (
    "# "
    + "-" * 40
    + "\n# All Web Site Data\n# Campaign\n# 20230101-20231231\n# "
    + "-" * 40
    + "\n\n"
)


def each_in_quotes(content):
    return "".join(
        ",".join(f'"{value}"' for value in line.split(",")) + "\n" for line in content.splitlines()
    )


def of_qualtrics(content):
    names, *rows = content.splitlines()
    questions = ",".join(f'"What is your {name},\nplease?"' for name in NAMES)
    imported = ",".join(f'"{{""ImportId"":""QID{at}""}}"' for at in range(len(NAMES)))
    return "\n".join([names, questions, imported, *rows]) + "\n"


def by_csv_module(dialect):
    def write(path):
        with path.open("w", newline="") as file:
            csv.writer(file, dialect=dialect).writerows([NAMES, *(row.values() for row in ROWS)])

    return write


def by_stata_of_pandas(path):
    days = pd.to_datetime(PANDAS["seen"])
    frame = PANDAS.assign(promo=PANDAS["promo"].astype("category"), seen=days)
    frame.to_stata(path, write_index=False, convert_dates={"seen": "td"})


def by_sqlite(path):
    """Write what `.mode csv` of SQLite's own program writes: all values from the database."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"create table t ({', '.join(NAMES)})")
        rows = [
            [str(value) if isinstance(value, datetime.date) else value for value in row.values()]
            for row in ROWS
        ]
        connection.executemany(f"insert into t values ({', '.join('?' * len(NAMES))})", rows)
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([NAMES, *connection.execute("select * from t")])


OPENED |= {
    "Excel's Unicode text": (
        ".txt",
        text(lines("\t", end="\r\n"), "utf-16"),
        {},
        ["The file is in UTF-16", "separated by tabs"],
    ),
    "Excel in the Netherlands": (
        ".csv",
        text(lines(";", **DUTCH), "utf-8-sig"),
        {"separator": ";"},
        ["'€ 950,25' is read as 950.25"],
    ),
    "Excel in Britain": (".csv", text(lines(**BRITISH)), {}, ["'£950.25' is read as 950.25"]),
    "Excel in Japan": (".csv", text(lines(seen=lambda day: f"{day:%Y/%m/%d}")), {}, []),
    "Google Sheets": (
        ".csv",
        text(
            lines(end="\r\n", income=dollars, seen=lambda day: f"{day.month}/{day.day}/{day.year}")
        ),
        {},
        ["is read as 2023-01-"],
    ),
    "Google Analytics": (".csv", text(ANALYTICS + lines()), {}, ["lines 1 to 6 above the names"]),
    "Salesforce": (
        ".csv",
        text(each_in_quotes(lines()) + SALESFORCE),
        {},
        ["""lines 42 to 48 below the rows ('"Campaign Report"')"""],
    ),
    "Qualtrics": (
        ".csv",
        text(of_qualtrics(lines())),
        {},
        ["lines 2 to 11 below the names", "in which Qualtrics writes questions"],
    ),
    "Shopify": (".csv", text(lines(seen=lambda day: f"{day} 10:15:00 +0100")), {}, []),
    "Stripe": (".csv", text(lines(seen=lambda day: f"{day} 10:15")), {}, []),
    "SAS": (
        ".csv",
        text(lines(seen=lambda day: f"{day:%d%b%Y}".upper(), gap=".")),
        {},
        ["'.' is missing"],
    ),
    "an accountant": (
        ".csv",
        text(lines(spend=lambda v: f"({dollars(-v)})" if v < 0 else dollars(v))),
        {},
        ["is read as -"],
    ),
    "MySQL into outfile": (
        ".csv",
        text(each_in_quotes(lines(gap="\\N"))),
        {},
        ["'\\\\N' is missing"],
    ),
    "SQLite": (".csv", by_sqlite, {}, []),
    "Python's csv, as Excel": (".csv", by_csv_module("excel"), {}, []),
    "Python's csv, tabs": (".tsv", by_csv_module("excel-tab"), {}, []),
    "Python's csv, all in quotes": (".csv", by_csv_module("unix"), {}, []),
    "pandas in Germany": (
        ".csv",
        lambda path: PANDAS.to_csv(path, sep=";", decimal=",", index=False),
        {"separator": ";"},
        [],
    ),
    "pandas, to_excel": (".xlsx", lambda path: PANDAS.to_excel(path, engine="xlsxwriter"), {}, []),
    "pandas, to_stata": (".dta", by_stata_of_pandas, {}, []),
    "pandas, JSON lines": (
        ".jsonl",
        lambda path: OF_TEXT.to_json(path, orient="records", lines=True),
        {},
        [],
    ),
    "pandas, JSON split": (".json", lambda path: OF_TEXT.to_json(path, orient="split"), {}, []),
    "pandas, JSON table": (".json", lambda path: OF_TEXT.to_json(path, orient="table"), {}, []),
    "SPSS with codes for missing values": (
        ".sav",
        lambda path: pyreadstat.write_sav(
            PANDAS.assign(age=PANDAS["age"].astype(float).where(PANDAS.index != 3, 99.0)),
            path,
            missing_ranges={"age": [99]},
        ),
        {},
        [],
    ),
    "numbers as a calculator writes them": (
        ".csv",
        text(lines(income=lambda v: f"{v:.7E}")),
        {},
        [],
    ),
}

THOUSANDS = "visits,drug,health\n" + "".join(f'"{i % 9 + 1},{i:03d}",a,2\n' for i in range(N))
EUROS = "visits,drug,health\n" + "".join(f"{i % 9 + 1}.{i:03d} €,a,2\n" for i in range(N))
SLIP = lines(**US).replace(dollars(ROWS[20]["income"]), "unknown", 1)
HTML = "<html><table><tr><td>age</td></tr></table></html>"
PROTECTED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)

# the ending, the writer, options, and what is said
REFUSED = {
    "thousands or decimals": (
        ".csv",
        text(THOUSANDS),
        {},
        "'visits' that can be read in two ways: '1,000' is 1000 with --thousands ',', and 1 with --decimal ','",
    ),
    "points in euros": (
        ".csv",
        text(EUROS),
        {},
        "'1.000 €' is 1 with --decimal '.', and 1000 with --thousands '.'",
    ),
    "a word among dollars": (
        ".csv",
        text(SLIP),
        {},
        "Column 'income' holds numbers, as '$950.25', and text: got 'unknown' in",
    ),
    "semicolons": (".csv", text(lines(";", **DE)), {}, "Say --separator ';' --decimal ','"),
    "two tables": (
        ".xlsx",
        workbook("May", "June"),
        {},
        "several sheets: 'May', 'June'. Say --sheet 'May'",
    ),
    "no such sheet": (
        ".xlsx",
        workbook("May"),
        {"sheet": "July"},
        "--sheet names 'July'; ... has 'May'",
    ),
    "an empty workbook": (".xlsx", workbook("Empty"), {}, "Sheet 'Empty' ... has no row"),
    "a workbook with a password": (
        ".xlsx",
        lambda path: path.write_bytes(PROTECTED),
        {},
        "has a password, or is a workbook of another kind. Save it as .xlsx, without a password",
    ),
    "a web page called a workbook": (
        ".xls",
        text(HTML),
        {},
        "cannot be read as xls: it holds text",
    ),
    "half of a workbook": (
        ".xlsx",
        lambda path: (workbook()(path), path.write_bytes(path.read_bytes()[:3000])),
        {},
        "cannot be read as xlsx: it is damaged",
    ),
    "half of a gzip file": (
        ".csv.gz",
        lambda path: path.write_bytes(gzip.compress(lines().encode())[:-20]),
        {},
        "cannot be read as gz: it is damaged",
    ),
    "half of a zstd file": (
        ".csv.zst",
        lambda path: path.write_bytes(zstandard.compress(lines().encode())[:-20]),
        {},
        "cannot be read as zst: it is damaged",
    ),
    "text called gzip": (".csv.gz", text(lines()), {}, "cannot be read as gz: it is damaged"),
    "half of a Stata file": (
        ".dta",
        lambda path: (
            labelled(pyreadstat.write_dta)(path),
            path.write_bytes(path.read_bytes()[:900]),
        ),
        {},
        "cannot be read as dta: it is damaged",
    ),
    "JSON that is no table": (
        ".json",
        text('{"rows": 5}'),
        {},
        "holds JSON that is no table. It must be a list",
    ),
    "JSON that is cut": (
        ".json",
        text('[{"age": 5}, {"ag'),
        {},
        "is no JSON: ... It must be a list",
    ),
    "text with two separators": (
        ".txt",
        text("a,b;c,d\n1,2;3,4\n5,6;7,8\n"),
        {},
        "two ways ... Say --separator ';' (2) or --separator ',' (3)",
    ),
    "two columns of a name": (
        ".xlsx",
        workbook(above=[["age", "age"], [1, 2]]),
        {"skip": 0},
        "several columns of the same name: 'age'",
    ),
    "lines to skip that are not there": (
        ".csv",
        text("a,b\n1,2\n"),
        {"skip": 9},
        "--skip-rows 9 leaves no line",
    ),
    "a sheet of a text file": (".csv", text(lines()), {"sheet": "1"}, "--sheet means nothing for"),
    "thousands of a typed file": (
        ".dta",
        text("x"),
        {"thousands": ","},
        "--thousands means nothing for",
    ),
    "one mark for two things": (
        ".csv",
        text(lines()),
        {"thousands": ",", "decimal": ","},
        "they must differ",
    ),
    "Excel in Germany, of long ago": (
        ".csv",
        text(lines(";", **DE).replace("Oslo", "Köln"), "cp1252"),
        {"separator": ";"},
        "is not in UTF-8. Save it in that encoding (spreadsheets offer 'CSV UTF-8')",
    ),
    "half of Excel's Unicode text": (
        ".txt",
        lambda path: path.write_bytes(lines("\t").encode("utf-16")[:-1]),
        {},
        "is in UTF-16 and damaged",
    ),
    "a table as psql prints it": (
        ".txt",
        text(" id | age \n----+-----\n  1 |  30 \n  2 |  40 \n(2 rows)\n"),
        {},
        "as a terminal prints it ... \\copy (select ...) to 'table.csv' csv header",
    ),
    "a table as mysql prints it": (
        ".txt",
        text("+----+-----+\n| id | age |\n+----+-----+\n|  1 |  30 |\n+----+-----+\n"),
        {},
        "as a terminal prints it",
    ),
    "JSON whose rows are of different lengths": (
        ".json",
        text('{"columns": ["a", "b"], "data": [[1, 2], [3]]}'),
        {},
        "holds JSON that is no table",
    ),
    "an odd mark": (
        ".csv",
        text(lines()),
        {"thousands": "x"},
        "--thousands must be one of '.', ',', ' ' or",
    ),
}
