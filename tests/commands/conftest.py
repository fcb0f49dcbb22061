"""A table and a model of it, for all tests of commands."""

import contextlib
import io
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from commands_helpers import TABLE, N, Quick, QuickDose, fit
from pairnet.methods import methods


@pytest.fixture(scope="module")
def quick_methods():
    """Methods that are quick to fit, known to commands as `quick` and `quickdose`."""
    with methods.having(Quick), methods.having(QuickDose):
        yield


@pytest.fixture(scope="session")
def home(tmp_path_factory):
    """A folder with a table of which some outcomes are missing, and a model of it."""
    folder = tmp_path_factory.mktemp("home")
    gone = pl.Series(np.arange(N) % 70 == 3)
    TABLE.with_columns(health=pl.when(gone).then(None).otherwise(pl.col("health"))).write_csv(
        folder / "table.csv"
    )
    TABLE.write_parquet(folder / "table.parquet")
    return folder


@pytest.fixture(scope="session")
def said_of_fit(home):
    """What `pairnet fit` says as it writes the model in `home`."""
    out, err = io.StringIO(), io.StringIO()
    caught = SimpleNamespace(readouterr=lambda: (out.getvalue(), err.getvalue()))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), methods.having(Quick):
        said = fit(caught, home / "table.csv", home)
    assert not said.code, said.err
    return said.out
