"""Figure 1 (section 4): which loss ranks models the way their true error of effects does."""

from pairnet.bench.claims import Better
from pairnet.bench.drawing import Spread
from pairnet.bench.draws import draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.measures import RiskCorrelation
from pairnet.bench.table import Column, Row, labelled

motivation = Experiment(
    name="motivation",
    title="Which loss ranks models as their true error does (Figure 1)",
    asks="Does the pair loss rank candidate models as their true error of effects does, better "
    "than the factual loss?",
    rows=labelled(
        [
            Row("Factual loss", RiskCorrelation("factual")),
            Row("Pair loss", RiskCorrelation("pair")),
            Row("Pair loss without alignment", RiskCorrelation("pair without alignment")),
        ]
    ),
    columns=labelled([Column("ten points of a Gaussian process", (draws("gp", 200),))]),
    metrics=("correlation",),
    reference="Pair loss",
    figure=Spread(),
    claims=(
        Better(
            text="The pair loss correlates more with the true error (0.82) than the factual loss "
            "(0.32).",
            than={"Pair loss": "Factual loss"},
            larger=True,
        ),
        Better(
            text="It does so because of the product of residuals: without it, it is 0.45.",
            than={"Pair loss": "Pair loss without alignment"},
            larger=True,
        ),
    ),
    note="The paper shows one draw of the ten points; these are 200.",
)
