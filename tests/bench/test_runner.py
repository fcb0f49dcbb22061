"""What is missing is done, once, by however many processes, and a run goes on where it stopped."""

import dataclasses
import os
import runpy
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from cheap import TABLE, Diverging, Fatal, Noted, Shifted, an_experiment
from pairnet.bench.draws import draws
from pairnet.bench.families import in_families
from pairnet.bench.job import Job
from pairnet.bench.results import gather
from pairnet.bench.runner import missing, run
from pairnet.bench.store import Store
from pairnet.engines import Processes, WorkerDied
from pairnet.methods import TARNet
from pairnet.paper import experiments


def test_nothing_is_done_twice(tmp_path):
    store, experiment = Store(tmp_path), an_experiment()
    first = run(experiment.all_jobs(), store)
    again = run(experiment.all_jobs(), store)
    assert (first.done, first.before) == (8, 0)
    assert (again.done, again.before) == (0, 8)


def test_a_failed_job_is_counted_with_its_traceback_and_enters_no_mean(tmp_path):
    store, experiment = (
        Store(tmp_path),
        an_experiment({"low": Shifted(0.0), "bad": Shifted(-1)}),
    )
    outcome = run(experiment.all_jobs(), store)
    assert outcome.failed == 4
    results = gather(experiment, store)
    cell = results.cells["bad", "A"]
    assert (cell.failed, cell.done) == (4, 0)
    assert "as planned" in cell.errors[0]
    assert results.mean("bad", "A", "pehe_out") is None
    assert run(experiment.all_jobs(), store).done == 0
    assert run(experiment.all_jobs(), store, retry=True).done == 4


def test_jobs_that_differ_in_numbers_alone_are_one_family_and_shapes_decide_the_group():
    small, large = (
        draws("confounded", 2, rows=50, noise=1.0),
        draws("confounded", 2, rows=60, noise=1.0),
    )
    noisy = draws("confounded", 2, rows=50, noise=3.0)
    jobs = [
        Job(Shifted(shift), each, k)
        for shift in (0.0, 0.5)
        for each in (small, noisy, large)
        for k in range(2)
    ]
    families = in_families(jobs)
    assert [sorted(map(len, groups)) for _, groups in families] == [[4, 4], [2, 2]]


def test_tables_of_several_kinds_are_fitted_together():
    sine, steps = (draws("shapes", 2, rows=30, test=10, kind=kind) for kind in ("sine", "steps"))
    ((_, groups),) = in_families(
        [Job(Shifted(0.0), each, k) for each in (sine, steps) for k in (0, 1)]
    )
    assert list(map(len, groups)) == [4]
    assert np.array_equal(steps.load([1]).mu, steps.load([0, 1]).mu[1:])


def test_replications_are_fitted_as_they_would_be_among_all():
    study = draws("confounded", 3, rows=40, test=20, covariates=3).load([0, 1, 2])
    method = TARNet(
        plan=dataclasses.replace(TARNet().plan, longest=20, patience=10, warm_up=1),
        phi=(4,),
        mu=(4,),
    )
    whole = method.fit_replications(study.part(study.train), study.treatment)
    last = study.take(np.array([2]))
    alone = method.fit_replications(last.part(last.train), last.treatment, numbers=[2])
    assert np.array_equal(whole.offset[2:], alone.offset)


SLOW = """
import sys, time
from dataclasses import dataclass
import numpy as np
from pairnet.bench.draws import draws
from pairnet.bench.job import Job
from pairnet.bench.measures import AbstractMeasure
from pairnet.bench.runner import run
from pairnet.bench.store import Store
from pairnet.engines import Here, Processes

@dataclass(frozen=True)
class Slow(AbstractMeasure):
    kind: str
    def __call__(self, study, numbers, report=None):
        time.sleep(0.05)
        return {"value": np.asarray([float(study.rows.y[k].sum()) + len(self.kind) for k in range(len(numbers))])}

table = draws("gaussians", 20, rows=20, test=10)
jobs = [Job(Slow(kind), table, k) for kind in ("a", "bb") for k in range(20)]
if __name__ == "__main__":
    store = Store(sys.argv[1])
    print("ready", flush=True)
    workers = int(sys.argv[2])
    outcome = run(jobs, store, engine=Here() if workers == 1 else Processes(workers))
    print(outcome.done, outcome.before, outcome.left, flush=True)
    print([store.read(job) and store.read(job).metrics["value"] for job in jobs], flush=True)
"""


