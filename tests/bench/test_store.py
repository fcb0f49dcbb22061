"""Results are kept one by one, found again, and never half there."""

import dataclasses
import json

import pytest

from cheap import TABLE, Shifted, an_experiment
from pairnet.bench.digests import describe, digest
from pairnet.bench.draws import draws
from pairnet.bench.export import restore
from pairnet.bench.job import Job
from pairnet.bench.measures import Fit
from pairnet.bench.runner import run
from pairnet.bench.store import FORMAT, Corrupt, Record, Store, _checksum
from pairnet.methods import KNN, PairNet, TARNet


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


def test_a_jobs_name_does_not_hang_on_equal_jobs_that_were_named_before():
    for shift in (2, 2.0, True, 1.0, 1):  # 2 equals 2.0, and its text is another
        job = Job(Shifted(shift), TABLE, 0)
        assert job.key == digest(job.describe())


def test_a_change_of_code_that_changes_numbers_makes_other_jobs_of_those_it_changes(monkeypatch):
    jobs = [Job(Fit(method), TABLE, 0) for method in (TARNet(), KNN())]
    before = [job.key for job in jobs]
    monkeypatch.setattr(KNN, "results_version", 7)
    assert jobs[0].key == before[0]
    assert jobs[1].key != before[1]
    assert jobs[1].describe()["results"] == 7


@pytest.mark.parametrize(
    "harm",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace("1.5", "1.4"),
        lambda text: "",
        lambda text: "[" * 100_000,
        lambda text: '{"content":' * 900 + "1" + "}" * 900,
        lambda text: text.replace(
            '"content": {', '"content": {"deep": ' + "[" * 900 + "]" * 900 + ","
        ),
        lambda text: "null",
    ],
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


RECORDS = [
    {"metrics": "good"},
    {"metrics": {"pehe_out": "good"}},
    {"metrics": None},  # nor an error
    {"error": 3, "metrics": None},
    {"seconds": None},
    {"seconds": float("nan")},
    {"made": None},
    {"made": {"pairnet": "0"}},
    {"more": 1},
]


@pytest.mark.parametrize("changes", RECORDS, ids=str)
def test_a_file_that_holds_no_result_is_damaged_even_if_its_checksum_is_right(tmp_path, changes):
    store, job = Store(tmp_path), Job(Shifted(1.5), TABLE, 0)
    run([job], store)
    record = vars(store.read(job)) | changes
    content = {"job": job.describe(), "record": record}
    written = {"format": FORMAT, "sha256": _checksum(content), "content": content}
    store.path(job).write_text(json.dumps(written))
    assert run([job], store).done == 1
    assert store.read(job).metrics["pehe_out"] == 1.5


def test_files_that_hold_no_lines_of_results_are_told_in_words(tmp_path):
    (tmp_path / "csv").mkdir()
    file, store = tmp_path / "csv" / "tiny.csv", Store(tmp_path / "store")
    for content in (b"key,row\n" + b"x" * 200_000, b"key,row\n\xff\xfe,b\n"):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="tiny.csv is not a file of results .*get it anew"):
            restore([an_experiment()], tmp_path / "csv", store)
