"""How exact effects are on IHDP-100 and ACIC 2016 (settings 2, 7, 26 x seeds 1-10), and how long it takes.

Needs the data files (PAIRNET_DATA) and is meant for an accelerator:

    python benchmarks/accuracy.py --out results/accuracy.csv [--only acic2016] [--quick]

Plans: "published" is the paper's protocol; "published, best" the same with the best weights kept and no pairs dropped;
"default" is ours, with one member (the mean over the members of the ensemble) and with all of them. The p-value is that
of a one-sided paired t-test that PairNet has the smaller PEHE out than TARNet.
"""

from __future__ import annotations

import argparse
import csv
import time

import numpy as np

from pairnet.data import load
from pairnet.methods import PairNet, TARNet
from pairnet.metrics import paired_test, pehe
from pairnet.training import Plan
from pairnet.training.compiling import traces

HEADER = [
    "study",
    "plan",
    "members",
    "method",
    "pehe_in",
    "pehe_out",
    "median_out",
    "p_value",
    "rounds",
    "seconds",
    "seconds_again",
]


def fit_and_score(method, study):
    """Return [members, realisations] PEHE in and out, and the ensemble's, with rounds and seconds."""
    begun = time.perf_counter()
    fitted = method.fit_replications(study.part(study.train), study.treatment)
    seconds = time.perf_counter() - begun
    errors = []
    for rows in (study.train, study.test):
        effect, truth = fitted.effect(study.part(rows).x, np.zeros(()), np.ones(())), study.effect(rows)
        errors.append((pehe(truth[:, None], effect), pehe(truth, effect.mean(axis=1))))
    (single_in, in_), (single_out, out) = errors
    rounds = "+".join(f"{count.mean():.0f}" for count in fitted.rounds.values())
    return {"in": in_, "out": out, "one in": single_in.mean(1), "one out": single_out.mean(1)}, rounds, seconds


def main() -> None:
    """Run everything and write one line a plan and method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="accuracy.csv")
    parser.add_argument("--only", choices=("ihdp", "acic2016"), help="one of the studies")
    parser.add_argument("--quick", action="store_true", help="a tiny run, to try the script")
    options = parser.parse_args()
    few, many = (2, 2) if options.quick else (100, 5)
    ihdp = load("ihdp", realisations=range(1, few + 1))
    best = {"plan": Plan.published(keep="best")}
    runs = [
        (ihdp, "published, best", 1, TARNet.published(**best), PairNet.published(**best, drop=0.0), True),
        (ihdp, "published", 1, TARNet.published(), PairNet.published(), False),
        (ihdp, "default", many, TARNet(members=many), PairNet(members=many), False),
    ]
    if not options.quick:
        acic = load("acic2016")
        runs.append((acic, "default", many, TARNet(members=many), PairNet(members=many), False))
    with open(options.out, "w", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(HEADER)
        for study, plan, members, *methods, again in runs:
            if options.only not in (None, study.name):
                continue
            scored = []
            for method in methods:
                errors, rounds, seconds = fit_and_score(method, study)
                before = dict(traces)
                twice = fit_and_score(method, study)[2] if again else None
                assert dict(traces) == before, "a second fit must not compile"
                scored.append(errors)
                kinds = [("1", "one in", "one out")] + [(str(members), "in", "out")] * (members > 1)
                for count, in_, out in kinds:
                    p = paired_test(errors[out], scored[0][out]).p_value if len(scored) == 2 else None
                    numbers = (errors[in_].mean(), errors[out].mean(), np.median(errors[out]))
                    row = [study.name, plan, count, type(method).__name__, *(f"{v:.3f}" for v in numbers)]
                    row += [
                        "" if p is None else f"{p:.4f}",
                        rounds,
                        f"{seconds:.1f}",
                        "" if twice is None else f"{twice:.1f}",
                    ]
                    table.writerow(row)
                    stream.flush()
                    print(*row, sep=" | ", flush=True)


if __name__ == "__main__":
    main()
