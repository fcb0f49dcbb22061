"""Every experiment, in a tiny version on tables made here: it runs, and its results can be read,
judged and shown."""

import ast
import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from markupsafe import escape

from pairnet.bench.digests import digest
from pairnet.bench.draws import draws
from pairnet.bench.measures import AbstractMeasure, AbstractMeasureOfMethod, Fit
from pairnet.bench.results import gather
from pairnet.bench.runner import run
from pairnet.bench.store import Store
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms, Dose
from pairnet.methods import (
    Estimator,
    LinearSLearner,
    NetworkEstimator,
    Stack,
    TARNet,
    TreeSLearner,
)
from pairnet.paper import experiments
from pairnet.paper.printed import printed_numbers
from pairnet.report.entries import entries
from pairnet.report.experiments import experiments_page, in_brief, results_file
from pairnet.report.render import html, markdown, terminal
from pairnet.studies import load

TINY = {"phi": (4,), "mu": (4,)}
MADE = ("gp", "gaussians", "relevant-covariates")


def tiny_method(method: Estimator) -> Estimator:
    """Return the method with a small network and almost no training; all else stays.

    A stack has quick learners: those of its presets are networks of their own size.
    """
    if isinstance(method, Stack):
        quick = (LinearSLearner(), TreeSLearner(longest=5))
        return dataclasses.replace(method, members=2, learners=quick)
    if not isinstance(method, NetworkEstimator):
        return dataclasses.replace(method, members=min(method.members, 2))
    plan = dataclasses.replace(method.plan, longest=2, warm_up=1)
    changes: dict = {"plan": plan, "members": min(method.members, 2)}
    if hasattr(method, "base"):
        changes["base"] = None if method.base is None else dataclasses.replace(method.base, **TINY)
    else:
        changes |= TINY
    return dataclasses.replace(method, **changes)


def tiny_draws(each):
    """Return two replications of a small table: of the same study if it is made here, else of one
    like it."""
    if each.study in MADE:
        sizes = {"rows": 40, "test": 20} if each.study != "gp" else {}
        return draws(each.study, 2, **sizes)
    dose = "dose" in each.study
    return draws(
        "confounded", 2, rows=60, test=30, covariates=10, dose=dose, binary=each.study == "twins"
    )


def some_rows(experiment) -> list[str]:
    """Return the first and the last row, and one that others are tested against: every method has
    its own contract. Rows of libraries that are not installed are left out."""
    is_here = lambda row: getattr(row.measured, "lacking", None) is None
    rows = [label for label, row in experiment.rows.items() if is_here(row)]
    references = (
        experiment.reference
        if isinstance(experiment.reference, dict)
        else {"": experiment.reference}
    )
    return list(dict.fromkeys([rows[0], next(iter(references.values())) or rows[0], rows[-1]]))


def tiny(experiment):
    """Return the experiment with some rows, on the first column of each kind, and small."""
    columns, kinds = {}, set()
    for label, column in experiment.columns.items():
        kind = (tiny_draws(column.draws[0]), column.values.get("base"))
        if kind not in kinds:
            kinds.add(kind)
            columns[label] = dataclasses.replace(column, draws=kind[:1])

    def shrunk(row):
        measured = row.measured
        if isinstance(measured, AbstractMeasureOfMethod):
            small = dataclasses.replace(measured, method=tiny_method(measured.method))
        elif isinstance(measured, Estimator):
            small = tiny_method(measured)
        elif measured is None or isinstance(measured, AbstractMeasure):
            small = measured
        else:  # hyperparameters depend on the column, not on the small study that stands for it
            small = lambda column: tiny_method(measured(experiment.columns[column.label]))
        return dataclasses.replace(row, measured=small)

    rows = {label: shrunk(experiment.rows[label]) for label in some_rows(experiment)}
    return dataclasses.replace(experiment, rows=rows, columns=columns, claims=())


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """One store for all, as people have it: experiments share their jobs."""
    return Store(tmp_path_factory.mktemp("store"))


