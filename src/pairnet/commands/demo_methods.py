"""`pairnet demo --methods`: TARNet and PairNet on a study with known truth."""

from __future__ import annotations

import sys
from pathlib import Path

from pairnet.core.errors import BadInput
from pairnet.core.writing import can_write, whole

PICTURES = (".png", ".pdf", ".svg")


def compare_on_study(
    study: str, *, realisations: int = 5, seed: int, out: Path, data: Path | None = None
) -> None:
    """Train both methods on a study, print their errors, and draw the results."""
    from rich.console import Console

    _can_draw(out)
    print("Starting; the first run compiles the programs and keeps them ...", file=sys.stderr)
    from pairnet.bench.side_by_side import side_by_side
    from pairnet.studies import load, studies
    from pairnet.training.progress import bar

    loaders = {
        "confounded": lambda: load("confounded", realisations=realisations, seed=seed),
        "ihdp": lambda: load("ihdp", realisations=range(1, realisations + 1), folder=data),
    }
    if study not in loaders:
        _ = studies[study]  # raises for an unknown name
        raise BadInput("", f"The demo runs on {' or '.join(loaders)}, not on {study!r}")
    table = loaders[study]()
    results = side_by_side(table, seed=seed, bar=bar)
    # imported after training, since drawing has its own heavy imports
    from pairnet.report.figures import demo_figure
    from pairnet.report.tables import comparison, verdict

    console = Console()
    console.print(comparison(table, results))
    console.print(verdict(results))
    with whole(out) as file:
        figure = demo_figure(table, results, seed=seed)
        figure.savefig(file, format=out.suffix.lower()[1:], dpi=150)
    console.print(f"Picture: {out}", highlight=False, soft_wrap=True)


def _can_draw(out: Path) -> None:
    """Raise before the training, not after it, if the picture could not be written."""
    if out.suffix.lower() not in PICTURES:
        raise BadInput("--out", f"must end in .png, .pdf or .svg, got {str(out)!r}")
    can_write(out, "--out")
