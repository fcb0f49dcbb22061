"""Who wins when every method has our default plan, and an ensemble of networks?"""

from pairnet.bench.claims import Best, Better
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import CFRNet, DragonNet, NetworkEstimator, PairNet, RALearner, SLearner
from pairnet.paper.protocol import ACIC, BINARY, FIXED_PENALTY, IHDP, TWINS

MEMBERS = 5
ALONE: tuple[type[NetworkEstimator], ...] = (*BINARY, SLearner, RALearner)
BASES = (CFRNet, DragonNet)
THOUSAND = tuple(draws for draws in TWINS.draws if ("size", 1000) in draws.options)

default = Experiment(
    name="default",
    title="Every method under our default plan",
    asks="Who wins when every method is trained with the same care and averaged over five "
    "networks?",
    rows=labelled(
        [
            *(Row(kind.__name__, kind(members=MEMBERS, plan=FIXED_PENALTY)) for kind in ALONE),
            Row("PairNet", PairNet(members=MEMBERS, plan=FIXED_PENALTY)),
            *(
                Row(
                    f"PairNet ({base.__name__})",
                    PairNet(base=base(), members=MEMBERS, plan=FIXED_PENALTY),
                )
                for base in BASES
            ),
        ]
    ),
    columns=labelled([IHDP, ACIC, Column("Twins, 1000 rows", THOUSAND)]),
    reference="PairNet",
    claims=(
        Best(text="PairNet wins under our plan, too.", row="PairNet"),
        Better(
            text="The pair loss improves on the same network's own loss.",
            than={
                "PairNet": "TARNet",
                **{f"PairNet ({base.__name__})": base.__name__ for base in BASES},
            },
        ),
    ),
    ours=True,
    note="Defaults were set on other studies (docs/plans.md). Twins has the default network and "
    "1000 rows, 25 runs.",
)
