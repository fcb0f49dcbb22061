"""Which method suits a table: held-out pair losses, without true effects."""

from pairnet.compare.ranking import Comparison as Comparison
from pairnet.compare.ranking import compare as compare
from pairnet.compare.scores import Standing as Standing
