"""RQ5: the pair loss on other networks."""

from pairnet.bench.claims import Better
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.methods import CFRNet, DragonNet, FlexTENet, TARNet
from pairnet.paper.protocol import ACIC_BY_SETTING, IHDP, pairnet, published

BASES = (TARNet, CFRNet, DragonNet, FlexTENet)
OVER = {f"PairNet ({base.__name__})": base.__name__ for base in BASES}

architectures = Experiment(
    name="architectures",
    title="Other networks (RQ5)",
    asks="Does the pair loss help whatever network it trains?",
    rows=labelled(
        row
        for base in BASES
        for row in (
            Row(base.__name__, published(base)),
            Row(f"PairNet ({base.__name__})", pairnet(base, drop=0.0)),
        )
    ),
    columns=labelled([IHDP]) | ACIC_BY_SETTING,
    reference={rival: row for row, rival in OVER.items()},
    claims=(
        Better(
            text="The pair loss is better than each network's own loss on every study.", than=OVER
        ),
    ),
    note="No pairs are dropped. TARNet is not in the paper's table.",
)
