"""`pairnet export`: a fitted model in a format that can be served without this package."""

from __future__ import annotations

from pathlib import Path

from pairnet.commands.rows import label_of
from pairnet.core.writing import can_write
from pairnet.export import export, export_of
from pairnet.methods import load


def export_model(folder: Path, out: Path, *, first: str | None, second: str | None) -> None:
    """Write the model of a folder into a file; the ending says the format."""
    export_of(out)
    can_write(out, "--out")
    model = load(folder).model_
    T0, T1 = (
        label_of(model.treatment, text, argument)
        for text, argument in ((first, "T0"), (second, "T1"))
    )
    files = export(model, out, T0=T0, T1=T1)
    print(f"Written: {', '.join(map(str, files))}.")
