"""Tables that are read in blocks: the same values as read whole, or an error that says where."""

import pickle

import numpy as np
import polars as pl
import pytest

from pairnet.core.errors import BadInput
from pairnet.tables import source as sources
from pairnet.tables.files import read_table, write_table
from pairnet.tables.formats import Reading
from pairnet.tables.source import Piece, scanned

N = 700
NUMBERS = np.random.default_rng(0).normal(size=N)
TABLE = pl.DataFrame(
    {
        "person": np.arange(N),
        "number": NUMBERS,
        "gaps": [None if i % 3 else i for i in range(N)],
        "words": [f'say "{i}"\nor, so' if i % 7 == 0 else "plain" for i in range(N)],
        "flag": NUMBERS > 0,
        "day": [f"2024-12-{i % 28 + 1:02d}" for i in range(N)],
        "german day": [f"{i % 28 + 1}.12.2024" for i in range(N)],
        "price": [f"1.{i % 900 + 100:03d},50 €" for i in range(N)],
        "*": NUMBERS,
        "^n.*$": NUMBERS,
    }
)
ENDINGS = ("parquet", "feather", "csv", "tsv")


def together(source, rows, names=None):
    return pl.concat([block.frame for block in source.blocks(rows, names)])


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("rows", [40, 333, 10_000])
def test_blocks_hold_what_the_whole_file_holds(ending, rows, tmp_path):
    write_table(TABLE, tmp_path / f"table.{ending}")
    source, whole = scanned(tmp_path / f"table.{ending}"), read_table(tmp_path / f"table.{ending}")
    assert together(source, rows).equals(whole)
    starts = [block.start for block in source.blocks(rows)]
    assert starts[0] == 0
    assert starts == sorted(starts)
    assert (len(starts) > 1) == (rows < N)
    some = ["^n.*$", "price", "*"]
    assert together(source, rows, some).equals(whole[:, [whole.columns.index(n) for n in some]])


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_folder_is_one_table_in_the_order_of_its_files(ending, tmp_path):
    (tmp_path / "_SUCCESS").touch()
    (tmp_path / ".hidden").write_text("x")
    for at in range(3):
        write_table(TABLE[at * 200 : at * 200 + 200], tmp_path / f"part-{at}.{ending}")
    source = scanned(tmp_path)
    found = together(source, 150)
    assert found["person"].to_list() == list(range(600))
    assert [file.name for file in source.files] == [f"part-{at}.{ending}" for at in range(3)]
    assert source.rows == (600 if ending == "parquet" else None)
    assert together(pickle.loads(pickle.dumps(source)), 150).equals(found)


def test_files_whose_columns_stand_in_another_order_are_one_table(tmp_path):
    TABLE[:10].write_parquet(tmp_path / "a.parquet")
    TABLE[10:20].select(reversed(["person", "number"])).write_parquet(tmp_path / "b.parquet")
    TABLE[:10].select("person", "number").write_parquet(tmp_path / "a.parquet")
    names = ["number", "person"]
    assert together(scanned(tmp_path), 7, names)["person"].to_list() == list(range(20))
    assert together(scanned(tmp_path), 7)["person"].to_list() == list(range(20))


def test_a_folder_with_two_schemas_is_refused_with_files_and_columns(tmp_path):
    for name in "ab":
        TABLE.write_parquet(tmp_path / f"{name}.parquet")
    other = TABLE.with_columns(pl.col("number").cast(pl.String)).rename({"price": "cost"})
    other.write_parquet(tmp_path / "c.parquet")
    with pytest.raises(BadInput) as error:
        scanned(tmp_path)
    said = str(error.value)
    for words in ("a.parquet and c.parquet", "'price' is only in the first", "'cost' is only in"):
        assert words in said
    assert "'number' is Float64 in the first and String in the second" in said


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_file_that_ends_early_is_refused(ending, tmp_path):
    path = tmp_path / f"table.{ending}"
    write_table(TABLE, path)
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(BadInput, match=rf"table\.{ending} cannot be read as {ending}: it ends"):
        scanned(path)


