"""Every table and figure of the paper, and ones that it should have had, one a file. To add one: name it here."""

from pairnet.experiments.acic import acic
from pairnet.experiments.alignment import alignment
from pairnet.experiments.architectures import architectures
from pairnet.experiments.bound import bound
from pairnet.experiments.continuous import continuous
from pairnet.experiments.covariates import covariates
from pairnet.experiments.default import default
from pairnet.experiments.divergence import divergence
from pairnet.experiments.drop import drop
from pairnet.experiments.embedding import embedding
from pairnet.experiments.experiment import Experiment
from pairnet.experiments.l2 import l2
from pairnet.experiments.motivation import motivation
from pairnet.experiments.pair_score import pair_score
from pairnet.experiments.pairs import pairs
from pairnet.experiments.residual import residual
from pairnet.experiments.shallow import shallow
from pairnet.experiments.table1 import table1
from pairnet.experiments.table2 import table2
from pairnet.experiments.tau_complexity import tau_complexity
from pairnet.experiments.temperature import temperature
from pairnet.experiments.transport import transport
from pairnet.experiments.when import when
from pairnet.registry import Registry

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

experiments: Registry[Experiment] = Registry("experiment", **{each.name.replace("-", "_"): each for each in ALL})


def fitted_experiments() -> list[Experiment]:
    """Return the experiments that have jobs of their own."""
    return [each for each in ALL if each.derive is None]


__all__ = ["Experiment", "experiments", "fitted_experiments"]
