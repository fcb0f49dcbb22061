"""A process uses the cores that it may use."""

import os

from pairnet.core.cores import usable_cores


def test_a_worker_may_be_told_to_use_fewer_cores(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {2, 5, 7}, raising=False)
    monkeypatch.delenv("PAIRNET_CORES", raising=False)
    assert usable_cores() == 3
    for said, cores in (("2", 2), ("8", 3), ("0", 1), ("many", 3)):
        monkeypatch.setenv("PAIRNET_CORES", said)
        assert usable_cores() == cores
