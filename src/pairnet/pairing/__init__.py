"""Ways to find partners, one a file. To add one: write the file, import it here, name it in the
registry."""

from pairnet.core.registry import Registry
from pairnet.pairing.apart import Apart
from pairnet.pairing.base import AbstractPairing, NoPairing
from pairnet.pairing.in_batch import InBatch
from pairnet.pairing.matched import Matched
from pairnet.pairing.nearest import Nearest
from pairnet.pairing.neighbours import Neighbours
from pairnet.pairing.stratified import Stratified
from pairnet.pairing.window import Window

pairings: Registry[type[AbstractPairing]] = Registry(
    "pairing", Neighbours, InBatch, Matched, Nearest, Stratified, Window, Apart
)

__all__ = [
    "AbstractPairing",
    "Apart",
    "InBatch",
    "Matched",
    "Nearest",
    "Neighbours",
    "NoPairing",
    "Stratified",
    "Window",
    "pairings",
]
