"""The cluster of machines that Ray knows: how to join it, and what its machines have.

Ray waits minutes for an address where nobody is, and speaks of itself. So it is asked only after
somebody has answered there as Ray does, and what goes wrong is said in our words.
"""

from __future__ import annotations

import importlib.metadata
import logging
import os
import signal
import socket
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from pairnet import __version__
from pairnet.core.cores import usable_cores
from pairnet.core.errors import BadInput, NotInstalled

ANSWER_SECONDS = 5.0  # how long a cluster may take to answer
# How HTTP/2, which Ray speaks, begins: from us, and as the kind of the first frame of an answer.
HELLO, SETTINGS = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]), 4
HOW_TO_JOIN = (
    "This machine must be one of the cluster: ray start --address={}. If the cluster asks for a "
    "token, set RAY_AUTH_MODE=token here, too, and copy its file ~/.ray/auth_token."
)
AUTH = "RAY_AUTH_MODE"  # Ray sets it when it starts a cluster of our own
FRESH = "`ray start --head` starts a cluster; without an address this machine works alone."


@dataclass(frozen=True)
class Needs:
    """What a task needs of the machine that does it."""

    cores: float | int = 1
    gpus: float | int = 0

    def __str__(self) -> str:
        return f"{_counted(self.cores, 'core')} and {_counted(self.gpus, 'GPU')}"

    def check(self, nodes: Sequence[Mapping[str, Any]]) -> None:
        """Raise if no machine has what a task needs: Ray would wait for one."""
        if room(nodes, self):
            return
        most = max(_alive(nodes), default=Needs(0, 0), key=lambda node: (node.gpus, node.cores))
        problem = f"A task needs {self}, and no machine of the Ray cluster has that"
        raise BadInput("", problem, f"The largest has {most}. Ask for less, or add a machine.")


def room(nodes: Sequence[Mapping[str, Any]], needs: Needs) -> int:
    """Return how many tasks the machines that live can do at the same time."""
    fits = 0
    for node in _alive(nodes):
        by_gpus = node.gpus / needs.gpus if needs.gpus else float("inf")
        fits += int(min(node.cores / needs.cores, by_gpus) + 1e-9)
    return fits


def _alive(nodes: Sequence[Mapping[str, Any]]) -> list[Needs]:
    """Return the cores and GPUs of each machine that lives."""
    own = (node["Resources"] for node in nodes if node["Alive"])
    return [Needs(each.get("CPU", 0), each.get("GPU", 0)) for each in own]


def _counted(number: float | int, what: str) -> str:
    return f"{number:g} {what}{'s' * (number != 1)}"


def versions() -> dict[str, str]:
    """Return the versions that a worker must have, too, to read tasks and give the same numbers."""
    python = "{}.{}".format(*sys.version_info)
    jax = importlib.metadata.version("jax")
    return {"Python": python, "jax": jax, "pairnet": __version__}