@pytest.mark.parametrize("name", list(experiments))
def test_a_tiny_version_runs_and_can_be_shown(name, store):
    experiment = tiny(experiments[name])
    outcome = run(experiment.all_jobs(), store)
    assert outcome.failed == 0, next(
        cell.errors for cell in gather(experiment, store).cells.values() if cell.errors
    )
    assert outcome.left == 0
    results = gather(experiment, store)
    for (row, column), cell in results.cells.items():
        assert cell.done == cell.asked or experiment.derive is not None
        for metric in experiment.metrics[:1]:
            assert np.isfinite(results.known(row, column, metric)).all()
    title, shown = in_brief(results)
    assert experiment.derive is not None or shown.rows
    assert terminal.block(shown).row_count == len(shown.rows)
    assert experiment.title in terminal.block(title).plain
    if any(cell.done for cell in results.cells.values()):
        assert f"## {experiment.title}" in markdown.page(results_file([results]))
        assert escape(experiment.asks) in html.page(experiments_page([results]))
    for entry in entries(results, experiment.metrics[0]).values():
        assert entry.done <= entry.asked


@pytest.mark.parametrize("name", list(experiments))
def test_every_cell_is_a_method_that_makes_sense(name):
    experiment = experiments[name]
    for row in experiment.rows:
        for column in experiment.columns:
            for job in experiment.jobs(row, column, 1):
                if isinstance(job.measure, Fit):
                    method = job.measure.method
                    method.check()
                    treatment = Dose(0.0, 1.0) if "dose" in job.draws.study else Arms((0, 1))
                    is_stack = isinstance(method, Stack)
                    for learner in method.learners_for(treatment) if is_stack else (method,):
                        assert isinstance(treatment, learner.takes)
                        if isinstance(learner, NetworkEstimator):
                            assert learner.recipe(Gaussian(), treatment, 100).stages


@pytest.mark.parametrize("name", list(experiments))
def test_claims_can_be_judged_before_anything_was_run(name, tmp_path):
    results = gather(experiments[name], Store(tmp_path))
    assert all(claim.judge(results).held == "not run" for claim in experiments[name].claims)


@pytest.mark.parametrize("name", list(experiments))
def test_an_experiment_says_what_it_is(name):
    experiment = experiments[name]
    assert experiment.name == name
    assert experiment.asks.endswith("?")
    assert experiment.claims
    assert len(experiment.asks) < 130
    references = (
        experiment.reference
        if isinstance(experiment.reference, dict)
        else {"": experiment.reference}
    )
    assert all(row in experiment.rows for row in references.values() if row)


@pytest.mark.parametrize("name", list(experiments))
def test_an_experiment_is_a_table_of_data(name):
    """What is measured, and how it is run, is said elsewhere: no loops here, and little to read."""
    text = Path(sys.modules[f"pairnet.paper.{name.replace('-', '_')}"].__file__).read_text()
    assert text.count("\n") <= 60
    assert not any(
        isinstance(node, ast.For | ast.While | ast.ClassDef) for node in ast.walk(ast.parse(text))
    )


def test_the_papers_numbers_belong_to_cells():
    assert len(printed_numbers()) > 400
    for name, row, column, _ in printed_numbers():
        assert row in experiments[name].rows, (name, row)
        assert experiments[name].has(row, column), (name, row, column)
        assert column in experiments[name].columns, (name, column)


def test_a_job_is_named_by_the_digest_of_its_description():
    job = experiments["temperature"].jobs("PairNet, λ = 0", "ACIC")[4]
    assert job.key == digest(job.describe())


def test_jobs_of_the_same_cell_are_shared_by_experiments():
    table1, temperature = experiments["table1"], experiments["temperature"]
    ours = {job.key for job in table1.jobs("TARNet", "IHDP")}
    assert ours == {job.key for job in temperature.jobs("factual", "IHDP")}
    assert isinstance(table1.jobs("TARNet", "IHDP")[0].measure, Fit)


def test_test_rows_of_one_arm_are_scored_without_pairs():
    study = load("confounded", rows=60, test=30, realisations=2)
    untreated = study.rows.t.copy()
    np.put_along_axis(untreated, np.broadcast_to(study.test, (2, 30)), 0, axis=1)
    study = dataclasses.replace(study, rows=dataclasses.replace(study.rows, t=untreated))
    metrics = Fit(tiny_method(TARNet()))(study, [0, 1])
    assert "factual_score" in metrics
    assert "pair_score" not in metrics
    assert "near_pair_score" not in metrics
