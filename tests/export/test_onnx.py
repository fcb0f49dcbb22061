"""A model in ONNX says what the model itself says, of rows of a table as they are."""

import json
from typing import ClassVar

import numpy as np
import pytest

import programs
from checks import CASES, QUICK, SMALL, small
from mixed import fed, mixed_table, strange_rows
from pairnet import (
    LinearTLearner,
    Plan,
    Stack,
    TARNet,
    TreeSLearner,
    TreeXLearner,
    VCNet,
    XLearner,
    cli,
)
from pairnet.export import export
from pairnet.export.onnx import AbstractForm, form_of
from pairnet.networks.base import AbstractNetwork
from ridge import Lines, RidgeArms

pytestmark = [
    pytest.mark.bridge("onnx", "onnxruntime"),
    pytest.mark.filterwarnings("ignore:.*differs from the rows of the fit"),
    pytest.mark.filterwarnings("ignore:Intervals from [23] members"),
    pytest.mark.filterwarnings("ignore:y holds two labels"),
]

SHORT = Plan(patience=2, longest=4, warm_up=1)
ROWS = strange_rows()
CLOSE = 1e-4  # of the spread of effects
# How far answers of networks may be, in units of the outcome's spread: they are float32 in both.
SINGLE = 3e-6


class Served:
    """A file in onnxruntime."""

    def __init__(self, path):
        import onnxruntime

        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()]
        about = self.session.get_modelmeta().custom_metadata_map["pairnet"]
        self.about = json.loads(about)

    def __call__(self, X, **treatments):
        answers = self.session.run(None, fed(X, **treatments))
        return dict(zip(self.names, answers, strict=True))


def served(model, path, **settings):
    model.export_onnx(path / "model.onnx", **settings)
    return Served(path / "model.onnx")


def check_alike(model, answers, X, T0, T1):
    """Check all that a file says against what the model says."""
    effect = model.effect(X, T0=T0, T1=T1).to_numpy()
    labels = (T0, T1) if model.treatment_.whole_range else model.treatment_.in_order
    outcomes = np.stack([model.predict_outcome(X, treatment=label) for label in labels], axis=1)
    close = CLOSE * effect.std() + SINGLE * outcomes.std()
    assert np.abs(answers["effect"] - effect).max() < close
    of_doses = [answers[name] for name in ("outcome_T0", "outcome_T1") if name in answers]
    mine = np.stack(of_doses, axis=1) if of_doses else answers["outcome"]
    assert np.abs(mine - outcomes).max() < close
    if model.model_.has_interval:
        for name, end in zip(
            ("lower", "upper"), model.effect_interval(X, T0=T0, T1=T1), strict=True
        ):
            assert np.abs(answers[name] - end).max() < 10 * close  # a quantile of few members
    else:
        assert "lower" not in answers


def contrast(model):
    return (20.0, 45.0) if model.treatment_.whole_range else ("drug", "both")


@pytest.mark.parametrize("name", [name for name in CASES if name != "ridge"])
def test_every_method_says_the_same_of_ten_thousand_rows(name, tmp_path):
    case = CASES[name]
    X, t, y = mixed_table(dose=case.is_dose)
    changes = {} if case.is_stack else {"plan": SHORT, "members": 2, "bootstrap": True}
    model = case.make(**changes).fit(X, y, treatment=t)
    T0, T1 = contrast(model)
    check_alike(model, served(model, tmp_path)(ROWS, T0=T0, T1=T1), ROWS, T0, T1)
    programs.let_go()


YES_NO = {
    "network with codes": TARNet(**SMALL, plan=QUICK, codes=4),
    "two steps": XLearner(**SMALL, plan=QUICK),
    "doses": VCNet(**SMALL, plan=QUICK),
    "lines": LinearTLearner(members=3, bootstrap=True),
    "trees": TreeSLearner(longest=20),
    "stack": Stack(
        members=2,
        learners=[LinearTLearner(), TreeXLearner(longest=20)],
    ),
}


