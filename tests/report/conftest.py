"""Models and their reports, for all tests of reports."""

import pytest

from pairnet.report.model import model_report
from report_helpers import fitted


@pytest.fixture(scope="session")
def models():
    return {kind: fitted(kind) for kind in ("arms", "doses", "yes or no")}


@pytest.fixture(scope="session")
def pages(models):
    compared = {
        "arms": {"T0": "none", "T1": "small"},
        "doses": {"T0": 10, "T1": 50},
        "yes or no": {},
    }
    return {kind: model_report(model, **compared[kind]) for kind, (model, *_) in models.items()}
