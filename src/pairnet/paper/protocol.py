"""The paper's protocol: studies, plans, and every method as the paper trains it.

The weights that are kept are the best ones by the validation loss, not the last ones: that is what
early stopping is for, and it hardly changes the rivals (docs/methods.md). For doses, training goes
to the last epoch, as in the authors' code; the rows "stopped early" do what the paper's text says.
What depends on the study is decided by the study of a column, never by its label.
"""

from __future__ import annotations

from typing import Any

from pairnet.bench.draws import draws
from pairnet.bench.table import Column, MethodOf, Row, labelled
from pairnet.methods import (
    ESCFR,
    IPW,
    KNN,
    CFRNet,
    DragonNet,
    DRLearner,
    DRNet,
    FlexTENet,
    NetworkEstimator,
    PairNet,
    PerfectMatch,
    RLearner,
    StableCFR,
    TARNet,
    TLearner,
    VCNet,
    XLearner,
)
from pairnet.training import Plan

PLAN = Plan.published(keep="best")
# Our plan with the penalty that it had at first, 300 / rows for every table.
FIXED_PENALTY = Plan(penalty="rows")
SHALLOW = {"phi": (200,), "mu": (100,)}

IHDP = Column("IHDP", (draws("ihdp", 100),))
ACIC_BY_SETTING = labelled(
    Column(
        f"ACIC {setting}",
        (draws("acic2016", 10, axis="seeds", setting=setting, published=True),),
    )
    for setting in (2, 7, 26)
)
ACIC = Column("ACIC", tuple(part for column in ACIC_BY_SETTING.values() for part in column.draws))
TWINS = Column(
    "Twins",
    tuple(
        draws("twins", 5, axis="seeds", first=0, size=size, share=share)
        for size in (500, 1000, 4000, 5700)
        for share in (0.1, 0.25, 0.5, 0.75, 0.9)
    ),
)
IHDP_DOSES = Column("IHDP doses", (draws("ihdp-dose", 50),))
NEWS = Column("News (stand-in)", (draws("news-ap-dose", 20),))


def tcga(*versions: int, ending: str = "", **options: Any) -> dict[str, Column]:
    """Return the columns of TCGA's versions; `ending` ends their labels."""
    return labelled(
        Column(
            f"TCGA {version} (stand-in){ending}",
            (draws("tcga-mirna-dose", 10, version=version, **options),),
        )
        for version in versions
    )


TCGA = tcga(0, 1, 2)
TCGA_TENTH = tcga(0, 1, 2, ending=", a tenth", share=0.1)

BINARY: tuple[type[NetworkEstimator], ...] = (  # the paper's thirteen rivals
    *(
        TLearner,
        XLearner,
        RLearner,
        DRLearner,
        TARNet,
        CFRNet,
        FlexTENet,
        ESCFR,
        StableCFR,
        IPW,
        DragonNet,
    ),
    *(KNN, PerfectMatch),
)
BASES_OF_DOSES = (DRNet, VCNet)
LONGEST = {"ihdp-dose": 1000, "news-ap-dose": 400, "tcga-mirna-dose": 200}  # epochs, by study
# The same draws once for each network that PairNet is trained over.
IHDP_DOSES_BY_BASE = labelled(
    IHDP_DOSES.called(f"IHDP doses ({base.__name__})", base=base) for base in BASES_OF_DOSES
)


def published(kind: type[NetworkEstimator], **changes: Any) -> MethodOf:
    """Return a rival as the paper trains it; some hyperparameters depend on the study."""
    return lambda column: kind.published(**({"plan": PLAN} | _of_study(kind, column) | changes))


def pairnet(
    base: type[NetworkEstimator] = TARNet,
    base_options: dict[str, Any] | None = None,
    **changes: Any,
) -> MethodOf:
    """Return PairNet over a base, as the paper trains it."""

    def method(column: Column) -> NetworkEstimator:
        over = base(**(_of_study(base, column) | (base_options or {})))
        return PairNet.published(**({"plan": PLAN, "base": over} | changes))

    return method


def factual_dose(kind: type[NetworkEstimator], *, early: bool = False, **changes: Any) -> MethodOf:
    """Return DRNet or VCNet as the paper trains it."""
    return lambda column: kind.published(**({"plan": dose_plan(column, early)} | changes))


def pairnet_dose(
    base: type[NetworkEstimator],
    *,
    early: bool = False,
    base_options: dict[str, Any] | None = None,
    **changes: Any,
) -> MethodOf:
    """Return PairNet over DRNet or VCNet as the paper trains it."""
    over = base(**(base_options or {}))
    return lambda column: PairNet.published(
        **({"plan": dose_plan(column, early), "base": over} | changes)
    )


def pairnet_by_column(**changes: Any) -> MethodOf:
    """Return PairNet over the network that a column names in its values, else over TARNet."""

    def method(column: Column) -> NetworkEstimator:
        base = column.values.get("base")
        over = pairnet(**changes) if base is None else pairnet_dose(base, **changes)
        return over(column)

    return method


def dose_plan(column: Column, early: bool) -> Plan:
    """Return the paper's plan for doses on a study.

    `early` stops as the paper's text says; otherwise training never stops early, as in the code.
    """
    stopping: dict[str, Any] = {"keep": "best"} if early else {"patience": 10**6}
    return Plan.published("dose", longest=LONGEST[column.study], **stopping)


def _of_study(kind: type[NetworkEstimator], column: Column) -> dict[str, Any]:
    """Return the hyperparameters that depend on the study.

    They are the weight of a balancing term, and smaller networks for Twins.
    """
    options: dict[str, Any] = {}
    if kind in (CFRNet, ESCFR):
        options["balance"] = 0.1 if column.study == "ihdp" else 0.5
    return options | (SHALLOW if column.study == "twins" else {})


def over_bases(ending: str = "") -> dict[str, str]:
    """Return the labels of PairNet over DRNet and VCNet, each with that of its rival."""
    return {f"PairNet ({b.__name__}){ending}": f"{b.__name__}{ending}" for b in BASES_OF_DOSES}


def dose_rows(ending: str = "", **options: Any) -> dict[str, Row]:
    """Return DRNet and VCNet, each before PairNet over it; `ending` ends their labels."""
    return labelled(
        row
        for base in BASES_OF_DOSES
        for row in (
            Row(f"{base.__name__}{ending}", factual_dose(base, **options)),
            Row(f"PairNet ({base.__name__}){ending}", pairnet_dose(base, **options)),
        )
    )


RIVALS = labelled(Row(kind.__name__, published(kind)) for kind in BINARY)
PAIRNET = labelled([Row("PairNet", pairnet())])
DOSES, OVER = dose_rows(), over_bases()
EARLY, OVER_EARLY = (
    dose_rows(", stopped early", early=True),
    over_bases(", stopped early"),
)
