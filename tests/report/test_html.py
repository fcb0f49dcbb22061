"""The page: one file, no network, and whatever people call their columns stays text."""

from html.parser import HTMLParser

import pytest

from blocks import HOSTILE, every_chart, every_kind
from pairnet.report.document import (
    Break,
    Document,
    Emphasis,
    Link,
    Mono,
    Strong,
    details,
    figure,
    paragraph,
    table,
)
from pairnet.report.render.html import block, breakable


def test_hostile_text_stays_text():
    html = every_kind(HOSTILE).html()
    assert html.count("<script") == 1  # the page's own
    assert "<b a" not in html
    assert "&lt;script&gt;alert(1)" in html


def test_a_page_is_well_formed_and_asks_the_network_for_nothing():
    html = every_kind("x").html()
    open_tags, void = [], {"meta", "link", "br"}

    class Check(HTMLParser):
        def handle_starttag(self, tag, attributes):
            names = dict(attributes)
            assert not any(
                str(names.get(name, "")).startswith(("http", "//")) for name in ("src", "href")
            )
            open_tags.append(tag) if tag not in void else None

        def handle_endtag(self, tag):
            assert open_tags.pop() == tag

    Check().feed(html)
    assert open_tags == []
    assert "default-src 'none'" in html
    assert "url(" not in html
    assert "@import" not in html


def test_writing_is_whole_or_not_at_all(tmp_path):
    target = tmp_path / "page.html"
    assert Document("First", "l").write(target) == target
    broken = Document("Second", "l").section("s", table(["a"], [["1"]], "c"))
    broken.sections.append(("x", "y", None))  # cannot be drawn
    with pytest.raises(TypeError):
        broken.write(target)
    assert "First" in target.read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(ValueError, match="does not exist"):
        Document("t", "l").write(tmp_path / "nowhere" / "page.html")
    with pytest.raises(ValueError, match="got the folder"):
        Document("t", "l").write(tmp_path)


def test_columns_of_a_table_are_set_by_what_they_hold():
    html = block(
        table(
            ["n", "level", "group"],
            [["1", "yes", "kidney is reduced"], ["−2.5", "no", "b"]],
            "c",
        )
    )
    assert html.count('class="right"') == 3
    assert html.count('class="wordy"') == 3  # short texts need no room that is kept for them


def test_columns_in_which_no_row_has_anything_are_left_out():
    html = block(table(["a", "b", "c"], [["1", "", "2"], ["3", "", ""]], "c"))
    assert html.count("<th ") == 2
    assert html.count("<td ") == 4


def test_names_of_columns_may_be_broken_after_their_signs():
    assert (
        breakable("a_b <of> first_interview=yes__")
        == "a_b &lt;of&gt; first_<wbr>interview=<wbr>yes__"
    )


def test_parts_of_a_phrase_have_their_marks():
    phrase = ("a ", Strong("b"), Emphasis("c"), Mono("d"), Break("; "), "e")
    assert block(paragraph(phrase)) == "<p>a <strong>b</strong><em>c</em><code>d</code><br>e</p>"


def test_links_lead_to_the_section_with_that_title():
    page = Document("t", "l").section("s", paragraph(Link("see", "How it was made")))
    html = page.section("How it was made", "so").html()
    assert '<a href="#how-it-was-made">see</a>' in html
    assert '<h2 id="how-it-was-made">' in html


def test_a_section_without_a_title_has_no_heading_and_no_line_in_the_contents():
    html = Document("t", "l").section("", "begins").section("Then", "goes on").html()
    assert html.count("<h2") == 1
    assert html.count('<li><a href="#') == 1
    assert html.index("begins") < html.index("<h2")


def test_what_is_folded_can_be_opened_by_its_title():
    folded = block(table(["a"], [["1"]], "c", folded="all of it"))
    assert folded.startswith("<details><summary>all of it</summary>")
    assert block(details("more", "text")) == (
        "<details><summary>more</summary>\n<p>text</p>\n</details>"
    )


def test_a_figure_has_its_legend_its_caption_and_its_numbers():
    html = block(figure(every_chart("x")["dots"], "What is seen"))
    assert '<ul class="legend">' in html
    assert "<figcaption>What is seen</figcaption>" in html
    assert '<details class="numbers">' in html
    assert "numbers" not in block(figure(every_chart("x")["scatter"], "c"))  # too many points
