"""Whatever the user's process has set in JAX, effects are the same, and its settings stay."""

import multiprocessing
import os
import subprocess
import sys
import threading

import jax
import numpy as np
import pytest

import pairnet
from attacks.other_settings import SETTINGS
from checks import easy_problem, small
from pairnet.core import own_jax

X, T, Y, _ = easy_problem(100)


def fitted():
    return small(members=2, bootstrap=True, calibration=0.2).fit(X, Y, treatment=T)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A model fitted under JAX's usual settings, and the folder where it is saved."""
    model, folder = fitted(), tmp_path_factory.mktemp("models") / "model"
    model.save(folder)
    return model, folder


def answers(model):
    effect, ends = model.effect(X), model.effect_interval(X, kind="conformal", alpha=0.3)
    return np.stack([effect, *ends, model.predict_outcome(X, treatment=1)])


@pytest.mark.parametrize("name", SETTINGS)
def test_a_setting_of_the_users_process_changes_nothing(name, plain):
    model, folder = plain
    with SETTINGS[name]():
        assert np.array_equal(answers(fitted()), answers(model))
        assert np.array_equal(answers(pairnet.load(folder)), answers(model))


def test_the_users_settings_stay_as_they_are():
    with jax.enable_x64(True), jax.transfer_guard("log"):
        fitted()
        assert jax.config.jax_enable_x64
        assert jax.numpy.zeros(1).dtype == "float64"


def test_settings_of_the_environment_change_nothing(plain):
    """A process whose settings came from outside, and its threads."""
    code = (
        "import numpy, pairnet, sys, threading\n"
        "X = numpy.load(sys.argv[2])\n"
        "effects = []\n"
        "ask = lambda: effects.append(pairnet.load(sys.argv[1]).effect(X))\n"
        "thread = threading.Thread(target=ask); thread.start(); thread.join(); ask()\n"
        "numpy.save(sys.argv[3], effects)\n"
    )
    model, folder = plain
    asked, answered = folder.parent / "asked.npy", folder.parent / "answered.npy"
    np.save(asked, X)
    settings = {
        "JAX_ENABLE_X64": "1",
        "JAX_NUMPY_DTYPE_PROMOTION": "strict",
        "JAX_TRANSFER_GUARD": "disallow",
        "JAX_DEBUG_NANS": "1",
    }
    call = [sys.executable, "-c", code, str(folder), str(asked), str(answered)]
    subprocess.run(call, env=os.environ | settings, check=True, timeout=120)
    assert all(np.array_equal(effects, model.effect(X)) for effects in np.load(answered))


def test_another_thread_has_its_own_settings_too(plain):
    effects = []
    with jax.enable_x64(True):
        thread = threading.Thread(target=lambda: effects.append(plain[0].effect(X)))
        thread.start()
        thread.join()
    assert np.array_equal(effects[0], plain[0].effect(X))


def test_a_kind_of_device_that_is_not_here_is_told_in_words(plain):
    """A good model is not called damaged, and a stack does not go on without its networks."""
    code = (
        "import numpy, pairnet, sys\n"
        "x, t = numpy.arange(40.0)[:, None], numpy.arange(40) % 2\n"
        "two = [pairnet.LinearSLearner(), pairnet.TARNet()]\n"
        "for ask in (\n"
        "    lambda: pairnet.TARNet().fit(x, x[:, 0], treatment=t),\n"
        "    lambda: pairnet.Stack(learners=two).fit(x, x[:, 0], treatment=t),\n"
        "    lambda: pairnet.load(sys.argv[1]),\n"
        "):\n"
        "    try:\n"
        "        ask()\n"
        "    except ValueError as error:\n"
        "        print(error)\n"
    )
    environment = os.environ | {"JAX_PLATFORMS": "cuda"}
    call = [sys.executable, "-c", code, str(plain[1])]
    said = subprocess.run(call, env=environment, capture_output=True, text=True, timeout=120)
    told = said.stdout.splitlines()
    assert len(told) == 3, said.stderr
    for line in told:
        assert line.startswith("JAX has no device of the kind that it is told to use, cuda")
        assert "Set the environment variable JAX_PLATFORMS to cpu" in line
    assert "Traceback" not in said.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork:RuntimeWarning", "ignore:.*fork:DeprecationWarning")
def test_a_process_forked_after_a_fit_says_what_to_do(plain):
    """JAX would wait forever in it."""
    mine, others = multiprocessing.Pipe()
    child = os.fork()
    if child == 0:
        try:
            plain[0].effect(X)
        except BaseException as error:
            others.send(f"{type(error).__name__}: {error}")
        os._exit(0)
    assert mine.poll(60)
    said = mine.recv()
    os.waitpid(child, 0)
    assert said.startswith("ForkedProcess: This process was forked after pairnet had used JAX")
    assert "spawn" in said
    assert "loky" in said


def test_processes_that_are_started_anew_can_ask(plain):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        effect = pool.apply(plain[0].effect, (X,))
    assert np.array_equal(effect, plain[0].effect(X))


def test_settings_are_entered_in_every_thread_alone():
    with own_jax.own_jax():
        assert not jax.config.jax_enable_x64


def test_joblib_can_ask_in_its_own_processes(plain):
    joblib = pytest.importorskip("joblib")
    (effect,) = joblib.Parallel(n_jobs=2)([joblib.delayed(plain[0].effect)(X)])
    assert np.array_equal(effect, plain[0].effect(X))
