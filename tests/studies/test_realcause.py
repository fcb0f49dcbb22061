"""LaLonde's men of RealCause: the split, the truth, packed files and those of the authors."""

import dataclasses
import sys

import numpy as np
import pytest

from pairnet.studies import DataMissing, load, studies
from pairnet.studies.download import DownloadFailed, get

module = sys.modules["pairnet.studies.realcause"]
HEADER = "age,education,black,hispanic,married,nodegree,re74,re75,t,y,y0,y1,ite"
rng = np.random.default_rng(0)
MEN = rng.integers(0, 50, size=(40, 8)) + 0.125


def table(seed, men=MEN, **changed):
    """The text of a small file as the authors have them."""
    draws = np.random.default_rng(seed)
    y0, y1 = draws.normal(9000, 2000, size=(2, len(men))).astype(np.float32)
    t = changed.get("t", draws.integers(0, 2, len(men)))
    rows = zip(men, t, np.where(t == 1, y1, y0), y0, y1, y1 - y0, strict=True)
    lines = [
        ",".join([*map(str, man), str(float(arm)), *map(str, rest)]) for man, arm, *rest in rows
    ]
    return "\n".join([HEADER, *lines])


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A data folder with the authors' files of three samples, of forty men each."""
    monkeypatch.setitem(module.ROWS, "psid", len(MEN))
    for sample in (10, 11, 25):
        (tmp_path / f"lalonde_psid_sample{sample}.csv").write_text(table(sample))
    return tmp_path


def test_the_authors_files_are_read(small):
    study = load("realcause", dataset="psid", samples=[10, 25], folder=small)
    stored = np.loadtxt(small / "lalonde_psid_sample25.csv", delimiter=",", skiprows=1)
    assert np.array_equal(study.rows.x, MEN)
    assert np.array_equal(study.rows.t[1], stored[:, 8])
    assert np.allclose(study.rows.y[1], stored[:, 9])
    assert np.allclose(study.mu[1], stored[:, 10:12], atol=0.002)
    assert np.allclose(study.effect(study.test)[1], stored[study.test[1], 12], atol=0.002)
    assert study.columns[-1] == "re75"


def test_the_split_is_that_of_the_field(small):
    study = load("realcause", dataset="psid", samples=[11, 25], folder=small)
    for sample, train, test in zip((11, 25), study.train, study.test, strict=True):
        order = np.random.default_rng(42 + sample).permutation(40)
        assert np.array_equal(train, order[:36])
        assert np.array_equal(test, order[36:])


def test_files_that_are_missing_or_wrong(small):
    psid = lambda *samples: load("realcause", dataset="psid", samples=samples, folder=small)
    with pytest.raises(
        DataMissing, match=r"lalonde_psid_sample12\.csv.*Run `pairnet data get realcause`, or put"
    ):
        psid(12)
    path = small / "lalonde_psid_sample11.csv"
    path.write_text(table(11, MEN + 1))
    with pytest.raises(ValueError, match="the same covariates as the file of another sample"):
        psid(10, 11)
    path.write_text(table(11, t=np.full(40, 2)))
    with pytest.raises(ValueError, match="must hold 0 or 1 in column t.*data get realcause"):
        psid(11)
    path.write_text(table(11, MEN[1:]))
    with pytest.raises(ValueError, match="must hold 40 rows of 13 values, got shape"):
        psid(11)


def test_options_that_make_no_sense(small):
    with pytest.raises(ValueError, match="dataset must be one of cps, psid, got 'nsw'"):
        load("realcause", dataset="nsw")
    with pytest.raises(ValueError, match=r"realcause has samples 10 to 29, got \[1\]"):
        load("realcause", dataset="psid", samples=[1], folder=small)


