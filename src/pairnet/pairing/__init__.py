"""Ways to find partners, one a file. To add one, write the file and import its class here."""

from pairnet.core.registry import Registry, is_final
from pairnet.pairing.apart import Apart as Apart
from pairnet.pairing.base import AbstractPairing as AbstractPairing
from pairnet.pairing.in_batch import InBatch as InBatch
from pairnet.pairing.matched import Matched as Matched
from pairnet.pairing.nearest import Nearest as Nearest
from pairnet.pairing.neighbours import Neighbours as Neighbours
from pairnet.pairing.stratified import Stratified as Stratified
from pairnet.pairing.window import Window as Window

pairings: Registry[type[AbstractPairing]] = Registry.of(
    "pairing", globals(), is_final(AbstractPairing)
)
