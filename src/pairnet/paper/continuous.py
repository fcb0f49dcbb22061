"""Appendix J: doses on training and test rows, and VCNet by the number of training rows."""

from pairnet.bench.claims import Better
from pairnet.bench.experiment import Experiment, Row, draws
from pairnet.methods import DRNet, PairNet, VCNet
from pairnet.paper.protocol import DOSES, IHDP_DOSE, NEWS, OVER, TCGA, TCGA_TENTH

OURS: dict[str, Row] = {
    "DRNet, our plan": DRNet(),
    "PairNet (DRNet), our plan": PairNet(base=DRNet()),
    "VCNet, our plan": VCNet(),
    "PairNet (VCNet), our plan": PairNet(base=VCNet()),
}
QUARTER = {
    f"TCGA {v} (stand-in), a quarter": (draws("tcga-mirna-dose", 10, version=v, share=0.25),)
    for v in (0, 2)
}
OVER_OURS = {
    f"{row}, our plan": f"{rival}, our plan" for row, rival in OVER.items() if "early" not in row
}

continuous = Experiment(
    name="continuous",
    title="Doses on training and test rows, and by the number of rows (Appendix J)",
    asks="Does the pair loss help on training rows too, and more where rows are few?",
    rows=DOSES | OURS,
    columns={"IHDP": IHDP_DOSE, "News (stand-in)": NEWS} | TCGA | QUARTER | TCGA_TENTH,
    metrics=("pehe_by_row_out", "pehe_by_row_in", "pehe_out", "mise_out", "policy_error_out"),
    reference={rival: row for row, rival in (OVER | OVER_OURS).items() if "early" not in row},
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
