"""On a cluster of three machines every number is that of one process, whatever is lost."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import far
from cheap import Shifted, an_experiment
from checks import QUICK, SMALL
from commands_helpers import TABLE, fit
from pairnet import LinearSLearner, LinearTLearner, Stack, TARNet
from pairnet.bench.runner import run
from pairnet.bench.store import Store
from pairnet.comparing import compare
from pairnet.core.cores import usable_cores
from pairnet.core.errors import BadInput, NotInstalled
from pairnet.engines import Here, Ray, Shared, Task, WorkerDied, ray_cluster
from pairnet.learners.by_member import ByMember

needs_ray = pytest.mark.bridge("ray")


def problem(n=200):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    t = (rng.random(n) < 0.5).astype(int)
    return x, t, x[:, 1] + t * (1 + x[:, 0]) + 0.3 * rng.normal(size=n)


def wait_until(condition):
    until = time.time() + 90
    while not condition():
        assert time.time() < until
        time.sleep(0.05)


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def records(store, experiment):
    """Return every number of every job."""
    return {job.key: store.read(job).metrics for job in experiment.all_jobs()}


# Where nobody need be connected.


def test_without_ray_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(NotInstalled, match=r"needs ray, .*pip install 'pairnet\[ray\]'"):
        list(Ray().run([]))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"workers": -1}, "workers must be a whole number"),
        ({"retries": -3}, "retries must be a whole number"),
        ({"cores": 0}, "cores must be a number above 0"),
        ({"gpus": 1.5}, "gpus must be a share of one GPU or a whole number"),
        ({"gpus": -1}, "gpus must be a share"),
    ],
)
def test_nonsense_is_refused(wrong, words):
    with pytest.raises(BadInput, match=words):
        Ray(**wrong)


def asked_alone(address):
    """Ask for a cluster as a process does that is not connected to any."""
    import ray

    with mock.patch.object(ray, "is_initialized", return_value=False):
        list(Ray(address=address).run([]))


@needs_ray
@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("ray://10.0.0.1:10001", r"must be that of a cluster, as 10.0.0.1:6379.*ray job submit"),
        ("10.0.0.1", "address must be HOST:PORT, auto or local, got '10.0.0.1'"),
        ("host:99999", "address must be HOST:PORT"),
        ("no-such-host.invalid:6379", "Nobody is at no-such-host.invalid:6379"),
    ],
)
def test_an_address_that_is_none_is_refused(address, words):
    with pytest.raises(BadInput, match=words):
        asked_alone(address)


@needs_ray
def test_where_nobody_is_the_error_comes_within_seconds(monkeypatch):
    monkeypatch.setattr(ray_cluster, "ANSWER_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    begun = time.monotonic()
    with pytest.raises(BadInput, match=f"Nobody is at 127.0.0.1:{port}: Connection refused"):
        asked_alone(f"127.0.0.1:{port}")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(BadInput, match="Somebody is at .*, but it is not Ray"):
            asked_alone(f"127.0.0.1:{port}")
    assert time.monotonic() - begun < 20


# On the cluster.


@needs_ray
def test_workers_have_their_cores_and_leave_memory_of_gpus_alone(cluster):
    tasks = [Task(f"{k}", far.where) for k in range(3)]
    (_, pid, told), *_ = (result.get() for result in Ray().run(tasks))
    assert pid != os.getpid()
    assert told["PAIRNET_CORES"] == told["OMP_NUM_THREADS"] == "1"
    assert told["NPROC"] == str(usable_cores())  # whose number decides the last digits
    assert told["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    assert told["JAX_PLATFORMS"] == "cpu"  # the task has asked for no GPU


@needs_ray
def test_tasks_that_share_a_gpu_take_their_share_of_its_memory(cluster):
    results = Ray(gpus=0.5).run([Task(f"{k}", far.where) for k in range(2)])
    told = [result.get()[2] for result in results]
    assert {each["CUDA_VISIBLE_DEVICES"] for each in told} == {"0"}
    assert {each["XLA_PYTHON_CLIENT_MEM_FRACTION"] for each in told} == {"0.450"}


@needs_ray
def test_what_tasks_share_is_sent_once(cluster):
    import ray

    values = Shared(np.arange(1000.0))
    tasks = [Task(f"{k}", far.total, (values, k)) for k in range(5)]
    with mock.patch.object(ray, "put", side_effect=ray.put) as put:
        said = {result.task: result.get() for result in Ray().run(tasks)}
    assert put.call_count == 1
    assert said == {result.task: result.get() for result in Here().run(tasks)}


@needs_ray
def test_what_no_machine_has_is_refused_and_not_waited_for(cluster):
    with pytest.raises(BadInput, match="A task needs 1 core and 2 GPUs, and no machine .* has"):
        list(Ray(gpus=2).run([Task("a", int)]))
    with pytest.raises(BadInput, match="needs 8 cores and 0 GPUs.*The largest has 1 core and 1"):
        list(Ray(cores=8).run([Task("a", int)]))


@needs_ray
def test_a_machine_with_another_version_is_named(cluster, monkeypatch):
    monkeypatch.setattr(ray_cluster, "__version__", "9.9")
    with pytest.raises(BadInput, match=r"has pairnet .*, this one pairnet 9.9. Install the same"):
        list(Ray().run([Task("a", int)]))


@needs_ray
def test_another_address_than_that_of_this_process_is_refused(cluster):
    with pytest.raises(BadInput, match=r"is 10.0.0.1:1, but this process is connected to Ray at"):
        list(Ray(address="10.0.0.1:1").run([]))
    assert list(Ray(address=cluster.address).run([])) == []


@needs_ray
def test_a_task_whose_worker_dies_is_done_again_and_then_an_error(cluster, tmp_path):
    tasks = [Task("killed", far.killed, (tmp_path,)), Task("other", far.total, (np.ones(3), 1))]
    results = {result.task: result for result in Ray(retries=1).run(tasks)}
    with pytest.raises(WorkerDied, match="The worker that did killed was lost, and 1 more"):
        results["killed"].get()
    assert len(list(tmp_path.iterdir())) == 2
    assert results["other"].get() == 4.0


@needs_ray
def test_a_run_has_the_numbers_of_here(cluster, tmp_path):
    experiment = an_experiment({"low": Shifted(0.5), "high": Shifted(1.0), "bad": Shifted(-1)})
    summaries = []
    for name, engine in (("here", Here()), ("ray", Ray())):
        summaries.append(run(experiment.all_jobs(), Store(tmp_path / name), engine=engine))
    here, there = (records(Store(tmp_path / name), experiment) for name in ("here", "ray"))
    assert here == there
    assert summaries[0] == summaries[1]
    assert (summaries[1].done, summaries[1].failed) == (12, 4)
    assert run(experiment.all_jobs(), Store(tmp_path / "ray"), engine=Ray()).before == 12


@needs_ray
def test_a_comparison_has_the_numbers_of_here(cluster):
    x, t, y = problem()
    methods = {"s": LinearSLearner(), "t": LinearTLearner()}
    here, there = (compare(methods, x, y, treatment=t, engine=engine) for engine in (None, "ray"))
    assert str(here.lines) == str(there.lines)
    assert here.sentence == there.sentence


@needs_ray
def test_a_stack_has_the_numbers_of_here(cluster):
    x, t, y = problem()
    learners = [LinearSLearner(), TARNet(plan=QUICK, **SMALL), LinearTLearner()]
    stack = Stack(learners=learners, members=3)
    here = stack.fit(x, y, treatment=t)
    effect, interval, weights = here.effect(x), here.effect_interval(x), here.weights_
    there = Stack(learners=learners, members=3).fit(x, y, treatment=t, engine="ray")
    assert np.array_equal(there.effect(x), effect)
    assert np.array_equal(there.effect_interval(x), interval)
    plain = lambda voices: [voice._replace(seconds=0) for voice in voices]
    assert plain(there.weights_) == plain(weights)


@needs_ray
def test_members_have_the_numbers_of_here(cluster):
    x, t, y = problem()
    learner = LinearTLearner(members=4, bootstrap=True)
    assert isinstance(learner, ByMember)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        here = learner.fit(x, y, treatment=t).effect_interval(x)
        there = learner.fit(x, y, treatment=t, engine=Ray(workers=2)).effect_interval(x)
    assert np.array_equal(here, there)


@needs_ray
def test_the_command_fits_the_model_of_here(cluster, tmp_path, capsys):
    table, saved = tmp_path / "table.csv", []
    TABLE.write_csv(table)
    for where in ((), ("--engine", "ray", "--address", cluster.address)):
        said = fit(capsys, table, tmp_path, *where, method="lineartlearner")
        assert said.code == 0, said.flat
        (weights,) = (tmp_path / "model").glob("*.safetensors")
        saved.append(weights.read_bytes())
    assert saved[0] == saved[1]
    said = fit(capsys, table, tmp_path, "--engine", "ray", "--gpus", 2, method="lineartlearner")
    assert said.code == 2
    assert "A task needs 1 core and 2 GPUs, and no machine of the Ray cluster has" in said.flat


@needs_ray
def test_tasks_end_when_a_run_is_left(cluster, tmp_path):
    results = Ray().run(
        [Task("quick", far.total, (np.ones(2), 0)), Task("slow", far.noted, (tmp_path, "slow"))]
    )
    assert next(results).get() == 2
    note = tmp_path / "slow"
    wait_until(lambda: note.is_file() and note.read_text())
    results.close()
    wait_until(lambda: not is_running(int(note.read_text())))


SCRIPT = """
import sys
import far
from pairnet.engines import Ray, Task

