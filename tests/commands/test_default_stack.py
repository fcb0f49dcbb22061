"""`pairnet fit` where no method is named: a stack, its options, and what it says of who speaks."""

import re
from dataclasses import replace
from unittest import mock

import numpy as np
import polars as pl
import pytest

import pairnet
from commands_helpers import TABLE, T, X, Y, ask
from pairnet.commands.learner import seconds_of
from pairnet.commands.speaking import who_speaks
from pairnet.core.errors import BadInput
from pairnet.evidence.support import DISAGREE, Support
from pairnet.learners.mixture import CONSTANT, Voice, Weights
from pairnet.methods import LinearSLearner, LinearTLearner, stack

COLUMNS = ("--treatment", "drug", "--outcome", "health", "--ignore", "person")


@pytest.fixture
def cheap_presets(monkeypatch):
    """Presets of linear learners."""
    learners = (LinearSLearner(), LinearTLearner())
    monkeypatch.setattr(stack, "for_arms", lambda preset: learners[: 1 + (preset != "fast")])


@pytest.fixture
def table(tmp_path):
    TABLE.write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


def test_the_default_is_the_stack_which_says_who_speaks(table, tmp_path, capsys, cheap_presets):
    folder = tmp_path / "model"
    said = ask(capsys, "fit", table, *COLUMNS, "-o", folder)
    assert said.code == 0, said.err
    for part in (
        "Stack was trained on 140 rows",
        "Average effect on health of yes against no:",
        "(95 % interval",
        "Who speaks: each learner was asked about rows that it had not seen.",
        "learner weight average seconds",
        CONSTANT,
    ):
        assert part in said.flat
    assert all(len(line) <= 80 for line in said.out.splitlines() if str(tmp_path) not in line)
    bars = [line for line in said.err.splitlines() if " of 2)" in line]
    assert len(bars) == 2  # one line a learner
    assert all("done" in line for line in bars)
    model = pairnet.load(folder)
    assert isinstance(model, pairnet.Stack)
    assert (model.preset, model.members, model.bootstrap) == ("balanced", 5, False)

    said = ask(capsys, "effect", folder, table, "-o", tmp_path / "effects.csv")
    assert said.code == 0, said.err
    written = pl.read_csv(tmp_path / "effects.csv")
    assert written.columns[-5:] == ["effect", "lower", "upper", "disagreement", "evidence"]
    apart = model.support(TABLE[list(model.feature_names_in_)], T0="no", T1="yes").disagreement
    assert np.allclose(written["disagreement"], apart)
    assert "disagreement: how far the learners of the stack lie apart" in said.flat
    assert "of each row, from how far its learners and fold models lie apart." in said.flat
    said = ask(capsys, "report", folder, "-o", tmp_path / "report.html")
    assert said.code == 0, said.err
    page = (tmp_path / "report.html").read_text()
    assert "Who speaks" in page
    assert "held-out loss" not in page  # the log of a method with rounds


def test_rows_on_which_learners_disagree_are_counted(table, tmp_path, capsys, cheap_presets):
    ask(capsys, "fit", table, *COLUMNS, "-o", tmp_path / "model")
    some = np.arange(len(TABLE)) < 9
    doubted = lambda self, effect, apart, *_: replace(
        self, verdict=np.where(some, DISAGREE, self.verdict), disagreement=apart
    )
    with mock.patch.object(Support, "doubted", doubted):
        said = ask(capsys, "effect", tmp_path / "model", table, "-o", tmp_path / "effects.csv")
    counts = re.search(r"Evidence: (.*?)\.", said.flat)[1]
    assert "9 learners disagree" in counts
    assert sum(map(int, re.findall(r"\d+", counts))) == len(TABLE)


def test_presets_and_the_time_limit_reach_the_stack(table, tmp_path, capsys, cheap_presets):
    asked = ("--preset", "fast", "--time-limit", "1s", "--members", 3, "--no-bootstrap")
    said = ask(capsys, "fit", table, *COLUMNS, "-o", tmp_path / "model", *asked)
    assert said.code == 0, said.err
    model = pairnet.load(tmp_path / "model")
    assert (model.preset, model.time_limit, model.members) == ("fast", 1, 3)
    assert {voice.learner for voice in model.weights_} == {"LinearSLearner()", CONSTANT}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--bootstrap",), "--bootstrap is not for a stack: .* as in --method pairnet --bootstrap"),
        (("--members", 1), "--members must be a number of folds, at least 2, got 1"),
        (
            ("--method", "tarnet", "--preset", "fast"),
            "--preset is for the stack .* not for .* tarnet",
        ),
        (("--method", "tarnet", "--time-limit", "5m"), "--time-limit is for the stack"),
        (("--time-limit", "5x"), "--time-limit must be a time above 0, .* got '5x'"),
        (("--preset", "quick"), "'quick' is not one of 'fast', 'balanced', 'best'"),
        (
            ("--set", "l2=0.1"),
            "--set l2 is no hyperparameter of a stack, .* as in --method pairnet",
        ),
        (("--set", "preset=fast"), "Say --preset"),
    ],
)
def test_what_the_stack_cannot_take_is_said(words, message, table, tmp_path, capsys):
    said = ask(capsys, "fit", table, *COLUMNS, "-o", tmp_path / "model", *words)
    assert said.code == 2
    flat = " ".join(said.flat.replace("│", " ").split())
    assert re.search(message, flat), flat
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("300", 300), ("90s", 90), ("5m", 300), ("1h", 3600), (" 1.5 H ", 5400), ("0.5", 0.5)],
)
def test_times_are_read(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "text", ["", "m", "0", "-5", "5x", "1h30m", "inf", "nan", "1e999", "5 mins"]
)
def test_what_is_no_time_is_said(text):
    with pytest.raises(BadInput, match="must be a time above 0, as 300"):
        seconds_of(text)


def voice(name, weight, average):
    return Voice(name, weight, 0.0, 1.0, 1.0, 1.0, 2.0, (average,))


def test_it_is_said_what_each_learner_says_alone():
    asked = LinearSLearner().fit(X, Y, treatment=T).ask(X)
    sign = 1 if asked.t1 > asked.t0 else -1  # averages are of arms by their positions inside
    weights = Weights([voice("A()", 0.8, sign * 1.5), voice("B(l2=1)", 0.2, sign * 0.25)])
    lines = lambda *said: [" ".join(line.split()) for line in who_speaks(*said).splitlines()]
    told = lines(weights, asked)
    assert "learner weight average seconds" in told
    assert "A 80 % 1.5 2" in told
    assert "B(l2=1) 20 % 0.25 2" in told
    assert "A 80 % -1.5 2" in lines(weights, asked.comparing(1, 0))
    several_arms = lines(weights, None)
    assert "A 80 % 2" in several_arms
    assert "learner weight seconds" in several_arms


def test_it_is_said_where_one_effect_for_all_speaks_loudest():
    told = lambda name: " ".join(who_speaks(Weights([voice(name, 0.9, 1.0)]), None).split())
    assert "One effect for all rows weighs most" in told(CONSTANT)
    assert "One effect for all" not in told("A()")