@pytest.mark.parametrize("name", list(YES_NO))
def test_chances_stay_chances(name, tmp_path):
    X, t, y = mixed_table(dose=name == "doses", yes_no=True)
    model = YES_NO[name].fit(X, y, treatment=t)
    T0, T1 = contrast(model)
    answers = served(model, tmp_path, alpha=0.2)(ROWS, T0=T0, T1=T1)
    again = dict(answers)
    if model.model_.has_interval:
        again["lower"], again["upper"] = model.effect_interval(ROWS, T0=T0, T1=T1, alpha=0.2)
        for end in ("lower", "upper"):
            assert np.allclose(answers.pop(end), again[end], atol=2e-4)
            assert np.abs(again[end]).max() <= 1
        answers["lower"], answers["upper"] = model.effect_interval(ROWS, T0=T0, T1=T1)
    check_alike(model, answers, ROWS, T0, T1)


@pytest.fixture(scope="module")
def stack():
    """A stack in which networks and trees speak."""
    X, t, y = mixed_table()
    learners = [TARNet(**SMALL, plan=QUICK, l2=0.1), TreeXLearner(longest=20)]
    return Stack(members=3, learners=learners).fit(X, y, treatment=t)


def test_a_stack_of_networks_and_trees_has_its_intervals(stack, tmp_path):
    assert min(voice.weight for voice in stack.weights_ if "(" in voice.learner) > 0
    file = served(stack, tmp_path)
    check_alike(stack, file(ROWS, T0="none", T1="both"), ROWS, "none", "both")


def test_treatments_are_inputs_for_all_rows_or_by_row_or_are_named(stack, tmp_path):
    some = ROWS[:6]
    T1 = np.array(["drug", "both", "none"] * 2)
    file = served(stack, tmp_path)
    by_row = file(some, T0="none", T1=T1)
    effect = stack.effect(some, T0="none", T1=T1)
    assert np.allclose(by_row["effect"], effect, atol=1e-4)
    assert np.all(by_row["effect"][2::3] == 0)  # against itself
    named = served(stack, tmp_path, T0="none", T1="drug")
    assert np.allclose(named(some)["effect"], stack.effect(some, T0="none", T1="drug"), atol=1e-4)
    assert named.about["compared"] == {"T0": "none", "T1": "drug"}
    assert named.about["inputs"] == {}


def test_an_unknown_arm_has_no_effect_rather_than_a_wrong_one(stack, tmp_path):
    answers = served(stack, tmp_path)(ROWS[:3], T0="none", T1=np.array(["drug", "Drug", "none"]))
    for name in ("effect", "lower", "upper"):
        assert np.isnan(answers[name]).tolist() == [False, True, False]


def test_the_file_says_what_goes_in_and_comes_out(stack, tmp_path):
    about = served(stack, tmp_path).about
    assert [column["input"] for column in about["columns"]] == list(ROWS.columns)
    kinds = [column["kind"] for column in about["columns"]]
    assert kinds == ["number", "number", "category", "category", "flag", "date"]
    assert about["treatment"]["arms"] == ["both", "drug", "none"]
    assert set(about["outputs"]) == {"effect", "lower", "upper", "outcome"}


def test_columns_may_be_called_like_what_comes_out(tmp_path):
    X, t, y = mixed_table()
    renamed = {"age": "effect", "city": "T0", "income": "outcome"}
    model = LinearTLearner().fit(X.rename(columns=renamed), y, treatment=t)
    file = served(model, tmp_path)
    new = ROWS[:50].rename(columns=renamed)
    answers = file(new, T0_="none", T1="both")
    assert file.about["outputs"].keys() == {"effect_", "outcome_"}
    assert np.allclose(answers["effect_"], model.effect(new, T0="none", T1="both"))


def test_an_array_has_an_input_for_each_of_its_columns(tmp_path):
    rng = np.random.default_rng(0)
    X, t = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    model = LinearTLearner().fit(X, X[:, 0] * t, treatment=t)
    model.export_onnx(tmp_path / "model.onnx")
    file = Served(tmp_path / "model.onnx")
    columns = {str(k): X[:, k] for k in range(3)}
    arms = {name: np.array([label], object) for name, label in (("T0", "0"), ("T1", "1"))}
    answers = dict(zip(file.names, file.session.run(None, columns | arms), strict=True))
    assert np.allclose(answers["effect"], model.effect(X))


