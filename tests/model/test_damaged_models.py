"""Saved models whose checksums are right and whose content is not: loading says so in words."""

import copy
import re
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from checks import easy_problem
from commands_helpers import TABLE, ask
from pairnet.methods import methods
from pairnet.model.folder import BadModel, read, write
from pairnet.model.stored import load
from ridge import RidgeArms

X, T, Y, _ = easy_problem(80)
FRAME = pd.DataFrame(
    {
        "size": np.where(np.arange(80) < 5, np.nan, X[:, 0]),
        "old": X[:, 1] > 0,
        "day": pd.Timestamp("2020-01-01") + pd.to_timedelta((100 * X[:, 1]).astype(int), "D"),
        "colour": np.where(X[:, 2] > 0, "red", "blue"),
        "same": 1,
    }
)
STORED = Path(__file__).parent / "stored_by_0_1_0"
BOTH = {"T0": "placebo", "T1": "drug"}


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model of a learner that costs nothing: what it says, its arrays, and what it answers."""
    labels, outcome = np.array(["placebo", "drug"])[T], np.where(Y > 0, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what is left out, and of the labels
        model = RidgeArms(members=2, bootstrap=True).fit(FRAME, outcome, treatment=labels)
    folder = tmp_path_factory.mktemp("models") / "model"
    model.save(folder)
    content, arrays, _ = read(folder)
    return content, arrays, model.effect(FRAME, **BOTH)


def loaded(folder, content, arrays):
    write(folder, content, arrays)
    return load(folder, {"ridge": RidgeArms})


def test_what_was_saved_can_be_loaded(saved, tmp_path):
    content, arrays, effect = saved
    assert loaded(tmp_path / "model", content, arrays).effect(FRAME, **BOTH).equals(effect)


def column(number, **changes):
    return lambda content: content["schema"]["columns"][number].update(changes)


def summary(**changes):
    return lambda content: content["summary"].update(changes)


def hyper(**changes):
    return lambda content: content["method"]["hyperparameters"].update(changes)


CONTENTS = {
    "infinite labels": (lambda c: c["treatment"].update(labels=[0.5, 10**400]), "not different"),
    "a label twice": (lambda c: c["treatment"].update(labels=["a", "a"]), "not different labels"),
    "outcomes called alike": (lambda c: c["outcome"].update(labels=["a", "a"]), "not two texts"),
    "outcomes in disorder": (lambda c: c["outcome"].update(labels=["yes", "no"]), "in order"),
    "three outcomes": (lambda c: c["outcome"].update(labels=["a", "b", "c"]), "not two texts"),
    "outcomes without words": (lambda c: c["outcome"].update(labels=3), "cannot be used"),
    "another kind of outcome": (lambda c: c["outcome"].update(kind="gaussian"), "the kind bern"),
    "flags twice": (lambda c: c.update(flags=[1, 1, *c["flags"]]), "of its columns are flags"),
    "no columns used": (
        lambda c: c["schema"].update(columns=c["schema"]["columns"][-1:]),
        "a schema must have a column that is used",
    ),
    "columns by wrong numbers": (
        lambda c: c["schema"].update(
            named=False, columns=[c | {"name": 7 - k} for k, c in enumerate(c["schema"]["columns"])]
        ),
        "its columns in their order",
    ),
    "a fill outside the range": (column(0, fill=1e6), "'size' of kind 'number' has values that do"),
    "a range upside down": (column(0, low=1.0, high=-1.0, fill=0.0), "'size' of kind 'number'"),
    "numbers too large": (column(0, high=1e300), "'size' of kind 'number' has values"),
    "half a flag": (column(1, fill=0.5), "'old' of kind 'flag' has values that do not fit"),
    "a day that no calendar has": (column(2, high=1e15), "'day' of kind 'date' has values"),
    "negative counts": (column(0, missing=-1), "'missing' of a column is -1"),
    "endless counts": (column(0, missing=10**30), "'missing' of a column is 10000"),
    "levels twice": (column(3, levels=["red", "red"]), "'colour' of kind 'category' has values"),
    "no levels": (column(3, levels=[]), "'colour' of kind 'category' has values that do not fit"),
    "common and rare": (column(3, levels=["blue"], rare=["blue"]), "'colour' of kind 'category'"),
    "no rows counted": (summary(rows=0), "the rows 0"),
    "other covariates": (summary(covariates=99), "the covariates 99"),
    "negative time": (summary(seconds=-1.0), "the seconds -1"),
    "endless time": (summary(seconds=10**400), "the seconds 1000"),
    "an impossible chance": (
        lambda c: c["summary"]["outcome"].update(mean=1.5),
        "outcome has the mean 1.5",
    ),
    "a negative spread": (lambda c: c["summary"]["outcome"].update(sd=-1), "has the sd -1"),
    "negative rounds": (summary(rounds={"mu": [-1, 5]}), "has the rounds"),
    "arms of negative size": (
        lambda c: c["summary"]["treatment"]["arms"][0].update(rows=-5),
        "treatment has the arms",
    ),
    "arms of no rows": (
        lambda c: [arm.update(rows=0) for arm in c["summary"]["treatment"]["arms"]],
        "treatment has the arms",
    ),
    "members in words": (hyper(members="two"), "members must be a whole number"),
    "a list of strengths": (hyper(strength=[1, 2]), "cannot be used"),
    "a seed that is infinite": (hyper(seed={"float": "inf"}), "seed must be a whole number"),
}


@pytest.mark.parametrize("case", list(CONTENTS))
def test_senseless_content_is_refused(case, saved, tmp_path):
    (change, message), content = CONTENTS[case], copy.deepcopy(saved[0])
    change(content)
    with pytest.raises(BadModel, match=message):
        loaded(tmp_path / "model", content, saved[1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 900 + "]" * 900, "nested deeper than 50 levels"),
        ('{"a":' * 900 + "1" + "}" * 900, "nested deeper than 50 levels"),
        ('"\\ud800"', "surrogates not allowed"),
        ("9" * 5000, "not proper JSON"),
    ],
    ids=["lists", "objects", "half a character", "digits"],
)
@pytest.mark.parametrize("place", ["strength", "more"])
def test_text_that_no_model_has_is_refused(place, text, message, saved, tmp_path):
    spoil(tmp_path / "model", place, text, saved)
    with pytest.raises(BadModel, match=message):
        load(tmp_path / "model", {"ridge": RidgeArms})


def spoil(folder, place, text, saved):
    """Save a model, and put a text into its model.json, as the value of `place`."""
    write(folder, saved[0] | {"more": 1.0}, saved[1])
    file = folder / "model.json"
    before = file.read_text()
    file.write_text(before.replace(f'"{place}": 1.0', f'"{place}": {text}'))
    assert file.read_text() != before


ARRAYS = {
    "a treatment outside the arms": ("t", lambda t: t + 1, "treatments that it does not know"),
    "half a treatment": ("t", lambda t: t + np.float32(0.5), "treatments that it does not know"),
    "other outcomes": ("y", lambda y: y + 5, "outcomes that its kind of outcome cannot have"),
    "no weights": ("weight", np.zeros_like, "weights that are not above 0"),
    "negative weights": ("weight", lambda w: -w.astype(np.float32), "weights that are not above 0"),
    "infinite weights": ("weight", lambda w: w * np.float32(np.inf), "not finite"),
    "one treatment only": ("t", np.zeros_like, "rows of one treatment only"),
    "other flags": ("flags", lambda flags: flags + 2, "covariates outside the range of their"),
    "other numbers": ("numbers", lambda n: n + np.float32(1e9), "covariates outside the range"),
    "rows of no table": ("row", lambda row: row.astype(np.int32) - 7, "row numbers that no table"),
    "rows twice": ("row", np.zeros_like, "row numbers that no table has"),
    "negative draws": ("draws", lambda draws: -draws.astype(np.int32), "draws of rows that cannot"),
    "a member without rows": (
        "draws",
        lambda d: d * np.array([[1], [0]], d.dtype),
        "draws of rows",
    ),
    "draws of another shape": ("draws", lambda draws: draws.T, "the array training.draws is"),
    "fewer weights": ("weight", lambda weight: weight[:-1], "the array training.weight is"),
    "numbers in words": ("numbers", lambda n: n.astype(np.float16), "training.numbers is float16"),
}


@pytest.mark.parametrize("case", list(ARRAYS))
def test_rows_that_no_model_can_remember_are_refused(case, saved, tmp_path):
    content, arrays, _ = saved
    name, change, message = ARRAYS[case]
    changed = np.ascontiguousarray(change(arrays[f"training.{name}"]))
    with pytest.raises(BadModel, match=message):
        loaded(tmp_path / "model", content, arrays | {f"training.{name}": changed})


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("clusters", np.full(80, -1, np.int32), "clusters that have no number"),
        ("clusters", np.zeros(79, np.uint8), "the array training.clusters is"),
        ("design", np.full((80, 2), 0.6), "chances that are not those of arms"),
        ("design", np.tile([0.0, 1.0], (80, 1)), "chances that are not those of arms"),
        ("design", np.full((80, 3), 0.3), "the array training.design is"),
    ],
)
def test_designs_that_cannot_be_are_refused(name, known, message, saved, tmp_path):
    content, arrays, _ = saved
    with pytest.raises(BadModel, match=message):
        loaded(tmp_path / "model", content, arrays | {f"training.{name}": known})


@pytest.mark.parametrize("count", [0, 1])
def test_a_model_that_remembers_no_rows_is_refused(count, saved, tmp_path):
    content, arrays, _ = saved
    rows = {name: array for name, array in arrays.items() if name.startswith("training.")}
    few = {n: a[:, :count] if n == "training.draws" else a[:count] for n, a in rows.items()}
    with pytest.raises(BadModel, match="it remembers too few rows"):
        loaded(tmp_path / "model", content, arrays | few)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("scaling.spread", np.zeros_like, "scaling.spread holds units that are not above 0"),
        ("scaling.unit", lambda unit: -unit, "scaling.unit holds units that are not above 0"),
        ("rounds.mu", lambda rounds: -rounds, "its rounds of training are negative"),
        ("training.t", lambda t: t + 2, "treatments that it does not know"),
    ],
)
@pytest.mark.parametrize("kind", ["arms", "doses"])
def test_units_and_treatments_of_networks_are_checked(kind, name, change, message, tmp_path):
    """Checked with models that are stored beside this file: they are of format 1."""
    content, arrays, _ = read(STORED / kind)
    write(tmp_path / "model", content, arrays | {name: np.ascontiguousarray(change(arrays[name]))})
    with pytest.raises(BadModel, match=message):
        load(tmp_path / "model", methods)


def test_answers_that_are_no_numbers_are_never_given(saved, tmp_path):
    content, arrays, _ = saved
    endless = {"1.lines": np.full_like(arrays["1.lines"], np.inf)}
    model = loaded(tmp_path / "model", content, arrays | endless)
    asked = (
        lambda: model.effect(FRAME, **BOTH),
        lambda: model.predict_outcome(FRAME, treatment="drug"),
        lambda: model.ate(FRAME, **BOTH, kind="doubly robust"),
    )
    for ask_model in asked:
        with (
            np.errstate(invalid="ignore"),
            pytest.raises(ValueError, match=r"no number for an answer in rows 0, .*fit again"),
        ):
            ask_model()


def test_commands_say_that_a_model_is_damaged(saved, tmp_path, capsys):
    spoil(tmp_path / "model", "more", "[" * 900 + "]" * 900, saved)
    TABLE.write_csv(tmp_path / "table.csv")
    model, table = tmp_path / "model", tmp_path / "table.csv"
    for words in (
        ("effect", model, table, "-o", tmp_path / "effects.csv"),
        ("report", model, "-o", tmp_path / "report.html"),
        ("export", model, "-o", tmp_path / "effects.stablehlo"),
    ):
        said = ask(capsys, *words)
        assert said.code == 2
        assert re.search("The model at .* cannot be used: .*nested deeper.*fit again", said.flat)
        assert "Traceback" not in said.flat
    assert {path.name for path in tmp_path.iterdir()} == {"model", "table.csv"}
