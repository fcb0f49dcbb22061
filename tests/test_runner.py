"""Results are kept one by one, found again, and never half there: the store and the runner."""

import dataclasses
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from pairnet.bench.claims import Above, Best, Better, Falls, Flat
from pairnet.bench.experiment import Experiment, Job, describe, draws
from pairnet.bench.export import export, restore
from pairnet.bench.families import in_families
from pairnet.bench.measures import AbstractMeasure, Fit
from pairnet.bench.ranking import correlations
from pairnet.bench.results import Cell, Results, gather
from pairnet.bench.runner import _shares, missing, run
from pairnet.bench.store import Corrupt, Record, Store
from pairnet.methods import KNN, PairNet, TARNet
from pairnet.report.experiments import entries, verdicts

TABLE = draws("gaussians", 4, rows=20, test=10)


@dataclass(frozen=True)
class Shifted(AbstractMeasure):
    """A measure that costs nothing: the replication's number plus a shift; -1 fails."""

    shift: float

    def __call__(self, study, numbers, report=None):
        if self.shift == -1:
            raise RuntimeError("as planned")
        values = np.asarray(numbers, float) + self.shift
        return {"pehe_out": values, "pehe_in": values + study.rows.y.mean() * 0}


@dataclass(frozen=True)
class Noted(AbstractMeasure):
    """Notes in a folder which process does which job, and waits until two have; fails if it is told
    to."""

    folder: str
    fails: bool = False

    def __call__(self, study, numbers, report=None):
        (
            Path(self.folder) / f"{os.getpid()} {'-'.join(map(str, numbers))} {time.time_ns()}"
        ).touch()
        until = time.time() + 60
        while (
            len({file.name.split()[0] for file in Path(self.folder).iterdir()}) < 2
            and time.time() < until
        ):
            time.sleep(0.05)
        if self.fails:
            raise RuntimeError("as planned")
        return {"pehe_out": np.asarray(numbers, float)}


def an_experiment(**changes):
    rows = {"low": Shifted(0.0), "high": Shifted(1.0)}
    fields = {
        "name": "tiny",
        "title": "Tiny",
        "asks": "?",
        "rows": rows,
        "columns": {"A": (TABLE,)},
        "reference": "low",
    }
    return Experiment(**(fields | changes))


def test_a_result_is_found_again_and_another_hyperparameter_is_another_job(tmp_path):
    store, job = Store(tmp_path), Job(Shifted(0.0), TABLE, 0)
    assert store.read(job) is None
    store.write(
        job, Record({"pehe_out": 1.5}, None, 0.1, {"pairnet": "0", "jax": "0", "device": "cpu"})
    )
    assert store.read(job).metrics == {"pehe_out": 1.5}
    others = [
        Job(Shifted(0.5), TABLE, 0),
        Job(Shifted(0.0), TABLE, 1),
        Job(Shifted(0.0), draws("gp", 4), 0),
    ]
    assert all(store.read(other) is None for other in others)


def test_everything_that_decides_a_number_is_in_its_name():
    plan = TARNet().plan
    methods = [
        TARNet(),
        TARNet(l2=0.5),
        TARNet(seed=1),
        TARNet(plan=dataclasses.replace(plan, patience=7)),
        KNN(),
    ]
    methods += [
        PairNet(),
        PairNet(base=TARNet()),
        PairNet(base=TARNet(l2=0.1)),
        PairNet(temperature=float("inf")),
    ]
    assert len({json.dumps(describe(method), sort_keys=True) for method in methods}) == len(methods)
    assert describe(TARNet(verbose=True)) != describe(TARNet())  # what is not the usual is said
    assert "bootstrap" not in describe(TARNet())  # what came later and is as it always was is not


def test_a_change_of_code_that_changes_numbers_makes_other_jobs_of_those_it_changes(monkeypatch):
    jobs = [Job(Fit(method), TABLE, 0) for method in (TARNet(), KNN())]
    before = [job.key for job in jobs]
    monkeypatch.setattr(KNN, "results_version", 7)
    assert jobs[0].key == before[0]
    assert jobs[1].key != before[1]
    assert jobs[1].describe()["results"] == 7


def test_every_process_has_cores_of_its_own(monkeypatch):
    monkeypatch.setattr("jax.default_backend", lambda: "cpu")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3, 5, 7}, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda pid, cores: None, raising=False)
    assert _shares(2) == [{3, 7}, {5}]
    assert _shares(4) == [{3}, {5}, {7}, None]


