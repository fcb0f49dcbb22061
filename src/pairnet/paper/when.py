"""When do pairs pay? The same network and plan with the factual and the pair loss, over kinds of
tables."""

from itertools import product

from pairnet.bench.claims import Better, Pays
from pairnet.bench.experiment import Experiment, draws
from pairnet.methods import PairNet, TARNet

ROWS, TREATED, CONFOUNDING = (200, 1000, 5000), (0.05, 0.2, 0.5), (0.0, 1.0, 3.0)
MIDDLE = {"rows": 1000, "treated": 0.2, "confounding": 1.0}
FACTOR = {"a tenth": 0.1, "a third": 1 / 3, "three times": 3.0, "ten times": 10.0}
L2 = 300 / 1000  # the default penalty of TARNet at 1000 rows; PairNet's is twice that


def table(**options):
    """Return the draws of one kind of table: 20 covariates, 20 replications."""
    return (draws("confounded", 20, covariates=20, **(MIDDLE | options)),)


GRID = {
    f"{rows} rows, {treated:.0%} treated, confounding {c:g}": table(
        rows=rows, treated=treated, confounding=c
    )
    for rows, treated, c in product(ROWS, TREATED, CONFOUNDING)
}
MORE = {f"noise {noise:g}": table(noise=noise) for noise in (0.3, 3.0)}
MORE |= {f"effect's complexity {value:g}": table(complexity=value) for value in (0.0, 1.0, 2.0)}
CENTRE = "1000 rows, 20% treated, confounding 1"
PENALTIES = {
    f"Factual, {name} the penalty": TARNet(l2=L2 * factor) for name, factor in FACTOR.items()
}
PENALTIES |= {
    f"PairNet, {name} the penalty": PairNet(base=TARNet(l2=2 * L2 * factor))
    for name, factor in FACTOR.items()
}
OVER = {"PairNet": "Factual"} | {
    f"PairNet, {name} the penalty": f"Factual, {name} the penalty" for name in FACTOR
}

when = Experiment(
    name="when",
    title="When do pairs pay?",
    asks="On which kinds of tables is the pair loss better than the factual loss of the same "
    "network and plan?",
    rows={"Factual": TARNet(), "PairNet": PairNet()} | PENALTIES,
    columns=GRID | MORE,
    cells=frozenset(
        {(row, column) for row in ("Factual", "PairNet") for column in GRID | MORE}
        | {(row, CENTRE) for row in PENALTIES}
    ),
    reference={rival: row for row, rival in OVER.items()},
    figure="map",
    claims=(
        Pays(
            text="Pairs pay on every kind of table.",
            row="PairNet",
            rival="Factual",
            kinds=(
                *(
                    f"{rows} rows, {treated:.0%} treated"
                    for rows, treated in product(ROWS, TREATED)
                ),
                *("noise", "effect's complexity"),
            ),
        ),
        Better(
            text="Pairs pay whatever the penalty.",
            than={row: rival for row, rival in OVER.items() if "," in row},
        ),
    ),
    ours=True,
    note="Tables of `confounded`: 20 covariates, 500 test rows; noise 1 and complexity 0.5 unless "
    "said. One network a "
    "fit.",
)
