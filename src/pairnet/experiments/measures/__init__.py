"""What can be measured on a study, one a file: the errors of a fitted method, or something of its own."""

from pairnet.experiments.measures.base import AbstractMeasure, Metrics
from pairnet.experiments.measures.bound import Bound
from pairnet.experiments.measures.divergence import Divergence
from pairnet.experiments.measures.fit import Fit
from pairnet.experiments.measures.risk_correlation import RiskCorrelation

__all__ = ["AbstractMeasure", "Bound", "Divergence", "Fit", "Metrics", "RiskCorrelation"]
