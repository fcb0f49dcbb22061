"""How far average responses to a dose are off, and how often their intervals hold the truth.

    python benchmarks/responses.py --out results/responses.csv [--tables 30]

The model's own average (intervals by its members) is put beside the corrected one (doubly robust),
at five doses, by lines (`LinearSLearner`) on tables made here. The truth is the mean over the rows
asked about and all other rows of the table's study.
"""

from __future__ import annotations

import argparse
import csv
import warnings

import numpy as np

from pairnet.methods import LinearSLearner
from pairnet.studies import load

PLACES = np.array([6, 19, 32, 44, 57])  # of the 64 doses of the truth
KINDS = {"members": ("plugin", "bootstrap"), "corrected": ("doubly robust", "doubly robust")}
BOTH = {"members": 5, "bootstrap": True, "treatment": "dose"}
STUDIES = {
    "confounded": lambda count: load(
        "confounded", rows=1000, test=2000, realisations=count, dose=True, seed=191
    ),
    "confounded, less": lambda count: load(
        "confounded",
        **{"rows": 1000, "test": 2000, "realisations": count, "dose": True},
        confounding=0.5,
        overlap=0.2,
        seed=192,
    ),
    "shapes, smooth": lambda count: load(
        "shapes",
        **{"kind": "smooth", "rows": 1000, "test": 2000, "realisations": count, "dose": True},
        treated=0.5,
        seed=193,
    ),
}
HEADER = ["study", "kind", "dose", "tables", "bias", "error", "held_95", "width_95"]


def measure(study, count: int):
    """Yield a line for each kind of average and dose."""
    rows, doses = study.part(study.train), study.grid[PLACES]
    truth = np.concatenate([study.truth(study.train), study.truth(study.test)], axis=1)
    truth = truth[..., PLACES].mean(axis=1)
    found: dict[str, list] = {kind: [] for kind in KINDS}
    for k in range(count):
        x, t, y = (np.asarray(values[k]) for values in (rows.x, rows.t, rows.y))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = LinearSLearner(**BOTH).fit(x, y, treatment=t)
            for kind, (value, interval) in KINDS.items():
                middle = model.average_dose_response(x, doses, kind=value)
                low, high = model.average_dose_response_interval(x, doses, kind=interval)
                held = (low <= truth[k]) & (truth[k] <= high)
                found[kind].append((middle - truth[k], held, high - low))
    for kind, values in found.items():
        off, held, width = (np.array(part) for part in zip(*values, strict=True))
        error = np.sqrt((off**2).mean(axis=0))
        columns = (off.mean(axis=0), error, held.mean(axis=0), np.median(width, axis=0))
        for dose, *numbers in zip(doses, *columns, strict=True):
            yield [kind, f"{dose:.2f}", count, *(f"{number:.3f}" for number in numbers)]


def main() -> None:
    """Measure every study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", default="responses.csv")
    parser.add_argument("--tables", type=int, default=30)
    options = parser.parse_args()
    with open(options.out, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(HEADER)
        for name, load_study in STUDIES.items():
            for line in measure(load_study(options.tables), options.tables):
                writer.writerow([name, *line])
                print(name, *line, sep=" | ", flush=True)
            stream.flush()


if __name__ == "__main__":
    main()
