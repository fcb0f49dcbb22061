"""Do scores that need no truth rank the models of a replication as their true error does?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from pairnet.bench.draws import Draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.job import Job
from pairnet.bench.results import Cell, read_or_none
from pairnet.bench.store import Store
from pairnet.bench.table import Column

FEWEST = 5  # models of a replication: fewer are not ranked
METRICS = ("correlation", "regret", "models")

Replication = tuple[Draws, int]
MetricsOfModel = Mapping[str, float]  # of one fitted model


def correlations(
    experiments: Iterable[Experiment],
    store: Store,
    columns: Mapping[str, Column],
    scores: Mapping[str, str],
    *,
    ranks: bool,
    truth: str = "pehe_out",
) -> dict[tuple[str, str], Cell]:
    """Return how scores correlate with the true error over models, replication by replication.

    Models are all methods and plans of the experiments that have results in the store. With `ranks`
    the correlation is one of ranks (Spearman), else of the score with the squared error (Pearson).
    `models` is how many there were, `regret` how much larger the true error of the model that the
    score would choose is than the smallest.
    """
    jobs = _jobs_by_place(experiments, columns)
    cells = {}
    for label, column in columns.items():
        places = [(draws, k) for draws in column.draws for k in range(draws.count)]
        models = [_metrics_of(jobs.get(place, {}), store) for place in places]
        metrics = {name for models_of_one in models for model in models_of_one for name in model}
        for row, score in scores.items():
            if truth in metrics and score not in metrics:
                continue  # there is no such score for this column's treatments
            values = [_agreement(of_one, score, truth, ranks=ranks) for of_one in models]
            cells[row, label] = _cell(values)
    return cells


def _jobs_by_place(
    experiments: Iterable[Experiment], columns: Mapping[str, Column]
) -> dict[Replication, dict[str, Job]]:
    """Return the jobs of all models of each replication, by their names."""
    wanted = {draws for column in columns.values() for draws in column.draws}
    jobs: dict[Replication, dict[str, Job]] = {}
    for experiment in experiments:
        for job in experiment.all_jobs():
            if job.draws in wanted:
                jobs.setdefault((job.draws, job.replication), {})[job.key] = job
    return jobs


def _metrics_of(jobs: Mapping[str, Job], store: Store) -> list[MetricsOfModel]:
    records = [read_or_none(store, job) for job in jobs.values()]
    return [record.metrics for record in records if record is not None and record.metrics]


def _agreement(
    models: list[MetricsOfModel], score: str, truth: str, *, ranks: bool
) -> dict[str, float]:
    """Return how a score of models agrees with their true error; NaN if there are few models."""
    from scipy import stats

    pairs = np.array([(m[score], m[truth]) for m in models if score in m and truth in m])
    if len(pairs) < FEWEST:
        return dict.fromkeys(METRICS, np.nan)
    scores, errors = pairs.T
    correlation = (
        stats.spearmanr(scores, errors).statistic if ranks else np.corrcoef(scores, errors**2)[0, 1]
    )
    regret = errors[scores.argmin()] / errors.min() - 1
    return {
        "correlation": float(correlation),
        "regret": float(regret),
        "models": float(len(pairs)),
    }


def _cell(values: list[dict[str, float]]) -> Cell:
    metrics = {name: np.asarray([value[name] for value in values]) for name in METRICS}
    missing = int(np.isnan(metrics["correlation"]).sum())
    return Cell(metrics, len(values), 0, missing, 0.0)
