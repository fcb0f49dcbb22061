"""`pairnet run`: which rows are meant, and mistakes that are told before anything is trained."""

from pathlib import Path

import pytest

from pairnet.bench.runner import run
from pairnet.bench.store import Store
from pairnet.commands.engines import engine_of
from pairnet.commands.report import report_of_experiments
from pairnet.commands.run import chosen_rows
from pairnet.commands.run import run as command
from pairnet.core.errors import BadInput
from pairnet.engines import Here, Processes, Ray
from pairnet.paper import experiments


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"names": ["tabel1"]}, "Unknown experiment 'tabel1'.*Did you mean 'table1'"),
        ({"methods": "tarnett"}, "names no row of table1. Rows: CFRNet; "),
        ({"device": "tpu"}, "must be cpu, gpu or auto, got 'tpu'"),
        ({"known": "nowhere"}, "must be a folder of CSV files"),
        ({"engine": "proceses"}, "Unknown engine 'proceses'.*Did you mean 'processes'"),
        ({"engine": "here", "jobs": 2}, "--engine here does one job at a time, got --jobs 2"),
        ({"needs": {"gpus": 1}}, "--gpus is not for --engine here. Say --engine ray"),
    ],
)
def test_mistakes_are_told_before_anything_is_trained(changes, message, tmp_path):
    known = Path(changes["known"]) if "known" in changes else None
    usual = {
        "names": ["table1"],
        "methods": None,
        "replications": 1,
        "device": "auto",
        "jobs": 1,
        "retry": False,
    }
    with pytest.raises(ValueError, match=message):
        command(**(usual | changes | {"store": tmp_path / "store", "known": known}))
    assert not (tmp_path / "store").exists()


def test_rows_are_named_whole_or_by_what_stands_first():
    table1, table2 = experiments["table1"], experiments["table2"]
    assert chosen_rows(table1, "tarnet, PairNet") == ["TARNet", "PairNet"]
    assert chosen_rows(table2, "vcnet") == ["VCNet"]
    assert chosen_rows(experiments["temperature"], "factual,knn")[:2] == ["factual", "kNN, λ = 0"]
    assert len(chosen_rows(table1, None)) == len(table1.rows)


def test_a_report_of_experiments_is_written_and_its_mistakes_are_told_first(tmp_path):
    motivation = experiments["motivation"]
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


def test_the_engine_follows_from_the_jobs_unless_it_is_named():
    assert engine_of(None, 1) == Here()
    assert engine_of(None, 3) == Processes(3)
    assert engine_of("processes", 1) == Processes(1)
    assert engine_of("ray") == Ray(workers=0)  # as many tasks as the cluster has room for
    assert engine_of("ray", 2, "auto", 1.0, 0.25) == Ray(2, "auto", cores=1, gpus=0.25)
    with pytest.raises(BadInput, match="--address and --cores are not for --engine processes"):
        engine_of(None, 2, "auto", 1.0)
