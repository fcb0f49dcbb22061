"""Methods, one a file. To add one: write the file and import it here; the import registers it."""

import os

from pairnet.core.registry import Registry, is_final
from pairnet.learners.networked import NetworkEstimator as NetworkEstimator
from pairnet.methods.cfrnet import CFRNet as CFRNet
from pairnet.methods.dragonnet import DragonNet as DragonNet
from pairnet.methods.drlearner import DRLearner as DRLearner
from pairnet.methods.drnet import DRNet as DRNet
from pairnet.methods.escfr import ESCFR as ESCFR
from pairnet.methods.flextenet import FlexTENet as FlexTENet
from pairnet.methods.ipw import IPW as IPW
from pairnet.methods.knn import KNN as KNN
from pairnet.methods.linearslearner import LinearSLearner as LinearSLearner
from pairnet.methods.lineartlearner import LinearTLearner as LinearTLearner
from pairnet.methods.pairnet import PairNet as PairNet
from pairnet.methods.perfect_match import PerfectMatch as PerfectMatch
from pairnet.methods.ralearner import RALearner as RALearner
from pairnet.methods.rlearner import RLearner as RLearner
from pairnet.methods.slearner import SLearner as SLearner
from pairnet.methods.stable_cfr import StableCFR as StableCFR
from pairnet.methods.stack import Stack as Stack
from pairnet.methods.tarnet import TARNet as TARNet
from pairnet.methods.tlearner import TLearner as TLearner
from pairnet.methods.treedrlearner import TreeDRLearner as TreeDRLearner
from pairnet.methods.treeslearner import TreeSLearner as TreeSLearner
from pairnet.methods.treetlearner import TreeTLearner as TreeTLearner
from pairnet.methods.treexlearner import TreeXLearner as TreeXLearner
from pairnet.methods.vcnet import VCNet as VCNet
from pairnet.methods.xlearner import XLearner as XLearner
from pairnet.model.face import Estimator as Estimator

methods: Registry[type[Estimator]] = Registry.of("method", globals(), is_final(Estimator))


def load(folder: str | os.PathLike[str]) -> Estimator:
    """Return the model that `model.save(folder)` wrote.

    Nothing in the folder is executed; a damaged one is refused.
    """
    from pairnet.model.stored import load

    return load(folder, methods)
