"""RQ4: the share of most distant pairs that is dropped."""

from pairnet.bench.claims import Flat
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.paper.protocol import IHDP, IHDP_DOSES_BY_BASE, pairnet_by_column

DROPPED = (0.0, 0.1, 0.25)

drop = Experiment(
    name="drop",
    title="Dropping the most distant pairs (RQ4)",
    asks="How much does it matter which share of the most distant pairs is dropped?",
    rows=labelled(Row(f"drop {share:g}", pairnet_by_column(drop=share)) for share in DROPPED),
    columns=labelled([IHDP]) | IHDP_DOSES_BY_BASE,
    metrics=("pehe_out", "pehe_by_row_out"),
    reference="drop 0.1",
    claims=(
        Flat(text="The share hardly matters.", rows=tuple(f"drop {share:g}" for share in DROPPED)),
    ),
    note="The paper's figures for doses are by row; compare them with `pehe_by_row_out`.",
)
