"""Metrics of doses, by hand and as a study reports them."""

import numpy as np
import pytest

from checks import LONGER, SMALL
from pairnet import PairNet, TARNet, VCNet
from pairnet.bench.evaluate import evaluate
from pairnet.metrics import dose_pehe, dose_pehe_by_row, mise, policy_error
from pairnet.studies import load


def test_dose_metrics_by_hand():
    truth = np.asarray([[[0.0, 1.0, 4.0], [2.0, 2.0, 2.0]]])
    own, y = np.asarray([[1.0, 2.0]]), np.asarray([[1.5, 2.0]])
    said, own_said = truth + 7.0, own + 7.0  # a common error of the level is no error of an effect
    assert np.allclose(dose_pehe(truth, own, said, own_said), 0)
    assert np.allclose(dose_pehe_by_row(truth, y, said, own_said), (0.5 + 0) / 2)  # but noise is
    assert np.allclose(mise(truth, said), 49)
    bent = said + np.asarray([0.0, 0.0, 3.0])
    assert np.allclose(dose_pehe(truth, own, bent, own_said), np.sqrt(3))
    assert np.allclose(dose_pehe_by_row(truth, own, bent, own_said), np.sqrt(3))
    assert np.allclose(policy_error(truth, said), 0)
    assert np.allclose(policy_error(truth, -truth), ((4 - 0) ** 2 + 0) / 2)


def test_a_study_of_doses_is_evaluated_with_every_metric():
    study = load(
        "confounded", realisations=2, rows=500, test=40, covariates=4, dose=True, noise=0.3
    )
    scores = evaluate(PairNet(base=VCNet(**SMALL), plan=LONGER), study)
    assert scores.pehe_out.shape == (2,)
    assert set(scores.more) == {
        f"{m}_{s}" for m in ("pehe_by_row", "mise", "policy_error") for s in ("in", "out")
    }
    flat = np.zeros((2, 40, 64))
    nothing = dose_pehe(study.truth(study.test), study.own(study.test), flat, flat[..., 0])
    assert np.all(scores.pehe_out < nothing)
    with pytest.raises(ValueError, match="TARNet compares arms; it cannot learn from doses"):
        evaluate(TARNet(), study)
