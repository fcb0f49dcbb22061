"""The report of experiments: one layout, written as a page, as Markdown and on the terminal."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from blocks import on_a_terminal
from pairnet.bench.claims import AbstractClaim, Verdict
from pairnet.bench.experiment import Experiment
from pairnet.bench.results import Cell, Results
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import TARNet
from pairnet.report.document import plain
from pairnet.report.entries import entries
from pairnet.report.experiments import (
    experiments_page,
    in_brief,
    metric_table,
    results_file,
    verdicts,
)
from pairnet.report.render import html, markdown, terminal

OURS, THEIRS = np.array([1.0, 1.2, 0.9, 1.1]), np.array([2.0, 2.3, 1.8, 2.4])


@dataclass(frozen=True, kw_only=True)
class Held(AbstractClaim):
    def judge(self, results):
        return Verdict("held", "4 of 4.")


def cell(values, *, asked=4, failed=0):
    metrics = {"pehe_out": np.asarray(values, float)}
    return Cell(metrics, asked, failed, asked - failed - len(values), 12.0)


def made_up(columns=("small", "large"), **changes) -> Results:
    """Results of two rows; the second has not run on the last column to the end."""
    experiment = Experiment(
        name="made-up",
        title="A table, made up",
        asks="Is ours better?",
        rows=labelled(Row(label, TARNet()) for label in ("ours", "theirs")),
        columns=labelled(Column(label, ()) for label in columns),
        metrics=("pehe_out",),
        reference="ours",
        claims=(Held(text="Ours is better."),),
        note="What `pehe_out` is.",
    )
    cells = {("ours", column): cell(OURS) for column in columns}
    cells |= {("theirs", column): cell(THEIRS) for column in columns}
    cells["theirs", columns[-1]] = cell(THEIRS[:2], failed=1)
    made = ({"pairnet": "0", "jax": "1", "device": "a machine"},)
    return Results(replace(experiment, **changes), cells, made)


def test_entries_say_which_mean_is_best_and_whether_that_is_more_than_chance():
    results = made_up()
    cells = entries(results, "pehe_out")
    assert cells["ours", "small"].best
    assert not cells["theirs", "small"].tied
    assert cells["theirs", "small"].p_value < 0.01
    assert cells["ours", "small"].p_value is None  # it is the reference
    assert (cells["theirs", "large"].done, cells["theirs", "large"].failed) == (2, 1)


def test_where_large_values_are_good_the_largest_is_best():
    results = made_up(metrics=("correlation",))
    metrics = {"correlation": THEIRS / 10}
    cells = {place: replace(c, metrics=metrics) for place, c in results.cells.items()}
    cells["ours", "small"] = replace(cells["ours", "small"], metrics={"correlation": OURS / 10})
    column = entries(replace(results, cells=cells), "correlation")
    assert column["theirs", "small"].best
    assert column["theirs", "small"].p_value > 0.99  # that the reference is better


def test_few_columns_stand_side_by_side():
    values = metric_table(made_up(), "pehe_out")
    assert values.header == ("", "small", "large")
    assert [plain(value) for value in values.rows[0]] == ["ours", "1.05 (1.05)", "1.05 (1.05)"]
    assert plain(values.rows[1][2]) == "2.15 (2.15) (2 of 4, 1 failed)"
    assert values.folded == ""


def test_many_columns_have_a_line_for_each_cell():
    values = metric_table(made_up(tuple("abcdefg")), "pehe_out")
    assert values.header[:4] == ("column", "row", "mean", "median")
    assert len(values.rows) == 14
    assert [plain(value) for value in values.rows[1]][:4] == ["a", "theirs", "2.12", "2.15"]
    assert values.folded == "PEHE, test rows"


def test_the_terminal_shows_less():
    title, values = in_brief(made_up())
    assert plain(title.text) == "A table, made up: means over 4 replications"
    assert [plain(value) for value in values.rows[0]] == ["ours", "1.05", "1.05"]
    assert plain(values.rows[1][1]).startswith("2.12; p ")
    assert "median" not in plain(values.caption)
    assert in_brief(made_up(tuple("abcdefg")))[1].header == (
        "column",
        "row",
        "mean",
        "paper",
        "p",
        "runs",
    )
    assert [row[0] for row in in_brief(made_up(), ["theirs"])[1].rows] == ["theirs"]


def test_claims_are_so_far_while_runs_are_missing():
    assert verdicts(made_up()) == [("Ours is better.", "held, so far", "4 of 4.")]
    done = made_up(("small", "large"))
    cells = dict.fromkeys(done.cells, cell(OURS))
    assert verdicts(replace(done, cells=cells))[0][1] == "held"


@pytest.mark.parametrize(
    "write",
    [
        lambda results: html.page(experiments_page([results])),
        lambda results: markdown.page(results_file([results]), figures=False),
        lambda results: on_a_terminal(terminal.page(experiments_page([results])), width=120),
    ],
    ids=["html", "markdown", "terminal"],
)
def test_every_rendering_has_the_question_the_claims_the_table_and_how_it_was_made(write):
    text = " ".join(write(made_up()).split())
    for words in (
        "A table, made up",
        "pairnet run made-up",
        "Is ours better?",
        "Ours is better.",
        "Held, so far.",
        "4 of 4.",
        "1.05",
        "2 of 4, 1 failed",
        "Made with pairnet 0, jax 1, a machine; 48 s of fitting",
        "1 runs are missing.",
        "1 runs failed.",
        "pehe_out",
    ):
        assert words in text


def test_the_page_begins_with_how_many_claims_held():
    page = experiments_page([made_up()])
    assert page.lead == (
        "Of 1 claims 1 held, 0 held in part and 0 did not, in 1 of 1 experiments that have results."
    )
    assert [section.title for section in page.sections] == ["In short", "A table, made up"]


def test_what_was_not_run_is_a_command():
    begun, other = made_up(), made_up(name="other", title="Other")
    nothing = dict.fromkeys(other.cells, Cell({}, 4, 0, 4, 0.0))
    page = results_file([begun, replace(other, cells=nothing)])
    assert [section.title for section in page.sections] == ["", "A table, made up", "Not run yet"]
    assert markdown.page(page).endswith("```\npairnet run other\n```\n")


def test_markdown_links_claims_to_their_sections_and_has_no_pictures():
    text = markdown.page(results_file([made_up()]), figures=False)
    assert "[`made-up`](#a-table-made-up)" in text
    assert "**Held, so far.**" in text
    assert "What `pehe_out` is." in text
    assert "standard errors" not in text  # the caption of the figure
