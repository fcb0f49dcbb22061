"""Studies with known truth, one a file. To add one: write the file, import it here, name it in the registry."""

from collections.abc import Callable
from typing import Any

from pairnet.data.acic2016 import acic2016
from pairnet.data.gp import gp
from pairnet.data.ihdp import ihdp
from pairnet.data.study import DataMissing, Study
from pairnet.data.synthetic import synthetic
from pairnet.registry import Registry

studies: Registry[Callable[..., Study]] = Registry("study", synthetic, gp, ihdp, acic2016)


def load(name: str, **options: Any) -> Study:
    """Load a study by name: `load("ihdp", realisations=range(1, 11))`. Options are those of the study's function."""
    return studies[name](**options)


__all__ = ["DataMissing", "Study", "load", "studies"]