if __name__ == "__main__":
    for result in Ray(address="local").run([Task("slow", far.noted, (sys.argv[1], "slow"))]):
        print(result)
"""


@needs_ray
def test_ctrl_c_ends_a_cluster_of_our_own_and_says_nothing_of_ray(tmp_path):
    script, note = tmp_path / "script.py", tmp_path / "slow"
    script.write_text(SCRIPT)
    tests = str(Path(__file__).parent.parent)
    paths = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": paths, "JAX_PLATFORMS": "cpu"},
    )
    wait_until(lambda: note.is_file() and note.read_text())
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=90)
    assert out == ""
    assert error.startswith("Traceback")
    assert error.strip().endswith("KeyboardInterrupt")
    wait_until(lambda: not is_running(int(note.read_text())))


@needs_ray
def test_a_machine_that_is_lost_in_mid_run_costs_no_number(cluster, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    experiment = an_experiment({"low": far.Held(str(notes)), "high": Shifted(1.0)})
    lost = cluster.list_all_nodes()[-1]

    held = lambda: [note.name.split() for note in notes.iterdir() if note.name != "go"]

    def kill():
        wait_until(lambda: lost.node_id in (node for node, _, _ in held()))
        (pid,) = (int(pid) for node, _, pid in held() if node == lost.node_id)
        cluster.remove_node(lost, allow_graceful=False)
        wait_until(lambda: not is_running(pid))
        (notes / "go").touch()

    killer = threading.Thread(target=kill, daemon=True)
    killer.start()
    there = run(experiment.all_jobs(), Store(tmp_path / "ray"), engine=Ray())
    killer.join()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    assert (there.done, there.failed, there.left) == (8, 0, 0)
    (again,) = (number for node, number, _ in held() if node == lost.node_id)
    assert [number for _, number, _ in held()].count(again) == 2
    with mock.patch("ray.is_initialized", return_value=False):
        run(experiment.all_jobs(), Store(tmp_path / "here"))
    assert records(Store(tmp_path / "ray"), experiment) == records(
        Store(tmp_path / "here"), experiment
    )
