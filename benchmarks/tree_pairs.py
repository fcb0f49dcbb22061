"""Does the pair loss pay for boosted trees? Effects of trees by three losses on development tables.

    python benchmarks/stacking.py tables --out dev
    python benchmarks/tree_pairs.py --tables dev --out results/tree_pairs.csv

Trees see the arm as a column (`TreeSLearner`) and are grown on

- `factual`: the squares of residuals;
- `arms alike`: the same, with weights under which both arms have half of the whole;
- `pairs`: sum of mean_a r^2 over both arms, less 2 mean_0 r mean_1 r: the mean square of
  differences between rows of different arms, over all pairs;
- `near pairs`: such differences between each row and its ten nearest of the other arm.

`X-learner` is `TreeXLearner`, the trees of the presets, on its own losses.

Both pair losses are custom objectives of LightGBM. How many trees there are is chosen by five folds
and the same loss. With trees of their own for each arm, the first pair loss would be the factual
one: the arms meet in the means of their residuals alone, which are 0 after a few trees.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms
from pairnet.core.types import Rows
from pairnet.inference.growing import Ranks
from pairnet.learners.boosted import in_values
from pairnet.learners.folds import FOLDS, fold_of_rows
from pairnet.learners.trees import Trees
from pairnet.methods import TreeSLearner, TreeXLearner
from pairnet.methods.treeslearner import with_treatment
from pairnet.metrics import pehe

GROUPS = ("shapes", "small", "acic", "tau", "few", "sine8", "large")  # arms, numbers
PARTNERS = 10


class AllPairs(NamedTuple):
    """All pairs of rows of different arms, in the closed form."""

    t: np.ndarray

    def loss(self, r: np.ndarray) -> float:
        """Return the loss of residuals."""
        zero, one = (r[self.t == arm] for arm in (0, 1))
        return float(np.mean(zero**2) + np.mean(one**2) - 2 * zero.mean() * one.mean())

    def slopes(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return half of the first and second derivatives by the predictions, times the rows."""
        means = np.array([r[self.t == arm].mean() for arm in (0, 1)])
        weight = _alike(self.t)
        return weight * (means[1 - self.t] - r), weight


