"""A process that fits many tables keeps the memory of few: programs of old sizes are let go."""

import subprocess
import sys

import numpy as np
import pytest

from pairnet.training.compiling import Program

FITS = """
import gc, numpy as np
from pairnet import TARNet, Plan
rng = np.random.default_rng(0)
for size in range(9):
    n = 200 + 31 * size
    x, t = rng.normal(size=(n, 3)), np.arange(n) % 2
    method = TARNet(phi=(20,), mu=(10,), plan=Plan(longest=10), members=2, bootstrap=True)
    method.fit(x, x[:, 0] + rng.normal(size=n), treatment=t).effect(x)
    gc.collect()
    pages = int(open("/proc/self/statm").read().split()[1])
    print(pages * 4096 / 2**20)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_new_number_of_rows_costs_at_most_20_mebibytes():
    call = [sys.executable, "-c", FITS]
    said = subprocess.run(call, capture_output=True, text=True, check=True, timeout=300)
    mebibytes = [float(line) for line in said.stdout.split()]
    assert mebibytes[-1] - mebibytes[0] < 20 * (len(mebibytes) - 1)


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
