"""The weight alpha of the residuals' alignment."""

from pairnet.bench.claims import Best
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.paper.protocol import ACIC_BY_SETTING, IHDP, pairnet

residual = Experiment(
    name="residual",
    title="The weight of the residuals' alignment (section 6.6)",
    asks="Does the product of residuals, which makes a pair loss of two factual losses, help?",
    rows=labelled(
        Row(f"alpha = {alpha:g}", pairnet(drop=0.0, alpha=alpha))
        for alpha in (0.0, 0.5, 1.0, 1.5, 2.0)
    ),
    columns=labelled([IHDP]) | ACIC_BY_SETTING,
    reference="alpha = 2",
    claims=(Best(text="No weight is best everywhere; 2 is a good choice.", row="alpha = 2"),),
    note="alpha = 0 is the factual loss of every row and its partners. No pairs are dropped.",
)
