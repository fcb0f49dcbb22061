"""The contract of every study. A new study joins by being registered; one whose data are not here
is skipped."""

import numpy as np
import pytest

from pairnet.core.registry import summary
from pairnet.core.treatments import Arms
from pairnet.studies import load, studies
from pairnet.studies.check import check
from studies_helpers import OPTIONS, loaded


@pytest.fixture(params=list(studies), scope="module")
def study(request):
    return loaded(request.param)


def test_shapes_agree(study):
    r, n, g = study.mu.shape
    assert (
        study.rows.t.shape
        == study.rows.y.shape
        == study.rows.weight.shape
        == study.mean.shape
        == (r, n)
    )
    assert study.rows.x.shape[-2:] == (n, len(study.columns))
    assert study.grid.shape == (g,)
    assert len(study) == r
    train = study.part(study.train)
    assert train.t.shape == train.y.shape == (r, study.train.shape[-1])
    assert study.truth(study.test).shape == (r, study.test.shape[-1], g)
    assert np.array_equal(train.x[-1] if train.x.ndim == 3 else train.x, rows_of_last(study))


def rows_of_last(study):
    """The training covariates of the last realisation, gathered the slow way."""
    x = study.rows.x if study.rows.x.ndim == 2 else study.rows.x[-1]
    return x[study.train if study.train.ndim == 1 else study.train[-1]]


def test_the_truth_is_the_mean_of_the_observed_outcomes(study):
    residual = study.rows.y - study.mean
    spread = residual.std()
    assert abs(residual.mean()) <= 5 * spread / np.sqrt(residual.size / len(study)) + 1e-9
    assert spread < 1.5


def test_the_truth_of_the_rows_own_treatment_lies_on_the_grid(study):
    if isinstance(study.treatment, Arms):
        own = np.take_along_axis(study.mu, study.rows.t[..., None].astype(int), axis=2)[..., 0]
        assert np.allclose(own, study.mean)
    else:
        position = np.abs(study.rows.t[..., None] - study.grid).argmin(axis=-1)
        near = np.take_along_axis(study.mu, position[..., None], axis=2)[..., 0]
        assert np.corrcoef(near.ravel(), study.mean.ravel())[0, 1] > 0.97


def test_all_values_are_finite_and_treatments_are_what_they_say(study):
    for values in (study.rows.x, study.rows.t, study.rows.y, study.mu):
        assert np.isfinite(values).all()
    if isinstance(study.treatment, Arms):
        assert all(set(np.unique(t)) == set(range(len(study.treatment))) for t in study.rows.t)
    else:
        assert study.rows.t.min() >= study.treatment.low
        assert study.rows.t.max() <= study.treatment.high
    if study.propensity is not None:
        assert np.allclose(study.propensity.sum(axis=-1), 1)
        shares = np.stack(
            [(study.rows.t == arm).mean(axis=1) for arm in range(len(study.treatment))], axis=1
        )
        assert np.allclose(study.propensity.mean(axis=1), shares, atol=0.05)


def test_no_test_row_trains_except_where_the_paper_says_so(study):
    for train, test in zip(np.atleast_2d(study.train), np.atleast_2d(study.test), strict=True):
        assert len(np.unique(train)) == len(train)
        assert len(np.intersect1d(train, test)) == (len(train) if study.name == "gp" else 0)


def test_loading_twice_gives_the_same_bytes_and_it_says_what_it_is(study):
    again = loaded(study.name)
    for first, second in zip(
        (study.rows.x, study.rows.y, study.mu), (again.rows.x, again.rows.y, again.mu), strict=True
    ):
        assert np.array_equal(first, second)
    said = study.describe()
    assert said.startswith(f"{study.name}: {study.description}")
    assert f"Source: {study.about.source}" in said
    assert f"Licence: {study.about.licence}" in said
    assert summary(studies[study.name])
    if "STAND-IN" in study.about.source:
        assert "stand-in" in study.description


def test_as_frame_gives_named_columns(study):
    frames = load(study.name, as_frame=True, **OPTIONS.get(study.name, {}))
    assert len(frames) == len(study)
    frame = frames[-1]
    assert list(frame.columns[: len(study.columns)]) == list(study.columns)
    used = frame[frame["split"] != "unused"]
    train = used[used["split"] == "train"]
    assert len(train) == study.train.shape[-1]
    part = study.part(study.train)
    assert np.isclose(train["outcome"].sum(), part.y[-1].sum())
    assert np.isclose(train["treatment"].sum(), part.t[-1].sum())
    assert sum(name.startswith("mu(") for name in frame.columns) == len(study.grid)


@pytest.mark.parametrize("name", list(studies))
def test_known_figures_are_found(name):
    if not studies[name].about.is_here():
        pytest.skip(f"the files of {name} are not on this machine")
    findings = list(check(name))
    assert findings
    assert [finding for finding in findings if finding.good is False] == []
