"""Loss terms, one a file. To add one, write the file and import its class here by one line."""

from pairnet.core.registry import Registry, is_final
from pairnet.losses.balance import KernelMMD as KernelMMD
from pairnet.losses.balance import LinearMMD as LinearMMD
from pairnet.losses.balance import Wasserstein as Wasserstein
from pairnet.losses.base import AbstractLoss as AbstractLoss
from pairnet.losses.batch_pair import BatchPair as BatchPair
from pairnet.losses.factual import Factual as Factual
from pairnet.losses.imputed import Imputed as Imputed
from pairnet.losses.independence import Independence as Independence
from pairnet.losses.pair import Pair as Pair
from pairnet.losses.penalty import ChosenPenalty as ChosenPenalty
from pairnet.losses.penalty import Penalty as Penalty
from pairnet.losses.penalty import has_chosen_penalty as has_chosen_penalty
from pairnet.losses.penalty import with_strength as with_strength
from pairnet.losses.propensity import Propensity as Propensity
from pairnet.losses.relaxed_transport import RelaxedTransport as RelaxedTransport
from pairnet.losses.targeted import Targeted as Targeted

losses: Registry[type[AbstractLoss]] = Registry.of("loss", globals(), is_final(AbstractLoss))