class NearPairs(NamedTuple):
    """Each row with its nearest rows of the other arm; rows and partners by weight."""

    weight: np.ndarray  # of rows
    partners: Any  # sparse, rows x rows: q(j | i)

    @classmethod
    def of(cls, x: np.ndarray, t: np.ndarray) -> NearPairs:
        """Find the partners, by standardised covariates."""
        spread = x.std(axis=0)
        place = x / np.where(spread > 0, spread, 1)
        own, other = [], []
        for arm in (0, 1):
            here, there = np.flatnonzero(t == arm), np.flatnonzero(t != arm)
            count = min(PARTNERS, len(there))
            near = cKDTree(place[there]).query(place[here], count)[1].reshape(len(here), count)
            own.append(np.repeat(here, count))
            other.append(there[near].ravel())
        own, other = np.concatenate(own), np.concatenate(other)
        counts = np.bincount(own, minlength=len(t))
        q = sparse.csr_matrix((1 / counts[own], (own, other)), (len(t), len(t)))
        return cls(_alike(t), q)

    def loss(self, r: np.ndarray) -> float:
        """Return the loss of residuals."""
        mean, square = self.partners @ r, self.partners @ r**2
        return float(np.average(r**2 - 2 * r * mean + square, weights=self.weight))

    def slopes(self, r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return half of the first and second derivatives by the predictions, times the rows."""
        chosen = self.partners.T @ self.weight
        back = self.partners.T @ (self.weight * r)
        slope = self.weight * (self.partners @ r - r) + back - chosen * r
        return slope, self.weight + chosen


def _alike(t: np.ndarray) -> np.ndarray:
    """Return weights under which both arms have half of the whole."""
    return len(t) / (2 * np.bincount(t)[t])


@dataclass(kw_only=True, eq=False, repr=False)
class PairTrees(TreeSLearner):
    """Trees that see the arm as a column and are grown on differences between rows."""

    near: bool = False

    def trees(self, rows, treatment, yes_no, seed):
        t = np.asarray(rows.t).astype(int)
        x = with_treatment(rows.x, t, treatment)
        level, unit = float(rows.y.mean()), float(rows.y.std())
        y, ranks, fold = (rows.y - level) / unit, Ranks.of(x), fold_of_rows(t, 2, seed)
        pairs = lambda some: NearPairs.of(rows.x[some], t[some]) if self.near else AllPairs(t[some])
        tried = []
        for number in range(FOLDS):
            seen, held = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
            booster = self._booster(ranks.rank[seen], y[seen])
            same = booster.train_set.params
            own = booster.train_set.create_valid(ranks.rank[held], y[held], params=same)
            booster.add_valid(own, "held out")
            tried.append(self._losses(booster, y[seen], y[held], pairs(seen), pairs(held)))
        count, every = _best(tried, int(self.patience)), np.arange(len(t))
        booster, own = self._booster(ranks.rank, y), pairs(every)
        for _ in range(count):
            booster.update(fobj=lambda says, _: own.slopes(y - says))
        return {"mu": in_values(ranks, Trees.of_dump(booster.dump_model())).in_units(level, unit)}

    def _booster(self, rank, y):
        options = self._options("none")
        return lightgbm.Booster(options, lightgbm.Dataset(rank, y, params=options))

    def _losses(self, booster, y, y_held, pairs, pairs_held) -> Iterator[float]:
        """Give the loss on rows that were held out, tree by tree."""
        slopes = lambda says, _: pairs.slopes(y - says)
        loss = lambda says, _: ("pairs", pairs_held.loss(y_held - says), False)
        for _ in range(int(self.longest)):
            booster.update(fobj=slopes)
            yield booster.eval_valid(loss)[-1][2]


def _best(tried: list[Iterator[float]], patience: int) -> int:
    """Return after how many trees the mean of the losses is least."""
    losses: list[float] = []
    for step in zip(*tried, strict=True):
        losses.append(float(np.mean(step)))
        if len(losses) - 1 - int(np.argmin(losses)) >= patience:
            break
    return int(np.argmin(losses)) + 1


LEARNERS = {
    "factual": TreeSLearner(),
    "arms alike": TreeSLearner(),
    "pairs": PairTrees(),
    "near pairs": PairTrees(near=True),
    "X-learner": TreeXLearner(),
}


def _measured(table: tuple[np.ndarray, ...]) -> dict[str, tuple[float, float, float]]:
    """Return the PEHE, the error of the average and the CPU seconds, by learner."""
    x, t, y, x_test, effect = table
    result = {}
    for name, learner in LEARNERS.items():
        weight = _alike(t.astype(int)) if name == "arms alike" else np.ones(len(t))
        since = time.process_time()
        learned = learner.learn(Rows(x, t, y, weight), Arms((0, 1)), Gaussian())
        says = learned.effect(x_test, np.array(0.0), np.array(1.0))
        off = float(abs(says.mean() - effect.mean()))
        seconds = time.process_time() - since
        result[name] = float(pehe(effect[None], says)[0]), off, seconds
    return result


def main() -> None:
    """Measure every table, write a line a kind and learner, and print a line a learner."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    lines: list[dict[str, object]] = []
    with ProcessPoolExecutor(args.jobs) as pool:
        for name in GROUPS:
            group = dict(np.load(args.tables / f"{name}.npz"))
            own = lambda what, k, group=group: (
                group[what] if what.startswith("x") and group[what].ndim == 2 else group[what][k]
            )
            parts = ("x", "t", "y", "x_test", "effect")
            tables = [tuple(own(part, k) for part in parts) for k in range(len(group["kind"]))]
            answers = list(pool.map(_measured, tables))
            for kind in dict.fromkeys(group["kind"]):
                some = [a for a, k in zip(answers, group["kind"], strict=True) if k == kind]
                label = f"{kind}, 5000 rows" if name == "large" else str(kind)
                for learner in LEARNERS:
                    error, off, seconds = np.mean([a[learner] for a in some], axis=0)
                    line = {"kind": label, "tables": len(some), "loss": learner}
                    figures = {"pehe": error, "ate_error": off, "cpu_seconds": seconds}
                    lines.append(line | {key: f"{value:.4f}" for key, value in figures.items()})
                    print(*lines[-1].values(), flush=True)
    of = lambda what, learner: np.array(
        [float(str(line[what])) for line in lines if line["loss"] == learner]
    )
    for learner in LEARNERS:
        ratios = [of(what, learner) / of(what, "factual") for what in ("pehe", "ate_error")]
        means = [np.exp(np.log(ratio).mean()) for ratio in ratios]
        print(learner, "of factual:", *(f"{mean:.3f}" for mean in means), f"{ratios[0].max():.3f}")
    if args.out is not None:
        with open(args.out, "w", newline="", encoding="utf-8") as stream:
            table = csv.DictWriter(stream, list(lines[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(lines)


if __name__ == "__main__":
    main()
