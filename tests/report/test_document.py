"""Documents are values: every renderer writes every kind of block, and no text is lost."""

import pytest

from blocks import every_kind, on_a_terminal
from pairnet.report.document import (
    Break,
    Document,
    Link,
    Mono,
    Strong,
    plain,
    table,
    with_code,
)
from pairnet.report.render import html, markdown, terminal


def test_every_kind_of_block_is_written_everywhere():
    document = every_kind("kidney")
    count = html.page(document).count("kidney")
    assert count > 60
    assert markdown.page(document).count("kidney") > 50
    assert on_a_terminal(terminal.page(document), width=200).count("kidney") > 50


def test_sections_with_one_title_have_their_own_places():
    document = Document("t", "l").section("A b").section("A b").section("!")
    assert [name for name, _, _ in document.sections] == ["a-b", "a-b-1", "section"]


def test_a_table_whose_rows_do_not_fit_is_refused():
    with pytest.raises(ValueError, match="2 cells, as the header has; got 1"):
        table(["a", "b"], [["1"]], "c")


def test_cells_may_be_numbers_or_phrases():
    values = table(["a", "b"], [[1, (Strong("2"), Break("; "), "3")]], "c")
    assert values.column(0) == ["1"]
    assert values.column(1) == ["2; 3"]
    assert values.holds_numbers(0)
    assert not values.holds_numbers(1)


def test_columns_without_anything_can_be_left_out():
    values = table(["", "empty", "b"], [["x", "", ""], ["", "", "y"]], "c", folded="f")
    assert values.without_empty_columns() == table(
        ["", "b"], [["x", ""], ["", "y"]], "c", folded="f"
    )
    no_rows = table(["a", "b"], [], "c")
    assert no_rows.without_empty_columns() == no_rows


def test_a_phrase_has_its_text():
    assert plain(("a ", Strong("b"), Break("; "), Link(Mono("c"), "Section"))) == "a b; c"
    assert plain("a") == "a"


def test_names_between_backticks_are_code():
    assert with_code("`a` is not `b`.") == (Mono("a"), " is not ", Mono("b"), ".")
    assert with_code("plain") == ("plain",)


def test_blocks_are_values():
    assert every_kind("x").sections[0].blocks[0] == every_kind("x").sections[0].blocks[0]
    assert hash(table(["a"], [[1]], "c")) == hash(table(["a"], [["1"]], "c"))
