"""What can be measured on a study, one a file: the errors of a fitted method, or something of its
own."""

from pairnet.bench.measures.base import AbstractMeasure, Metrics
from pairnet.bench.measures.bound import Bound
from pairnet.bench.measures.divergence import Divergence
from pairnet.bench.measures.fit import Fit
from pairnet.bench.measures.risk_correlation import RiskCorrelation

__all__ = ["AbstractMeasure", "Bound", "Divergence", "Fit", "Metrics", "RiskCorrelation"]
