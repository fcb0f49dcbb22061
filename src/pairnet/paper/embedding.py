"""Appendix K: the space in which partners are looked for."""

from pairnet.bench.claims import Flat
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.paper.protocol import ACIC_BY_SETTING, IHDP, IHDP_DOSES_BY_BASE, pairnet_by_column

SPACE_OF_LABEL = {
    "random": "random",
    "PairNet's own phi": "phi",
    "psi": "psi",
    "covariates": "covariates",
}

embedding = Experiment(
    name="embedding",
    title="Where partners are looked for (Appendix K)",
    asks="Does it matter in which representation partners are near?",
    rows=labelled(
        Row(name, pairnet_by_column(drop=0.0, space=space))
        for name, space in SPACE_OF_LABEL.items()
    ),
    columns=labelled([IHDP, ACIC_BY_SETTING["ACIC 2"]]) | IHDP_DOSES_BY_BASE,
    metrics=("pehe_out", "pehe_by_row_out"),
    reference="psi",
    claims=(
        Flat(text="PairNet does well whatever the representation.", rows=tuple(SPACE_OF_LABEL)),
    ),
    note="Covariates are not in the paper's table. No pairs are dropped. The paper's figures for "
    "doses are by row.",
)
