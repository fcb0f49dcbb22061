"""RQ4: the number of partners of each row."""

from pairnet.bench.claims import Flat
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import PairNet
from pairnet.paper.protocol import FIXED_PENALTY, IHDP, IHDP_DOSES_BY_BASE, pairnet_by_column

COUNTS = (1, 2, 3, 4, 5)


def all_of_the_minibatch(column: Column) -> PairNet:
    """Return PairNet's default form over the network that the column names."""
    base = column.values.get("base")
    return PairNet(base=None if base is None else base(), plan=FIXED_PENALTY)


pairs = Experiment(
    name="pairs",
    title="The number of partners (RQ4)",
    asks="How much does it matter how many partners a row has?",
    rows=labelled(
        [
            *(Row(f"pairs {count}", pairnet_by_column(pairs=count)) for count in COUNTS),
            Row("all of the minibatch, our plan", all_of_the_minibatch),
        ]
    ),
    columns=labelled([IHDP]) | IHDP_DOSES_BY_BASE,
    metrics=("pehe_out", "pehe_by_row_out"),
    reference="pairs 3",
    claims=(
        Flat(text="The number hardly matters.", rows=tuple(f"pairs {count}" for count in COUNTS)),
    ),
    note="The last row is our default form under our own plan. The paper's figures for doses are "
    "by row.",
)
