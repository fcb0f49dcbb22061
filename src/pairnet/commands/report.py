"""`pairnet report`: one page on a fitted model, or on the paper's experiments."""

from __future__ import annotations

from pathlib import Path

from pairnet.report.page import Page


def report_of_model(model: Path, out: Path, *, first: str | None, second: str | None, goal: str) -> None:
    """Read a model from its folder, write the page, and say the answer."""
    _can_write(out)
    from pairnet import load
    from pairnet.commands.effect import called
    from pairnet.report.model import model_report

    fitted = load(model)
    ends = (("T0", first, "--from"), ("T1", second, "--to"))
    asked = {name: called(fitted.treatment_, text, option) for name, text, option in ends if text is not None}
    _write(model_report(fitted, **asked, goal=goal), out)


def report_of_experiments(out: Path) -> None:
    """Write the page of the paper's experiments."""
    raise ValueError("Say which model to report on, as `pairnet report model/`. `pairnet fit` makes one.")


def _write(page: Page, out: Path) -> None:
    print(page.lead)
    print(f"Report: {page.write(out)}")


def _can_write(out: Path) -> None:
    """Find out before the work, not after it, that the page could not be written."""
    if out.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--out must end in .html, got {str(out)!r}.")
    if not out.absolute().parent.is_dir():
        raise ValueError(f"The folder of --out does not exist: {out.absolute().parent}. Make it first.")