@pytest.mark.parametrize("cut", [b"700,1.5", b'700,1.5,"say'])
def test_a_text_that_ends_within_a_row_is_refused(cut, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"person,number,words\n" + b"1,2.5,a\n" * 100 + cut)
    with pytest.raises(BadInput, match=r"table\.csv"):
        together(scanned(path), 30)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "is an empty folder"),
        ({"a.csv": "a,b\n1,2\n", "b.tsv": "a\tb\n1\t2\n"}, r"several formats \(a.csv and b.tsv\)"),
        ({"a.csv": "a,b\n1,2\n", "b.csv": ""}, "b.csv is empty"),
        ({"a.csv": "a,b\n"}, "column names and no rows"),
        ({"a.csv": "a,b\n1,2\n", "b.csv": "a,c\n1,2\n"}, "'b' is only in the first"),
        ({"a.pdf": "a"}, "must end in"),
        ({"a.json": '[{"a": 1}]'}, "json files are read whole"),
        ({"a.csv.gz": "a"}, "csv.gz files are read whole"),
        ({"more/a.csv": "a,b\n1,2\n"}, r"holds folders \(more\)"),
    ],
)
def test_folders_that_are_no_table_are_refused(files, problem, tmp_path):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(BadInput, match=problem):
        scanned(tmp_path)


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(BadInput, match="There is no file or folder at .*nowhere"):
        scanned(tmp_path / "nowhere")


def test_a_later_value_that_is_written_otherwise_is_an_error_not_another_number(
    tmp_path, monkeypatch
):
    settle = lambda text: scanned(written(text), typed=["x"])

    def written(text):
        (tmp_path / "t.csv").write_text("id,x\n" + text)
        return tmp_path / "t.csv"

    plain = "".join(f"{i},1.5\n" for i in range(100))
    monkeypatch.setattr(Source, "pieces", in_fifties)
    for later in ("200,oops\n", "200,2024-12-24\n"):
        with pytest.raises(BadInput, match="in column 'x' in line 102, where the first rows"):
            together(settle(plain + later + "201,2\n"), 50)
    german = "".join(f'{i},"1.{100 + i},5"\n' for i in range(100))
    assert together(settle(german), 50)["x"][1] == 1101.5
    with pytest.raises(BadInput, match="column 'x'"):
        together(settle(german + '200,"7,001.5"\n'), 50)
    assert together(settle(plain + "200,-\n"), 50)["x"][-1] is None


Source, pieces = sources.Source, sources.Source.pieces


def in_fifties(self, rows=50):
    return pieces(self, min(rows, 50))


def test_columns_that_need_no_types_stay_as_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text("code,x\n" + "007,1\n" * 5 + "x,2\n")
    assert together(scanned(tmp_path / "t.csv", typed=["x"]), 3)["code"].to_list()[0] == "007"


def test_titles_and_footers_of_a_large_text_are_no_rows(tmp_path):
    said = []
    rows = "".join(
        f"{i},{i / 2},north\n" for i in range(60_000)
    )  # more than both ends that are read
    (tmp_path / "t.csv").write_text("Sales of 2024,,\n\nid,x,where\n" + rows + "Total,900,\n")
    source = scanned(tmp_path / "t.csv", Reading(say=said.append))
    frame = together(source, 20_000)
    assert frame["id"].to_list() == list(range(60_000))
    assert "line 60004" in " ".join(said)
    last = source.pieces(20_000)[-1]
    line = int(source.read(last)["id"][0]) + 4
    assert source.place(last, [0]) == f"line {line} of {tmp_path / 't.csv'}"


def test_a_piece_says_where_its_rows_are(tmp_path):
    TABLE.write_parquet(tmp_path / "t.parquet")
    source = scanned(tmp_path / "t.parquet")
    place = source.place(source.pieces(100)[3], [5, 6], more=True)
    assert place == f"rows 305, 306, ... of {tmp_path / 't.parquet'} (the first row is 0)"


def test_a_file_that_loses_rows_meanwhile_is_told(tmp_path):
    TABLE.write_parquet(tmp_path / "t.parquet")
    source = scanned(tmp_path / "t.parquet")
    *_, last = source.pieces(100)
    TABLE[:50].write_parquet(tmp_path / "t.parquet")
    with pytest.raises(BadInput, match="has lost rows while it was read"):
        source.read(Piece(*last))
    (tmp_path / "t.parquet").unlink()
    with pytest.raises(BadInput, match=r"t\.parquet cannot be read as parquet"):
        source.read(last)
