"""How the default plan was set: plans compared on studies that no table of the paper reports.

The studies are ACIC 2016 seeds 11-30 (the tables use 1-10) and confounded tables made here. Run on an accelerator:

    python benchmarks/plans.py --out plans.csv [--quick]
"""

from __future__ import annotations

import argparse
import csv
import time

import numpy as np

from pairnet.data import load
from pairnet.experiments.evaluate import evaluate
from pairnet.methods import PairNet, TARNet
from pairnet.training import Plan

L2 = [{"l2": l2} for l2 in (0.03, 0.1, 0.3, 1.0, 3.0)]
OTHER = [{"patience": 200}, {"patience": 1000}, {"learning_rate": 5e-4}, {"learning_rate": 2e-3}, {"validation": 0.2}]


def comparisons(quick: bool) -> list:
    """Return (name, study, plans) for every comparison; studies of one shape stand together, to compile once."""
    count, seeds = (2, range(11, 12)) if quick else (20, range(11, 31))
    table = {"realisations": count, "seed": 7, "covariates": 25, "treated": 0.2}
    small = {"rows": 672, **table}
    return [
        ("672 rows", load("synthetic", **small), L2 + OTHER),
        ("672 rows, noise 0.3", load("synthetic", noise=0.3, **small), L2),
        ("672 rows, noise 3", load("synthetic", noise=3.0, **small), L2),
        ("672 rows, simple effect", load("synthetic", complexity=0.0, **small), L2),
        ("300 rows", load("synthetic", rows=300, **table), L2),
        ("2000 rows", load("synthetic", rows=2000, **table), L2),
        ("acic 11-30", load("acic2016", seeds=seeds), L2 + OTHER),
    ]


def main() -> None:
    """Compare the plans of the grid and write one line for each plan, method and study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="plans.csv")
    parser.add_argument("--quick", action="store_true", help="a tiny run, to try the script")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no new plan after so long")
    options = parser.parse_args()
    begun = time.perf_counter()
    with open(options.out, "w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["study", "method", "plan", "pehe_in", "pehe_out", "pehe_out_median", "rounds", "seconds"])
        for name, study, plans in comparisons(options.quick):
            for change in plans[:1] if options.quick else plans:
                if time.perf_counter() - begun > options.seconds:
                    return
                plan = Plan(**{key: value for key, value in change.items() if key != "l2"})
                base = TARNet(l2=change.get("l2", TARNet.l2))
                for method in (TARNet(l2=base.l2, plan=plan), PairNet(base=base, plan=plan)):
                    scores = evaluate(method, study)
                    row = [
                        name,
                        scores.method,
                        str(change),
                        *(f"{np.mean(v):.4f}" for v in (scores.pehe_in, scores.pehe_out)),
                    ]
                    row += [
                        f"{np.median(scores.pehe_out):.4f}",
                        f"{scores.rounds['mu'].mean():.0f}",
                        f"{scores.seconds:.1f}",
                    ]
                    table.writerow(row)
                    stream.flush()
                    print(*row, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
