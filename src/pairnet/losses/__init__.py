"""Loss terms, one a file. To add one: write the file, import it here, name it in the registry."""

from pairnet.losses.base import AbstractLoss
from pairnet.losses.batch_pair import BatchPair
from pairnet.losses.factual import Factual
from pairnet.losses.pair import Pair
from pairnet.losses.penalty import Penalty
from pairnet.registry import Registry

losses: Registry[type[AbstractLoss]] = Registry("loss", Factual, Pair, BatchPair, Penalty)

__all__ = ["AbstractLoss", "BatchPair", "Factual", "Pair", "Penalty", "losses"]
