"""Methods, one estimator a file. To add one: write the file, import it here, name it in the
registry."""

import os

from pairnet.core.registry import Registry
from pairnet.methods.cfrnet import CFRNet
from pairnet.methods.dragonnet import DragonNet
from pairnet.methods.drlearner import DRLearner
from pairnet.methods.drnet import DRNet
from pairnet.methods.escfr import ESCFR
from pairnet.methods.flextenet import FlexTENet
from pairnet.methods.ipw import IPW
from pairnet.methods.knn import KNN
from pairnet.methods.pairnet import PairNet
from pairnet.methods.perfect_match import PerfectMatch
from pairnet.methods.ralearner import RALearner
from pairnet.methods.rlearner import RLearner
from pairnet.methods.slearner import SLearner
from pairnet.methods.stable_cfr import StableCFR
from pairnet.methods.tarnet import TARNet
from pairnet.methods.tlearner import TLearner
from pairnet.methods.vcnet import VCNet
from pairnet.methods.xlearner import XLearner
from pairnet.model.face import NetworkEstimator

methods: Registry[type[NetworkEstimator]] = Registry(
    "method",
    PairNet,
    TARNet,
    TLearner,
    SLearner,
    XLearner,
    RLearner,
    DRLearner,
    RALearner,
    CFRNet,
    DragonNet,
    FlexTENet,
    ESCFR,
    IPW,
    KNN,
    PerfectMatch,
    StableCFR,
    DRNet,
    VCNet,
)


def load(folder: str | os.PathLike[str]) -> NetworkEstimator:
    """Return the model that `model.save(folder)` wrote. Nothing in the folder is executed; a
    damaged one is refused."""
    from pairnet.model.stored import load

    return load(folder, methods)


__all__ = [
    "ESCFR",
    "IPW",
    "KNN",
    "CFRNet",
    "DRLearner",
    "DRNet",
    "DragonNet",
    "FlexTENet",
    "NetworkEstimator",
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
    "load",
    "methods",
]
