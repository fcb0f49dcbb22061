"""A table with names that are hostile, and models of it for reports."""

import numpy as np
import pandas as pd

from checks import QUICK, SMALL
from pairnet import PairNet, TARNet, VCNet

HOSTILE = "<script>alert(1)</script>"


def table(n: int = 320, seed: int = 0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n),
            HOSTILE: rng.normal(size=n),
            "region": rng.choice(["north", "<b>south"], n),
            "member": rng.random(n) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    frame.loc[rng.random(n) < 0.1, HOSTILE] = np.nan
    return rng, frame


def fitted(kind: str):
    rng, frame = table()
    member = frame["member"].to_numpy()
    if kind == "doses":
        dose = pd.Series(rng.uniform(0, 60, len(frame)), name="dose (mg)")
        y = pd.Series(
            20 + dose / 60 * (1 + 4 * member) + 0.2 * rng.normal(size=len(frame)), name="pressure"
        )
        base, t = VCNet(**SMALL, l2=0.1), dose
    else:
        arms = ["none", "small", HOSTILE] if kind == "arms" else [False, True]
        arm = rng.integers(0, len(arms), len(frame))
        score = arm * (1 + 4 * member)
        if kind == "yes or no":
            y = pd.Series(rng.random(len(frame)) < 1 / (1 + np.exp(1 - score)), name="came")
        else:
            y = pd.Series(20 + score + 0.2 * rng.normal(size=len(frame)), name="spend")
        base, t = TARNet(**SMALL, l2=0.1), pd.Series(np.asarray(arms)[arm], name="discount")
    model = PairNet(base=base, members=3, bootstrap=True, plan=QUICK)
    return model.fit(frame, y, treatment=t), frame, y, t


SECTIONS = {
    "arms": "Whom to treat",
    "doses": "Dose and response",
    "yes or no": "Whom to treat",
}