class OwnLines(AbstractForm):
    """The lines of `RidgeArms` in ONNX: what a person writes for a predictor of their own."""

    def __init__(self, graph, treatment, predictor):
        super().__init__(graph, treatment)
        self.lines = predictor.lines

    def outcome(self, x, t):
        graph = self.graph
        slopes, levels = graph.constant(self.lines[:, 1:].T), graph.constant(self.lines[None, :, 0])
        by_arm = graph.add(graph.product(x, slopes), levels)
        own = graph.times(by_arm, self.flags(t))
        return self.as_row(graph.reduced("ReduceSum", own, [1]))


def test_a_method_of_ones_own_needs_a_form_and_the_error_says_so(tmp_path):
    X, t, y = mixed_table()
    model = RidgeArms().fit(X, y, treatment=t)
    with pytest.raises(ValueError, match=r"ridge\.Lines has no form in ONNX.*AbstractForm.*save"):
        model.export_onnx(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())
    plain = form_of.dispatch(Lines)
    form_of.register(Lines, lambda predictor, graph, arms: OwnLines(graph, arms, predictor))
    check_alike(
        model,
        served(model, tmp_path)(ROWS, T0="none", T1="drug"),
        ROWS,
        "none",
        "drug",
    )
    form_of.register(Lines, plain)


class Sorted(AbstractNetwork):
    """A network that does what ONNX's graph has no words for here."""

    inner: AbstractNetwork
    name: ClassVar[str] = "sorted"

    def __call__(self, x, t):
        import jax.numpy as jnp

        return self.inner(jnp.sort(x), t)

    def penalty(self):
        return self.inner.penalty()


def test_an_unknown_operation_of_a_network_is_named(tmp_path):
    import dataclasses

    import jax

    X, t, y = mixed_table()
    model = TARNet(**SMALL, plan=SHORT).fit(X, y, treatment=t)
    fitted = model.model_.predictor.fitted
    odd = jax.tree.map(
        Sorted, fitted.networks, is_leaf=lambda part: isinstance(part, AbstractNetwork)
    )
    model.model_.predictor.fitted = dataclasses.replace(fitted, networks=odd)
    with pytest.raises(ValueError, match="computes 'sort', which has no form in ONNX yet"):
        model.export_onnx(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_wrong_use_is_said_in_words(stack, tmp_path):
    with pytest.raises(ValueError, match=r"path must end in \.onnx, got"):
        stack.export_onnx(tmp_path / "model.stablehlo")
    with pytest.raises(ValueError, match=r"T1 must be one of the arms|T1 .*'dru'"):
        stack.export_onnx(tmp_path / "model.onnx", T0="none", T1="dru")
    with pytest.raises(ValueError, match="alpha"):
        stack.export_onnx(tmp_path / "model.onnx", alpha=2.0)
    with pytest.raises(ValueError, match=r"The format \.stablehlo knows nothing of T0"):
        export(stack.model_, tmp_path / "model.stablehlo", T0="none")
    with pytest.raises(ValueError, match="not fitted"):
        small().export_onnx(tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_the_command_line_exports_what_is_compared(tmp_path, capsys, monkeypatch):
    X, t, y = mixed_table()
    model = LinearTLearner().fit(X, y, treatment=t)
    model.save(tmp_path / "model")
    words = ["pairnet", "export", str(tmp_path / "model"), "-o", str(tmp_path / "m.onnx")]
    monkeypatch.setattr("sys.argv", [*words, "--from", "none", "--to", "drug"])
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert end.value.code in (0, None)
    assert "m.onnx" in capsys.readouterr().out
    answers = Served(tmp_path / "m.onnx")(ROWS[:100])
    assert np.allclose(answers["effect"], model.effect(ROWS[:100], T0="none", T1="drug"))
