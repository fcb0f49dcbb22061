"""The contract of every study. A new study joins by being registered; one whose data are not here is skipped."""

import numpy as np
import pytest

from pairnet.data import DataMissing, load, studies
from pairnet.registry import summary

OPTIONS = {"ihdp": {"realisations": [1, 2]}, "acic2016": {"setting": 7, "seeds": [1, 11]}, "gp": {"rows": 40}}


def loaded(name):
    try:
        return load(name, **OPTIONS.get(name, {}))
    except DataMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(params=list(studies), scope="module")
def study(request):
    return loaded(request.param)


def test_shapes_agree(study):
    r, n, k = study.mu.shape
    assert study.rows.t.shape == study.rows.y.shape == study.rows.weight.shape == (r, n)
    assert study.rows.x.shape[-2] == n
    assert k == len(study.treatment)
    assert len(study) == r


def test_the_truth_is_the_mean_of_the_observed_outcomes(study):
    mean = np.take_along_axis(study.mu, study.rows.t[..., None].astype(int), axis=2)[..., 0]
    residual = study.rows.y - mean
    spread = residual.std()
    assert abs(residual.mean()) <= 5 * spread / np.sqrt(residual.size) + 1e-9
    assert spread < 1.5


def test_all_values_are_finite_and_both_arms_are_there(study):
    for values in (study.rows.x, study.rows.t, study.rows.y, study.mu):
        assert np.isfinite(values).all()
    assert all(set(np.unique(t)) == set(range(len(study.treatment))) for t in study.rows.t)


def test_no_test_row_trains_except_where_the_paper_says_so(study):
    shared = np.intersect1d(study.train, study.test)
    assert len(shared) == (len(study.train) if study.name == "gp" else 0)


def test_loading_twice_gives_the_same_bytes_and_it_says_what_it_is(study):
    again = loaded(study.name)
    assert np.array_equal(study.rows.y, again.rows.y)
    assert np.array_equal(study.rows.x, again.rows.x)
    assert study.description
    assert summary(studies[study.name])


def test_synthetic_options():
    trial = load("synthetic", confounding=0.0, rows=20_000, realisations=1, treated=0.25)
    assert abs(trial.rows.t.mean() - 0.25) < 0.02
    correlation = np.corrcoef(trial.mu[0, :, 0], trial.rows.t[0])[0, 1]
    confounded = load("synthetic", confounding=1.0, rows=20_000, realisations=1)
    assert abs(correlation) < 0.03 < np.corrcoef(confounded.mu[0, :, 0], confounded.rows.t[0])[0, 1]
    binary = load("synthetic", binary=True, arms=3, rows=20_000, realisations=1)
    assert set(np.unique(binary.rows.y)) == {0, 1}
    assert binary.mu.min() >= 0
    assert binary.mu.max() <= 1
    assert not np.array_equal(load("synthetic", seed=1).rows.y, load("synthetic").rows.y)


def test_the_gaussian_process_has_the_kernel_it_says():
    study = load("gp", realisations=20_000, rows=2, seed=3)
    x, mu0 = study.rows.x[..., 0], study.mu[..., 0]
    near = np.abs(np.abs(x[:, 0] - x[:, 1]) - 0.5) < 0.1
    assert np.isclose(np.mean(mu0[near, 0] * mu0[near, 1]), np.exp(-0.25), atol=0.06)
    assert np.isclose(mu0.var(), 1, atol=0.03)


def test_ihdp_is_the_published_data(needs_data):
    needs_data("ihdp", "ihdp_npci_1-100.train.npz")
    study = load("ihdp")
    treated, effect = study.part(study.train).t.sum(axis=1), study.effect(study.train)
    assert (treated.min(), treated.max()) == (117, 131)
    assert np.isclose(effect.mean(), 4.54, atol=0.01)
    assert np.isclose(np.median(effect.std(axis=1)), 2.53, atol=0.01)
    assert np.isclose(effect.std(axis=1).max(), 41.97, atol=0.01)
    with pytest.raises(ValueError, match="realisations 1 to 100, got \\[101\\]"):
        load("ihdp", realisations=[101])


def test_acic_is_the_competitions_data(needs_data):
    needs_data("acic2016", "acic2016_x.csv.gz")
    study = load("acic2016")
    assert study.rows.x.shape == (4802, 79)  # held once
    assert np.allclose(study.rows.x[:4000].mean(axis=0), 0, atol=1e-6)
    sd = study.effect(study.train).std(axis=1)
    assert np.allclose(sd[:10], 0)
    assert 4.5 < sd[10:20].min() < sd[10:20].max() < 8.5
    with pytest.raises(ValueError, match="settings 2, 7 and 26"):
        load("acic2016", setting=3)


def test_missing_damaged_and_wrong_files(tmp_path):
    with pytest.raises(DataMissing, match=r"needs the file ihdp_npci_1-100\.train\.npz.*--data or PAIRNET_DATA"):
        load("ihdp", folder=tmp_path)
    (tmp_path / "ihdp").mkdir()
    path = tmp_path / "ihdp" / "ihdp_npci_1-100.train.npz"
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match="cannot be read.*Fetch it again"):
        load("ihdp", folder=tmp_path)
    np.savez(path, x=np.zeros((3, 25, 2)), **dict.fromkeys(("t", "yf", "mu0", "mu1"), np.zeros((3, 2))))
    with pytest.raises(ValueError, match=r"array 'x' must have shape \(672, 25, None\), got \(3, 25, 2\)"):
        load("ihdp", folder=tmp_path)


def test_an_unknown_study_lists_the_known_ones():
    with pytest.raises(ValueError, match="Unknown study 'ihpd'. Known: .*synthetic. Did you mean 'ihdp'"):
        load("ihpd")
