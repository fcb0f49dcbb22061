"""Data files as they are read: missing, damaged, of another layout."""

import gzip
import io

import numpy as np
import pytest

from pairnet.studies import DataMissing, load

rng = np.random.default_rng(0)


def npz(rows, realisations=2, **changed):
    """The bytes of an IHDP file with random numbers."""
    arrays = {"x": rng.normal(size=(rows, 25, realisations))}
    arrays |= {name: rng.normal(size=(rows, realisations)) for name in ("yf", "mu0", "mu1")}
    arrays["t"] = rng.integers(0, 2, (rows, realisations)).astype(float)
    stream = io.BytesIO()
    np.savez(stream, **(arrays | changed))
    return stream.getvalue()


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
