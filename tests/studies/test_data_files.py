"""Files of studies: fetched from a server on this machine, checked, and refused when they are
wrong."""

import dataclasses
import gzip
import hashlib
import io
import sys
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from pairnet.studies import DataMissing, load, studies
from pairnet.studies.check import check
from pairnet.studies.download import DownloadFailed, get
from pairnet.studies.files import File

rng = np.random.default_rng(0)


@pytest.fixture
def server():
    """A web server whose pages are a dictionary; a page may be cut off in the middle."""
    pages: dict[str, bytes] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            body = pages.get(self.path)
            if body is None:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header(
                "Content-Length", str(len(body) * (2 if self.path.startswith("/cut/") else 1))
            )
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    running.pages, running.asked = pages, asked
    running.address = f"http://127.0.0.1:{running.server_port}"
    yield running
    running.shutdown()
    running.server_close()


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


def test_missing_damaged_and_wrong_files(tmp_path):
    with pytest.raises(
        DataMissing,
        match=r"needs the file ihdp_npci_1-100\.train\.npz.*data get ihdp.*--data or PAIRNET_DATA",
    ):
        load("ihdp", folder=tmp_path)
    (tmp_path / "ihdp").mkdir()
    path = tmp_path / "ihdp" / "ihdp_npci_1-100.train.npz"
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(ValueError, match="cannot be read.*fetch it again"):
        load("ihdp", folder=tmp_path)
    path.write_bytes(npz(672)[:5000])
    with pytest.raises(ValueError, match="cannot be read.*fetch it again"):
        load("ihdp", folder=tmp_path)
    path.write_bytes(npz(3))
    with pytest.raises(ValueError, match=r"array 'x' of shape \(672, 25, None\), got \(3, 25, 2\)"):
        load("ihdp", folder=tmp_path)


def test_bytes_that_were_changed_on_the_way_are_damage_too(tmp_path):
    """Inside a compressed file they are an error of the decompressor, which is neither of zip nor
    of numpy."""
    stream = io.BytesIO()
    np.savez_compressed(stream, x=rng.normal(size=(672, 25, 2)))
    body = bytearray(stream.getvalue())
    body[50:100] = b"\xff" * 50
    (tmp_path / "ihdp_npci_1-100.train.npz").write_bytes(body)
    with pytest.raises(ValueError, match="cannot be read.*fetch it again"):
        load("ihdp", folder=tmp_path)
    table = bytearray(gzip.compress(b"a,b\n1,2\n"))
    table[10:14] = b"\xff" * 4
    (tmp_path / "Twin_Data.csv.gz").write_bytes(table)
    with pytest.raises(
        ValueError, match="cannot be read.*fetch it again with `pairnet data get twins`"
    ):
        load("twins", folder=tmp_path)
    (tmp_path / "news_standin_ap.npz").write_bytes(b"not this")
    with pytest.raises(
        ValueError, match="cannot be read.*put a right copy there; it has no public address"
    ):
        load("news-ap-dose", folder=tmp_path)


def test_a_csv_with_other_columns_or_rows(tmp_path):
    path = tmp_path / "Twin_Data.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n"))
    with pytest.raises(ValueError, match="lacks the columns dmage, mpcb.*it has a, b"):
        load("twins", folder=tmp_path)
    path.write_bytes(gzip.compress(b"a,b\n1,2\n")[:10])
    with pytest.raises(ValueError, match="cannot be read"):
        load("twins", folder=tmp_path)
    (tmp_path / "news").mkdir()
    np.save(tmp_path / "news" / "news_pp.npy", np.zeros(3))
    with pytest.raises(ValueError, match="one matrix of numbers"):
        load("news-dose", folder=tmp_path)


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
