"""A table with columns of all kinds, in two libraries."""

import datetime

import numpy as np
import pandas as pd
import polars as pl

from checks import easy_problem
from pairnet.tables import Schema

N = 120
X, T, Y, _ = easy_problem(N)
DAYS = [datetime.datetime(2024, 1, 1) + datetime.timedelta(days=i % 50) for i in range(N)]
COLUMNS = {
    "age": X[:, 0],
    "visits": np.where(np.arange(N) % 10 == 3, np.nan, np.arange(N) % 7),
    "member": X[:, 1] > 0,
    "city": [None if i % 20 == 1 else ("Oslo", "Paris", "Rome")[i % 3] for i in range(N)],
    "shop": [f"shop {i % 30}" if i % 4 == 0 else "online" for i in range(N)],
    "joined": DAYS,
    "customer": np.arange(N) + 1000,
    "country": ["Norway"] * N,
    "note": [f"text {i}" for i in range(N)],
    "empty": [None] * N,
}


PANDAS, POLARS = pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS, strict=False)
FRAMES = {
    "pandas": PANDAS,
    "polars": POLARS,
    "pandas with categories": PANDAS.astype({"city": "category"}),
}


def column(values, name="a", kind=pd):
    frame = kind.DataFrame({name: values, "other": np.linspace(0, 1, len(values))})
    return Schema.of(frame).columns[0]
