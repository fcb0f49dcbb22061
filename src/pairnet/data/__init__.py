"""Studies with known truth, one a file. To add one: write the file, import it here, name it in the registry."""

from collections.abc import Callable
from typing import Any

from pairnet.data.acic2016 import acic2016
from pairnet.data.confounded import confounded
from pairnet.data.files import DataMissing
from pairnet.data.gaussians import gaussians
from pairnet.data.gp import gp
from pairnet.data.ihdp import ihdp
from pairnet.data.ihdp_dose import ihdp_dose
from pairnet.data.news_dose import news_ap_dose, news_dose
from pairnet.data.relevant_covariates import relevant_covariates
from pairnet.data.study import Study
from pairnet.data.tau_complexity import tau_complexity
from pairnet.data.tcga_dose import tcga_dose, tcga_mirna_dose, tcga_rnaseq_dose
from pairnet.data.twins import twins
from pairnet.data.twins_cevae import twins_cevae
from pairnet.registry import Registry

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
    """Load a study by name: `load("ihdp", realisations=range(1, 11))`. Options are those of the study's function.

    Returns a `Study`, or with `as_frame` a list of pandas data frames, one a realisation.
    """
    study = studies[name](**options)
    return study.frames() if as_frame else study


__all__ = ["DataMissing", "Study", "load", "studies"]
