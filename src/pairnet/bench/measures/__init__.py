"""What can be measured on a study, one measure a file."""

from pairnet.bench.measures.base import AbstractMeasure, AbstractMeasureOfMethod, Metrics
from pairnet.bench.measures.bound import Bound
from pairnet.bench.measures.divergence import Divergence
from pairnet.bench.measures.fit import Fit
from pairnet.bench.measures.peer import FitOfPeer
from pairnet.bench.measures.risk_correlation import RiskCorrelation

__all__ = [
    "AbstractMeasure",
    "AbstractMeasureOfMethod",
    "Bound",
    "Divergence",
    "Fit",
    "FitOfPeer",
    "Metrics",
    "RiskCorrelation",
]
