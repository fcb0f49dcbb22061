"""Markdown: what people wrote stays text, and what the document marks is marked."""

import pytest

from blocks import HOSTILE, every_chart, every_kind
from pairnet.report.document import (
    Break,
    Document,
    Emphasis,
    Link,
    Mono,
    Strong,
    bullets,
    code,
    details,
    facts,
    figure,
    paragraph,
    table,
)
from pairnet.report.render.markdown import block, escaped, page


def test_a_document_is_a_title_a_lead_and_sections():
    document = Document("Title", "Lead.").section("", "Opening.").section("Part 1", "A.", "B.")
    assert page(document) == "# Title\n\nLead.\n\nOpening.\n\n## Part 1\n\nA.\n\nB.\n"


def test_parts_of_a_phrase_have_their_marks():
    phrase = ("a ", Strong("b"), Emphasis("c"), Mono("d_e"), Break("; "), "f")
    assert block(paragraph(phrase)) == "a **b***c*`d_e`; f"


def test_links_lead_to_the_heading_as_github_names_it():
    link = Link(Mono("x"), "Effects, by λ (Figure 3)")
    assert block(paragraph(link)) == "[`x`](#effects-by-λ-figure-3)"


def test_tables_stand_below_their_caption():
    cells = [["x", (Strong("1"), Break("; "), "2")]]
    assert block(table(["", "a"], cells, "Numbers", folded="f")) == (
        "Numbers\n\n| | a |\n| --- | --- |\n| x | **1**; 2 |"
    )


def test_lists_facts_code_and_details():
    assert block(bullets(["a", (Strong("b"), " c")])) == "- a\n- **b** c"
    assert block(facts([("name", "1.2", "what it means")])) == "- name: **1.2** what it means"
    assert block(code("x = 1")) == "```\nx = 1\n```"
    assert block(code("```\nx\n```")).startswith("````\n")
    assert block(details("more", "text")) == "**more**\n\ntext"
    assert block(paragraph("careful", kind="warning")) == "> **Warning:** careful"


def test_figures_are_their_numbers_or_left_out():
    drawn = figure(every_chart("x")["bars"], "What is seen")
    assert block(drawn).startswith(
        "*What is seen*\n\nThe numbers of the chart: What is seen\n\n| | group | x |"
    )
    assert block(drawn, figures=False) == ""
    assert block(figure(every_chart("x")["scatter"], "c")) == ""  # it has no numbers to write


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a|b", r"a\|b"),
        ("2 * 3", r"2 \* 3"),
        ("_x_ and snake_case", r"\_x\_ and snake_case"),
        ("`x`", r"\`x\`"),
        ("<b>", r"\<b>"),
        ("p < 0.001", "p < 0.001"),
        ("[0.83]", "[0.83]"),
        ("[a](b)", r"[a]\(b)"),
        ("&amp; & co", "&amp;amp; & co"),
        ("two\n# lines", "two # lines"),
    ],
)
def test_signs_that_mean_something_are_escaped(text, written):
    assert escaped(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [("# a", r"\# a"), ("- a", r"\- a"), ("12. a", r"12\. a"), ("-1.5 less", "-1.5 less")],
)
def test_a_paragraph_begins_no_heading_and_no_list(text, written):
    assert block(paragraph(text)) == written


def test_backticks_in_code_stay():
    assert block(paragraph(Mono("a`b"))) == "``a`b``"


def test_hostile_text_stays_text():
    text = page(every_kind(HOSTILE))
    outside_code = [line for line in text.splitlines() if "`" not in line and line != HOSTILE]
    assert not any("<script>" in line.replace(r"\<", "") for line in outside_code)
