"""Studies with known truth, one a file. To add one: write the file, import it here, name it in the
registry."""

from collections.abc import Callable
from typing import Any

from pairnet.core.registry import Registry
from pairnet.studies.acic2016 import acic2016
from pairnet.studies.confounded import confounded
from pairnet.studies.files import DataMissing
from pairnet.studies.gaussians import gaussians
from pairnet.studies.gp import gp
from pairnet.studies.ihdp import ihdp
from pairnet.studies.ihdp_dose import ihdp_dose
from pairnet.studies.news_dose import news_ap_dose, news_dose
from pairnet.studies.relevant_covariates import relevant_covariates
from pairnet.studies.study import Study
from pairnet.studies.tau_complexity import tau_complexity
from pairnet.studies.tcga_dose import tcga_dose, tcga_mirna_dose, tcga_rnaseq_dose
from pairnet.studies.twins import twins
from pairnet.studies.twins_cevae import twins_cevae

studies: Registry[Callable[..., Study]] = Registry(
    "study",
    confounded,
    ihdp,
    acic2016,
    twins,
    twins_cevae,
    ihdp_dose,
    news_dose,
    news_ap_dose,
    tcga_dose,
    tcga_mirna_dose,
    tcga_rnaseq_dose,
    gp,
    gaussians,
    tau_complexity,
    relevant_covariates,
)


def load(name: str, *, as_frame: bool = False, **options: Any) -> Any:
    """Load a study by name: `load("ihdp", realisations=range(1, 11))`. Options are those of the
    study's function.

    Returns a `Study`, or with `as_frame` a list of pandas data frames, one a realisation.
    """
    study = studies[name](**options)
    return study.frames() if as_frame else study


__all__ = ["DataMissing", "Study", "load", "studies"]
