"""Every table and figure of the paper, and some that it lacks, one a file.

To add one: import it here, at the place where lists and reports shall show it.
"""

# ruff: noqa: F401
# isort: off
from pairnet.bench.experiment import Experiment
from pairnet.core.registry import Registry
from pairnet.paper.table1 import table1
from pairnet.paper.acic import acic
from pairnet.paper.table2 import table2
from pairnet.paper.continuous import continuous
from pairnet.paper.motivation import motivation
from pairnet.paper.divergence import divergence
from pairnet.paper.temperature import temperature
from pairnet.paper.alignment import alignment
from pairnet.paper.drop import drop
from pairnet.paper.pairs import pairs
from pairnet.paper.architectures import architectures
from pairnet.paper.residual import residual
from pairnet.paper.tau_complexity import tau_complexity
from pairnet.paper.l2 import l2
from pairnet.paper.shallow import shallow
from pairnet.paper.embedding import embedding
from pairnet.paper.covariates import covariates
from pairnet.paper.transport import transport
from pairnet.paper.bound import bound
from pairnet.paper.default import default
from pairnet.paper.when import when
from pairnet.paper.stack import stack
from pairnet.paper.peers import peers
from pairnet.paper.pair_score import pair_score

experiments: Registry[Experiment] = Registry.of(
    "experiment", globals(), lambda thing: isinstance(thing, Experiment)
)


def fitted_experiments() -> list[Experiment]:
    """Return the experiments that have jobs of their own."""
    return [experiment for experiment in experiments.values() if experiment.derive is None]


__all__ = ["Experiment", "experiments", "fitted_experiments"]
