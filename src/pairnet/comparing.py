"""Comparing methods under the name that it had first: `pairnet.comparing.compare(...)`."""

from pairnet.compare.ranking import Comparison, Line, compare

__all__ = ["Comparison", "Line", "compare"]
