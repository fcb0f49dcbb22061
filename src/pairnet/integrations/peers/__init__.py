"""Methods of other libraries as their users take them: what people would pick instead.

They need the extra `peers`. The experiment `peers` measures them; they are no methods of this
library, and no bridges to it.
"""

from pairnet.integrations.peers.base import AbstractPeer as AbstractPeer
from pairnet.integrations.peers.econml import CausalForest as CausalForest
from pairnet.integrations.peers.econml import EconMLDRLearner as EconMLDRLearner
from pairnet.integrations.peers.econml import EconMLXLearner as EconMLXLearner
from pairnet.integrations.peers.stochtree import BCF as BCF
from pairnet.integrations.peers.stochtree import BartTLearner as BartTLearner
