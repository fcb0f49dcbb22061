"""Studies with known truth, one a file. To add one, write the file and import it by one line.

A study is a function with the decorator `@described`; the study has the function's name.
"""

from typing import Any

from pairnet.core.registry import Registry
from pairnet.studies.acic2016 import acic2016 as acic2016
from pairnet.studies.confounded import confounded as confounded
from pairnet.studies.files import DataMissing as DataMissing
from pairnet.studies.gaussians import gaussians as gaussians
from pairnet.studies.gp import gp as gp
from pairnet.studies.ihdp import ihdp as ihdp
from pairnet.studies.ihdp_dose import ihdp_dose as ihdp_dose
from pairnet.studies.news_dose import news_ap_dose as news_ap_dose
from pairnet.studies.news_dose import news_dose as news_dose
from pairnet.studies.realcause import realcause as realcause
from pairnet.studies.relevant_covariates import relevant_covariates as relevant_covariates
from pairnet.studies.shapes import shapes as shapes
from pairnet.studies.study import Loader as Loader
from pairnet.studies.study import Study as Study
from pairnet.studies.study import is_described
from pairnet.studies.tau_complexity import tau_complexity as tau_complexity
from pairnet.studies.tcga_dose import tcga_dose as tcga_dose
from pairnet.studies.tcga_dose import tcga_mirna_dose as tcga_mirna_dose
from pairnet.studies.tcga_dose import tcga_rnaseq_dose as tcga_rnaseq_dose
from pairnet.studies.twins import twins as twins
from pairnet.studies.twins_cevae import twins_cevae as twins_cevae

studies: Registry[Loader] = Registry.of("study", globals(), is_described)


def load(name: str, *, as_frame: bool = False, **options: Any) -> Any:
    """Load a study by name: `load("ihdp", realisations=range(1, 11))`.

    Options are those of the study's function. Returns a `Study`, or with `as_frame` a list of
    pandas data frames, one a realisation.
    """
    study = studies[name](**options)
    return study.frames() if as_frame else study
