"""Files are there whole or not at all, and what killed writers left is removed."""

import errno
import os
import signal
import subprocess
import sys
import threading

import pytest

from pairnet.core import locks, writing
from pairnet.core.errors import BadInput
from pairnet.core.writing import whole

needs_locks = pytest.mark.skipif(locks.fcntl is None, reason="no locks of open files here")


def write(path, text):
    with whole(path) as file:
        file.write(text.encode())


def test_a_file_has_its_name_when_all_of_it_is_there(tmp_path):
    path = tmp_path / "report.html"
    write(path, "old")
    with whole(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_text() == "old"
    assert path.read_text() == "new"
    with pytest.raises(TypeError), whole(path) as file:
        file.writelines([b"half of it", None])
    assert path.read_text() == "new"
    assert os.listdir(tmp_path) == ["report.html"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_a_file_does_not_take_the_place_of_a_pipe_or_a_device(tmp_path):
    """As root, `-o` to a link to /dev/null would have replaced /dev/null."""
    os.mkfifo(tmp_path / "pipe.html")
    (tmp_path / "link.html").symlink_to("pipe.html")
    for name in ("pipe.html", "link.html"):
        with pytest.raises(OSError, match="cannot be written: it is a device or a pipe"):
            write(tmp_path / name, "page")
        with pytest.raises(BadInput, match=f"--out must be a file, got .*{name}, which is a dev"):
            writing.can_write(tmp_path / name, "--out")
    assert sorted(os.listdir(tmp_path)) == ["link.html", "pipe.html"]
    assert (tmp_path / "pipe.html").is_fifo()


KILLED = """
import os, signal, sys
from pairnet.core.writing import whole
with whole(sys.argv[1]) as file:
    file.write(b"half of it")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@needs_locks
def test_the_next_writer_removes_what_a_killed_one_left_but_not_what_a_live_one_writes(tmp_path):
    path, other = tmp_path / "report.html", tmp_path / "report.html.txt"
    write(path, "old")
    for _ in range(2):
        killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], timeout=60)
        assert killed.returncode == -signal.SIGKILL
    assert len(os.listdir(tmp_path)) == 2  # the second removed what the first left
    assert path.read_text() == "old"
    mine = tmp_path / ".report.html.backup.part"
    mine.write_text("mine")
    with whole(path) as slow, whole(other) as another:
        slow.write(b"slow")
        another.write(b"another")
        thread = threading.Thread(target=write, args=(path, "quick"))
        thread.start()
        thread.join()
        assert path.read_text() == "quick"
    assert path.read_text() == "slow"
    assert other.read_text() == "another"
    assert sorted(os.listdir(tmp_path)) == [mine.name, path.name, other.name]


@needs_locks
def test_on_a_disk_without_locks_only_old_parts_are_removed(tmp_path, monkeypatch):
    def no_locks(*_):
        raise OSError(errno.ENOLCK, "no locks available")

    monkeypatch.setattr(locks.fcntl, "flock", no_locks)
    old, young = (tmp_path / f".data.csv.{token}.part" for token in ("00000000", "11111111"))
    for part in (old, young):
        part.write_text("x")
    os.utime(old, (0, 0))
    write(tmp_path / "data.csv", "a")
    assert sorted(os.listdir(tmp_path)) == [young.name, "data.csv"]
    with locks.locked(tmp_path / "lock") as held:
        assert not held


def test_a_part_that_was_taken_for_one_left_is_made_anew(tmp_path, monkeypatch):
    """Another process may look at a new part before its writer holds it."""
    hold, removed = writing.hold, []

    def removed_first(handle):
        if not removed:
            removed.extend(tmp_path.glob(".*.part"))
            removed[0].unlink()
        return hold(handle)

    monkeypatch.setattr(writing, "hold", removed_first)
    write(tmp_path / "a.csv", "a")
    assert removed
    assert os.listdir(tmp_path) == ["a.csv"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_links_and_modes_stay_as_they_were(tmp_path):
    private, link = tmp_path / "private.csv", tmp_path / "link.csv"
    private.write_text("old")
    private.chmod(0o600)
    link.symlink_to(private)
    write(link, "new")
    assert link.is_symlink()
    assert private.read_text() == "new"
    assert private.stat().st_mode & 0o777 == 0o600


FULL = """
import resource, signal, sys
from pathlib import Path
from pairnet.core.writing import whole
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
try:
    with whole(sys.argv[1]) as file:
        file.write(b"x" * 20_000)
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limits")
def test_where_no_more_can_be_written_the_file_is_named_and_stays_as_it_was(tmp_path):
    path = tmp_path / "report.html"
    write(path, "old")
    call = [sys.executable, "-c", FULL, str(path)]
    said = subprocess.run(call, capture_output=True, text=True, timeout=60)
    assert "File too large" in said.stdout
    assert "report.html" in said.stdout
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["report.html"]


def test_a_lock_is_for_one_and_leaves_no_file(tmp_path):
    path = tmp_path / "lock"
    with locks.locked(path) as held:
        assert held
        with pytest.raises(locks.Busy), locks.locked(path):
            pass
    with locks.locked(path) as held:
        assert held
    assert not path.exists()
