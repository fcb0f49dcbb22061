"""When do pairs pay? The factual and the pair loss on many kinds of tables, all else equal."""

from itertools import product, starmap
from typing import Any

from pairnet.bench.claims import Better, Pays
from pairnet.bench.drawing import Gains
from pairnet.bench.draws import draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import PairNet, TARNet
from pairnet.paper.protocol import FIXED_PENALTY

MIDDLE = {"rows": 1000, "treated": 0.2, "confounding": 1.0}
FACTOR = {"a tenth": 0.1, "a third": 1 / 3, "three times": 3.0, "ten times": 10.0}
OTHERS = (("noise", "noise", (0.3, 3.0)), ("effect's complexity", "complexity", (0.0, 1.0, 2.0)))
L2 = 300 / 1000  # the default penalty of TARNet at 1000 rows; PairNet's is twice that
FIXED: dict[str, Any] = {"plan": FIXED_PENALTY}
factual = lambda l2: TARNet(l2=l2, **FIXED)
pairs = lambda l2: PairNet(base=TARNet(l2=2 * l2), **FIXED)


def _table(kind, ending, **options):  # 20 covariates, 20 replications
    of = draws("confounded", 20, covariates=20, **(MIDDLE | options))
    return Column(kind + ending, (of,), {"kind": kind, **options})


def _square(rows, treated, confounding):
    kind, c = f"{rows} rows, {treated:.0%} treated", confounding
    return _table(kind, f", confounding {c:g}", rows=rows, treated=treated, confounding=c)


GRID = labelled(starmap(_square, product((200, 1000, 5000), (0.05, 0.2, 0.5), (0.0, 1.0, 3.0))))
MORE = labelled(_table(kind, f" {v:g}", **{of: v}) for kind, of, every in OTHERS for v in every)
PAIR = labelled([Row("Factual", TARNet(**FIXED)), Row("PairNet", PairNet(**FIXED))])
PENALTIES = labelled(
    Row(f"{name}, {times} the penalty", method(L2 * factor))
    for name, method in (("Factual", factual), ("PairNet", pairs))
    for times, factor in FACTOR.items()
)
OVER = {f"PairNet, {times} the penalty": f"Factual, {times} the penalty" for times in FACTOR}

when = Experiment(
    name="when",
    title="When do pairs pay?",
    asks="On which kinds of tables is the pair loss better than the factual loss of the same "
    "network and plan?",
    rows=PAIR | PENALTIES,
    columns=GRID | MORE,
    cells=frozenset({*product(PAIR, GRID | MORE), *product(PENALTIES, [_square(**MIDDLE).label])}),
    reference={"Factual": "PairNet"} | {rival: row for row, rival in OVER.items()},
    figure=Gains("PairNet", "Factual", split="rows", down="treated", across="confounding"),
    claims=(
        Pays(text="Pairs pay on every kind of table.", row="PairNet", rival="Factual", kind="kind"),
        Better(text="Pairs pay whatever the penalty.", than=OVER),
    ),
    ours=True,
    note="Tables of `confounded`: 20 covariates, 500 test rows; noise 1 and complexity 0.5 unless "
    "said. One network a fit.",
)
