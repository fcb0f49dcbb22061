"""RQ3: how the factual and the pair loss of test rows correlate with the true risk of effects."""

from pairnet.bench.claims import Better
from pairnet.bench.experiment import Experiment
from pairnet.bench.ranking import correlations
from pairnet.bench.table import Row, labelled
from pairnet.paper.protocol import ACIC, IHDP

LOSSES = {
    "Factual": "factual_score",
    "PairNet": "near_pair_score",
    "PairNet, all pairs": "pair_score",
}
COLUMNS = labelled([IHDP, ACIC])


def collect(store):
    """Correlate losses of the methods of Table 1 with their true risk."""
    from pairnet.paper.table1 import table1

    return correlations([table1], store, COLUMNS, LOSSES, ranks=False)


alignment = Experiment(
    name="alignment",
    title="Alignment of losses with the risk of effects (RQ3)",
    asks="Does the pair loss of test rows correlate more with the true risk of effects than the "
    "factual loss does?",
    rows=labelled(map(Row, LOSSES)),
    columns=COLUMNS,
    metrics=("correlation", "models"),
    reference="PairNet",
    derive=collect,
    claims=(
        Better(
            text="The pair loss correlates more with the true risk than the factual loss (IHDP "
            "0.807 against 0.748, ACIC 0.273 against 0.008).",
            than={"PairNet": "Factual"},
            larger=True,
        ),
    ),
    note="The paper does not say over what it correlates; here over the methods of Table 1, "
    "replication by replication. PairNet: with each row's nearest partner in the covariates. Its "
    "table's divergences are in `divergence`.",
)
