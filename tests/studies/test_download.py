"""Data files as they are fetched: checked, kept, and left alone where something goes wrong."""

import dataclasses
import hashlib
import io
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pairnet.studies import DataMissing, load, studies
from pairnet.studies.check import check
from pairnet.studies.download import DownloadFailed, get
from pairnet.studies.files import File

rng = np.random.default_rng(0)


def npz(rows, realisations=2, **changed):
    """The bytes of an IHDP file with random numbers."""
    arrays = {"x": rng.normal(size=(rows, 25, realisations))}
    arrays |= {name: rng.normal(size=(rows, realisations)) for name in ("yf", "mu0", "mu1")}
    arrays["t"] = rng.integers(0, 2, (rows, realisations)).astype(float)
    stream = io.BytesIO()
    np.savez(stream, **(arrays | changed))
    return stream.getvalue()


@pytest.fixture
def ihdp(server, monkeypatch, tmp_path):
    """A study like ihdp, whose files the server has; figures are left out unless a test sets
    some."""

    module = sys.modules["pairnet.studies.ihdp"]
    bodies = {"train": npz(672), "test": npz(75)}
    files = []
    for split, body in bodies.items():
        server.pages[f"/{split}.npz"] = body
        sha256 = hashlib.sha256(body).hexdigest()
        path = f"ihdp/ihdp_npci_1-100.{split}.npz"
        files.append(
            File(path=path, sha256=sha256, url=f"{server.address}/{split}.npz", url_sha256=sha256)
        )
    monkeypatch.setattr(module, "FILES", tuple(files))
    about = dataclasses.replace(studies["ihdp"].about, files=tuple(files), figures=())
    monkeypatch.setattr(studies["ihdp"], "about", about)
    monkeypatch.setenv("PAIRNET_DATA", "")
    monkeypatch.setenv("PAIRNET_CACHE", str(tmp_path / "cache"))
    return about


def change(monkeypatch, about, **changes):
    """Change the first file of a study, or its figures."""
    if "figures" in changes:
        about = dataclasses.replace(about, figures=changes.pop("figures"))
    first, *others = about.files
    about = dataclasses.replace(about, files=(dataclasses.replace(first, **changes), *others))
    monkeypatch.setattr(studies["ihdp"], "about", about)
    monkeypatch.setattr(sys.modules["pairnet.studies.ihdp"], "FILES", about.files)


def everything(folder):
    return (
        sorted(path.name for path in folder.rglob("*") if path.is_file()) if folder.exists() else []
    )


def test_files_are_fetched_checked_kept_and_not_fetched_twice(ihdp, server, tmp_path):
    shown = []

    class Bar:
        total = 0

        def __init__(self, label):
            shown.append(label)

        def update(self, amount):
            shown.append(amount)

        def reset(self):
            pass

        def close(self):
            shown.append("closed")

    with pytest.raises(DataMissing, match="Run `pairnet data get ihdp`"):
        load("ihdp")
    paths = get("ihdp", bar=Bar)
    assert [path.name for path in paths] == [
        "ihdp_npci_1-100.train.npz",
        "ihdp_npci_1-100.test.npz",
    ]
    assert everything(tmp_path / "cache") == [
        "ihdp_npci_1-100.test.npz",
        "ihdp_npci_1-100.train.npz",
    ]
    assert len(load("ihdp")) == 2
    assert shown[0] == "ihdp_npci_1-100.train.npz"
    assert shown.count("closed") == 2
    assert get("ihdp") == []
    assert len(server.asked) == 2
    get("ihdp", again=True)
    assert len(server.asked) == 4


def test_a_wrong_hash_is_an_error_that_keeps_nothing(ihdp, server, monkeypatch, tmp_path):
    server.pages["/test.npz"] = npz(75)
    with pytest.raises(
        DownloadFailed,
        match=r"(?s)ihdp_npci_1-100.test.npz could not be fetched.*hash.*Nothing was kept",
    ):
        get("ihdp")
    assert everything(tmp_path / "cache") == []


def test_a_failed_update_leaves_what_was_there(ihdp, server, tmp_path):
    get("ihdp")
    server.pages["/train.npz"] = b"something else"
    with pytest.raises(DownloadFailed):
        get("ihdp", again=True)
    assert len(load("ihdp")) == 2


def test_a_download_that_is_cut_off_keeps_nothing_and_can_be_started_again(
    ihdp, server, monkeypatch, tmp_path
):
    whole = server.pages["/train.npz"]
    server.pages["/cut/train.npz"] = whole
    change(monkeypatch, ihdp, url=f"{server.address}/cut/train.npz")
    with pytest.raises(DownloadFailed, match="Try again"):
        get("ihdp")
    assert everything(tmp_path / "cache") == []
    change(monkeypatch, ihdp, url=f"{server.address}/train.npz")
    assert len(get("ihdp")) == 2


