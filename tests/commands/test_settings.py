"""`--set NAME=VALUE`: values are read as the fields of a method declare them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from pairnet import KNN, DragonNet, PairNet, Plan, TARNet, VCNet
from pairnet.commands.settings import (
    assignments,
    for_those_that_have,
    names_of,
    read_value,
    with_settings,
    written,
)
from pairnet.methods import NetworkEstimator, methods


def settled(method, *texts, taken=()):
    return with_settings(method, assignments(texts, taken))


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (float, "0.1", 0.1),
        (float, "1e-3", 1e-3),
        (float, "inf", math.inf),
        (float, "2", 2.0),
        (int, "100", 100),
        (int, "-3", -3),
        (bool, "yes", True),
        (bool, "True", True),
        (bool, "no", False),
        (bool, "false", False),
        (str, "anything", "anything"),
        (float | None, "none", None),
        (float | None, "0.5", 0.5),
        (int | None, "None", None),
        (tuple[int, ...], "100,100", (100, 100)),
        (tuple[int, ...], "100", (100,)),
        (tuple[int, ...], " 100 , 50 ", (100, 50)),
        (tuple[int, ...], "", ()),
        (tuple[float, ...], "0.5,1", (0.5, 1.0)),
        (tuple[int, ...] | None, "none", None),
        (tuple[int, ...] | None, "0,2", (0, 2)),
        (Literal["best", "last"], "last", "last"),
        (Literal["best"] | None, "none", None),
        (str | None, "none", None),
    ],
)
def test_values_are_read_by_their_types(kind, text, value):
    read = read_value(text, kind)
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (float, "fast"),
        (float, "nan"),
        (float, "1_000"),
        (float, ""),
        (int, "1.5"),
        (int, "many"),
        (int, "1_000"),
        (bool, "1"),
        (float | None, "nothing"),
        (tuple[int, ...], "100,wide"),
        (tuple[int, ...], "100;50"),
        (Literal["best", "last"], "Best"),
        (Plan, "published"),
    ],
)
def test_values_of_other_types_are_refused(kind, text):
    with pytest.raises(ValueError, match="--set must be .*, got|cannot be typed"):
        read_value(text, kind)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (float, 0.1),
        (float, math.inf),
        (int, 7),
        (bool, True),
        (bool, False),
        (float | None, None),
        (tuple[int, ...], (200, 100)),
        (Literal["range", "dose"], "dose"),
    ],
)
def test_what_is_written_is_read_again(kind, value):
    assert read_value(written(value), kind) == value


def test_hyperparameters_are_set_also_inside_the_plan_and_the_base():
    changed = settled(
        PairNet(members=3),
        "base.phi=100,100",
        "plan.patience=1000",
        "plan.keep=last",
        "space=covariates",
        "columns=0,2",
        "base=dragonnet",
        "base.l2=none",
        "temperature=inf",
    )
    assert isinstance(changed.base, DragonNet)
    assert (changed.base.phi, changed.base.l2) == ((100, 100), None)
    assert changed.plan == Plan(patience=1000, keep="last")
    assert (changed.space, changed.columns, changed.temperature) == ("covariates", (0, 2), math.inf)
    assert changed.members == 3
    changed.check()


def test_the_method_that_is_changed_stays_as_it_was():
    before = TARNet()
    assert settled(before, "l2=0.1").l2 == 0.1
    assert before.l2 is None
    assert settled(before).l2 is None


@pytest.mark.parametrize("method", list(methods.values()))
def test_every_number_of_every_method_can_be_set(method):
    names = set(names_of(method()))
    assert {"members", "calibration", "outcome"} <= names
    if issubclass(method, NetworkEstimator):
        assert {"plan.learning_rate", "plan.batch_size"} <= names
    for name in names - {"base"}:
        holder = method()
        *path, last = name.split(".")
        for part in path:
            holder = getattr(holder, part)
        again = settled(method(), f"{name}={written(getattr(holder, last))}")
        assert repr(again) == repr(method())


@pytest.mark.parametrize(
    ("method", "text", "message"),
    [
        (
            TARNet(),
            "l2=small",
            "--set l2 must be none or a number for TARNet, got 'small'.",
        ),
        (
            PairNet(),
            "space=psy",
            "--set space must be 'random', 'psi', 'phi' or 'covariates' for PairNet, got 'psy'. "
            "Did you mean 'psi'?",
        ),
        (
            PairNet(),
            "columns=a,b",
            "--set columns must be none or whole numbers with commas between them for PairNet, "
            "got 'a,b'.",
        ),
        (TARNet(), "verbose=loud", "--set verbose must be yes or no for TARNet, got 'loud'."),
        (
            TARNet(),
            "plan.patience=long",
            "--set plan.patience must be a whole number for Plan, got 'long'.",
        ),
        (PairNet(), "base=dragonet", "Unknown method 'dragonet'. Known: .* 'dragonnet'?"),
        (
            TARNet(),
            "plan=published",
            "--set plan cannot be set as a whole. Set plan.learning_rate, ",
        ),
        (TARNet(), "plan.patience=0", "Plan.patience must be a whole number, at least 1, got 0."),
        (TARNet(), "l2", "--set must be NAME=VALUE, as l2=0.1, got 'l2'."),
        (TARNet(), "=0.1", "--set must be NAME=VALUE, as l2=0.1, got '=0.1'."),
        (
            TARNet(),
            "calibrate=1",
            "Unknown hyperparameter 'calibrate' of TARNet. Known: bootstrap, .* 'calibration'?",
        ),
        (TARNet(), "l2.deep=1", "Unknown hyperparameter 'l2.deep' of TARNet."),
        (TARNet(), "plan.patiense=1", "Did you mean 'plan.patience'?"),
        (TARNet(), "patience=1", "Did you mean 'plan.patience'?"),
        (PairNet(), "l3=0.1", "Unknown hyperparameter 'l3' of PairNet."),
        (PairNet(), "base.bins=3", "Unknown hyperparameter 'base.bins' of PairNet."),
        (PairNet(base=VCNet()), "base.knot=1", "Unknown hyperparameter 'base.knot' of PairNet."),
    ],
)
def test_mistakes_say_what_is_expected_and_what_came(method, text, message):
    with pytest.raises(ValueError, match=message.replace(".", r"\.").replace(r"\.*", ".*")) as e:
        settled(method, text)
    for part in message.split(" .* "):
        assert part in str(e.value)


def test_a_name_is_set_once_and_where_it_has_an_option_by_that():
    with pytest.raises(ValueError, match="--set l2 is there twice"):
        assignments(["l2=1", "l2=2"])
    with pytest.raises(ValueError, match=r"its own\. Say --members\."):
        assignments(["members=3"], taken=["members"])
    with pytest.raises(ValueError, match=r"Say --kind\."):
        assignments(["treatment=dose"], taken=["treatment"])
    assert settled(TARNet(), "members=3").members == 3


def test_what_only_the_base_has_is_set_on_it():
    changed = settled(PairNet(), "l2=0.1", "base.phi=50,50")
    assert (type(changed.base), changed.base.l2, changed.base.phi) == (TARNet, 0.1, (50, 50))
    assert settled(PairNet(treatment="dose"), "l2=0.1").base.l2 == 0.1
    assert type(settled(PairNet(treatment="dose"), "l2=0.1").base) is VCNet
    assert type(settled(PairNet(base=DragonNet()), "l2=0.1").base) is DragonNet


def test_several_methods_take_what_they_have():
    several = {"pairnet": PairNet(), "tarnet": TARNet(), "knn": KNN()}
    changed = for_those_that_have(several, assignments(["l2=0.2", "pairs=7", "plan.longest=9"]))
    assert list(changed) == list(several)
    assert (changed["tarnet"].l2, changed["knn"].l2, changed["pairnet"].pairs) == (0.2, 0.2, 7)
    assert {method.plan.longest for method in changed.values()} == {9}
    with pytest.raises(ValueError, match="'pears' of PairNet, TARNet or KNN.*mean 'pairs'"):
        for_those_that_have(several, assignments(["pears=7"]))


@dataclass(kw_only=True, eq=False, repr=False)
class Odd(TARNet):
    """A method with a hyperparameter that nobody can type."""

    hook: Any = None


def test_what_no_text_spells_is_left_to_python():
    assert "hook" not in set(names_of(Odd()))
    with pytest.raises(ValueError, match=r"--set hook cannot be typed for Odd\. Set it in Python"):
        settled(Odd(), "hook=print")
