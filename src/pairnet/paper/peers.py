"""What would people pick instead of the stack? Methods of other libraries, on its tables."""

from dataclasses import replace

from pairnet.bench.claims import Better
from pairnet.bench.experiment import Experiment
from pairnet.bench.measures import FitOfPeer
from pairnet.bench.table import Column, Row, labelled
from pairnet.integrations.peers import (
    BCF,
    BartTLearner,
    CausalForest,
    EconMLDRLearner,
    EconMLXLearner,
)
from pairnet.paper.protocol import ACIC, IHDP
from pairnet.paper.stack import ALONE, BALANCED, FIRST, SHAPES

FEW = {"ihdp": 10, "acic2016": 2, "shapes": 2}  # replications of each draw, the first ones
OURS = {BALANCED: FIRST[BALANCED], **{name: ALONE[name] for name in ("TARNet", "PairNet")}}
PEERS = labelled(
    [
        Row("Causal forest (EconML)", FitOfPeer(CausalForest())),
        Row("DR-learner, LightGBM (EconML)", FitOfPeer(EconMLDRLearner())),
        Row("DR-learner, forests (EconML)", FitOfPeer(EconMLDRLearner("forest"))),
        Row("X-learner, LightGBM (EconML)", FitOfPeer(EconMLXLearner())),
        Row("X-learner, forests (EconML)", FitOfPeer(EconMLXLearner("forest"))),
        Row("BART, one an arm (stochtree)", FitOfPeer(BartTLearner())),
        Row("BCF (stochtree)", FitOfPeer(BCF())),
    ]
)

peers = Experiment(
    name="peers",
    title="The stack against methods of other libraries",
    asks="Is the stack better than what people would pick instead?",
    rows=OURS | PEERS,
    columns=labelled(
        Column(each.label, tuple(replace(some, count=FEW[some.study]) for some in each.draws))
        for each in (IHDP, ACIC, *SHAPES.values())
    ),
    metrics=("pehe_out", "cpu_seconds"),
    reference=BALANCED,
    claims=tuple(
        Better(text=f"The balanced stack is better than {peer}.", than={BALANCED: peer})
        for peer in PEERS
    ),
    ours=True,
    note="CPU seconds are those of one core, for the methods of other libraries alone.",
)
