"""DRNet and VCNet with the factual and the pair loss on the dose studies: errors of every realisation, and seconds.

Needs the data files (PAIRNET_DATA) and is meant for an accelerator:

    python benchmarks/doses.py --study ihdp-dose --plan published --out results/doses_ihdp.csv [--quick]

Plans: "published" is the paper's protocol for doses; "published, best" the same with the best weights kept;
"published, whole" trains to the last epoch without early stopping, as the authors' code does; "default" is ours.
`--study confounded` compares penalties on tables made here, which is how the defaults for doses were set.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable

import numpy as np

import pairnet
from pairnet.data import load
from pairnet.experiments.evaluate import evaluate
from pairnet.methods import DRNet, PairNet, VCNet
from pairnet.training import Plan

LONGEST = {"ihdp-dose": 1000, "news-ap-dose": 400, "tcga-mirna-dose": 200}  # epochs, as the authors' code has it
BASES = {"drnet": DRNet, "vcnet": VCNet}


def settings(study: str, quick: bool) -> dict[str, dict]:
    """Return the settings in which a study is run, by name."""
    few = {"realisations": [1, 2]} if quick else {}
    if study == "ihdp-dose":
        return {"": few}
    if study == "news-ap-dose":
        return {"": few}
    return {f"{v}, {share:g} of rows": {"version": v, "share": share, **few} for share in (1.0, 0.1) for v in (0, 1, 2)}


def tables(quick: bool) -> dict[str, dict]:
    """Return the confounded tables on which penalties are compared, by name."""
    base = {"realisations": 2 if quick else 10, "covariates": 25, "dose": True, "seed": 7}
    return {
        "471 rows": {"rows": 471, **base},
        "471 rows, noise 0.3": {"rows": 471, "noise": 0.3, **base},
        "2000 rows": {"rows": 2000, **base},
    }


def contenders(options, plan: str) -> dict[str, Callable]:
    """Return the methods to run, by name: for a plan, or for `confounded` with several penalties."""
    found = {}
    for name in options.only.split(","):
        kind = BASES[name]
        if options.study == "confounded":
            for l2 in map(int, options.penalty.split(",")):
                found[f"{name}, {l2}"] = lambda n, kind=kind, l2=l2: kind(l2=l2 / n)
                found[f"pairnet over {name}, {l2}"] = lambda n, kind=kind, l2=l2: PairNet(base=kind(l2=l2 / n))
        elif plan == "default":
            found |= {
                name: lambda n, kind=kind: kind(),
                f"pairnet over {name}": lambda n, kind=kind: PairNet(base=kind()),
            }
        else:
            change = {"published": {}, "published, best": {"keep": "best"}, "published, whole": {"patience": 10**6}}[
                plan
            ]
            whole = Plan.published("dose", longest=LONGEST[options.study], **change)
            found[name] = lambda n, kind=kind, whole=whole: kind.published(plan=whole)
            found[f"pairnet over {name}"] = lambda n, kind=kind, whole=whole: PairNet.published(base=kind(), plan=whole)
    return found


def main() -> None:
    """Run the methods one after the other and write a line a realisation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--study", choices=(*LONGEST, "confounded"), default="ihdp-dose")
    plans = ("published", "published, best", "published, whole", "default")
    parser.add_argument("--plan", choices=plans, action="append", help="may be given several times")
    parser.add_argument("--only", default="drnet,vcnet", help="networks, with commas between them")
    parser.add_argument("--where", default="", help="only settings whose name holds this")
    parser.add_argument("--penalty", default="75,150,300,600,1200", help="penalties compared on the tables made here")
    parser.add_argument("--out", default="doses.csv")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin nothing after so long")
    parser.add_argument("--quick", action="store_true", help="a tiny run, to try the script")
    options = parser.parse_args()
    begun = time.perf_counter()
    made = options.study == "confounded"
    parts = tables(options.quick) if made else settings(options.study, options.quick)
    with open(options.out, "w", newline="") as stream:
        table = csv.writer(stream)
        wrote = False
        for setting, given in parts.items():
            if options.where not in setting:
                continue
            study = load(options.study, **given)
            for plan in ["default"] if made else options.plan or plans:
                for name, make in contenders(options, plan).items():
                    if time.perf_counter() - begun > options.seconds:
                        print("out of time before", setting, plan, name, flush=True)
                        continue
                    method = make(study.train.shape[-1])
                    if options.quick:
                        method.set_params(
                            plan=Plan(longest=20, patience=10)
                            if plan == "default"
                            else Plan.published("dose", longest=3)
                        )
                    scores = evaluate(method, study)
                    errors = {"pehe_in": scores.pehe_in, "pehe_out": scores.pehe_out, "ate_error": scores.ate_error_out}
                    errors |= scores.more
                    if not wrote:
                        head = ["version", "study", "setting", "plan", "method", "realisation", *errors, "seconds"]
                        table.writerow(head)
                        wrote = True
                    for k in range(len(study)):
                        row = [pairnet.__version__, options.study, setting, plan, name, k + 1]
                        table.writerow([*row, *(f"{e[k]:.4f}" for e in errors.values()), f"{scores.seconds:.1f}"])
                    stream.flush()
                    said = " ".join(f"{np.mean(errors[e]):.3f}" for e in ("pehe_in", "pehe_out", "pehe_by_row_out"))
                    rounds = "+".join(f"{stage} {count.mean():.0f}" for stage, count in scores.rounds.items())
                    print(f"{setting} | {plan} | {name} | {said} | {scores.seconds:.1f} s | {rounds}", flush=True)


if __name__ == "__main__":
    main()
