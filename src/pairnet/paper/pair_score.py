"""Does held-out pair loss choose the better model?"""

from pairnet.bench.claims import Better
from pairnet.bench.experiment import Experiment
from pairnet.bench.ranking import correlations
from pairnet.bench.table import Row, labelled
from pairnet.paper.protocol import ACIC, IHDP, IHDP_DOSES

SCORES = {
    "held-out pair loss": "pair_score",
    "pair loss, nearest partners": "near_pair_score",
    "held-out factual error": "factual_score",
    "R-score": "r_score",
    "DR-score": "dr_score",
}
COLUMNS = labelled([IHDP, ACIC, IHDP_DOSES])


def collect(store):
    """Rank all models of the other experiments."""
    from pairnet.paper import fitted_experiments

    return correlations(fitted_experiments(), store, COLUMNS, SCORES, ranks=True)


pair_score = Experiment(
    name="pair-score",
    title="Does held-out pair loss choose the better model?",
    asks="Without true effects, which score of held-out rows ranks models as their true error of "
    "effects does?",
    rows=labelled(map(Row, SCORES)),
    columns=COLUMNS,
    metrics=("correlation", "regret", "models"),
    reference="held-out pair loss",
    derive=collect,
    claims=(
        Better(
            text="Held-out pair loss ranks models better than held-out factual error.",
            than={"held-out pair loss": "held-out factual error"},
            larger=True,
        ),
        Better(
            text="Held-out pair loss ranks models better than the R- and the DR-score do.",
            than={"R-score": "held-out pair loss", "DR-score": "held-out pair loss"},
        ),
    ),
    ours=True,
    note="Rank correlation (Spearman) with the true error on the same test rows, over all methods "
    "and plans of the other experiments, replication by replication. regret: how much larger than "
    "the smallest the true error is of the model that the score would choose. R- and DR-score use "
    "kernel ridge regressions and a logistic regression; there is no DR-score for doses.",
)
