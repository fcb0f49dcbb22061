"""Exported models give the same effects without this package, and formats are found by ending."""

import json
from typing import ClassVar

import jax
import numpy as np
import pytest

from checks import QUICK, SMALL, easy_dose_problem, easy_problem, small
from pairnet import VCNet, cli
from pairnet.export import AbstractExport, export, exports
from ridge import RidgeArms

X, T, Y, _ = easy_problem(n=200)


def called(path, x, t0, t1):
    program = jax.export.deserialize(bytearray(path.read_bytes()))
    every = lambda t: np.full(len(x), t, np.float32)
    return np.asarray(program.call(np.asarray(x, np.float32), every(t0), every(t1)))


def test_a_program_gives_the_effects_of_the_model_for_any_number_of_rows(tmp_path):
    model = small(members=3).fit(X, Y, treatment=np.array(["drug", "none"])[T])
    program, about = export(model.model_, tmp_path / "effects.stablehlo")
    for rows in (1, 50):
        effect = model.effect(X[:rows], T0="drug", T1="none")
        assert np.allclose(called(program, X[:rows], 0, 1), effect, atol=1e-4)
    said = json.loads(about.read_text())
    assert said["features"] == ["0", "1", "2"]
    assert said["treatment"]["labels"] == ["drug", "none"]


def test_doses_are_places_in_their_range(tmp_path):
    x, t, y, _ = easy_dose_problem()
    model = VCNet(**SMALL, l2=0.1, plan=QUICK).fit(x, y, treatment=t)
    program, _ = export(model.model_, tmp_path / "effects.stablehlo")
    dose = model.treatment_
    places = dose.place(np.array([20.0, 50.0]))
    assert np.allclose(called(program, x, *places), model.effect(x, T0=20, T1=50), atol=1e-4)


def test_what_is_no_network_is_refused_and_leaves_no_file(tmp_path):
    model = RidgeArms().fit(X, Y, treatment=T)
    with pytest.raises(ValueError, match=r"Only networks.*RidgeArms.*model\.save\(folder\)"):
        export(model.model_, tmp_path / "effects.stablehlo")
    assert not list(tmp_path.iterdir())


class Means(AbstractExport):
    """The average effect of the remembered rows, as text."""

    name: ClassVar[str] = "means"
    ending: ClassVar[str] = ".mean"

    def write(self, model, path):
        zero, one = np.zeros(()), np.ones(())
        path.write_text(str(model.predictor.effect(model.memory.x, zero, one).mean()))
        return [path]


def test_a_format_is_one_class_and_its_ending_finds_it(tmp_path):
    model = RidgeArms().fit(X, Y, treatment=T)
    with pytest.raises(
        ValueError, match=r"must end in \.onnx, \.stablehlo: the ending says the format"
    ):
        export(model.model_, tmp_path / "effects.mean")
    with exports.having(Means):
        (path,) = export(model.model_, tmp_path / "effects.mean")
    assert float(path.read_text()) == pytest.approx(model.ate(X), abs=1e-6)


def test_the_command_line_exports(tmp_path, capsys, monkeypatch):
    small().fit(X, Y, treatment=T).save(tmp_path / "model")
    words = ["pairnet", "export", str(tmp_path / "model"), "-o", str(tmp_path / "e.stablehlo")]
    monkeypatch.setattr("sys.argv", words)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code in (0, None)
    assert "e.stablehlo" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", [*words[:-1], str(tmp_path / "e.txt")])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code == 2
    assert "must end in .onnx, .stablehlo" in capsys.readouterr().err