def same_versions(found: tuple[str, Mapping[str, str]]) -> None:
    """Raise for a machine that has other versions; it has said which."""
    machine, theirs = found
    own = versions()
    other = [name for name in own if theirs[name] != own[name]]
    said = lambda of: " and ".join(f"{name} {of[name]}" for name in other)
    problem = f"The machine {machine} of the Ray cluster has {said(theirs)}, this one {said(own)}"
    raise BadInput("", problem, "Install the same versions on all machines.")


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Give `ray`, connected to a cluster: as the user has connected it, else until we are done."""
    try:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray
    except ImportError:
        raise NotInstalled("The engine 'ray' needs", "ray", "'pairnet[ray]'") from None
    if ray.is_initialized():
        _check_same(ray, address)
        yield ray
        return
    before, mode = signal.getsignal(signal.SIGTERM), os.environ.get(AUTH)
    _join(ray, address)
    try:
        yield ray
    finally:
        ray.shutdown()
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and before is not None:
            signal.signal(signal.SIGTERM, before)  # Ray has set its own
        os.environ.pop(AUTH, None)
        if mode is not None:
            os.environ[AUTH] = mode


def _check_same(ray: Any, address: str | None) -> None:
    """Raise if this process is connected to another cluster than the one asked for."""
    if address in (None, "auto", "local"):
        return
    host, port = _host_and_port(address)
    there = ray.get_runtime_context().gcs_address
    if there.rpartition(":")[2] != port or host not in (there.rpartition(":")[0], *LOOPBACK):
        problem = f"is {address}, but this process is connected to Ray at {there}"
        raise BadInput("address", problem, "Call ray.shutdown() first, or leave the address out.")


LOOPBACK = ("localhost", "127.0.0.1")


def _join(ray: Any, address: str | None) -> None:
    """Connect to the cluster of an address, or start one of our own on this machine."""
    asked = address or os.environ.get("RAY_ADDRESS") or None
    if asked == "local":
        return _started(ray)
    if asked in (None, "auto"):
        try:
            return _begun(ray, address="auto")
        except ConnectionError:
            if asked is None:
                return _started(ray)
            problem = "is auto, but no Ray cluster runs on this machine"
            raise BadInput("address", problem, FRESH) from None
    _check_answer(asked)
    try:
        _begun(ray, address=asked)
    except Exception as error:
        raise BadInput("", *_why_not_joined(asked, str(error))) from None


def _started(ray: Any) -> None:
    """Start Ray on this machine, for this process alone."""
    try:
        _begun(ray, address="local", num_cpus=usable_cores())
    except Exception as error:
        problem = f"Ray could not be started on this machine: {_first_line(str(error))}"
        raise BadInput("", problem, "`ray start --head` may tell more.") from None


def _begun(ray: Any, **how: Any) -> None:
    """Connect, while Ray says nothing on our terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ray.init(
                include_dashboard=False, log_to_driver=False, logging_level=logging.CRITICAL, **how
            )
        except BaseException:
            ray.shutdown()  # of what was started already
            raise


def _why_not_joined(address: str, why: str) -> tuple[str, str]:
    """Return the problem and the advice where Ray answers, but does not take us."""
    if "Version mismatch" in why:
        lines = [" ".join(line.split()) for line in why.splitlines() if line.startswith("    ")]
        there, here = ", ".join(lines[:2]), ", ".join(lines[2:])
        problem = f"The Ray cluster at {address} runs {there}, this process {here}"
        return problem, "Install the same versions on all machines."
    problem = f"Ray at {address} does not take this process: {_first_line(why)}"
    return problem, HOW_TO_JOIN.format(address)


def _first_line(text: str) -> str:
    return (text.strip().splitlines() or ["it does not say why"])[0]


def _host_and_port(address: str) -> tuple[str, str]:
    """Return the parts of an address; raise if it is none."""
    if "://" in address:
        problem = f"must be that of a cluster, as 10.0.0.1:6379, got {address!r}"
        advice = (
            "Through Ray Client results do not come one by one. Work on a machine of the cluster, "
            "or send the command there: ray job submit -- pairnet ... --engine ray."
        )
        raise BadInput("address", problem, advice)
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or not 0 < int(port) < 2**16:
        problem = f"must be HOST:PORT, auto or local, got {address!r}"
        raise BadInput("address", problem, "Ray's own port is 6379, as in 10.0.0.1:6379.")
    return host, port


def _check_answer(address: str) -> None:
    """Raise if nobody answers at an address, or somebody who is not Ray."""
    (host, port), answer = _host_and_port(address), b""
    try:
        there = socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS)
    except OSError as error:
        why = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
        problem = f"Nobody is at {address}: {why}"
        raise BadInput("", problem, f"Is that where the cluster's head is? {FRESH}") from None
    with there, suppress(OSError):  # no answer is an answer, too
        there.sendall(HELLO)
        while len(answer) < 4 and (more := there.recv(9)):
            answer += more
    if answer[3:4] != bytes([SETTINGS]):
        problem = f"Somebody is at {address}, but it is not Ray"
        raise BadInput("", problem, f"Ray's own port is 6379. {FRESH}")
