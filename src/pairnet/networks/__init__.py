"""Architectures, one a file. To add one: write the file, import it here, name it in the
registry."""

from pairnet.core.registry import Registry
from pairnet.networks.base import AbstractNetwork, Build, Located
from pairnet.networks.binned import Binned
from pairnet.networks.classifier import Classifier
from pairnet.networks.dragon import Dragon
from pairnet.networks.flex_te import FlexTE
from pairnet.networks.regressor import Regressor
from pairnet.networks.separate import Separate
from pairnet.networks.single import Single
from pairnet.networks.two_head import TwoHead
from pairnet.networks.varying import Varying

networks: Registry[type[AbstractNetwork]] = Registry(
    "network", TwoHead, Separate, Single, Dragon, FlexTE, Regressor, Classifier, Binned, Varying
)

__all__ = [
    "AbstractNetwork",
    "Binned",
    "Build",
    "Classifier",
    "Dragon",
    "FlexTE",
    "Located",
    "Regressor",
    "Separate",
    "Single",
    "TwoHead",
    "Varying",
    "networks",
]
