"""Appendix L: partners near in the covariates that matter, in those that do not, or in all."""

from pairnet.bench.claims import Best
from pairnet.bench.draws import draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import TARNet
from pairnet.paper.protocol import pairnet, published

near = lambda columns: pairnet(
    drop=0.0, space="covariates", distance="spread", temperature=0.2, columns=columns
)

covariates = Experiment(
    name="covariates",
    title="Which covariates partners share (Appendix L)",
    asks="Does it matter that partners are near in the covariates on which outcomes depend?",
    rows=labelled(
        [
            Row("PairNet A", near((0, 1, 2, 3, 4))),
            Row("PairNet B", near((5, 6, 7, 8, 9))),
            Row("PairNet A+B", near(None)),
            Row("PairNet Random", pairnet(drop=0.0, space="random")),
            Row("Factual", published(TARNet)),
        ]
    ),
    columns=labelled([Column("synthetic", (draws("relevant-covariates", 50),))]),
    reference="PairNet A",
    claims=(
        Best(text="Partners near in the covariates that matter (A) are best.", row="PairNet A"),
    ),
    note="A: the five covariates that outcomes depend on; B: the five others. Partners are drawn "
    "from softmax(-5 distance) in units of the covariates' spread, so that nearness matters; the "
    "paper's functions are not known, so its figures stand on other data.",
)
