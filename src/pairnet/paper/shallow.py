"""Appendix H: networks of one layer each."""

from pairnet.bench.claims import Best
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.methods import (
    IPW,
    KNN,
    CFRNet,
    DragonNet,
    DRLearner,
    FlexTENet,
    RLearner,
    TARNet,
    TLearner,
    XLearner,
)
from pairnet.paper.protocol import ACIC_BY_SETTING, IHDP, SHALLOW, TWINS, pairnet, published

SHALLOW_KINDS = (
    TLearner,
    TARNet,
    CFRNet,
    RLearner,
    XLearner,
    DRLearner,
    FlexTENet,
    IPW,
    DragonNet,
    KNN,
)

shallow = Experiment(
    name="shallow",
    title="Shallow networks (Appendix H)",
    asks="Is PairNet best with one layer in the representation and one in each head?",
    rows=labelled(
        [
            *(Row(kind.__name__, published(kind, **SHALLOW)) for kind in SHALLOW_KINDS),
            Row("PairNet", pairnet(base_options=SHALLOW)),
            Row("PairNet, nothing dropped", pairnet(base_options=SHALLOW, drop=0.0)),
        ]
    ),
    columns=labelled([IHDP]) | ACIC_BY_SETTING | labelled([TWINS]),
    reference="PairNet",
    claims=(
        Best(
            text="PairNet is best on IHDP and ACIC with shallow networks, too.",
            row="PairNet",
            among=(*(kind.__name__ for kind in SHALLOW_KINDS), "PairNet"),
            columns=("IHDP", *ACIC_BY_SETTING),
        ),
    ),
)