def test_ctrl_c_in_a_download_ends_its_bar_and_keeps_nothing(ihdp, tmp_path):
    shown = []

    class Pressed:
        total = 0

        def __init__(self, label):
            pass

        def update(self, amount):
            raise KeyboardInterrupt

        def reset(self):
            pass

        def close(self):
            shown.append("closed")

    with pytest.raises(KeyboardInterrupt):
        get("ihdp", bar=Pressed)
    assert shown == ["closed"]
    assert everything(tmp_path / "cache") == []


def test_a_missing_page_and_a_missing_server_say_so(ihdp, server, monkeypatch):
    change(monkeypatch, ihdp, url=f"{server.address}/nowhere.npz")
    with pytest.raises(DownloadFailed, match="404.*fetch it in a browser and put it at"):
        get("ihdp")
    change(monkeypatch, ihdp, url="http://127.0.0.1:9/train.npz")
    with pytest.raises(DownloadFailed, match="could not be fetched"):
        get("ihdp")


def test_only_what_is_damaged_is_fetched_again(ihdp, server, tmp_path):
    get("ihdp")
    path = tmp_path / "cache" / "data" / "ihdp" / "ihdp_npci_1-100.test.npz"
    path.write_bytes(path.read_bytes()[:1000])
    assert [finding.what for finding in check("ihdp") if finding.good is False] == [
        path.name,
        "loading",
    ]
    assert get("ihdp") == [path]
    assert server.asked[-1] == "/test.npz"
    assert [finding for finding in check("ihdp") if finding.good is False] == []


def test_a_damaged_file_that_would_be_read_first_is_named_and_nothing_is_fetched(
    ihdp, server, monkeypatch, tmp_path
):
    own = tmp_path / "own"
    (own / "ihdp").mkdir(parents=True)
    damaged = own / "ihdp" / "ihdp_npci_1-100.train.npz"
    damaged.write_bytes(b"cut off")
    monkeypatch.setenv("PAIRNET_DATA", str(own))
    with pytest.raises(
        ValueError,
        match=r"own/ihdp/ihdp_npci_1-100\.train\.npz would be read before.*delete it first",
    ):
        get("ihdp")
    assert server.asked == []
    assert len(get("ihdp", folder=own)) == 2
    assert len(load("ihdp")) == 2


def test_a_file_without_a_recorded_hash_is_judged_by_the_figures(
    ihdp, server, monkeypatch, tmp_path
):
    from pairnet.studies.study import Figure

    rows = Figure("rows", 747, 0, lambda study: study.rows.t.shape[1])
    change(monkeypatch, ihdp, url_sha256=None, sha256=None, figures=(rows,))
    assert len(get("ihdp")) == 2
    wrong = Figure("rows", 748, 0, lambda study: study.rows.t.shape[1])
    change(monkeypatch, ihdp, url_sha256=None, sha256=None, figures=(wrong,))
    with pytest.raises(
        DownloadFailed, match="rows is 747 where 748 was expected. Nothing was kept"
    ):
        get("ihdp", folder=tmp_path / "elsewhere")
    assert everything(tmp_path / "elsewhere") == []


def test_what_cannot_be_fetched_says_why():
    with pytest.raises(ValueError, match="'gp' is made by this package"):
        get("gp")
    with pytest.raises(ValueError, match=r"'news-dose' has no public address.*news_pp\.npy"):
        get("news-dose")
    with pytest.raises(ValueError, match="Unknown study 'ihpd'"):
        get("ihpd")


def test_of_two_downloads_at_once_the_second_waits_and_finds_the_files(ihdp, tmp_path):
    with ThreadPoolExecutor(2) as pool:
        fetched = sorted(map(len, pool.map(get, ["ihdp"] * 2)))
    assert fetched == [0, 2]
    assert all(path.is_dir() for path in (tmp_path / "cache" / "data").iterdir())


def test_a_download_removes_what_killed_ones_left(ihdp, tmp_path):
    base = tmp_path / "cache" / "data"
    (base / ".fetching-abcd1234" / "data").mkdir(parents=True)
    (base / ".fetching-abcd1234" / "data" / "half").write_text("of a file")
    (base / ".fetching-notes").write_text("mine")
    get("ihdp")
    assert sorted(path.name for path in base.iterdir()) == [".fetching-notes", "ihdp"]
