"""Where files are kept, and what happens where a user has no home."""

from pathlib import Path

import jax
import pytest

from pairnet.core.folders import NoHome, cache_folder, data_folders, own_data_folder
from pairnet.studies import DataMissing, load
from pairnet.training.compiling import keep_programs


@pytest.fixture
def homeless(monkeypatch):
    """A user without a home folder, as in many containers."""
    for name in ("PAIRNET_CACHE", "PAIRNET_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)

    def no_home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", no_home)


def test_without_a_home_errors_say_what_to_set(homeless):
    for ask in (cache_folder, own_data_folder):
        with pytest.raises(NoHome, match="no home folder.*Set the environment variable PAIRNET_CA"):
            ask()
    with pytest.raises(DataMissing, match="needs the file .*`pairnet data get ihdp`"):
        load("ihdp")


def test_without_a_home_folders_that_are_named_are_used(homeless, monkeypatch, tmp_path):
    assert data_folders() == []
    monkeypatch.setenv("PAIRNET_DATA", str(tmp_path))
    assert data_folders() == [tmp_path]
    assert own_data_folder(tmp_path / "mine") == tmp_path / "mine"
    monkeypatch.setenv("PAIRNET_CACHE", str(tmp_path / "cache"))
    assert own_data_folder() == tmp_path / "cache" / "data"


def test_without_a_home_programs_are_compiled_and_not_kept(homeless, monkeypatch):
    monkeypatch.setitem(jax.config.values, "jax_compilation_cache_dir", None)
    changed = []
    monkeypatch.setattr(jax.config, "update", lambda *setting: changed.append(setting))
    keep_programs()
    assert changed == []
