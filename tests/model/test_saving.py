"""Saving: the same answers after loading, all or nothing on disk, and bad folders refused in
words."""

import copy
import dataclasses
import hashlib
import json
import os
import shutil
import struct

import equinox as eqx
import jax
import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import pairnet
from checks import CASES, QUICK, SMALL, easy_dose_problem, easy_problem, small
from pairnet import Plan, TARNet
from pairnet.learners.networked import NetworkPredictor
from pairnet.model.folder import BadModel, checksum

X, T, Y, _ = easy_problem(120)
FRAME = pd.DataFrame(
    {"size": X[:, 0], "weight": X[:, 1], "colour": np.where(X[:, 2] > 0, "red", "blue")}
)
LABELS = np.array(["drug", "placebo"])[T]
BOTH = {"T0": "drug", "T1": "placebo"}


@pytest.fixture(scope="module")
def model():
    return small(members=2, bootstrap=True, temperature=np.inf).fit(FRAME, Y > 0, treatment=LABELS)


@pytest.fixture
def folder(model, tmp_path):
    model.save(tmp_path / "model")
    return tmp_path / "model"


def weights_of(folder):
    return next(folder.glob("weights-*.safetensors"))


def rewrite(folder, change):
    """Change model.json as a person with an editor would."""
    content = json.loads((folder / "model.json").read_text())
    change(content)
    (folder / "model.json").write_text(json.dumps(content))


def sign(content):
    """Make the checksum of model.json agree, as someone hostile would."""
    head = ("format", "version", "weights", "sha256")
    content["sha256"] = checksum(
        {name: value for name, value in content.items() if name not in head}
    )


def rewrite_weights(folder, data):
    """Change the weights and make their name, size and checksum agree, as someone hostile would."""
    weights_of(folder).unlink()
    digest = hashlib.sha256(data).hexdigest()
    (folder / f"weights-{digest[:16]}.safetensors").write_bytes(data)
    rewrite(folder, lambda c: c["weights"].update(bytes=len(data), sha256=digest))


def test_everything_is_the_same_after_loading(model, folder):
    loaded = pairnet.load(folder)
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    assert np.array_equal(loaded.effect(FRAME, **BOTH), model.effect(FRAME, **BOTH))
    assert np.array_equal(
        loaded.effect_interval(FRAME, **BOTH), model.effect_interval(FRAME, **BOTH)
    )
    outcome = model.predict_outcome(FRAME, treatment="drug")
    assert np.array_equal(loaded.predict_outcome(FRAME, treatment="drug"), outcome)
    assert loaded.score(FRAME, Y > 0, treatment=LABELS) == model.score(
        FRAME, Y > 0, treatment=LABELS
    )
    assert loaded.ate(FRAME, **BOTH, kind="doubly robust") == model.ate(
        FRAME, **BOTH, kind="doubly robust"
    )
    assert loaded.feature_names_in_.tolist() == list(FRAME.columns)
    assert loaded.schema_ == model.schema_
    assert loaded.training_.summary == model.training_.summary
    for name in ("x", "t", "y", "weight", "row", "draws"):
        ours, theirs = getattr(model.training_, name), getattr(loaded.training_, name)
        assert np.array_equal(ours, theirs)
        assert ours.dtype == theirs.dtype
    again = folder.parent / "again"
    loaded.save(again)
    assert weights_of(again).read_bytes() == weights_of(folder).read_bytes()
    assert sorted(path.name for path in folder.iterdir()) == ["model.json", weights_of(folder).name]
    assert loaded.fit(FRAME, Y, treatment=LABELS).outcome_labels_ is None


def test_nothing_in_a_saved_model_is_bound_to_the_device_it_was_trained_on(model, folder):
    elsewhere = copy.copy(model)
    arrays = lambda tree: jax.tree.leaves(eqx.filter(tree, eqx.is_array))
    on_device = lambda leaf: (
        jax.device_put(leaf) if eqx.is_array(leaf) and leaf.dtype != np.float64 else leaf
    )
    predictor = NetworkPredictor(jax.tree.map(on_device, model.fitted_))
    elsewhere.model_ = dataclasses.replace(model.model_, predictor=predictor)
    assert any(isinstance(leaf, jax.Array) for leaf in arrays(elsewhere.fitted_))
    elsewhere.save(folder.parent / "elsewhere")
    assert weights_of(folder.parent / "elsewhere").read_bytes() == weights_of(folder).read_bytes()
    loaded = pairnet.load(folder)
    assert all(type(leaf) is np.ndarray for leaf in arrays(loaded.fitted_))
    said = (folder / "model.json").read_text().lower()
    assert not [word for word in ("cpu", "gpu", "cuda", "tpu", "device", "backend") if word in said]


@pytest.mark.parametrize("kind", [bool, float, int])
def test_labels_come_back_as_they_were(kind, tmp_path):
    with pytest.warns(UserWarning, match="'a' counts as 0"):
        model = TARNet(**SMALL, plan=QUICK).fit(
            X, np.where(Y > 0, "b", "a"), treatment=T.astype(kind)
        )
    model.save(tmp_path / "model")
    loaded = pairnet.load(tmp_path / "model")
    assert loaded.treatment_.in_order == (kind(0), kind(1))
    assert {*map(type, loaded.treatment_.in_order)} == {kind}
    assert loaded.outcome_labels_ == ("a", "b")


