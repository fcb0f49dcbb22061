"""Who gains most: the tree of groups, in words about columns."""

from pairnet.report.model import model_report
from pairnet.report.model.people import by_column, said_of
from pairnet.report.model.subject import subject_of as view
from pairnet.report.model.tree import leaves


def test_the_tree_finds_who_gains_most_and_says_it_in_words(models):
    seen = view(models["arms"][0], T0="none", T1="small")
    groups = leaves(seen)
    assert "member is yes" in groups[0].label
    assert "member is no" in groups[-1].label
    assert sum(len(group.rows) for group in groups) == len(seen.x)
    assert by_column(seen)[0].name == "member"


def test_who_gains_most_follows_the_goal(models):
    asked = {"T0": "none", "T1": "small", "goal": "min"}
    groups = leaves(view(models["arms"][0], **asked))
    assert "member is no" in groups[0].label
    assert "member is yes" in groups[-1].label
    page = model_report(models["arms"][0], **asked)
    assert "(a small spend is good)" in page.lead
    html = page.html()
    assert "Those who gain most come first: a small spend is good." in html
    assert "it counts where the curve lies below the straight line" in html
    assert "gain per row" not in html


def test_a_row_is_said_in_its_own_words(models):
    model, frame, _, _ = models["arms"]
    words = said_of(
        model.schema_, model.schema_.encode(frame.head(1))[0], ["age", "region", "member", "since"]
    )
    first = frame.iloc[0]
    expected = [
        str(first["age"]),
        first["region"],
        "yes" if first["member"] else "no",
        str(first["since"].date()),
    ]
    assert words == expected
