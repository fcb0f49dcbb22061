"""A process that fits many tables keeps the memory of few: programs of old sizes are let go."""

import subprocess
import sys

import numpy as np
import pytest

from pairnet.training.compiling import Program

FITS = """
import numpy as np
from pairnet import PairNet, Plan
from pairnet.training.compiling import traces
rng = np.random.default_rng(0)
def fit(n):
    before = traces["begin"] + traces["advance"]
    x, t = rng.normal(size=(n, 5)), np.arange(n) % 2
    PairNet(plan=Plan(longest=2)).fit(x, x[:, 0] + rng.normal(size=n), treatment=t).effect(x)
    pages = int(open("/proc/self/statm").read().split()[1])
    print(pages * 4096 / 2**20, traces["begin"] + traces["advance"] - before)
for size in range(10):
    fit(300 + 31 * size)
fit(300 + 31 * 9)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_new_number_of_rows_costs_at_most_20_mebibytes():
    """The default networks; a second fit of a size compiles nothing."""
    call = [sys.executable, "-c", FITS]
    said = subprocess.run(call, capture_output=True, text=True, check=True, timeout=300)
    fits = [line.split() for line in said.stdout.splitlines()]
    (first, _), *_, (last, of_new), (_, of_known) = fits
    assert float(last) - float(first) < 20 * 9
    assert int(of_new) > 0
    assert int(of_known) == 0


def test_a_program_keeps_the_forms_of_the_sizes_used_last():
    traced = []

    def double(x):
        traced.append(x.shape)
        return x * 2

    program = Program(double, kept=2)
    ask = lambda size: program(size, np.ones(size, np.float32))
    for size in (1, 2, 1, 2, 1):
        assert ask(size).sum() == 2 * size
    assert traced == [(1,), (2,)]  # both are kept
    ask(3)  # the form of size 2, used longest ago, is let go
    ask(1)
    assert traced == [(1,), (2,), (3,)]
    ask(2)
    assert traced == [(1,), (2,), (3,), (2,)]
