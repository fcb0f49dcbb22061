"""How often do average effects of each grade hold? Refutations of studies with known truth.

    python benchmarks/refutation.py measure --out results/refutation.csv [--only shapes]
    python benchmarks/refutation.py table results/refutation.csv   # as docs/refutation.md has it

Development tables alone: `confounded` with seeds 60 to 62, `shapes` with seeds 1100 and above, and
surfaces drawn anew on the rows of IHDP (which needs PAIRNET_DATA). Each table is taken as it is,
and once more without the column that drives treatment and outcome most: a hidden cause. A negative
control, which this column drives and the treatment does not touch, is always passed. Grades are
worked out with and without it. `held` tells whether the 95 % interval of the doubly robust average
holds the mean true effect of the rows. Lines that are in the file already are not measured again.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from level import _ihdp_anew

from pairnet import LinearTLearner, PairNet
from pairnet.evidence.refutation import DIFFERENCES, DOUBTFUL, FAILS, GRADES, HIDDEN
from pairnet.studies import load

CONTROL = "control"
HEADER = ("study", "number", "hidden", "learner", "truth", "value", "lower", "upper", "held")
HEADER += ("doubtful", "fails", "about_others", "robustness", "strongest")
Rows = tuple[np.ndarray, np.ndarray, np.ndarray, float]  # covariates, treatment, outcome, truth


def of_study(name: str, **options: Any) -> Callable[[int], Rows]:
    """Return how to make a table of a study by its number."""

    def draw(number: int) -> Rows:
        study = load(name, test=10, realisations=number + 1, **options)
        rows = study.part(study.train)
        x = np.asarray(rows.x if np.ndim(rows.x) == 2 else rows.x[number], float)
        t, y = (np.asarray(values[number], float) for values in (rows.t, rows.y))
        return x, t.astype(int), y, float(study.effect(study.train, 0, 1)[number].mean())

    return draw


def ihdp_anew(number: int) -> Rows:
    """Return a surface drawn anew on the rows of IHDP."""
    table = _ihdp_anew(number + 100)
    return table.x, table.t, table.y, float(table.effect.mean())


STUDIES: dict[str, tuple[Callable[[int], Rows], int]] = {
    "confounded": (of_study("confounded", rows=500, covariates=8, seed=60), 12),
    "confounded, poor overlap": (
        of_study("confounded", rows=500, covariates=8, confounding=2.5, overlap=0.0, seed=61),
        8,
    ),
    "confounded, yes / no": (
        of_study("confounded", rows=1000, covariates=8, binary=True, seed=62),
        6,
    ),
    **{
        f"shapes, {kind}": (
            of_study("shapes", kind=kind, rows=500, covariates=8, seed=1100 + number),
            4,
        )
        for number, kind in enumerate(("steps", "lines", "products", "smooth"))
    },
    "ihdp anew": (ihdp_anew, 8),
}
LEARNERS = {
    "LinearTLearner": (lambda: LinearTLearner(members=5, bootstrap=True), None),
    "PairNet": (lambda: PairNet(members=5, bootstrap=True), 1),  # of each study
}


def measured(name: str, number: int, hidden: bool, learner: str) -> dict[str, Any]:
    """Return what a refutation of one table says, and whether its interval holds the truth."""
    x, t, y, truth = STUDIES[name][0](number)
    rng = np.random.default_rng(number)
    driver = driving(x, t, y)
    control = x[:, driver] / x[:, driver].std() + rng.normal(size=len(y))
    known = np.delete(x, driver, axis=1) if hidden else x
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LEARNERS[learner][0]().fit(known, y, treatment=t)
        found = model.refute(negative_controls={CONTROL: control})
    named = lambda verdict, *of: ";".join(found.with_verdict(verdict, *of))
    others = [named(DOUBTFUL, DIFFERENCES), named(DOUBTFUL, HIDDEN)]
    strongest = found.strongest[0].end * np.sign(found.value) if found.strongest else np.nan
    return {
        "study": name,
        "number": number,
        "hidden": int(hidden),
        "learner": learner,
        **{key: f"{value:.4g}" for key, value in (("truth", truth), ("value", found.value))},
        "lower": f"{found.lower:.4g}",
        "upper": f"{found.upper:.4g}",
        "held": int(found.lower <= truth <= found.upper),
        "doubtful": named(DOUBTFUL),
        "fails": named(FAILS),
        "about_others": ";".join(filter(None, others)),
        "robustness": f"{found.robustness or 0:.4g}",
        "strongest": f"{strongest:.4g}",
    }


def driving(x: np.ndarray, t: np.ndarray, y: np.ndarray) -> int:
    """Return the column that goes along most with the treatment and the untreated outcome."""
    of = lambda values, rows: np.nan_to_num(
        [np.corrcoef(column, values[rows])[0, 1] if np.ptp(column) else 0 for column in x[rows].T]
    )
    everyone, untreated = np.ones(len(y), bool), t == 0
    return int(np.argmax(np.abs(of(t, everyone) * of(y, untreated))))


def wanted(only: str | None) -> Iterator[tuple[str, int, bool, str]]:
    """Yield what is to be measured."""
    for learner, (_, most) in LEARNERS.items():
        for name, (_, count) in STUDIES.items():
            for number in range(min(count, most or count)):
                for hidden in (False, True):
                    if only is None or only in name:
                        yield name, number, hidden, learner


def table(path: Path) -> str:
    """Return what was measured as Markdown."""
    with path.open(newline="") as stream:
        lines = list(csv.DictReader(stream))
    said = ["| tables | grade | without the control | held | with it | held |", "| --- " * 6 + "|"]
    cut = {"as they are": "0", "a cause hidden": "1"}
    for title, hidden in cut.items():
        own = [line for line in lines if line["hidden"] == hidden]
        for grade in GRADES:
            cells = []
            for use in (False, True):
                some = [int(line["held"]) for line in own if graded(line, use) == grade]
                share = f"{100 * np.mean(some):.0f} %" if some else ""
                cells += [str(len(some)), share]
            said.append(f"| {title} | {grade} | {' | '.join(cells)} |")
    said += ["", "| attempt | not holding | held of these | held of the others |"]
    said += ["| --- " * 4 + "|"]
    tests = sorted({test for line in lines for test in flagged(line)})
    share = lambda some: f"{100 * np.mean(some):.0f} %" if some else ""
    for test in tests:
        mine = [int(line["held"]) for line in lines if test in flagged(line)]
        rest = [int(line["held"]) for line in lines if test not in flagged(line)]
        said.append(f"| {test} | {len(mine)} of {len(lines)} | {share(mine)} | {share(rest)} |")
    return "\n".join(said)


def flagged(line: dict[str, str]) -> set[str]:
    """Return the attempts of a line that do not hold."""
    return {
        test
        for key in ("doubtful", "fails", "about_others")
        for test in line[key].split(";")
        if test
    }


def graded(line: dict[str, str], control: bool) -> str:
    """Return the grade of a line, with or without its negative control."""
    is_mine = lambda test: control or not test.startswith("negative control")
    some = lambda key: [test for test in line[key].split(";") if test and is_mine(test)]
    return GRADES[2] if some("fails") else GRADES[1] if some("doubtful") else GRADES[0]


def main() -> None:
    """Measure, or print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    measure = commands.add_parser("measure")
    measure.add_argument("--out", type=Path, default=Path("refutation.csv"))
    measure.add_argument("--only", help="studies whose name holds this")
    commands.add_parser("table").add_argument("path", type=Path)
    options = parser.parse_args()
    if options.command == "table":
        print(table(options.path))
        return
    done = set()
    if options.out.exists():
        with options.out.open(newline="") as stream:
            keys = ("study", "number", "hidden", "learner")
            done = {tuple(line[key] for key in keys) for line in csv.DictReader(stream)}
    with options.out.open("a", newline="") as stream:
        writer = csv.DictWriter(stream, HEADER)
        if not done:
            writer.writeheader()
        for name, number, hidden, learner in wanted(options.only):
            if (name, str(number), str(int(hidden)), learner) in done:
                continue
            line = measured(name, number, hidden, learner)
            writer.writerow(line)
            stream.flush()
            print(*line.values(), sep=" | ", flush=True)


if __name__ == "__main__":
    main()
