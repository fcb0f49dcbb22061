"""The paper's protocol as the experiments use it: studies, plans, and every method as the paper
trains it.

Weights are the best ones by the validation loss, not the last: that is what early stopping is for,
and it hardly changes the rivals (docs/methods.md). For doses, training goes to the last epoch, as
the authors' code does; the rows "stopped early" do what the paper's text says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pairnet.bench.experiment import Column, Row, draws
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
SHALLOW = {"phi": (200,), "mu": (100,)}

IHDP: Column = (draws("ihdp", 100),)
ACIC_BY_SETTING: dict[str, Column] = {
    f"ACIC {setting}": (draws("acic2016", 10, axis="seeds", setting=setting, published=True),)
    for setting in (2, 7, 26)
}
ACIC: Column = tuple(each for column in ACIC_BY_SETTING.values() for each in column)
TWINS: Column = tuple(
    draws("twins", 5, axis="seeds", first=0, size=size, share=share)
    for size in (500, 1000, 4000, 5700)
    for share in (0.1, 0.25, 0.5, 0.75, 0.9)
)
IHDP_DOSE: Column = (draws("ihdp-dose", 50),)
NEWS: Column = (draws("news-ap-dose", 20),)
TCGA: dict[str, Column] = {
    f"TCGA {v} (stand-in)": (draws("tcga-mirna-dose", 10, version=v),) for v in (0, 1, 2)
}
TCGA_TENTH: dict[str, Column] = {
    f"TCGA {v} (stand-in), a tenth": (draws("tcga-mirna-dose", 10, version=v, share=0.1),)
    for v in (0, 1, 2)
}

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
LONGEST = {"IHDP": 1000, "News": 400, "TCGA": 200}  # epochs with doses, as the authors' code has it

Given = Callable[[str], NetworkEstimator]  # a method, given the name of the column


def published(kind: type[NetworkEstimator], **changes: Any) -> Given:
    """Return a rival as the paper trains it; some hyperparameters depend on the study."""
    return lambda column: kind.published(**({"plan": PLAN} | _of_study(kind, column) | changes))


def pairnet(
    base: type[NetworkEstimator] = TARNet,
    base_options: dict[str, Any] | None = None,
    **changes: Any,
) -> Given:
    """Return PairNet over a base, as the paper trains it."""

    def row(column: str) -> NetworkEstimator:
        over = base(**(_of_study(base, column) | (base_options or {})))
        return PairNet.published(**({"plan": PLAN, "base": over} | changes))

    return row


def factual_dose(kind: type[NetworkEstimator], *, early: bool = False, **changes: Any) -> Given:
    """Return DRNet or VCNet as the paper trains it."""
    return lambda column: kind.published(**({"plan": dose_plan(column, early)} | changes))


def pairnet_dose(
    base: type[NetworkEstimator],
    *,
    early: bool = False,
    base_options: dict[str, Any] | None = None,
    **changes: Any,
) -> Given:
    """Return PairNet over DRNet or VCNet as the paper trains it."""
    over = base(**(base_options or {}))
    return lambda column: PairNet.published(
        **({"plan": dose_plan(column, early), "base": over} | changes)
    )


def pairnet_by_column(**changes: Any) -> Given:
    """Return PairNet over the network that a column names in brackets, "IHDP doses (VCNet)", else
    over TARNet."""
    over = {"(DRNet)": pairnet_dose(DRNet, **changes), "(VCNet)": pairnet_dose(VCNet, **changes)}
    return lambda column: over.get(column[column.find("(") :], pairnet(**changes))(column)


def dose_plan(column: str, early: bool) -> Plan:
    """Return the paper's plan for doses on a study; `early` stops as its text says, else as its
    code does: never."""
    longest = next(epochs for study, epochs in LONGEST.items() if column.startswith(study))
    return Plan.published(
        "dose", longest=longest, **({"keep": "best"} if early else {"patience": 10**6})
    )


def _of_study(kind: type[NetworkEstimator], column: str) -> dict[str, Any]:
    """Return what depends on the study: the weight of a balancing term, and small networks for
    Twins."""
    balance = (
        {"balance": 0.1 if column.startswith("IHDP") else 0.5} if kind in (CFRNet, ESCFR) else {}
    )
    return balance | (SHALLOW if column.startswith("Twins") else {})


RIVALS: dict[str, Row] = {kind.__name__: published(kind) for kind in BINARY}
PAIRNET: dict[str, Row] = {"PairNet": pairnet()}
DOSES: dict[str, Row] = {
    "DRNet": factual_dose(DRNet),
    "PairNet (DRNet)": pairnet_dose(DRNet),
    "VCNet": factual_dose(VCNet),
    "PairNet (VCNet)": pairnet_dose(VCNet),
}
EARLY: dict[str, Row] = {
    "DRNet, stopped early": factual_dose(DRNet, early=True),
    "PairNet (DRNet), stopped early": pairnet_dose(DRNet, early=True),
    "VCNet, stopped early": factual_dose(VCNet, early=True),
    "PairNet (VCNet), stopped early": pairnet_dose(VCNet, early=True),
}
OVER = {"PairNet (DRNet)": "DRNet", "PairNet (VCNet)": "VCNet"}
OVER |= {f"{row}, stopped early": f"{rival}, stopped early" for row, rival in OVER.items()}
