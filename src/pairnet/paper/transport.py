"""Partners by optimal transport: a plan that moves one arm onto the other weighs the pairs."""

from pairnet.bench.claims import Better
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Row, labelled
from pairnet.methods import ESCFR, PairNet
from pairnet.paper.protocol import ACIC_BY_SETTING, FIXED_PENALTY, IHDP, pairnet, published

transport = Experiment(
    name="transport",
    title="Partners by optimal transport",
    asks="Are partners that an optimal-transport plan chooses better than partners drawn near, or "
    "all alike?",
    rows=labelled(
        [
            Row("PairNet, drawn", pairnet(drop=0.0)),
            Row("PairNet, transport", pairnet(form="transport")),
            Row("PairNet, all of the minibatch", pairnet(form="batch", space="random")),
            Row("ESCFR", published(ESCFR)),
            Row(
                "PairNet, transport, our plan",
                PairNet(form="transport", space="psi", plan=FIXED_PENALTY),
            ),
            Row("PairNet, all of the minibatch, our plan", PairNet(plan=FIXED_PENALTY)),
        ]
    ),
    columns=labelled([IHDP, ACIC_BY_SETTING["ACIC 7"]]),
    reference="PairNet, drawn",
    claims=(
        Better(
            text="Transport improves on drawing partners, and on weighing all of the minibatch "
            "alike.",
            than={
                "PairNet, transport": "PairNet, drawn",
                "PairNet, transport, our plan": "PairNet, all of the minibatch, our plan",
            },
        ),
    ),
    ours=True,
    note="The paper discusses transport only as what ESCFR does. Needs ott-jax.",
)
