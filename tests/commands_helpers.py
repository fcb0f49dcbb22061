"""Commands as people type them, a table to type them for, and methods that are quick to fit."""

import sys
from dataclasses import dataclass

import polars as pl
import pytest

from checks import QUICK, easy_problem
from pairnet import Plan, TARNet, VCNet, cli

N = 140
X, T, Y, _ = easy_problem(N)
TABLE = pl.DataFrame(
    {
        "person": [f"p{i}" for i in range(N)],
        "age": X[:, 0],
        "height": X[:, 1],
        "city": [("Oslo", "Rome")[i % 2] for i in range(N)],
        "drug": [("no", "yes")[t] for t in T],
        "health": Y,
    }
)


@dataclass(kw_only=True, eq=False, repr=False)
class Quick(TARNet):
    """A small network with a short plan."""

    plan: Plan = QUICK
    phi: tuple[int, ...] = (16,)
    mu: tuple[int, ...] = (8,)


@dataclass(kw_only=True, eq=False, repr=False)
class QuickDose(VCNet):
    """The same for doses."""

    plan: Plan = QUICK
    phi: tuple[int, ...] = (16,)
    mu: tuple[int, ...] = (8,)


class Said:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        self.flat = " ".join((out + err).split())


def ask(capsys, *words):
    before, sys.argv = sys.argv, ["pairnet", *map(str, words)]
    try:
        with pytest.raises(SystemExit) as end:
            cli.main()
    finally:
        sys.argv = before
    return Said(end.value.code or 0, *capsys.readouterr())


def fit(capsys, table, folder, *more, treatment="drug", outcome="health", method="quick"):
    words = (
        "--treatment",
        treatment,
        "--outcome",
        outcome,
        "-o",
        folder / "model",
        "--method",
        method,
    )
    return ask(capsys, "fit", table, *words, "--members", 2, *more)


def spoiled(column, values, at):
    new = TABLE[column].cast(pl.String).to_list()
    for row, value in zip(at, values, strict=True):
        new[row] = value
    return TABLE.with_columns(pl.Series(column, new))
