"""How tests load a study: few realisations, and skipped where its data files are not here."""

import numpy as np
import pytest

from pairnet.studies import DataMissing, load

WORDS = np.random.default_rng(0).poisson(0.3, size=(60, 30))
OPTIONS = {
    "ihdp": {"realisations": [1, 2]},
    "acic2016": {"setting": 7, "seeds": [1, 11]},
    "twins": {"size": 500, "share": 0.25, "seeds": [0, 3]},
    "twins-cevae": {"seeds": [0, 1]},
    "ihdp-dose": {"realisations": [1, 50]},
    "news-dose": {"matrix": WORDS, "realisations": [1, 2]},
    "news-ap-dose": {"realisations": [1, 2]},
    "tcga-dose": {"matrix": WORDS, "realisations": [1, 2]},
    "tcga-mirna-dose": {"realisations": [1], "version": 1},
    "tcga-rnaseq-dose": {"realisations": [1, 2], "version": 2},
    "realcause": {"dataset": "psid", "samples": [10, 25]},
    "gp": {"rows": 40},
    "tau-complexity": {"realisations": 2},
}


def loaded(name):
    try:
        return load(name, **OPTIONS.get(name, {}))
    except DataMissing as missing:
        pytest.skip(str(missing))
