"""Where a page comes from: the file, its hash, dates, versions and the code that makes it again."""

import copy
import re

import numpy as np
import pandas as pd
import pytest

import pairnet
from checks import easy_problem
from pairnet import LinearTLearner
from pairnet.report.document import Code, Table, plain
from pairnet.report.model import model_report

DIGEST = "0123456789abcdef" * 4


@pytest.fixture(scope="module")
def model():
    x, t, y, _ = easy_problem(120)
    frame = pd.DataFrame({"age": x[:, 0], "it's": x[:, 1]}).assign(group=t, pain=y)
    return frame, LinearTLearner(members=5, bootstrap=True, seed=3).fit(
        frame, "pain", treatment="group"
    )


def origin(page):
    return next(section for section in page.sections if section.title == "How to reproduce").folded


def facts(page):
    shown = next(block for block in origin(page).blocks if isinstance(block, Table))
    return {plain(what): plain(which) for what, which in shown.rows}


def test_a_page_says_what_it_was_made_of_and_when(model):
    page = model_report(model[1])
    found = facts(page)
    assert found["question"] == "What does group = 1 instead of 0 do to pain?"
    assert found["seed"] == "3"
    assert re.fullmatch(r"\d{1,2} \w+ 20\d\d", found["fitted"])
    assert f"pairnet {pairnet.__version__}" in found["versions"]
    assert found["file"] == "not known: the table was passed in Python"
    assert plain(page.source).startswith("120 rows of a table in Python, fitted on ")


def test_the_code_makes_the_same_model_and_page_again(model, tmp_path, monkeypatch):
    frame, fitted = model
    page = model_report(fitted, goal="min", by="age")
    code = next(block.text for block in origin(page).blocks if isinstance(block, Code))
    monkeypatch.chdir(tmp_path)
    made = {"table": frame}
    exec(code, made)
    again = made["model"]
    assert np.array_equal(again.effect(frame), fitted.effect(frame))
    without_clock = lambda text: re.sub(r"[\d.]+ seconds", "", text)
    assert without_clock((tmp_path / "report.html").read_text()) == without_clock(page.html())


def test_a_file_is_named_with_its_hash_and_the_command_and_survives_saving(model, tmp_path):
    fitted = copy.copy(model[1])
    fitted.model_ = fitted.model_.from_file("pain.csv", DIGEST, 130, "pairnet fit pain.csv")
    fitted.save(tmp_path / "model")
    page = model_report(pairnet.load(tmp_path / "model"), command="pairnet report model")
    assert plain(page.source).startswith(f"pain.csv (120 rows, SHA-256 {DIGEST[:12]}…), fitted on")
    found = facts(page)
    assert (found["file"], found["SHA-256 of the file"]) == ("pain.csv, 130 rows", DIGEST)
    commands = next(block.text for block in origin(page).blocks if isinstance(block, Code))
    assert commands == "pairnet fit pain.csv\npairnet report model"


@pytest.mark.parametrize(
    "wrong", [{"made": "yesterday"}, {"made": 3}, {"source": {"file": "a"}}, {"source": "a.csv"}]
)
def test_a_saved_model_with_a_wrong_origin_is_refused(model, tmp_path, wrong):
    fitted = copy.deepcopy(model[1])
    fitted.model_.memory.summary.update(wrong)
    fitted.save(tmp_path / "model")
    with pytest.raises(ValueError, match="its summary"):
        pairnet.load(tmp_path / "model")


def test_links_stay_on_the_page(model):
    html = model_report(model[1]).html()
    anchors = set(re.findall(r'id="([^"]+)"', html))
    links = re.findall(r'<a [^>]*href="([^"]+)"', html)
    assert {link[0] for link in links} == {"#"}
    assert {link[1:] for link in links} <= anchors
    assert "docs/" not in html
