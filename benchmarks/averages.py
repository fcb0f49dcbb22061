"""How often doubly robust intervals hold the average, by a cheap learner, on development tables.

    python benchmarks/averages.py [--tables 8] [--only steps,sparse] [--members 5]

Each table is fitted with `LinearTLearner(members=5, bootstrap=True)`, so that what is measured is
what light models add. "width" is the mean width of 95 % intervals, "bias" the mean error of their
centres, "spread" the standard deviation of these. "shares" are those of the mixture of outcomes
among lines on all columns, on 8 and on 4, and trees on all, on 8 and on 4. No table of a report is
among them.
"""

from __future__ import annotations

import argparse
import time
import warnings
from unittest import mock

import numpy as np
from level import KINDS as OTHERS
from level import Table, _of

from pairnet import LinearTLearner
from pairnet.inference import nuisances
from pairnet.studies.shapes import SHAPES

_confounded = lambda seed, **options: _of(
    "confounded", {"seed": seed, "test": 1000, "covariates": 10} | options
)
KINDS = {
    **{
        kind: _of("shapes", {"kind": kind, "seed": 1300 + number, "covariates": 20})
        for number, kind in enumerate(SHAPES)
    },
    "confounded 500": _confounded(271, rows=500),
    "confounded 2000": _confounded(272, rows=2000),
    "yes / no": _confounded(273, rows=1000, binary=True),
    **{kind: OTHERS[kind] for kind in ("ihdp anew", "acic 2", "acic 7", "acic 26")},
}


def measured(table: Table, members: int) -> dict[str, tuple[float, float, float]]:
    """Return the ends of the intervals and the truth, for all and for the treated."""
    model = LinearTLearner(members=members, bootstrap=True).fit(table.x, table.y, treatment=table.t)
    truth = {
        "all": np.concatenate([table.effect, table.effect_test]).mean(),
        "treated": table.effect[table.t == 1].mean(),
    }
    return {
        target: (*model.ate_interval(table.x, kind="doubly robust", target=target), true)
        for target, true in truth.items()
    }


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--members", type=int, default=5)
    parser.add_argument("--only", default=",".join(KINDS), help="kinds, with commas between them")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| kind | tables | of | held | width | bias | spread | shares | CPU s |")
    print("| --- " * 9 + "|")
    for kind in asked.only.split(","):
        begun, shares, found = time.process_time(), [], []

        def kept(*rows, shares=shares, best=nuisances.shares_of_outcomes):
            shares.append(best(*rows))
            return shares[-1]

        with mock.patch.object(nuisances, "shares_of_outcomes", kept):
            for number in range(asked.tables):
                found.append(measured(KINDS[kind](number), asked.members))
        seconds = (time.process_time() - begun) / asked.tables
        said = " ".join(f"{100 * share:.0f}" for share in np.mean(shares, axis=0))
        for target in ("all", "treated"):
            low, high, true = np.transpose([one[target] for one in found])
            off = (low + high) / 2 - true
            held = f"{100 * np.mean((low <= true) & (true <= high)):.0f}"
            numbers = [np.mean(high - low), np.mean(off), np.std(off)]
            line = [kind, str(asked.tables), target, held, *(f"{number:.2f}" for number in numbers)]
            print(f"| {' | '.join([*line, said, f'{seconds:.1f}'])} |", flush=True)


if __name__ == "__main__":
    main()
