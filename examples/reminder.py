"""Does a reminder help? A yes / no outcome: docs/reminder.md walks through it."""

import numpy as np
import pandas as pd

from pairnet import PairNet, TARNet
from pairnet.report.model import model_report

rng = np.random.default_rng(11)
n = 2000
patients = pd.DataFrame(
    {
        "age": rng.integers(18, 90, n),
        "missed_before": rng.poisson(0.8, n),
        "distance_km": rng.lognormal(1.5, 0.7, n).round(1),
        "phone": rng.choice(["mobile", "landline"], n, p=[0.5, 0.5]),
    }
)
missed = patients["missed_before"].to_numpy()
mobile = (patients["phone"] == "mobile").to_numpy()
# who had missed some was reminded more often
reminded = rng.random(n) < 1 / (1 + np.exp(0.4 - 0.5 * missed))


def chance(reminder):
    """True chance to come: a reminder helps those with a mobile phone."""
    return 1 / (1 + np.exp(-(1.2 - 0.7 * missed + reminder * 2.0 * mobile)))


came = rng.random(n) < chance(reminded)

train, test = np.arange(n) < 1600, np.arange(n) >= 1600
found = {}
for base in (TARNet(), TARNet(l2=0.02)):
    model = PairNet(base=base, members=5, bootstrap=True)
    model.fit(patients[train], came[train], treatment=reminded[train])
    found[model] = model.score(patients[test], came[test], treatment=reminded[test])
    print(f"l2={base.l2}: {found[model]:.4f}")
model = max(found, key=found.get)

compared = {"T0": False, "T1": True}
effect = model.effect(patients[test], **compared)
truth = chance(True) - chance(False)
low, high = model.ate_interval(patients[test], **compared)
interval = f"95 % interval {low:+.1%} to {high:+.1%}"
print(f"on average {effect.mean():+.1%} ({interval}), truly {truth.mean():+.1%}")
print(effect.groupby(patients["phone"][test]).mean())
for arm in (False, True):
    print(
        f"first patient's chance to come if reminded is {arm}:",
        *model.predict_outcome(patients[test].head(1), treatment=arm),
    )

page = model_report(model, patients[test], came[test], reminded[test], **compared)
page.write("reminder.html")