@pytest.mark.parametrize(
    "harm",
    [lambda text: text[: len(text) // 2], lambda text: text.replace("1.5", "1.4"), lambda text: ""],
)
def test_a_damaged_file_is_reported_and_done_again(tmp_path, harm):
    store, job = Store(tmp_path), Job(Shifted(1.5), TABLE, 0)
    run([job], store)
    path = store.path(job)
    path.write_text(harm(path.read_text()))
    with pytest.raises(Corrupt, match=path.name):
        store.read(job)
    outcome = run([job], store)
    assert outcome.done == 1
    assert path.name in outcome.corrupt[0]
    assert store.read(job).metrics["pehe_out"] == 1.5


def test_nothing_is_done_twice(tmp_path):
    store, experiment = Store(tmp_path), an_experiment()
    first = run(experiment.all_jobs(), store)
    again = run(experiment.all_jobs(), store)
    assert (first.done, first.before) == (8, 0)
    assert (again.done, again.before) == (0, 8)


def test_a_failed_job_is_counted_with_its_traceback_and_enters_no_mean(tmp_path):
    store, experiment = (
        Store(tmp_path),
        an_experiment(rows={"low": Shifted(0.0), "bad": Shifted(-1)}),
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


def test_a_mean_says_how_many_runs_it_is_over(tmp_path):
    store, experiment = Store(tmp_path), an_experiment()
    run(experiment.jobs("low", "A", 3), store)
    entry = entries(gather(experiment, store), "pehe_out")["low", "A"]
    assert (entry.done, entry.asked) == (3, 4)
    assert entry.mean == 1.0


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


def test_claims_say_whether_they_held(tmp_path):
    store = Store(tmp_path)
    claims = (
        Best(text="low is best", row="low"),
        Best(text="high is best", row="high"),
        Better(text="low beats high", than={"low": "high"}),
        Better(text="high is larger", than={"high": "low"}, larger=True),
        Flat(text="it matters little", rows=("low", "high")),
        Falls(text="it falls", row="low"),
        Above(text="always", larger="pehe_out", smaller="pehe_in"),
    )
    experiment = an_experiment(claims=claims, columns={"A": (TABLE,)})
    assert {held for _, held, _ in verdicts(gather(experiment, store))} == {"not run"}
    run(experiment.all_jobs(), store)
    held = [held for _, held, _ in verdicts(gather(experiment, store))]
    assert held == ["held", "did not hold", "held", "held", "did not hold", "not run", "held"]


@pytest.mark.parametrize(
    ("wins", "losses", "held"),
    [(3, 0, "held"), (2, 1, "held in part"), (1, 1, "did not hold"), (1, 2, "did not hold")],
)
def test_a_claim_that_fails_as_often_as_it_holds_did_not_hold(wins, losses, held):
    signs = [-1.0] * wins + [1.0] * losses
    columns = {f"{number}": (TABLE,) for number in range(len(signs))}
    steps = np.arange(1.0, 5.0)
    cells = {("high", name): Cell({"pehe_out": steps}, 4, 0, 0, 0.0) for name in columns}
    for name, sign in zip(columns, signs, strict=True):
        cells["low", name] = Cell({"pehe_out": steps + sign * (10 + steps)}, 4, 0, 0, 0.0)
    results = Results(an_experiment(columns=columns), cells)
    assert Better(text="low beats high", than={"low": "high"}).judge(results).held == held


def test_a_claim_names_every_rival_that_is_surely_better_and_speaks_of_its_own_columns():
    steps, columns = np.arange(1.0, 9.0), {"A": (TABLE,), "B": (TABLE,)}
    rows = {name: Shifted(0.0) for name in ("mine", "near", "far", "behind")}
    shift = {
        ("near", "A"): -0.5,
        ("far", "A"): -2,
        ("behind", "A"): 3,
        ("near", "B"): 1,
        ("far", "B"): 2,
    }
    waves = {row: 0.1 * np.sin(steps + number) for number, row in enumerate(rows)}
    cells = {
        (row, column): Cell(
            {"pehe_out": steps + shift.get((row, column), 0) + waves[row]}, 8, 0, 0, 0.0
        )
        for row in rows
        for column in columns
        if (row, column) != ("behind", "B")
    }
    results = Results(an_experiment(rows=rows, columns=columns, reference="mine"), cells)
    everywhere = Best(text="mine is best", row="mine").judge(results)
    assert everywhere.held == "held in part"
    assert "surely better than it: far, near on A." in everywhere.sentence
    assert Best(text="mine is best on B", row="mine", columns=("B",)).judge(results).held == "held"


def test_the_first_place_nowhere_is_no_part_of_the_first_place(tmp_path):
    rows = {"low": Shifted(0.0), "same": Shifted(1e-9)}
    experiment = an_experiment(rows=rows, claims=(Best(text="same is best", row="same"),))
    run(experiment.all_jobs(), Store(tmp_path))
    assert [held for _, held, _ in verdicts(gather(experiment, Store(tmp_path)))] == [
        "did not hold"
    ]


def test_a_score_that_no_model_of_a_column_has_is_no_missing_run(tmp_path):
    experiment = an_experiment(rows={f"{shift}": Shifted(shift) for shift in range(1, 7)})
    run(experiment.all_jobs(), Store(tmp_path))
    scores = {"there": "pehe_in", "not for these": "dr_score"}
    cells = correlations([experiment], Store(tmp_path), {"A": (TABLE,)}, scores, ranks=True)
    assert list(cells) == [("there", "A")]
    assert cells["there", "A"].done == 4
    assert cells["there", "A"].metrics["correlation"] == pytest.approx(1.0)


def test_results_travel_as_csv_files(tmp_path):
    experiment = an_experiment()
    run(experiment.all_jobs(), Store(tmp_path / "a"))
    (path,) = export([experiment], Store(tmp_path / "a"), tmp_path / "csv")
    assert path.read_text().count("\n") == 9
    assert restore([experiment], tmp_path / "csv", Store(tmp_path / "b")) == 8
    assert restore([experiment], tmp_path / "csv", Store(tmp_path / "b")) == 0
    ours, theirs = (
        gather(experiment, Store(tmp_path / name)).values("high", "A", "pehe_out") for name in "ab"
    )
    assert np.array_equal(ours, theirs)
    other = an_experiment(
        name="other", rows={"high": Shifted(1.0)}
    )  # whose jobs stand in the first one's file
    assert restore([other], tmp_path / "csv", Store(tmp_path / "d")) == 4
    path.write_text("key,seconds\n" + experiment.jobs("low", "A")[0].key + ",soon\n")
    with pytest.raises(ValueError, match="not a file of results"):
        restore([experiment], tmp_path / "csv", Store(tmp_path / "c"))


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
from pairnet.bench.experiment import Job, draws
from pairnet.bench.measures import AbstractMeasure, Fit
from pairnet.bench.runner import run
from pairnet.bench.store import Store

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
    outcome = run(jobs, store, processes=int(sys.argv[2]))
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
    whole, _ = start(script, tmp_path / "whole").communicate(timeout=120)
    assert resumed.splitlines()[1] == f"{40 - there} {there} 0"
    assert whole.splitlines()[1] == "40 0 0"
    assert resumed.splitlines()[2] == whole.splitlines()[2]


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
    experiment = Experiment(
        name="motivation",
        title="",
        asks="",
        rows={name: _losses()[name] for name in ("Factual loss", "Pair loss")},
        columns={"gp": (draws("gp", 3),)},
    )
    told = []
    outcome = run(
        experiment.all_jobs(),
        Store(tmp_path / "two"),
        processes=2,
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
        an_experiment(rows={"one": Noted(str(notes), fails)}, columns={"A": (table,)}).all_jobs()
    )
    assert len(in_families(jobs)) == 1
    told = []
    for again in range(1 + fails):
        outcome = run(
            jobs,
            Store(tmp_path),
            processes=2,
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
    jobs = list(an_experiment(columns={"A": column}, rows={"low": Shifted(0.0)}).all_jobs())
    outcome = run(jobs, Store(tmp_path / "store"), processes=2, tell=lambda n, what: told.append(n))
    assert (outcome.done, outcome.left, len(outcome.missing_data), sum(told)) == (4, 0, 1, 7)


def _losses():
    from pairnet.paper.motivation import motivation

    return motivation.rows


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ["tabel1"]}, "Unknown experiment 'tabel1'.*Did you mean 'table1'"),
        ({"methods": "tarnett"}, "names no row of table1. Rows: CFRNet; "),
        ({"device": "tpu"}, "must be cpu, gpu or auto, got 'tpu'"),
        ({"known": "nowhere"}, "must be a folder of CSV files"),
    ],
)
def test_mistakes_are_told_before_anything_is_trained(changes, message, tmp_path):
    from pathlib import Path

    from pairnet.commands.run import run as command

    known = Path(changes["known"]) if "known" in changes else None
    usual = {
        "names": ["table1"],
        "methods": None,
        "replications": 1,
        "device": "auto",
        "processes": 1,
        "retry": False,
    }
    with pytest.raises(ValueError, match=message):
        command(**(usual | changes | {"store": tmp_path / "store", "known": known}))
    assert not (tmp_path / "store").exists()


