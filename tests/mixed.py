"""A table with every kind of column and gaps, and its rows as a file of ONNX takes them."""

import numpy as np
import pandas as pd

ARMS = ("both", "drug", "none")
DAY = pd.Timedelta(days=1)


def mixed_table(rows=300, seed=0, *, dose=False, yes_no=False):
    """Return a table, treatments and outcomes."""
    rng = np.random.default_rng(seed)
    some = lambda *, share: rng.random(rows) < share
    names = ["a", "b", *(f"r{k}" for k in range(6))]
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 10, rows),
            "income": 1e5 + 1e4 * rng.normal(size=rows),
            "city": rng.choice(["Oslo", "Rome", "Bonn"], rows),
            "shop": rng.choice(names, rows, p=[0.5, 0.44, *[0.01] * 6]),
            "member": some(share=0.4),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 2000, rows), "D"),
        }
    )
    X.loc[some(share=0.1), "age"] = np.nan
    X.loc[some(share=0.1), "city"] = None
    age = (X["age"].fillna(50).to_numpy() - 50) / 10
    place = rng.random(rows)
    arm = np.clip(np.round(rng.uniform(-0.5, 2.5, rows) + 0.2 * age), 0, 2).astype(int)
    size = 2 * place if dose else np.array([2.0, 1.0, 0.0])[arm]
    y = age + size * (1 + age + (X["city"] == "Rome")) + 0.3 * rng.normal(size=rows)
    t = 10 + 50 * place if dose else np.array(ARMS)[arm]
    return X, t, np.where(y > y.median(), "yes", "no") if yes_no else y.to_numpy()


def strange_rows(rows=10_000):
    """Return rows with levels that the fit has not seen, and gaps where it had none."""
    X, _, _ = mixed_table(rows, seed=1)
    X.loc[:20, "city"] = "Paris"
    X.loc[30:40, "seen"] = pd.NaT
    X.loc[50:60, "shop"] = "never seen"
    X.loc[60:65, "city"] = " \u00a0"  # text of spaces alone is missing, too
    X.loc[70:80, "income"] = 1e6  # far outside
    return X


def fed(X, **treatments):
    """Return rows as a file of ONNX takes them: floats, dates as days since 1970, and text."""
    inputs = {}
    for name, column in X.items():
        if column.dtype.kind == "M":
            inputs[name] = ((column - pd.Timestamp("1970-01-01")) / DAY).to_numpy(float)
        elif column.dtype.kind in "bif":
            inputs[name] = column.to_numpy(float)
        else:
            inputs[name] = column.fillna("").to_numpy(object)
    kind = lambda label: object if isinstance(label, str) else float
    return inputs | {
        name: np.array([label] if np.ndim(label) == 0 else label, kind(np.ravel(label)[0]))
        for name, label in treatments.items()
    }
