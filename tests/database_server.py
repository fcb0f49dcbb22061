"""A server of PostgreSQL of its own, on loopback, for tests; they skip where there is none."""

import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

USER, WORD, TYPED = "ann", "s3c:r/t!", "s3c%3Ar%2Ft!"  # TYPED: the password as an address has it


def programs():
    """Return the folder of PostgreSQL's programs, or None where they are not installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = shutil.which("initdb")
    folders += [Path(found).resolve().parent] if found else []
    there = lambda one: (one / "initdb").exists() and (one / "postgres").exists()
    return next(filter(there, folders), None)


@contextlib.contextmanager
def running():
    """Give the address of a server that runs; skip the test where it cannot."""
    psycopg = pytest.importorskip("psycopg")
    if (folder_of_programs := programs()) is None:
        pytest.skip("PostgreSQL's server is not installed: apt-get install postgresql")
    folder = Path(tempfile.mkdtemp(prefix="pg-"))  # short, as the path of a socket must be
    try:
        folder.chmod(0o777)
        with _started(folder_of_programs, folder) as port:
            address = f"postgresql://{USER}:{TYPED}@127.0.0.1:{port}/postgres"
            for _ in range(300):
                with contextlib.suppress(psycopg.OperationalError), psycopg.connect(address):
                    break
                time.sleep(0.1)
            yield address
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _started(folder_of_programs, folder):
    as_nobody = {"user": "nobody"} if os.getuid() == 0 else {}  # initdb refuses root
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **as_nobody}
    data, port = str(folder / "data"), str(_free_port())
    (folder / "word").write_text(WORD)
    options = f"-A scram-sha-256 -U {USER} --pwfile={folder / 'word'} --no-sync -E UTF8 --locale=C"
    make = [folder_of_programs / "initdb", "-D", data, *options.split()]
    subprocess.run(make, check=True, timeout=300, **quiet)
    options = f"-p {port} -h 127.0.0.1 -k {folder} -F"
    server = subprocess.Popen(
        [folder_of_programs / "postgres", "-D", data, *options.split()], **quiet
    )
    try:
        yield port
    finally:
        server.terminate()
        server.wait(timeout=60)


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]
