"""Theorem 5.9: both sides of the bound on the risk of effects, as rows grow in number."""

from pairnet.bench.claims import Above, Falls
from pairnet.bench.drawing import OverColumns
from pairnet.bench.draws import draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.measures import Bound
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import PairNet, TARNet
from pairnet.paper.protocol import FIXED_PENALTY

SIZES = (100, 300, 1000, 3000, 10000)

bound = Experiment(
    name="bound",
    title="Theorem 5.9: the bound on the risk of effects",
    asks="Does the bound hold, is it tighter than the factual one, and do bound and risk fall as "
    "rows grow in number?",
    rows=labelled(
        [
            Row("PairNet", Bound(PairNet(plan=FIXED_PENALTY), True)),
            Row("Factual", Bound(TARNet(plan=FIXED_PENALTY), False)),
        ]
    ),
    columns=labelled(
        Column(f"{n} rows", (draws("gaussians", 20, rows=n, test=2 * n),), {"rows": n})
        for n in SIZES
    ),
    metrics=("bound", "risk", "loss", "distance"),
    reference={"Factual": "PairNet"},
    figure=OverColumns(
        x="rows",
        axis="rows, in steps of their logarithm",
        sizes=True,
        metrics=("bound", "risk"),
        logarithms=True,
    ),
    claims=(
        Above(text="The risk is at most the bound.", larger="bound", smaller="risk"),
        Falls(
            text="PairNet's risk falls to zero as rows grow in number.",
            row="PairNet",
            metric="risk",
        ),
        Falls(text="So does its bound.", row="PairNet"),
    ),
    note="distance: how far rows are from their partners (PairNet), or the arms from each other "
    "(factual), in the bound. Methods are trained with our default plan; rows to take both sides "
    "on are twice the training rows.",
)
