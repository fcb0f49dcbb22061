"""Every table and figure of the paper, and ones that it should have had, one a file. To add one:
name it here."""

from pairnet.bench.experiment import Experiment
from pairnet.core.registry import Registry
from pairnet.paper.acic import acic
from pairnet.paper.alignment import alignment
from pairnet.paper.architectures import architectures
from pairnet.paper.bound import bound
from pairnet.paper.continuous import continuous
from pairnet.paper.covariates import covariates
from pairnet.paper.default import default
from pairnet.paper.divergence import divergence
from pairnet.paper.drop import drop
from pairnet.paper.embedding import embedding
from pairnet.paper.l2 import l2
from pairnet.paper.motivation import motivation
from pairnet.paper.pair_score import pair_score
from pairnet.paper.pairs import pairs
from pairnet.paper.residual import residual
from pairnet.paper.shallow import shallow
from pairnet.paper.table1 import table1
from pairnet.paper.table2 import table2
from pairnet.paper.tau_complexity import tau_complexity
from pairnet.paper.temperature import temperature
from pairnet.paper.transport import transport
from pairnet.paper.when import when

ALL = (
    table1,
    acic,
    table2,
    continuous,
    motivation,
    divergence,
    temperature,
    alignment,
    drop,
    pairs,
    architectures,
    residual,
    tau_complexity,
    l2,
    shallow,
    embedding,
    covariates,
    transport,
    bound,
    default,
    when,
    pair_score,
)

experiments: Registry[Experiment] = Registry(
    "experiment", **{each.name.replace("-", "_"): each for each in ALL}
)


def fitted_experiments() -> list[Experiment]:
    """Return the experiments that have jobs of their own."""
    return [each for each in ALL if each.derive is None]


__all__ = ["Experiment", "experiments", "fitted_experiments"]
