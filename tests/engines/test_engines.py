"""Every engine does every task, says what went wrong, and leaves nobody behind."""

import os
import signal
import subprocess
import sys
import time

import pytest

from pairnet.core.errors import BadInput
from pairnet.engines import AbstractEngine, Here, Processes, Task, WorkerDied, engines
from pairnet.engines.processes import cores_of_workers

# A new engine joins by being registered.
EVERY = {name: Here() if kind is Here else kind(workers=2) for name, kind in engines.items()}
MARKS = {"ray": [pytest.mark.bridge("ray"), pytest.mark.usefixtures("cluster")]}
EVERY_ENGINE = pytest.mark.parametrize(
    "engine",
    [pytest.param(engine, id=name, marks=MARKS.get(name, [])) for name, engine in EVERY.items()],
)


def twice(number):
    return 2 * number


def steps(count):
    yield from range(count)


def steps_and_then_wrong(count):
    yield from range(count)
    raise ValueError("as planned")


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def noted(path):
    """Write who does it, and go on for long."""
    path.write_text(str(os.getpid()))
    time.sleep(60)


class Odd(Exception):
    """An error that cannot be sent to another process."""

    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


def oddly_wrong():
    raise Odd("this", "that")


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(condition):
    until = time.time() + 60
    while not condition():
        assert time.time() < until
        time.sleep(0.02)


def test_engines_are_known_by_name():
    assert {"here", "processes", "ray"} <= set(engines)
    assert all(issubclass(engines[name], AbstractEngine) for name in engines)


@EVERY_ENGINE
def test_every_task_gives_its_value(engine):
    results = list(engine.run(Task(f"task {k}", twice, (k,)) for k in range(5)))
    assert {result.task: result.get() for result in results} == {
        f"task {k}": 2 * k for k in range(5)
    }


@EVERY_ENGINE
def test_no_tasks_are_no_results(engine):
    assert list(engine.run([])) == []


@EVERY_ENGINE
def test_a_function_that_yields_gives_a_result_for_each_value_in_their_order(engine):
    results = list(
        engine.run([Task("a", steps, (3,)), Task("b", steps, (2,)), Task("c", steps, (0,))])
    )
    assert [result.value for result in results if result.task == "a"] == [0, 1, 2]
    assert [result.value for result in results if result.task == "b"] == [0, 1]
    assert len(results) == 5


@EVERY_ENGINE
def test_an_error_is_a_result_with_its_traceback_and_stops_no_other_task(engine):
    tasks = [Task("wrong", steps_and_then_wrong, (2,)), Task("right", twice, (4,))]
    results = list(engine.run(tasks))
    assert [result.value for result in results if result.task == "wrong"] == [0, 1, None]
    (wrong,) = (result for result in results if result.error is not None)
    assert "steps_and_then_wrong" in wrong.traceback
    with pytest.raises(ValueError, match="as planned"):
        wrong.get()
    assert [result.get() for result in results if result.task == "right"] == [8]


@EVERY_ENGINE
def test_an_error_that_cannot_be_sent_keeps_its_words(engine):
    (result,) = engine.run([Task("odd", oddly_wrong)])
    assert str(result.error) == "this and that"
    assert "oddly_wrong" in result.traceback


def test_tasks_are_taken_when_a_worker_is_free():
    taken = []

    def tasks():
        for number in range(3):
            taken.append(number)
            yield Task(f"{number}", twice, (number,))

    results = Here().run(tasks())
    next(results)
    assert taken == [0]
    results.close()


def test_this_process_does_one_task_at_a_time():
    with pytest.raises(BadInput, match="workers must be 1 in this process, got 2. Use the engine"):
        Here(2)


def test_work_is_done_by_other_processes():
    results = list(Processes(2).run(Task(f"{k}", os.getpid) for k in range(6)))
    workers = {result.get() for result in results}
    assert os.getpid() not in workers
    assert len(workers) <= 2
    assert not any(map(is_running, workers))


def test_a_worker_that_dies_is_an_error_of_its_task_and_the_others_go_on():
    tasks = [Task("killed", killed), *(Task(f"{k}", twice, (k,)) for k in range(4))]
    results = {result.task: result for result in Processes(2).run(tasks)}
    with pytest.raises(WorkerDied, match="The process that did killed ended before it was done"):
        results["killed"].get()
    assert [results[f"{k}"].get() for k in range(4)] == [0, 2, 4, 6]


def test_tasks_that_no_worker_is_left_for_are_errors():
    results = list(Processes(1).run([Task("killed", killed), Task("left", twice, (1,))]))
    assert [(result.task, type(result.error)) for result in results] == [
        ("killed", WorkerDied),
        ("left", WorkerDied),
    ]


def test_workers_end_when_a_run_is_left(tmp_path):
    note = tmp_path / "note"
    results = Processes(2).run([Task("quick", twice, (1,)), Task("slow", noted, (note,))])
    assert next(results).get() == 2
    wait_until(lambda: note.is_file() and note.read_text())
    results.close()
    assert not is_running(int(note.read_text()))


SCRIPT = """
import sys, time
from pathlib import Path
from pairnet.engines import Processes, Task
from test_engines import noted

if __name__ == "__main__":
    for result in Processes(1).run([Task("slow", noted, (Path(sys.argv[1]),))]):
        print(result)
"""


@pytest.mark.parametrize("how", ["SIGKILL", "SIGINT"])
def test_workers_end_with_the_process_that_began_them(how, tmp_path):
    script, note = tmp_path / "script.py", tmp_path / "note"
    script.write_text(SCRIPT)
    paths = os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, str(script), str(note)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": paths, "JAX_PLATFORMS": "cpu"},
    )
    wait_until(lambda: note.is_file() and note.read_text())
    process.send_signal(getattr(signal, how))
    process.communicate(timeout=90)  # its pipes close when the last process has ended
    wait_until(lambda: not is_running(int(note.read_text())))


def test_every_worker_has_cores_of_its_own_on_a_cpu(monkeypatch):
    monkeypatch.setattr("jax.default_backend", lambda: "cpu")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 7}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: None, raising=False)
    assert cores_of_workers(2) == [{3, 7}, {5}]
    assert cores_of_workers(4) == [{3}, {5}, {7}, None]
    monkeypatch.setattr("jax.default_backend", lambda: "gpu")
    assert cores_of_workers(2) == [None, None]
