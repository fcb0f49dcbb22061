"""Loss terms, one a file. To add one: write the file, import it here, name it in the registry."""

from pairnet.core.registry import Registry
from pairnet.losses.balance import KernelMMD, LinearMMD, Wasserstein
from pairnet.losses.base import AbstractLoss
from pairnet.losses.batch_pair import BatchPair
from pairnet.losses.factual import Factual
from pairnet.losses.imputed import Imputed
from pairnet.losses.independence import Independence
from pairnet.losses.pair import Pair
from pairnet.losses.penalty import Penalty
from pairnet.losses.propensity import Propensity
from pairnet.losses.relaxed_transport import RelaxedTransport
from pairnet.losses.targeted import Targeted

losses: Registry[type[AbstractLoss]] = Registry(
    "loss",
    Factual,
    Pair,
    BatchPair,
    Penalty,
    Propensity,
    Targeted,
    Imputed,
    LinearMMD,
    KernelMMD,
    Wasserstein,
    RelaxedTransport,
    Independence,
)

__all__ = [
    "AbstractLoss",
    "BatchPair",
    "Factual",
    "Imputed",
    "Independence",
    "KernelMMD",
    "LinearMMD",
    "Pair",
    "Penalty",
    "Propensity",
    "RelaxedTransport",
    "Targeted",
    "Wasserstein",
    "losses",
]
