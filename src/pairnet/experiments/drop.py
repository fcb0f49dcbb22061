"""RQ4: the share of most distant pairs that is dropped."""

from pairnet.experiments.claims import Flat
from pairnet.experiments.experiment import Experiment
from pairnet.experiments.protocol import IHDP, IHDP_DOSE, pairnet, pairnet_dose
from pairnet.methods import DRNet, VCNet

SHARES = (0.0, 0.1, 0.25)


def row(share: float):
    """Return PairNet with that share dropped, over the network that the column names."""
    over = {
        "IHDP": pairnet(drop=share),
        "IHDP doses (DRNet)": pairnet_dose(DRNet, drop=share),
        "IHDP doses (VCNet)": pairnet_dose(VCNet, drop=share),
    }
    return lambda column: over[column](column)


drop = Experiment(
    name="drop",
    title="Dropping the most distant pairs (RQ4)",
    asks="How much does it matter which share of the most distant pairs is dropped?",
    rows={f"drop {share:g}": row(share) for share in SHARES},
    columns={"IHDP": IHDP, "IHDP doses (DRNet)": IHDP_DOSE, "IHDP doses (VCNet)": IHDP_DOSE},
    metrics=("pehe_out", "pehe_by_row_out"),
    reference="drop 0.1",
    claims=(Flat(text="The share hardly matters.", rows=tuple(f"drop {share:g}" for share in SHARES)),),
    note="The paper's figures for doses are by row; compare them with `pehe_by_row_out`.",
)
