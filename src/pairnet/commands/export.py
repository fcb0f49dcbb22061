"""`pairnet export`: a fitted model in a format that can be served without this package."""

from __future__ import annotations

from pathlib import Path

from pairnet.core.writing import can_write
from pairnet.export import export, export_of
from pairnet.methods import load


def export_model(folder: Path, out: Path) -> None:
    """Write the model of a folder into a file; the ending says the format."""
    export_of(out)
    can_write(out, "--out")
    files = export(load(folder).model_, out)
    print(f"Written: {', '.join(map(str, files))}.")
