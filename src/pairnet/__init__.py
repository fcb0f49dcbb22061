"""What would change for this person if the treatment changed? Effects learned from pairs of
observed neighbours."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pairnet import comparing, data, metrics
    from pairnet.methods import (
        ESCFR,
        IPW,
        KNN,
        CFRNet,
        DragonNet,
        DRLearner,
        DRNet,
        FlexTENet,
        PairNet,
        PerfectMatch,
        RALearner,
        RLearner,
        SLearner,
        StableCFR,
        TARNet,
        TLearner,
        VCNet,
        XLearner,
        load,
    )
    from pairnet.training import Plan

_METHODS = (
    "CFRNet",
    "DRLearner",
    "DRNet",
    "DragonNet",
    "ESCFR",
    "FlexTENet",
    "IPW",
    "KNN",
    "PairNet",
    "PerfectMatch",
    "RALearner",
    "RLearner",
    "SLearner",
    "StableCFR",
    "TARNet",
    "TLearner",
    "VCNet",
    "XLearner",
)
_HOMES = dict.fromkeys(_METHODS, "pairnet.methods") | {
    "Plan": "pairnet.training",
    "load": "pairnet.methods",
}
_MODULES = ("comparing", "data", "metrics")

__all__ = [
    "ESCFR",
    "IPW",
    "KNN",
    "CFRNet",
    "DRLearner",
    "DRNet",
    "DragonNet",
    "FlexTENet",
    "PairNet",
    "PerfectMatch",
    "Plan",
    "RALearner",
    "RLearner",
    "SLearner",
    "StableCFR",
    "TARNet",
    "TLearner",
    "VCNet",
    "XLearner",
    "__version__",
    "comparing",
    "data",
    "load",
    "metrics",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that `import pairnet` itself is quick."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"pairnet.{name}")
    raise AttributeError(
        f"module 'pairnet' has no attribute {name!r}. Public names: {', '.join(sorted(__all__))}."
    )


def __dir__() -> list[str]:
    return sorted(__all__)
