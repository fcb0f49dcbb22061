"""RQ4: the number of partners a row."""

from pairnet.bench.claims import Flat
from pairnet.bench.experiment import Experiment
from pairnet.methods import DRNet, PairNet, VCNet
from pairnet.paper.protocol import IHDP, IHDP_DOSE, pairnet_by_column

COUNTS = (1, 2, 3, 4, 5)


ALL = "all of the minibatch, our plan"

pairs = Experiment(
    name="pairs",
    title="The number of partners (RQ4)",
    asks="How much does it matter how many partners a row has?",
    rows={f"pairs {count}": pairnet_by_column(pairs=count) for count in COUNTS}
    | {
        ALL: lambda column: PairNet(
            base={"D": DRNet(), "V": VCNet()}.get(column.partition("(")[2][:1])
        )
    },
    columns={"IHDP": IHDP, "IHDP doses (DRNet)": IHDP_DOSE, "IHDP doses (VCNet)": IHDP_DOSE},
    metrics=("pehe_out", "pehe_by_row_out"),
    reference="pairs 3",
    claims=(
        Flat(text="The number hardly matters.", rows=tuple(f"pairs {count}" for count in COUNTS)),
    ),
    note="The last row is our default form under our own plan. The paper's figures for doses are "
    "by row.",
)
