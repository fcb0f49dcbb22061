"""The numbers that the paper prints, by experiment, row, column and metric (PairNet, ICML 2024)."""

from __future__ import annotations

import csv
import functools
from importlib.resources import files
from typing import NamedTuple


class Printed(NamedTuple):
    """A number of the paper, and the p-value beside it, if there is one."""

    value: float
    p_value: float | None


def printed(experiment: str, row: str, column: str, metric: str) -> Printed | None:
    """Return the paper's number for a cell, or None."""
    return printed_numbers().get((experiment, row, column, metric))


@functools.cache
def printed_numbers() -> dict[tuple[str, str, str, str], Printed]:
    """Return all numbers of the paper by experiment, row, column and metric."""
    text = files("pairnet.paper").joinpath("paper.csv").read_text(encoding="utf-8")
    return {
        (line["experiment"], line["row"], line["column"], line["metric"]): Printed(
            float(line["value"]), float(line["p_value"]) if line["p_value"] else None
        )
        for line in csv.DictReader(text.splitlines())
    }
