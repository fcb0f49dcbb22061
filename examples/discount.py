"""Whom to give a discount: docs/discount.md walks through it."""

import numpy as np
import pandas as pd

import pairnet
from pairnet import PairNet
from pairnet.report.model import model_report

rng = np.random.default_rng(7)
n = 1500
customers = pd.DataFrame(
    {
        "age": rng.integers(18, 80, n),
        "visits": rng.poisson(4, n),
        "region": rng.choice(["north", "south", "west"], n),
        "member": rng.random(n) < 0.4,
        "last_order": rng.lognormal(3.5, 0.5, n).round(2),
    }
)
customers.loc[rng.random(n) < 0.1, "last_order"] = np.nan  # new customers

arms = np.array(["no discount", "10 % off", "20 % off"])
eager = (customers["visits"].to_numpy() - 4) / 2
odds = np.exp(np.stack([np.zeros(n), 0.3 * eager, 0.6 * eager], axis=1))
arm = (odds.cumsum(axis=1) / odds.sum(axis=1, keepdims=True) < rng.random((n, 1))).sum(axis=1)
discount = arms[arm]

member, age = customers["member"].to_numpy(), customers["age"].to_numpy()
true_effect = np.stack([np.zeros(n), 2 + 4 * member, 3 + 8 * member - 0.06 * (age - 50)], axis=1)
spend = 30 + 3 * eager + 0.1 * age + true_effect[np.arange(n), arm] + 4 * rng.normal(size=n)

model = PairNet(members=4, bootstrap=True).fit(customers, spend, treatment=discount)
print(model.schema_.summary())

compared = {"T0": "no discount", "T1": "20 % off"}
average = model.ate(customers, **compared)
low, high = model.ate_interval(customers, **compared)
plain = spend[discount == "20 % off"].mean() - spend[discount == "no discount"].mean()
truly = true_effect[:, 2].mean()
print(f"average effect {average:.1f} ({low:.1f} to {high:.1f}), truly {truly:.1f}")
print(f"the plain difference of means would be {plain:.1f}")

effect = model.effect(customers, **compared)  # a Series with the index of the frame
bottom, top = model.effect_interval(customers, **compared)
error = np.sqrt(np.mean((effect - true_effect[:, 2]) ** 2))
ends = f"from {effect.min():.1f} to {effect.max():.1f}"
print(f"customers' effects {ends}, typically {error:.1f} off")
print(effect.groupby(customers["member"]).mean())

cost = {"10 % off": 4.0, "20 % off": 8.0}
best = pd.Series(model.optimal_treatment(customers, cost=cost), customers.index)
print(best.groupby(customers["member"]).value_counts(normalize=True).unstack().round(2))

evidence = model.support(customers, **compared)
print(pd.Series(evidence.verdict).value_counts(normalize=True))
print(model.support(customers.head(2), **compared).frame())

model.save("discount-model")
model_report(pairnet.load("discount-model"), **compared).write("discount.html")
