"""Appendix J: doses on training and test rows, and VCNet by the number of training rows."""

from pairnet.bench.claims import Better
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.methods import DRNet, PairNet, VCNet
from pairnet.paper.protocol import (
    DOSES,
    FIXED_PENALTY,
    IHDP_DOSES,
    NEWS,
    OVER,
    TCGA,
    TCGA_TENTH,
    over_bases,
    tcga,
)

OURS = labelled(
    [
        Row("DRNet, our plan", DRNet(plan=FIXED_PENALTY)),
        Row("PairNet (DRNet), our plan", PairNet(base=DRNet(), plan=FIXED_PENALTY)),
        Row("VCNet, our plan", VCNet(plan=FIXED_PENALTY)),
        Row("PairNet (VCNet), our plan", PairNet(base=VCNet(), plan=FIXED_PENALTY)),
    ]
)
OVER_OURS = over_bases(", our plan")
QUARTER = tcga(0, 2, ending=", a quarter", share=0.25)

continuous = Experiment(
    name="continuous",
    title="Doses on training and test rows, and by the number of rows (Appendix J)",
    asks="Does the pair loss help on training rows too, and more where rows are few?",
    rows=DOSES | OURS,
    columns=labelled([IHDP_DOSES.called("IHDP"), NEWS]) | TCGA | QUARTER | TCGA_TENTH,
    metrics=("pehe_by_row_out", "pehe_by_row_in", "pehe_out", "mise_out", "policy_error_out"),
    reference={rival: row for row, rival in (OVER | OVER_OURS).items()},
    claims=(
        Better(
            text="The pair loss is better on training rows, too.",
            metric="pehe_by_row_in",
            than={"PairNet (DRNet)": "DRNet", "PairNet (VCNet)": "VCNet"},
        ),
        Better(text="Under our own plan (not the paper's) it is better as well.", than=OVER_OURS),
    ),
    note="Our plan: outcomes in units of their noise, patience in steps, best weights. News and "
    "TCGA are stand-ins.",
)
