"""What explaining effects costs: processor seconds for 1,000 rows of 20 columns, and the errors.

    python benchmarks/explaining.py

The table is `confounded` with seed 60. A part's error is shown against the size of parts.
"""

from __future__ import annotations

import resource

import numpy as np

from pairnet import PairNet, Stack
from pairnet.studies import load

MODELS = {
    "PairNet()": PairNet,
    "PairNet(members=5, bootstrap=True)": lambda: PairNet(members=5, bootstrap=True),
    'Stack(preset="fast")': lambda: Stack(preset="fast"),
}


def main() -> None:
    """Fit each model, explain, and print a line of a Markdown table."""
    study = load("confounded", rows=1000, test=10, realisations=1, covariates=20, seed=60)
    rows = study.part(study.train)
    x, t, y = (np.asarray(values[0]) for values in (rows.x, rows.t, rows.y))
    for name, make in MODELS.items():
        model = make().fit(x, y, treatment=t)
        model.effect(x)  # compiles
        begun = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        why = model.explain(x)
        seconds = resource.getrusage(resource.RUSAGE_SELF).ru_utime - begun
        error = np.sqrt(np.mean(why.error**2) / np.mean(why.values**2))
        print(f"| `{name}` | {seconds:.1f} | {100 * error:.0f} % |", flush=True)


if __name__ == "__main__":
    main()
