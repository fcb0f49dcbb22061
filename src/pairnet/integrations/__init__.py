"""Methods of other libraries, as thin adapters: what people would pick instead.

They need the extra `peers`. Experiments measure them; they are no methods of this library.
"""

from pairnet.integrations.base import AbstractPeer as AbstractPeer
from pairnet.integrations.econml import CausalForest as CausalForest
from pairnet.integrations.econml import EconMLDRLearner as EconMLDRLearner
from pairnet.integrations.econml import EconMLXLearner as EconMLXLearner
from pairnet.integrations.stochtree import BCF as BCF
from pairnet.integrations.stochtree import BartTLearner as BartTLearner
