"""Appendix I: the methods of Table 1 on each setting of ACIC 2016."""

from pairnet.bench.claims import Best
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.paper.protocol import ACIC_BY_SETTING, PAIRNET, RIVALS, pairnet

acic = Experiment(
    name="acic",
    title="ACIC 2016 by setting (Appendix I)",
    asks="Is PairNet best whether effects vary not at all (setting 2), much (7) or some (26)?",
    rows=RIVALS | PAIRNET | labelled([Row("PairNet, nothing dropped", pairnet(drop=0.0))]),
    columns=ACIC_BY_SETTING,
    metrics=("pehe_out", "pehe_in"),
    reference="PairNet",
    claims=(
        Best(
            text="PairNet is best on settings 7 and 26.",
            row="PairNet",
            among=(*RIVALS, "PairNet"),
            columns=("ACIC 7", "ACIC 26"),
        ),
    ),
)