def start(script, store, processes=1):
    environment = os.environ | {"JAX_PLATFORMS": "cpu"}
    return subprocess.Popen(
        [sys.executable, str(script), str(store), str(processes)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    return path


def wait_for_results(folder, count):
    until = time.time() + 60
    while len(list(folder.glob("??/*.json"))) < count:
        assert time.time() < until
        time.sleep(0.02)


def test_a_killed_run_goes_on_and_gives_the_same_table(script, tmp_path):
    killed = start(script, tmp_path / "killed")
    wait_for_results(tmp_path / "killed", 5)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    there = len(list((tmp_path / "killed").glob("??/*.json")))
    assert 5 <= there < 40
    resumed, _ = start(script, tmp_path / "killed").communicate(timeout=120)
    assert resumed.splitlines()[1] == f"{40 - there} {there} 0"
    jobs, store = runpy.run_path(str(script))["jobs"], Store(tmp_path / "whole")
    assert run(jobs, store).done == 40
    assert resumed.splitlines()[2] == str([store.read(job).metrics["value"] for job in jobs])


def test_nobody_works_on_for_a_run_that_was_killed(script, tmp_path):
    killed = start(script, tmp_path, processes=2)
    wait_for_results(tmp_path, 5)
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=20)  # its pipes close when the last process has ended
    there = len(list(tmp_path.glob("??/*.json")))
    time.sleep(0.5)
    assert len(list(tmp_path.glob("??/*.json"))) == there < 40


def test_two_processes_share_a_store_without_doing_the_same_work(script, tmp_path):
    both = [start(script, tmp_path / "shared") for _ in range(2)]
    said = [process.communicate(timeout=120)[0].splitlines() for process in both]
    done = [int(lines[1].split()[0]) for lines in said]
    assert sum(done) == 40
    assert len(list((tmp_path / "shared").glob("??/*.json"))) == 40
    assert not list((tmp_path / "shared").glob("??/.*.part"))


@pytest.mark.parametrize("processes", [1, 2])
def test_ctrl_c_ends_a_run_at_once_and_keeps_what_is_finished(processes, script, tmp_path):
    process = start(script, tmp_path / "stopped", processes)
    wait_for_results(tmp_path / "stopped", 3)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert "Interrupted" in error
    todo, done, corrupt = missing([], Store(tmp_path / "stopped"))
    assert (todo, done, corrupt) == ([], 0, [])
    assert 3 <= len(list((tmp_path / "stopped").glob("??/*.json"))) < 40


def test_work_in_several_processes_is_the_same(tmp_path):
    rows = experiments["motivation"].rows
    measures = {label: rows[label].measured for label in ("Factual loss", "Pair loss")}
    experiment = an_experiment(measures, {"gp": (draws("gp", 3),)})
    told = []
    outcome = run(
        experiment.all_jobs(),
        Store(tmp_path / "two"),
        engine=Processes(2),
        tell=lambda n, what: told.append(n),
    )
    run(experiment.all_jobs(), Store(tmp_path / "one"))
    assert (outcome.done, outcome.left, sum(told)) == (6, 0, 6)
    two, one = (
        gather(experiment, Store(tmp_path / name)).values("Pair loss", "gp", "correlation")
        for name in ("two", "one")
    )
    assert np.array_equal(two, one)


@pytest.mark.parametrize("fails", [False, True])
def test_processes_help_with_work_that_another_has_begun(fails, tmp_path):
    """One family, two processes: each does a part of it, and nothing is done twice, not even what
    fails."""
    notes, table = tmp_path / "notes", draws("gaussians", 6, rows=20, test=10)
    notes.mkdir()
    jobs = list(
        an_experiment({"one": Noted(str(notes), fails)}, columns={"A": (table,)}).all_jobs()
    )
    assert len(in_families(jobs)) == 1
    told = []
    for again in range(1 + fails):
        outcome = run(
            jobs,
            Store(tmp_path),
            engine=Processes(2),
            retry=bool(again),
            tell=lambda n, what: told.append(n),
        )
        assert (outcome.done, outcome.failed, outcome.left) == (6, 6 * fails, 0)
    who, which, _ = zip(*(file.name.split() for file in notes.iterdir()), strict=True)
    assert len(set(who)) >= 2
    assert sorted(which) == sorted([str(k) for k in range(6)] * (1 + fails))
    assert sum(told) == 6 * (1 + fails)
    assert not list((tmp_path / "claims").iterdir())


def test_jobs_without_data_are_counted_once_however_many_look_for_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PAIRNET_DATA", str(tmp_path / "none"))
    monkeypatch.setenv("PAIRNET_CACHE", str(tmp_path / "none"))
    column = (TABLE, draws("ihdp", 3))
    told = []
    jobs = list(an_experiment(columns={"A": column}, measures={"low": Shifted(0.0)}).all_jobs())
    outcome = run(
        jobs, Store(tmp_path / "store"), engine=Processes(2), tell=lambda n, what: told.append(n)
    )
    assert (outcome.done, outcome.left, len(outcome.missing_data), sum(told)) == (4, 0, 1, 7)


def test_a_process_that_dies_is_said_and_what_was_finished_is_kept(tmp_path):
    jobs = [Job(Fatal(), TABLE, 0), *(Job(Shifted(0.0), TABLE, k) for k in range(4))]
    with pytest.raises(WorkerDied, match=r"ended before it was done.*What was finished is kept"):
        run(jobs, Store(tmp_path), engine=Processes(2))
    assert [job.replication for job in missing(jobs, Store(tmp_path)).jobs] == [0]
    assert isinstance(missing(jobs, Store(tmp_path)).jobs[0].measure, Fatal)


def test_no_fit_begins_when_time_is_up(tmp_path):
    jobs = list(an_experiment().all_jobs())
    summary = run(jobs, Store(tmp_path), seconds=0.0)
    assert (summary.done, summary.left) == (0, 8)


@pytest.mark.parametrize("failing", [0, 3])
def test_replications_that_diverge_together_are_done_in_halves(failing, tmp_path, monkeypatch):
    monkeypatch.setattr("pairnet.bench.fits.replications_in_a_fit", lambda study, workers: 4)
    jobs = [Job(Diverging(failing), TABLE, k) for k in range(4)]
    summary = run(jobs, Store(tmp_path))
    assert (summary.done, summary.failed) == (4, 1)
    failed = [job.replication for job in jobs if Store(tmp_path).read(job).error is not None]
    assert failed == [failing]
