"""Every method on IHDP-100 and ACIC 2016 under the published plan: errors of every realisation, and seconds.

Needs the data files (PAIRNET_DATA) and is meant for an accelerator:

    python benchmarks/methods.py --study ihdp --out results/methods_ihdp.csv [--only tarnet,pairnet] [--quick]

Weights are the best ones and PairNet drops no pairs (`results/README.md` says why); everything else is the paper's.
`--change` runs each method once for every change of its hyperparameters or of its plan, to see what a figure hangs on:

    python benchmarks/methods.py --only tarnet --change seed=1 --change plan.longest=4000 --out changes.csv
"""

from __future__ import annotations

import argparse
import ast
import csv
import dataclasses
import itertools
import time

import numpy as np

import pairnet
from pairnet.data import load
from pairnet.experiments.evaluate import evaluate
from pairnet.methods import CFRNet, DragonNet, FlexTENet, PairNet, TLearner, methods
from pairnet.training import Plan

BALANCE = {"ihdp": 0.1, "acic2016": 0.5}  # of CFRNet, as the paper's code sets it


def contenders(study: str) -> dict:
    """Return every method as the paper trains it, in an order in which stages that are alike follow one another."""
    plan = Plan.published(keep="best")
    found = {
        name: methods[name].published(plan=plan, **({"balance": BALANCE[study]} if name in ("cfrnet", "escfr") else {}))
        for name in methods
        if name != "pairnet"
    }
    bases = {
        "pairnet": None,
        "pairnet over cfrnet": CFRNet(balance=BALANCE[study]),
        "pairnet over dragonnet": DragonNet(),
        "pairnet over flextenet": FlexTENet(),
        "pairnet over tlearner": TLearner(),
    }
    for name, base in bases.items():
        found[name] = PairNet.published(plan=plan, drop=0.0, **({} if base is None else {"base": base}))
    return found


def changed(method, change: str):
    """Return the method with one hyperparameter (`l2=0.5`) or one of its plan's (`plan.longest=4000`) set otherwise."""
    if not change:
        return method
    name, _, text = change.partition("=")
    value = ast.literal_eval(text)
    if name.startswith("plan."):
        return method.set_params(plan=dataclasses.replace(method.plan, **{name.removeprefix("plan."): value}))
    return method.set_params(**{name: value})


def main() -> None:
    """Run the methods one after the other and write a line a realisation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", choices=("ihdp", "acic2016"), default="ihdp")
    parser.add_argument("--out", default="methods.csv")
    parser.add_argument("--only", help="names, with commas between them")
    parser.add_argument("--change", action="append", help="run with this set otherwise; may be given several times")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no method after so long")
    parser.add_argument("--quick", action="store_true", help="a tiny run, to try the script")
    options = parser.parse_args()
    few = {"realisations": [1, 2]} if options.study == "ihdp" else {"setting": 7, "seeds": [1]}
    study = load(options.study, **(few if options.quick else {}))
    names = options.only.split(",") if options.only else list(contenders(options.study))
    begun = time.perf_counter()
    with open(options.out, "w", newline="") as stream:
        table = csv.writer(stream)
        header = ["version", "study", "method", "change", "realisation", "pehe_in", "pehe_out", "ate_error", "seconds"]
        table.writerow(header)
        for name, change in itertools.product(names, options.change or [""]):
            if time.perf_counter() - begun > options.seconds:
                print("out of time before", name, change)
                break
            method = changed(contenders(options.study)[name], change)
            if options.quick:
                method.set_params(plan=dataclasses.replace(method.plan, longest=5, warm_up=1))
            scores = evaluate(method, study)
            for k, errors in enumerate(zip(scores.pehe_in, scores.pehe_out, scores.ate_error_out, strict=True)):
                row = [pairnet.__version__, options.study, name, change, k + 1, *(f"{error:.4f}" for error in errors)]
                table.writerow([*row, f"{scores.seconds:.1f}"])
            stream.flush()
            means = (np.mean(scores.pehe_in), np.mean(scores.pehe_out), np.median(scores.pehe_out))
            rounds = "+".join(f"{stage} {count.mean():.0f}" for stage, count in scores.rounds.items())
            figures = " ".join(f"{mean:.3f}" for mean in means)
            print(f"{name:24s} {change:20s} {figures} {scores.seconds:6.1f} s  {rounds}", flush=True)


if __name__ == "__main__":
    main()
