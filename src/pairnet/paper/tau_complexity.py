"""Effects simpler than, as complex as, and more complex than the outcomes."""

from pairnet.bench.claims import Better
from pairnet.bench.drawing import OverColumns
from pairnet.bench.draws import draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import PairNet, TARNet
from pairnet.paper.protocol import FIXED_PENALTY, pairnet, published

RHOS = (0.0, 0.1, 0.2, 0.4, 0.8)
NAMED = {
    ("A", 0.1): "simpler (A, 0.1)",
    ("B", 0.4): "comparable (B, 0.4)",
    ("B", 0.8): "complex (B, 0.8)",
}

tau_complexity = Experiment(
    name="tau-complexity",
    title="The complexity of the effect (section 6.6)",
    asks="Does the pair loss help where the effect is simpler than the outcomes, and where it is "
    "not?",
    rows=labelled(
        [
            Row("Factual", published(TARNet)),
            Row("PairNet", pairnet(drop=0.0)),
            Row("Factual, our plan", TARNet(plan=FIXED_PENALTY)),
            Row("PairNet, our plan", PairNet(plan=FIXED_PENALTY)),
        ]
    ),
    columns=labelled(
        Column(
            NAMED.get((setup, rho), f"{setup}, {rho:g}"),
            (draws("tau-complexity", 20, setup=setup, rho=rho),),
            {"setup": setup, "rho": rho},
        )
        for setup in "AB"
        for rho in RHOS
    ),
    reference={"Factual": "PairNet", "Factual, our plan": "PairNet, our plan"},
    figure=OverColumns(x="rho", axis="rho", split="setup"),
    claims=(
        Better(
            text="PairNet is better whatever the complexity of the effect.",
            than={"PairNet": "Factual"},
        ),
        Better(
            text="The same under our own plan.", than={"PairNet, our plan": "Factual, our plan"}
        ),
    ),
    note="Setup A: the effect is a linear function of a share rho of the covariates. Setup B: the "
    "treated outcome lacks each term of the untreated one with probability rho. The paper does "
    "not say which cells it used.",
)
