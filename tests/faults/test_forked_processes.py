"""Forked processes, in which JAX would wait forever, are told what to do; others can work."""

import os
import subprocess
import sys

import numpy as np
import pytest

# A process forks after other code has used JAX; each child asks at one door.
FORKS = """
import os, signal, sys, warnings
import jax, numpy as np
import pairnet
warnings.simplefilter("ignore")

def compare(**options):
    from pairnet.compare import compare
    return compare([pairnet.TARNet()], x, y, treatment=t, **options)

def in_processes():
    from pairnet.engines import Processes
    return compare(engine=Processes(2))

x, t = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
y = x[:, 1] ** 2 + t
jax.numpy.ones(3).sum().block_until_ready()
doors = {
    "fit": lambda: pairnet.TARNet().fit(x, y, treatment=t),
    "stack": lambda: pairnet.Stack(learners=[pairnet.LinearSLearner(), pairnet.TARNet()]).fit(
        x, y, treatment=t
    ),
    "load": lambda: pairnet.load(sys.argv[1]).effect(x[:, [0, 1, 1]]),
    "compare": compare,
    "engine": in_processes,
}
if __name__ == "__main__":
    for name, ask in doors.items():
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # ends a child that waits forever
            try:
                ask()
                print(name, "answered", flush=True)
            except BaseException as error:
                print(name, type(error).__name__, error, flush=True)
            os._exit(0)
        os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_every_door_of_a_forked_process_says_what_to_do(tmp_path):
    (tmp_path / "forks.py").write_text(FORKS)
    stored = os.path.join(os.path.dirname(__file__), "..", "model", "stored_by_0_1_0", "arms")
    call = [sys.executable, str(tmp_path / "forks.py"), stored]
    said = subprocess.run(call, capture_output=True, text=True, timeout=200)
    lines = said.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        [door, "ForkedProcess"] for door in ("fit", "stack", "load", "compare", "engine")
    ], said.stderr
    assert all("multiprocessing.get_context('spawn')" in line for line in lines)


def test_a_process_that_is_forked_before_jax_is_used_can_fit():
    code = (
        "import os, numpy as np\n"
        "from ridge import RidgeArms\n"
        "x, t = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    RidgeArms().fit(x, x[:, 1] ** 2 + t, treatment=t).effect(x)\n"
        "    os._exit(7)\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    call = [sys.executable, "-c", code]
    said = subprocess.run(call, capture_output=True, text=True, timeout=100, env=environment)
    assert said.stdout.strip() == "7", said.stderr


def test_threads_that_fit_at_once_get_what_each_gets_alone():
    from concurrent.futures import ThreadPoolExecutor

    from checks import easy_problem, small
    from pairnet import Plan

    def effect(seed):
        x, t, y, _ = easy_problem(100, seed=seed % 2)
        return small("tarnet", plan=Plan(longest=100), seed=seed).fit(x, y, treatment=t).effect(x)

    alone = [effect(seed) for seed in range(2)]
    with ThreadPoolExecutor(2) as pool:
        at_once = list(pool.map(effect, range(2)))
    assert all(map(np.array_equal, alone, at_once))
