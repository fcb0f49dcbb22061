"""`pairnet report`: one page on a fitted model or on several, or on the paper's experiments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pairnet.core.writing import can_write, can_write_into, whole
from pairnet.report.document import Document


def report_of_models(
    models: Sequence[Path],
    out: Path,
    *,
    first: str | None,
    second: str | None,
    goal: str,
    target: str | None,
    by: str,
    command: str,
    refute: bool = False,
    calculator: bool = False,
) -> None:
    """Load models from their folders, write one page on them, and print the answer.

    refute: try to refute the effects first; the models in the folders stay as they are. calculator:
    put a small copy of a large model into the page on it.
    """
    _can_write(out)
    from pairnet import load
    from pairnet.commands.choosing import names_in
    from pairnet.commands.rows import label_of
    from pairnet.commands.wording import notes
    from pairnet.report.model import model_report, several_models
    from pairnet.report.model.subject import subject_of

    methods = [load(folder) for folder in models]
    method = methods[0]
    T0, T1 = (
        label_of(method.treatment_, text, argument)
        for text, argument in ((first, "T0"), (second, "T1"))
    )
    for each in methods if refute else ():
        T0, T1 = subject_of(each, T0=T0, T1=T1).labels
        with notes():
            each.refute(T0=T0, T1=T1)
    groups = names_in([str(name) for name in method.schema_.names], by)
    asked: dict[str, Any] = {"T0": T0, "T1": T1, "goal": goal, "target": target, "by": groups}
    asked["command"] = command
    if len(methods) == 1:
        _write(model_report(method, **asked, calculator=calculator), out)
    else:
        _write(several_models(_named(models, methods), **asked), out)


def _named(folders: Sequence[Path], methods: Sequence[Any]) -> dict[str, Any]:
    """Return models by their outcomes where these differ, else by their folders."""
    outcomes = [method.model_.names.get("outcome", "") for method in methods]
    if all(outcomes) and len({*outcomes}) == len(methods):
        return dict(zip(outcomes, methods, strict=True))
    names = [folder.resolve().name for folder in folders]
    if len({*names}) < len(names):
        names = [str(folder) for folder in folders]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"The model {twice[0]} is named twice: name each once.")
    return dict(zip(names, methods, strict=True))


def report_of_experiments(out: Path, store: Path, text: Path | None, tables: Path | None) -> None:
    """Write the report of the paper's experiments.

    text: a file for the same report as Markdown. tables: a folder for the results as CSV files.
    """
    _can_write(out)
    if text is not None:
        can_write(text, "--markdown")
        if text.resolve() == out.resolve():
            raise ValueError(f"--out and --markdown are the same file, {out}: name two.")
    if tables is not None:
        _can_write_tables(tables)
    if not store.is_dir():
        raise ValueError(
            f"There are no results in {store}{os.sep}: `pairnet run table1` makes some, --store "
            "says where they are. For a report on a model, name its folder: `pairnet report "
            "model/`."
        )
    from pairnet.bench.export import export
    from pairnet.bench.results import gather
    from pairnet.bench.store import Store
    from pairnet.paper import experiments
    from pairnet.report.experiments import experiments_page, results_file
    from pairnet.report.render import markdown

    all_results = [gather(experiment, Store(store)) for experiment in experiments.values()]
    _write(experiments_page(all_results), out)
    if text is not None:
        with whole(text) as file:
            file.write(markdown.page(results_file(all_results), figures=False).encode())
        print(f"Markdown: {text}")
    if tables is not None:
        print(f"CSV files: {len(export(experiments.values(), Store(store), tables))} in {tables}")


def _write(page: Document, out: Path) -> None:
    print(page.lead)
    print(f"Report: {page.write(out)}")


def _can_write(out: Path) -> None:
    """Raise before the work, not after it, if the page could not be written."""
    if out.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"--out must end in .html, got {str(out)!r}.")
    can_write(out, "--out")


def _can_write_tables(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--csv must be a folder, got the file {folder}.")
    parents = (folder.absolute(), *folder.absolute().parents)
    can_write_into(next(parent for parent in parents if parent.is_dir()), "--csv cannot be written")
