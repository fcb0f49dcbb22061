"""What does the stack gain over its learners, and over one method for every table?"""

from itertools import product

from pairnet.bench.claims import Better
from pairnet.bench.draws import draws
from pairnet.bench.experiment import Experiment
from pairnet.bench.table import Column, Row, labelled
from pairnet.methods import LinearSLearner, PairNet, RALearner, Stack, TARNet, TreeXLearner
from pairnet.paper.protocol import ACIC, FIXED_PENALTY, IHDP, IHDP_DOSES

MEMBERS, BALANCED = 5, "Stack, balanced, level by effects"  # which has been run
SHAPES = labelled(
    Column(kind, (draws("shapes", 10, kind=kind, rows=1000, covariates=20, seed=1),))
    for kind in ("sine", "steps", "lines", "constant", "products", "sparse", "rare", "smooth")
)
LARGE = labelled(
    Column(f"{of}, 5000 rows", (draws("shapes", 5, kind=of, rows=5000, covariates=20, seed=1),))
    for of in ("smooth", "constant")
)
REALCAUSE = labelled(
    Column(f"realcause {of}", (draws("realcause", 10, axis="samples", first=10, dataset=of),))
    for of in ("cps", "psid")
)
STACKS = labelled(
    Row(f"Stack, {preset}", Stack(preset=preset)) for preset in ("fast", "balanced", "best")
)
FIRST = labelled(
    Row(f"Stack, {preset}, level by effects", Stack(preset=preset, level="effects"))
    for preset in ("fast", "balanced", "best")
)
ALONE = labelled(
    (
        Row("TARNet", TARNet(members=MEMBERS)),
        Row("PairNet", PairNet(members=MEMBERS)),
        Row("TARNet, 300 / rows", TARNet(members=MEMBERS, plan=FIXED_PENALTY)),
        Row("PairNet, 300 / rows", PairNet(members=MEMBERS, plan=FIXED_PENALTY)),
        Row("RALearner", RALearner(members=MEMBERS)),
        Row("TARNet, codes", TARNet(members=MEMBERS, codes=8)),
        Row("Trees, X-learner", TreeXLearner(members=MEMBERS)),
        Row("Lines", LinearSLearner()),
    )
)
DOSED = ("PairNet", "PairNet, 300 / rows", "Lines", *FIRST)  # doses have no such level
ARMS = {"IHDP": IHDP, "ACIC": ACIC, **SHAPES, **LARGE, **REALCAUSE}
stack = Experiment(
    name="stack",
    title="The stack against its learners",
    asks="Is a stack of learners, weighed by rows not seen, better than any one method?",
    rows=STACKS | FIRST | ALONE,
    columns=ARMS | {"IHDP doses": IHDP_DOSES},
    cells=frozenset([*product(STACKS | FIRST | ALONE, ARMS), *product(DOSED, ["IHDP doses"])]),
    reference=BALANCED,
    claims=(
        Better(text="The balanced stack is better than TARNet x5.", than={BALANCED: "TARNet"}),
        Better(text="It is better than PairNet x5.", than={BALANCED: "PairNet"}),
    ),
    ours=True,
    note="Choices were made on other tables (docs/plans.md). 'Level by effects' is the first run.",
)
