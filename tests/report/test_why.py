"""Why effects differ, on the page: where outcomes bear out that they do."""

import pytest

from pairnet import LinearTLearner
from pairnet.model.heterogeneity import calibration
from pairnet.model.question import ask_memory
from pairnet.report.document import Figure, Paragraph, Table
from pairnet.report.model.subject import subject_of
from pairnet.report.model.why import TITLE, why_effects_differ
from report_helpers import table


@pytest.fixture(scope="module")
def subject():
    rng, frame = table()
    arm = rng.integers(0, 2, len(frame))
    y = 20 + arm * (1 + 4 * frame["member"]) + 0.2 * rng.normal(size=len(frame))
    model = LinearTLearner(members=3, bootstrap=True).fit(frame, y, treatment=arm)
    return subject_of(model)


def test_the_covariate_that_makes_effects_differ_comes_first(subject):
    blocks = why_effects_differ(subject).blocks
    chart = next(block for block in blocks if isinstance(block, Figure)).chart
    assert chart.rows[0][0] == "member"
    assert float(chart.rows[0][1]) > 5 * float(chart.rows[1][1])
    told = next(block for block in blocks if isinstance(block, Table))
    assert told.rows[0] == ("member", "yes", "no")
    assert not any(
        "interaction" in str(block.text) for block in blocks if isinstance(block, Paragraph)
    )


def test_the_section_is_there_only_where_outcomes_bear_it_out(pages, models):
    for kind in ("arms", "yes or no"):
        model = models[kind][0]
        sides = ("none", "small") if kind == "arms" else (None, None)
        borne_out = calibration(ask_memory(model.model_, *sides)).bears_out
        titles = [section.title for section in pages[kind].sections]
        assert (TITLE in titles) == bool(borne_out)
    assert TITLE not in [section.title for section in pages["doses"].sections]