def test_what_is_fetched_is_judged_by_the_figures(server, monkeypatch, tmp_path):
    """The files of one sample are fetched; numbers that are not LaLonde's are not kept."""
    monkeypatch.setitem(module.ROWS, "cps", len(MEN))
    monkeypatch.setenv("PAIRNET_DATA", "")
    monkeypatch.setenv("PAIRNET_CACHE", str(tmp_path))
    for (dataset, sample), file in module.ORIGINAL.items():
        page = f"/lalonde_{dataset}_sample{sample}.csv"
        server.pages[page] = table(sample).encode()
        moved = dataclasses.replace(file, url=server.address + page)
        monkeypatch.setitem(module.ORIGINAL, (dataset, sample), moved)
    right = dataclasses.replace(
        studies["realcause"].about, instead=tuple(module.ORIGINAL.values()), figures=()
    )
    monkeypatch.setattr(
        studies["realcause"], "about", dataclasses.replace(right, figures=module.FIGURES)
    )
    with pytest.raises(DownloadFailed, match="share of treated is .* Nothing was kept"):
        get("realcause")
    assert not right.is_here()
    monkeypatch.setattr(studies["realcause"], "about", right)
    assert len(get("realcause")) == 40
    assert right.is_here()
    assert len(load("realcause")) == 10


@pytest.mark.parametrize("dataset", ["cps", "psid"])
def test_both_datasets_have_their_known_figures(needs_data, dataset):
    needs_data("realcause", f"lalonde_{dataset}.npz")
    every = load("realcause", dataset=dataset, samples=range(10, 30))
    effects = every.mu[..., 1] - every.mu[..., 0]
    share, mean, spread = {"cps": (0.0105, -7006, 10_818), "psid": (0.0654, -13_313, 18_648)}[
        dataset
    ]
    assert every.rows.t.mean() == pytest.approx(share, abs=5e-5)
    assert effects.mean() == pytest.approx(mean, abs=0.5)
    assert effects.std() == pytest.approx(spread, abs=0.5)
    assert every.mu.min() == 0  # earnings, so no difference was taken the wrong way round
    least = np.sqrt(effects.var(axis=0, ddof=1).mean())  # the error of who knows the mean effect
    assert least == pytest.approx({"cps": 8730, "psid": 13_910}[dataset], abs=5)


def test_a_sample_is_the_public_one_of_its_number(needs_data):
    needs_data("realcause", "lalonde_psid.npz")
    twenty = load("realcause", dataset="psid", samples=[20])
    assert twenty.rows.t[0, :4].tolist() == [
        1,
        0,
        1,
        0,
    ]  # of lalonde_psid_sample20.csv, as published
    assert np.allclose(twenty.rows.y[0, :4], [6210.8877, 0, 13534.648, 948.2486])
    assert np.allclose(twenty.mu[0, :4, 1], [6210.8877, 3896.6023, 13534.648, 0])
    ten = load("realcause", dataset="psid", samples=range(20, 30))
    assert np.array_equal(ten.rows.y[0], twenty.rows.y[0])


@pytest.mark.parametrize("dataset", ["cps", "psid"])
def test_packed_and_original_files_agree(needs_data, dataset, tmp_path):
    needs_data("realcause", f"lalonde_{dataset}.npz")
    packed = load("realcause", dataset=dataset, samples=[12])
    x, t, y = packed.rows.x, packed.rows.t[0], packed.rows.y[0].astype(np.float32)
    effect = (packed.mu[0, :, 1] - packed.mu[0, :, 0]).astype(np.float32)
    lines = [
        ",".join(map(str, [*man.tolist(), *rest, 0, 0, ite]))
        for man, *rest, ite in zip(x, t, y, effect, strict=True)
    ]
    path = tmp_path / f"lalonde_{dataset}_sample12.csv"
    path.write_text("\n".join([HEADER, *lines]))
    original = load("realcause", dataset=dataset, samples=[12], folder=tmp_path)
    for name in ("x", "t", "y"):
        assert np.array_equal(getattr(original.rows, name), getattr(packed.rows, name))
    assert np.array_equal(original.mu, packed.mu)
    assert np.array_equal(original.test, packed.test)
