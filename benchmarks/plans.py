"""How the default plan was set: plans compared on studies that no table of the paper reports.

The studies are ACIC 2016 seeds 11-30 (the tables use 1-10) and confounded tables made here. Run on
an accelerator:

    python benchmarks/plans.py --out plans.csv [--of yes-or-no | --of doses] [--quick]

The penalty is counted in rows: `l2 = rows_of_penalty / rows of the table`.
"""

from __future__ import annotations

import argparse
import csv
import time

import numpy as np

from pairnet.bench.evaluate import evaluate
from pairnet.methods import DRNet, PairNet, TARNet, VCNet
from pairnet.studies import load
from pairnet.training import Plan

PENALTY = [{"penalty": rows} for rows in (150, 300, 600, 1200)]
YES_OR_NO = [{"penalty": rows} for rows in (5, 15, 40, 100, 300)]  # PairNet's is twice that
OF_DOSES = [{"penalty": rows} for rows in (75, 150, 300, 600, 1200)]
OTHER = [
    {"patience": 200},
    {"patience": 1000},
    {"learning_rate": 5e-4},
    {"learning_rate": 2e-3},
    {"tolerance": 0.0},
]


def yes_or_no(quick: bool) -> list:
    """Return the comparisons for outcomes of yes or no."""
    table = {"realisations": 1 if quick else 4, "seed": 11, "covariates": 20, "binary": True}
    return [
        (f"{rows} rows, yes or no", load("confounded", rows=rows, **table), YES_OR_NO)
        for rows in (500, 2000)
    ]


def doses(quick: bool) -> list:
    """Return the comparisons for doses."""
    table = {"realisations": 2 if quick else 10, "seed": 7, "covariates": 25, "dose": True}
    return [
        ("471 rows", load("confounded", rows=471, **table), OF_DOSES),
        ("471 rows, noise 0.3", load("confounded", rows=471, noise=0.3, **table), OF_DOSES),
        ("2000 rows", load("confounded", rows=2000, **table), OF_DOSES),
    ]


def arms(quick: bool) -> list:
    """Return (name, study, plans) for every comparison; studies of one shape stand together, to
    compile once."""
    count, seeds = (2, range(11, 12)) if quick else (20, range(11, 31))
    table = {"realisations": count, "seed": 7, "covariates": 25, "treated": 0.2}
    small = {"rows": 672, **table}
    return [
        ("672 rows", load("confounded", **small), PENALTY + OTHER),
        ("672 rows, noise 0.3", load("confounded", noise=0.3, **small), PENALTY),
        ("672 rows, noise 3", load("confounded", noise=3.0, **small), PENALTY),
        ("672 rows, simple effect", load("confounded", complexity=0.0, **small), PENALTY),
        ("300 rows", load("confounded", rows=300, **table), PENALTY),
        ("2000 rows", load("confounded", rows=2000, **table), PENALTY),
        ("acic 11-30", load("acic2016", seeds=seeds), PENALTY + OTHER),
    ]


KINDS = {
    "arms": (arms, (TARNet,), 1),
    "yes-or-no": (yes_or_no, (TARNet,), 2),
    "doses": (doses, (DRNet, VCNet), 1),
}


def main() -> None:
    """Compare the plans of the grid and write one line for each plan, method and study."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", default="plans.csv")
    parser.add_argument("--of", choices=KINDS, default="arms", help="what the tables have")
    parser.add_argument("--quick", action="store_true", help="a tiny run, to try the script")
    options = parser.parse_args()
    comparisons, networks, more = KINDS[
        options.of
    ]  # `more`: how many times the penalty PairNet has
    with open(options.out, "w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(
            [
                "study",
                "method",
                "plan",
                "pehe_in",
                "pehe_out",
                "pehe_out_median",
                "rounds",
                "seconds",
            ]
        )
        for name, study, plans in comparisons(options.quick):
            for change in plans[:1] if options.quick else plans:
                penalty = change.get("penalty")
                plan = Plan() if penalty else Plan(**change)
                l2 = penalty / study.train.shape[-1] if penalty else None
                bases = [kind(l2=l2 and l2 * more) for kind in networks]
                for method in [kind(l2=l2, plan=plan) for kind in networks] + [
                    PairNet(base=b, plan=plan) for b in bases
                ]:
                    begun = time.perf_counter()
                    scores = evaluate(method, study)
                    errors = (
                        np.mean(scores.pehe_in),
                        np.mean(scores.pehe_out),
                        np.median(scores.pehe_out),
                    )
                    said = " ".join(f"{key}={value:g}" for key, value in change.items())
                    row = [name, method.label, said, *(f"{error:.4f}" for error in errors)]
                    row += [
                        f"{scores.rounds['mu'].mean():.0f}",
                        f"{time.perf_counter() - begun:.1f}",
                    ]
                    table.writerow(row)
                    stream.flush()
                    print(*row, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