def test_rows_are_named_whole_or_by_what_stands_first():
    from pairnet.commands.run import chosen_rows
    from pairnet.paper import experiments

    table1, table2 = experiments["table1"], experiments["table2"]
    assert chosen_rows(table1, "tarnet, PairNet") == ["TARNet", "PairNet"]
    assert chosen_rows(table2, "vcnet") == ["VCNet"]
    assert chosen_rows(experiments["temperature"], "factual,knn")[:2] == ["factual", "kNN, λ = 0"]
    assert len(chosen_rows(table1, None)) == len(table1.rows)


def test_a_report_of_experiments_is_written_and_its_mistakes_are_told_first(tmp_path):
    from pairnet.commands.report import report_of_experiments
    from pairnet.paper.motivation import motivation

    store, (file, page) = tmp_path / "store", (tmp_path / "file", tmp_path / "page.html")
    with pytest.raises(ValueError, match="There are no results in"):
        report_of_experiments(page, store, None, None)
    run(motivation.all_jobs(2), Store(store))
    file.write_text("mine")
    for text, tables, message in (
        (tmp_path / "no" / "x.md", None, "--markdown does not"),
        (page, None, "are the same file"),
        (None, file, "--csv must be"),
    ):
        with pytest.raises(ValueError, match=message):
            report_of_experiments(page, store, text, tables)
    assert not page.exists()
    report_of_experiments(page, store, tmp_path / "x.md", tmp_path / "csv")
    assert "Which loss ranks models" in page.read_text()
    assert "2 of 200" in (tmp_path / "x.md").read_text()
    assert (tmp_path / "csv" / "motivation.csv").is_file()
