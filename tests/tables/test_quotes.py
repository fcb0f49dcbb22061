"""Quotes in CSV files: text with line breaks is read, a quote that swallows rows is told."""

import pytest

from pairnet.core.errors import BadInput
from pairnet.tables.files import read_table

ROWS = 100
NAMES = "id,drug,x,health,note"


def line(row, drug=None, note=None):
    drug = drug or ("yes" if row % 2 else "no")
    return f"{row},{drug},{row * 0.5},{row % 7 + 0.1 * row},{note or f'note {row % 5}'}"


def table(tmp_path, changes, end="\n", names=NAMES, of=line):
    path = tmp_path / "table.csv"
    lines = [names, *(changes.get(row) or of(row) for row in range(ROWS))]
    path.write_text(end.join(lines) + end, newline="")
    return path


SWALLOWING = {
    "a word": ({50: line(50, '"no'), 90: line(90, 'no"')}, "line 52 and closes 40 lines further"),
    "the first column": (
        {50: '"' + line(50), 90: line(90).replace("90,", '90",', 1)},
        "line 52 and",
    ),
    "the last column": (
        {50: line(50, note='"a'), 90: line(90, note='a"')},
        "line 52 and closes 40",
    ),
    "a number": (
        {50: line(50).replace("25.0", '"25.0'), 90: line(90).replace("45.0", '45.0"')},
        "line 52 and closes 40",
    ),
    "one row": ({50: line(50, '"no'), 51: line(51, 'yes"')}, "line 52 and closes in the next line"),
    "nearly all rows": ({1: line(1, '"yes'), 98: line(98, 'no"')}, "line 3 and closes 97 lines"),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("case", list(SWALLOWING))
def test_a_quote_that_swallows_rows_is_told_with_its_line(case, end, tmp_path):
    changes, message = SWALLOWING[case]
    path = table(tmp_path, changes, end)
    with pytest.raises(BadInput, match=f"table.csv has a quote.* opens in {message}"):
        read_table(path)


OPEN = {
    "never closed": {50: line(50, '"no')},
    "closed where another opens": {50: line(50, '"no'), 90: line(90, '"no"')},
    "inside a word": {50: line(50, 'n"o')},
    "after a word": {50: line(50, 'no"'), 90: line(90, 'no"')},
}


@pytest.mark.parametrize("case", list(OPEN))
def test_a_quote_that_no_rule_allows_is_told_with_its_line(case, tmp_path):
    path = table(tmp_path, OPEN[case])
    with pytest.raises(BadInput, match=r"table.csv has a quote \(\"\) in line 52 inside a value"):
        read_table(path)


TEXTS = [
    "Main St 3,\nSpringfield, IL\nUSA",
    "a, b, c, d, e\nf, g, h, i, j\nk, l, m, n, o",
    "Dear all,\n\nit works, mostly, but slowly, sadly, and\nsometimes not.",
    "1,2,3,4\n1,2,3,4\n1,2,3,4",
    'he said ""no"", then\nleft',
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_with_line_breaks_and_commas_is_read(text, tmp_path):
    path = table(tmp_path, {row: line(row, note=f'"{text}"') for row in (50, 60, 61)})
    frame = read_table(path)
    assert frame.height == ROWS
    assert frame["note"][60] == text.replace('""', '"')


def test_text_with_line_breaks_in_the_first_column_of_every_row_is_read(tmp_path):
    of = lambda row: f'"line, {row}\nsecond, line\nthird, l, l, l",{line(row)}'
    frame = read_table(table(tmp_path, {}, names=f"long,{NAMES}", of=of))
    assert (frame.height, frame["x"].sum()) == (ROWS, sum(row * 0.5 for row in range(ROWS)))


def test_texts_without_end_are_read(tmp_path):
    """Longer than the longest field that Python's own reader of CSV files takes."""
    long = "x," * 100_000
    path = table(tmp_path, {50: line(50, note=f'"{long}\nsome\n"')})
    assert read_table(path)["note"][50] == f"{long}\nsome\n"


def test_a_text_in_a_column_alone_may_end_with_a_line_break(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('note\n"a\n"\nb\n')
    assert read_table(path)["note"].to_list() == ["a\n", "b"]


def test_a_quote_inside_a_name_that_swallows_rows_is_told(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('age,perso"n\n68,p0\n71,4"""4\n22,p2\n27,p3\n')
    with pytest.raises(BadInput, match=r"a quote \(\"\) in line 1 inside a value"):
        read_table(path)
    path.write_text('age,"the ""person"""\n68,p0\n71,p1\n')
    assert read_table(path).height == 2


def test_a_quote_in_a_name_is_one_quote_in_every_column_of_the_file(tmp_path):
    """Dates and columns of words are read by their names, too."""
    path, again = tmp_path / "quotes.csv", tmp_path / "again.csv"
    names = ['the "person"', 'a "" day', '"id"', "plain"]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    path.write_text(f"{header}\n1,01.02.03,007,4\n2,13.02.03,008,5\n")
    frame = read_table(path, words=['"id"'])
    assert frame.columns == names
    assert frame['"id"'].to_list() == ["007", "008"]
    frame.write_csv(again)
    assert read_table(again, words=['"id"']).equals(frame)
