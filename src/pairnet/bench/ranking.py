"""Do scores that need no truth rank models as their true error does? Over all models of a
replication."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from pairnet.bench.experiment import Column, Experiment, Job
from pairnet.bench.results import Cell, read_or_none
from pairnet.bench.store import Store

FEWEST = 5  # models of a replication, below which there is nothing to rank


def correlations(
    experiments: Iterable[Experiment],
    store: Store,
    columns: Mapping[str, Column],
    scores: Mapping[str, str],
    *,
    ranks: bool,
    truth: str = "pehe_out",
) -> dict[tuple[str, str], Cell]:
    """Return how each score correlates with the true error over models, replication by replication.

    Models are all methods and plans of the experiments that the store has results of. With `ranks`
    by ranks (Spearman), else the score with the squared error (Pearson). `models` says how many
    there were, `regret` how much larger than the smallest the true error of the model is that the
    score would choose.
    """
    from scipy import stats

    wanted = {each for column in columns.values() for each in column}
    jobs: dict[tuple, dict[str, Job]] = {}
    for experiment in experiments:
        for job in experiment.all_jobs():
            if job.draws in wanted:
                jobs.setdefault((job.draws, job.replication), {})[job.key] = job
    cells = {}
    for column, draws in columns.items():
        found: dict[str, list[dict[str, float]]] = {row: [] for row in scores}
        known: set[str] = set()  # metrics that any model of the column has
        asked = [(each, k) for each in draws for k in range(each.count)]
        for place in asked:
            records = [read_or_none(store, job) for job in jobs.get(place, {}).values()]
            metrics = [
                record.metrics
                for record in records
                if record is not None and record.metrics is not None
            ]
            known.update(*metrics)
            for row, score in scores.items():
                both = np.array(
                    [(m[score], m[truth]) for m in metrics if score in m and truth in m]
                ).reshape(-1, 2)
                if len(both) < FEWEST:
                    found[row].append({"correlation": np.nan, "models": np.nan, "regret": np.nan})
                    continue
                value = (
                    stats.spearmanr(*both.T).statistic
                    if ranks
                    else np.corrcoef(both[:, 0], both[:, 1] ** 2)[0, 1]
                )
                regret = both[both[:, 0].argmin(), 1] / both[:, 1].min() - 1
                found[row].append(
                    {
                        "correlation": float(value),
                        "models": float(len(both)),
                        "regret": float(regret),
                    }
                )
        for row, values in found.items():
            if truth in known and scores[row] not in known:
                continue  # there is no such score for this column's treatments
            by_name = {
                name: np.asarray([v[name] for v in values])
                for name in ("correlation", "regret", "models")
            }
            missing = int(np.isnan(by_name["correlation"]).sum())
            cells[row, column] = Cell(by_name, len(asked), 0, missing, 0.0)
    return cells
