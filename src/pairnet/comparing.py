"""Comparing methods under the name that it had first: `pairnet.comparing.compare(...)`."""

from pairnet.compare import Comparison, compare
from pairnet.compare import Standing as Line

__all__ = ["Comparison", "Line", "compare"]
