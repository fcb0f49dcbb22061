"""Architectures, one a file. To add one, write the file and import its class here by one line."""

from pairnet.core.registry import Registry, is_final
from pairnet.networks.base import AbstractNetwork as AbstractNetwork
from pairnet.networks.base import Build as Build
from pairnet.networks.binned import Binned as Binned
from pairnet.networks.classifier import Classifier as Classifier
from pairnet.networks.dragon import Dragon as Dragon
from pairnet.networks.flex_te import FlexTE as FlexTE
from pairnet.networks.regressor import Regressor as Regressor
from pairnet.networks.separate import Separate as Separate
from pairnet.networks.single import Single as Single
from pairnet.networks.two_head import TwoHead as TwoHead
from pairnet.networks.varying import Varying as Varying

networks: Registry[type[AbstractNetwork]] = Registry.of(
    "network", globals(), is_final(AbstractNetwork)
)
