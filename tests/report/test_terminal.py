"""The terminal: wide and narrow, and brackets in names are no commands."""

import pytest

from blocks import every_chart, every_kind, on_a_terminal
from pairnet.report.document import Break, Document, Strong, bullets, figure, paragraph, table
from pairnet.report.render.terminal import block, page


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_line_is_longer_than_the_terminal(width):
    text = on_a_terminal(page(every_kind("a longer text of several words")), width=width)
    assert max(map(len, text.splitlines())) <= width


def test_numbers_are_set_to_the_right_and_a_cell_may_have_two_lines():
    cells = [["x", 1.25, (Strong("0.5"), Break("; "), "p 0.01")], ["y", 10, ""]]
    text = on_a_terminal(block(table(["", "n", "cell"], cells, "What it is")), width=80)
    lines = text.splitlines()
    assert lines[3].split("│")[2] == " 1.25 "
    assert lines[5].split("│")[2] == "   10 "
    assert [line.split("│")[3].strip() for line in lines[3:5]] == ["0.5", "p 0.01"]
    assert lines[-1].startswith("What it is")


def test_brackets_are_text():
    text = on_a_terminal(block(paragraph("[bold]x[/bold] [0.83]")), width=80)
    assert text.strip() == "[bold]x[/bold] [0.83]"


def test_the_lines_of_an_item_stand_below_one_another():
    text = on_a_terminal(block(bullets(["one two three", "four"])), width=10)
    assert [line.rstrip() for line in text.splitlines()] == ["• one two", "  three", "• four"]


def test_a_figure_is_its_caption_and_its_numbers():
    text = on_a_terminal(block(figure(every_chart("share")["bars"], "What is seen")), width=80)
    assert text.startswith("What is seen")
    assert "share" in text


def test_a_document_begins_with_its_title_and_its_lead():
    text = on_a_terminal(page(Document("Title", "The answer.").section("Part", "More.")), width=80)
    assert text.split() == ["Title", "The", "answer.", "Part", "More."]
