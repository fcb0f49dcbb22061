"""The files of the ACIC competition of 2016: packed, in its own layout, in its archive."""

import dataclasses
import gzip
import io
import sys
import tarfile

import numpy as np
import pytest

from pairnet.studies import load, studies
from pairnet.studies.download import DownloadFailed, get

rng = np.random.default_rng(0)


@pytest.fixture
def competition(tmp_path):
    """A folder as the competition's archive has it, with small random outcomes of setting 7."""
    folder = tmp_path / "archive" / "data_cf_all"
    (folder / "7").mkdir(parents=True)
    columns = [np.arange(4802) % (k + 2) for k in range(58)]
    letters = {1: "ABCDEF", 20: "ABCDEFGHIJKLMNOP", 23: "ABCDE"}
    text = [
        np.array(list(letters[k]))[np.arange(4802) % len(letters[k])] if k in letters else c
        for k, c in enumerate(columns)
    ]
    lines = [",".join(f"x_{k}" for k in range(1, 59))] + [
        ",".join(map(str, row)) for row in zip(*text, strict=True)
    ]
    (folder / "x.csv").write_text("\n".join(lines))
    for seed in (31, 4, 200):
        values = np.c_[rng.integers(0, 2, 4802), rng.normal(size=(4802, 4))]
        np.savetxt(
            folder / "7" / f"zymu_{seed}.csv",
            values,
            delimiter=",",
            header="z,y0,y1,mu0,mu1",
            comments="",
        )
    return folder


def test_acic_reads_the_competitions_own_layout(competition, tmp_path):
    study = load(
        "acic2016",
        setting=7,
        seeds=[1, 3],
        folder=tmp_path / "archive" if False else move(competition, tmp_path),
    )
    assert study.rows.x.shape == (4802, 79)
    assert study.columns[-1] == "x_24_E"
    # Names are in order 200, 31, 4, so the first seed is 200 and the third is 4.
    third = np.loadtxt(
        tmp_path / "acic2016" / "data_cf_all" / "7" / "zymu_4.csv", delimiter=",", skiprows=1
    )
    assert np.allclose(study.rows.t[1], third[:, 0])
    assert np.allclose(study.mu[1], third[:, 3:5])
    assert np.allclose(study.rows.y[1], np.where(third[:, 0] == 1, third[:, 2], third[:, 1]))
    with pytest.raises(ValueError, match=r"must hold at least 4 files zymu_\*.csv, got 3"):
        load("acic2016", setting=7, seeds=[4], folder=tmp_path)


def move(competition, tmp_path):
    (tmp_path / "acic2016").mkdir()
    competition.rename(tmp_path / "acic2016" / "data_cf_all")
    return tmp_path


def test_acic_packed_and_original_files_agree(needs_data, tmp_path):
    needs_data("acic2016", "acic2016_s7_seeds001-010.npz")
    from pairnet.core.folders import data_folders

    here = data_folders()[0] / "acic2016"
    packed = load("acic2016", setting=7, seeds=[1, 2])
    stored = np.load(here / "acic2016_s7_seeds001-010.npz")
    folder = tmp_path / "acic2016" / "7"
    folder.mkdir(parents=True)
    (tmp_path / "acic2016" / "x.csv").write_bytes(
        gzip.decompress((here / "acic2016_x.csv.gz").read_bytes())
    )
    for k in range(2):
        values = np.stack([stored[name][k] for name in ("z", "y0", "y1", "mu0", "mu1")], axis=1)
        np.savetxt(
            folder / f"zymu_{k + 1}.csv",
            values,
            delimiter=",",
            header="z,y0,y1,mu0,mu1",
            comments="",
            fmt="%.17g",
        )
    original = load("acic2016", setting=7, seeds=[1, 2], folder=tmp_path)
    for name in ("x", "t", "y"):
        assert np.array_equal(getattr(original.rows, name), getattr(packed.rows, name))
    assert np.array_equal(original.mu, packed.mu)


def test_an_archive_is_unpacked_into_its_place(competition, server, monkeypatch, tmp_path):
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz") as archive:
        archive.add(competition, "data_cf_all")
    server.pages["/archive"] = stream.getvalue()
    module = sys.modules["pairnet.studies.acic2016"]
    original = dataclasses.replace(
        module.ORIGINAL, url=f"{server.address}/archive", url_sha256=None
    )
    monkeypatch.setattr(module, "ORIGINAL", original)
    about = dataclasses.replace(studies["tau-complexity"].about, instead=(original,))
    monkeypatch.setattr(studies["tau-complexity"], "about", about)
    monkeypatch.setenv("PAIRNET_DATA", "")
    monkeypatch.setenv("PAIRNET_CACHE", str(tmp_path / "cache"))
    assert not about.is_here()
    (path,) = get("tau-complexity")
    assert path == tmp_path / "cache" / "data" / "acic2016" / "data_cf_all"
    assert about.is_here()
    assert len(load("tau-complexity", realisations=1)) == 1
    server.pages["/archive"] = b"<html>Google Drive cannot scan this file for viruses</html>"
    with pytest.raises(DownloadFailed, match="not an archive.*browser.*by hand"):
        get("tau-complexity", again=True)
    assert about.is_here()
