"""Files that are damaged, of another kind, or cannot be written: each error names the file."""

import resource

import numpy as np
import polars as pl
import pytest

from pairnet.core.errors import BadInput
from pairnet.tables.files import lines_of, read_table, write_table
from pairnet.tables.formats import arrow
from tables_helpers import POLARS

TABLE = POLARS.select("age", "city", "joined", "note", "customer")
BINARY = ("parquet", "feather", "arrow")


def said_of(path):
    """Return the error of reading a file, or "" if it can be read."""
    try:
        read_table(path)
    except BadInput as error:
        return str(error)
    return ""


@pytest.mark.parametrize("compression", ["uncompressed", "lz4", "zstd"])
@pytest.mark.parametrize(("ending", "files"), [("parquet", 40), ("feather", 6)])
def test_a_damaged_file_is_named_whatever_fails_inside(ending, files, compression, tmp_path, capfd):
    path = tmp_path / f"table.{ending}"
    write = TABLE.write_parquet if ending == "parquet" else TABLE.write_ipc
    write(path, compression=compression)
    whole, rng = path.read_bytes(), np.random.default_rng(0)
    said = []
    for _ in range(files):
        spoiled = bytearray(whole)
        for place in rng.integers(0, len(whole), 8):
            spoiled[place] = rng.integers(256)
        path.write_bytes(spoiled[: rng.integers(len(whole) // 2, 2 * len(whole))])
        said.append(said_of(path))
    assert any(said)
    assert all(str(path) in error for error in said if error)
    assert capfd.readouterr().err == ""  # polars says much where it fails


def test_a_file_that_ends_the_process_that_reads_it_is_told(tmp_path, monkeypatch):
    path = tmp_path / "table.feather"
    TABLE.write_ipc(path)
    monkeypatch.setattr(arrow, "TRIAL", "import os; os.abort()")
    with pytest.raises(BadInput, match="table.feather cannot be read as feather: it is damaged"):
        read_table(path)
    monkeypatch.setattr(arrow, "TRIAL", "import no_such_package")  # which says nothing of the file
    assert read_table(path).height == TABLE.height


@pytest.mark.parametrize("ending", ["csv", *BINARY])
@pytest.mark.parametrize("name", ["*", "a*", "a[b]", "?", "{a}"])
def test_a_path_is_one_file_whatever_letters_it_has(name, ending, tmp_path):
    write_table(TABLE.with_columns(age=pl.lit(0.0)), tmp_path / f"ab.{ending}")
    path = tmp_path / f"{name}.{ending}"
    write_table(TABLE, path)
    assert read_table(path)["age"].to_list() == pytest.approx(TABLE["age"].to_list())


@pytest.mark.parametrize("ending", ["csv", *BINARY])
def test_a_full_disk_is_told_and_leaves_the_file_as_it_was(ending, tmp_path):
    path = tmp_path / f"table.{ending}"
    path.write_bytes(b"old")
    noise = pl.DataFrame({"a": np.random.default_rng(0).normal(size=20_000)})
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        with pytest.raises(OSError, match=f"table.{ending} cannot be written: File too large"):
            write_table(noise, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert path.read_bytes() == b"old"
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_fields_of_any_length_are_read(tmp_path):
    path, name = tmp_path / "table.csv", "a" * 200_000
    path.write_text(f"{name},b\n1,{'x' * 200_000}\n3,y\n")
    frame = read_table(path)
    assert frame.columns == [name, "b"]
    assert lines_of(path, [1]) == [3]


def test_integers_of_any_length_are_numbers_or_text_that_spells_them(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(f"a,b\n{2**64},{2**200}\n1,2\n")
    frame = read_table(path)
    assert frame["a"].cast(pl.Float64).to_list() == [2.0**64, 1.0]
    assert [float(value) for value in frame["b"]] == [2.0**200, 2.0]


UNLIKELY = {
    "half of UTF-16": ("a,b\n1,2\n".encode("utf-16")[:-1], "is in UTF-16 and damaged"),
    "UTF-16 without a mark": ("a,b\n1,2\n".encode("utf-16-le"), "its first line holds NUL"),
    "old line ends": (b"a,b\r1,2\r3,4\r", "Its lines end with CR alone"),
    "only line ends": (b"\n\n", "cannot be read as csv: empty CSV"),
}


@pytest.mark.parametrize("case", list(UNLIKELY))
def test_text_of_other_kinds_is_told(case, tmp_path):
    content, message = UNLIKELY[case]
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=f"table.csv .*{message}"):
        read_table(path)


def test_columns_without_a_name_and_a_byte_order_mark_are_read(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"\xef\xbb\xbf,drug,\xc3\xa9\n1,a,2.5\n2,b,3.5\n")
    frame = read_table(path)
    assert frame.columns == ["", "drug", "é"]
    assert frame["é"].to_list() == [2.5, 3.5]


def test_empty_lines_before_the_names_are_skipped(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\n\nage,drug\n1,a\n2,b\n")
    assert read_table(path).columns == ["age", "drug"]
    path.write_text("\nage,age\n1,a\n")
    assert "several columns of the same name: 'age'" in said_of(path)
    path.write_text('\nage,drug\n1,a\n2,b\n"3",c,d\n')  # more values than names, after odd ones
    assert str(path) in said_of(path)


def test_a_folder_and_a_name_too_long_are_told(tmp_path):
    (tmp_path / "a.csv").mkdir()
    for path, message in (
        (tmp_path / "a.csv", "There is a folder, not a file, at"),
        (tmp_path / ("a" * 300 + ".csv"), "cannot be read: File name too long"),
    ):
        with pytest.raises(BadInput, match=message):
            read_table(path)
