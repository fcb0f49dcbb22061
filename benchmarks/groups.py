"""How often intervals of groups hold the truth, and outcomes bear out that effects differ.

    python benchmarks/groups.py [--tables 40] [--rows 1000] [--seed 7]

Tables are of the study `shapes`: "constant" has one effect for all, the effects of the others
differ. "groups" are the quartiles of two covariates, "fifths" groups of the effect, found by
members that have not seen the rows: the share of tables in which all intervals hold at once.
"line": the share of coefficients of the best linear projection on all covariates whose interval
holds the coefficient of the true effect. "borne out": the share of tables in which the calibration
test says that effects differ as predicted; for "constant" it should be 2.5 % or less. Treatments
are drawn by lot, or ("confounded") by an untreated outcome that bends.
"""

from __future__ import annotations

import argparse
import itertools
import warnings

import numpy as np

from pairnet import LinearTLearner, TreeDRLearner
from pairnet.model.groups import grouping
from pairnet.model.heterogeneity import calibration, group_effects, projection
from pairnet.model.question import ask_memory
from pairnet.studies import load

KINDS = ("constant", "lines", "smooth", "steps")
DRAWN = {"by lot": 0.0, "confounded": 1.0}
METHODS = (LinearTLearner, TreeDRLearner)
WAYS = {"groups": [0, 1], "fifths": "effect"}


def measured(method, x, t, y, truth) -> dict[str, float]:
    """Return what holds in one table."""
    model = method(members=5, bootstrap=True).fit(x, y, treatment=t)
    question = ask_memory(model.model_, 0, 1)
    true = truth[question.memory.row]
    found = {}
    for way, by in WAYS.items():
        effects, flags = group_effects(question, by), grouping(question, by).fit
        means = flags @ true / flags.sum(axis=1)
        found[way] = float(np.all((effects.lower <= means) & (means <= effects.upper)))
    line = projection(question)
    best = np.linalg.lstsq(np.column_stack([np.ones(len(x)), x]), truth, rcond=None)[0]
    ends = np.asarray([line[term][2:4] for term in line.terms])
    found["line"] = float(np.mean((ends[:, 0] <= best) & (best <= ends[:, 1])))
    found["borne out"] = float(calibration(question).bears_out)
    return found


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=40)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| method | treatments | effects | groups | fifths | line | borne out |")
    print("| --- " * 7 + "|")
    sizes = {"rows": asked.rows, "test": 1, "covariates": 5, "realisations": asked.tables}
    for method, drawn, kind in itertools.product(METHODS, DRAWN, KINDS):
        study = load("shapes", kind=kind, seed=asked.seed, confounding=DRAWN[drawn], **sizes)
        x, t, y = (np.asarray(part) for part in (study.rows.x, study.rows.t, study.rows.y))
        truth = study.mu[..., 1] - study.mu[..., 0]
        tables = [
            measured(method, *(part[k, : asked.rows] for part in (x, t, y, truth)))
            for k in range(asked.tables)
        ]
        shares = [f"{100 * np.mean([one[name] for one in tables]):.0f}" for name in tables[0]]
        print(f"| {method.__name__} | {drawn} | {kind} | {' | '.join(shares)} |", flush=True)


if __name__ == "__main__":
    main()