def test_before_fit_there_is_nothing_to_save(tmp_path):
    with pytest.raises(NotFittedError, match="Call fit"):
        small().save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


def test_an_older_model_is_replaced_in_one_step_and_a_broken_attempt_leaves_it(
    model, folder, monkeypatch
):
    other = small(members=1).fit(X, Y, treatment=T)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    replace = os.replace

    def full_disk(source, target):
        if str(target).endswith("model.json"):
            raise OSError("No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        other.save(folder)
    assert np.array_equal(pairnet.load(folder).effect(FRAME, **BOTH), model.effect(FRAME, **BOTH))
    with pytest.raises(OSError, match="No space left"):
        other.save(folder.parent / "new")
    assert [path.name for path in folder.parent.iterdir()] == ["model"]
    monkeypatch.undo()
    other.save(folder)
    assert np.array_equal(pairnet.load(folder).effect(X), other.effect(X))
    assert len(list(folder.iterdir())) == len(before)


def test_a_place_where_no_folder_can_be_is_refused_before_anything_is_done(model, tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(ValueError, match="No model can be saved at .*file is no folder"):
        model.save(tmp_path / "file" / "model")


def test_other_peoples_folders_and_files_are_left_alone(model, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    for place in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(ValueError, match="no pairnet model: it is left alone"):
            model.save(place)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"
    (tmp_path / "empty").mkdir()
    model.save(tmp_path / "empty")
    model.save(tmp_path / "some" / "where")
    assert pairnet.load(tmp_path / "some" / "where").members == 2


def hyper(name, value):
    return lambda c: c["method"]["hyperparameters"].update({name: value})


EDITS = {
    "a newer format": (lambda c: c.update(version=99), "saved by a newer pairnet .*Update pairnet"),
    "another format": (lambda c: c.update(format="pickle"), "its model.json is of something else"),
    "no version": (lambda c: c.pop("version"), "does not say the version"),
    "an unknown class": (
        lambda c: c["method"].update({"class": "Popen"}),
        "the class 'Popen', which this pairnet does",
    ),
    "a class of another kind": (
        lambda c: c["method"].update({"class": "Plan"}),
        "Plan has no hyperparameter alpha",
    ),
    "a module's path": (
        lambda c: c["method"].update({"class": "os.system"}),
        "'os.system', which this pairnet does",
    ),
    "an unknown field": (
        hyper("__class__", "x"),
        "PairNet has no hyperparameter __class__ in this pairnet",
    ),
    "a senseless value": (hyper("pairs", -1), "PairNet.pairs must be a whole number"),
    "a value of another type": (hyper("temperature", "hot"), "cannot be used"),
    "an endless list": (hyper("pairs", [1] * 5000), "a hyperparameter has 5000 values"),
    "a strange object": (hyper("base", {"eval": "1"}), "a hyperparameter is"),
    "more members": (hyper("members", 10**9), r"networks.mu.* is float32\(1, 2"),
    "another outcome": (lambda c: c["outcome"].update(kind="poisson"), "cannot be used"),
    "arms of the same name": (
        lambda c: c["treatment"].update(labels=["a", "a"]),
        "not different labels",
    ),
    "another treatment": (
        lambda c: c.update(treatment={"kind": "dose", "low": 1, "high": 1}),
        "its doses go from 1",
    ),
    "no schema": (lambda c: c.pop("schema"), "'schema' is missing"),
    "a schema of another width": (
        lambda c: c["schema"]["columns"].pop(),
        r"the array .* is float.*expected float",
    ),
    "flags out of range": (
        lambda c: c.update(flags=[0, 1, 2, 3, 99]),
        "which of its columns are flags",
    ),
    "a path as hash": (
        lambda c: c["weights"].update(sha256="../" * 22),
        "does not say which weights",
    ),
    "no weights": (lambda c: c.pop("weights"), "does not say which weights"),
    "other stages": (lambda c: c["predictor"].update(stages=["tau"]), r"its stages are \['tau'\]"),
    "a summary that is none": (lambda c: c.update(summary=3), "its summary is not"),
}


@pytest.mark.parametrize("case", list(EDITS))
def test_an_edited_model_is_refused(case, folder):
    change, message = EDITS[case]
    rewrite(folder, change)
    with pytest.raises(BadModel, match=message):
        pairnet.load(folder)


SUMMARIES = {
    "no rows": (lambda s: s.pop("rows"), "its summary lacks 'rows'"),
    "rows in words": (lambda s: s.update(rows="many"), "its summary has the rows many"),
    "no arms": (
        lambda s: s["treatment"].update(arms=None),
        "its summary's treatment has the arms None",
    ),
    "other arms": (lambda s: s["treatment"]["arms"].pop(), "its summary's treatment has the arms"),
    "a treatment that is none": (
        lambda s: s.update(treatment=3),
        "its summary's treatment is not a JSON object",
    ),
    "too few rounds": (lambda s: s["rounds"].update(mu=[1]), "its summary has the rounds"),
    "scores in words": (
        lambda s: s.update(held_out_score="good"),
        "its summary has the held_out_score good",
    ),
    "no versions": (lambda s: s.update(versions=[]), "its summary has the versions"),
    "numbers as names": (lambda s: s.update(names={"outcome": 1}), "its summary has the names"),
}


@pytest.mark.parametrize("case", list(SUMMARIES))
def test_a_summary_that_makes_no_sense_is_refused_even_if_its_checksum_is_right(case, folder):
    change, message = SUMMARIES[case]
    rewrite(folder, lambda content: (change(content["summary"]), sign(content)))
    with pytest.raises(BadModel, match=message):
        pairnet.load(folder)


def test_a_hyperparameter_that_is_newer_than_the_model_has_its_default(model, folder):
    def as_before(content):
        content["method"]["hyperparameters"].pop("distance")
        sign(content)

    rewrite(folder, as_before)
    assert repr(pairnet.load(folder)) == repr(model)


def test_one_changed_digit_is_noticed(folder):
    rewrite(folder, lambda c: c["summary"].update(rows=c["summary"]["rows"] + 1))
    with pytest.raises(BadModel, match="not as it was saved .its checksum differs"):
        pairnet.load(folder)


def header(names):
    text = json.dumps(names).encode()
    return struct.pack("<Q", len(text)) + text


def link(file, elsewhere):
    file.rename(elsewhere)
    file.symlink_to(elsewhere)


FILES = {
    "truncated weights": (
        lambda f: weights_of(f).write_bytes(weights_of(f).read_bytes()[:-10]),
        "bytes instead of",
    ),
    "a flipped bit": (
        lambda f: weights_of(f).write_bytes(weights_of(f).read_bytes()[:-1] + b"\xff"),
        "their checksum differs.*Copy it anew",
    ),
    "missing weights": (lambda f: weights_of(f).unlink(), "its weights are missing"),
    "weights elsewhere": (
        lambda f: link(weights_of(f), f.parent / "elsewhere"),
        "its weights are missing",
    ),
    "truncated JSON": (
        lambda f: (f / "model.json").write_text((f / "model.json").read_text()[:500]),
        "not proper JSON",
    ),
    "NaN in JSON": (
        lambda f: (f / "model.json").write_text(
            (f / "model.json").read_text().replace('"seed": 0', '"seed": NaN')
        ),
        "not proper JSON .NaN",
    ),
    "JSON without end": (lambda f: (f / "model.json").write_text("[" * 100_000), "not proper JSON"),
    "a list": (lambda f: (f / "model.json").write_text("[]"), "of something else"),
    "no JSON": (lambda f: (f / "model.json").unlink(), "is no pairnet model: it has no model.json"),
    "no folder": (shutil.rmtree, "There is no model at"),
    "a pickle": (lambda f: rewrite_weights(f, b"\x80\x04\x95" + b"x" * 100), "no proper header"),
    "a huge header": (
        lambda f: rewrite_weights(f, struct.pack("<Q", 2**60) + b"x" * 100),
        "no proper header",
    ),
    "empty weights": (lambda f: rewrite_weights(f, b""), "no proper header"),
    "arrays outside the file": (
        lambda f: rewrite_weights(
            f, header({"a": {"dtype": "F32", "shape": [9], "data_offsets": [0, 36]}})
        ),
        "cannot be read",
    ),
    "no arrays": (lambda f: rewrite_weights(f, header({})), "the array networks.mu.* is missing"),
}


@pytest.mark.parametrize("case", list(FILES))
def test_a_damaged_or_hostile_folder_is_refused(case, folder):
    damage, message = FILES[case]
    damage(folder)
    with pytest.raises(BadModel, match=message):
        pairnet.load(folder)


@pytest.mark.parametrize("change", ["shape", "kind", "nan"])
def test_arrays_of_another_shape_or_kind_are_refused(change, folder):
    from safetensors.numpy import load, save

    arrays = load(weights_of(folder).read_bytes())
    name = next(name for name in arrays if name.endswith("weight") and name.startswith("networks"))
    made = {
        "shape": lambda a: a[..., :-1],
        "kind": lambda a: a.astype(np.float64),
        "nan": lambda a: a * np.nan,
    }
    arrays[name] = np.ascontiguousarray(made[change](arrays[name]))
    rewrite_weights(folder, save(arrays))
    with pytest.raises(
        BadModel,
        match="not finite" if change == "nan" else f"the array {name} is float.*, expected",
    ):
        pairnet.load(folder)


def test_a_dose_model_comes_back(tmp_path):
    x, t, y, _ = easy_dose_problem(60)
    model = CASES["vcnet"].make(plan=Plan(patience=1, longest=1, warm_up=0)).fit(x, y, treatment=t)
    model.save(tmp_path / "model")
    loaded = pairnet.load(tmp_path / "model")
    assert loaded.treatment_ == model.treatment_
    assert np.array_equal(loaded.dose_response(x[:3]), model.dose_response(x[:3]))
