"""Which dose for which patient: docs/drug_dose.md walks through it."""

import numpy as np
import pandas as pd

from pairnet import PairNet
from pairnet.report.model import model_report

rng = np.random.default_rng(3)
n = 1000
patients = pd.DataFrame(
    {
        "age": rng.integers(30, 85, n),
        "weight": rng.normal(78, 14, n).round(1),
        "kidney": rng.choice(["normal", "reduced"], n, p=[0.75, 0.25]),
        "smoker": rng.random(n) < 0.25,
    }
)
heavy = (patients["weight"].to_numpy() - 78) / 14
dose = np.clip(60 * rng.beta(2, 2, n) + 6 * heavy, 0, 60).round(1)  # mg a day
reduced = (patients["kidney"] == "reduced").to_numpy()


def pressure_under(mg):
    """True expected blood pressure: falls with the dose, and rises again where kidneys are weak."""
    place = mg / 60
    return 150 + 4 * heavy - 24 * place + (8 + 20 * reduced) * place**2


pressure = pressure_under(dose) + 5 * rng.normal(size=n)

model = PairNet(treatment="dose", members=3, bootstrap=True).fit(patients, pressure, treatment=dose)

effect = model.effect(patients, T0=10, T1=40)  # of 40 mg instead of 10 mg, for each patient
low, high = model.ate_interval(patients, T0=10, T1=40)
truth = pressure_under(40) - pressure_under(10)
average = f"{effect.mean():.1f} ({low:.1f} to {high:.1f})"
print(f"40 mg instead of 10 mg: {average}, truly {truth.mean():.1f}")
print(effect.groupby(patients["kidney"]).mean())

grid = np.array([10, 20, 30, 40, 50])
curve = model.average_dose_response(patients, grid)
true_curve = [pressure_under(mg).mean() for mg in grid]
print(pd.DataFrame({"dose": grid, "estimated": curve, "true": true_curve}).round(1))
print("change per mg at 20 mg:", round(float(np.mean(model.marginal_effect(20, patients))), 2))

best = pd.Series(model.optimal_treatment(patients, goal="min", bounds=(5, 55)), patients.index)
print(best.groupby(patients["kidney"]).median().round(0))

model_report(model, T0=10, T1=40, goal="min").write("drug_dose.html")
