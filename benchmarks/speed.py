"""Speed and memory of the engine, as one table.

    python benchmarks/speed.py [--quick]
    NPROC=1 python benchmarks/speed.py --doses     # epochs with doses alone, one thread of XLA

Rates are ratios to numpy's float32 product of 600 x 200 by 200 x 200, measured in the same run:
machines differ, and shared ones change by the minute. IHDP's realisation 1 is used where its files
are at hand (PAIRNET_DATA), else a table of the same size made here.
"""

from __future__ import annotations

import argparse
import itertools
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HIDDEN, HEAD, ROWS, COVARIATES = 200, 100, 672, 25
SETTLED = 30  # epochs timed after the first ones
AUTHORS = {
    "DRNet": 0.22,
    "VCNet": 1.02,
}  # CPU seconds of an epoch of PairNet over each, by the authors' code


def study():
    """Return IHDP's first realisation, or a table of its size."""
    from pairnet.studies import DataMissing, load

    try:
        return load("ihdp", realisations=[1])
    except DataMissing:
        return load(
            "confounded", realisations=1, rows=ROWS, test=75, covariates=COVARIATES, treated=0.2
        )


def dose_study():
    """Return IHDP's first split with doses, or a table of its size."""
    from pairnet.studies import DataMissing, load

    try:
        return load("ihdp-dose", realisations=[1])
    except DataMissing:
        return load(
            "confounded", realisations=1, rows=471, test=276, covariates=COVARIATES, dose=True
        )


def product_rate() -> float:
    """Return GFLOP/s of numpy's float32 600 x 200 x 200 product."""
    import numpy as np

    a, b = np.ones((600, 200), np.float32), np.ones((200, 200), np.float32)
    best = 0.0
    for _ in range(5):
        begun = time.perf_counter()
        for _ in range(200):
            a @ b
        best = max(best, 200 * 2 * 600 * 200 * 200 / (time.perf_counter() - begun) / 1e9)
    return best


def epoch_flops(method: str) -> float:
    """Count the operations that an epoch of the published plan cannot do without: phi once a row,
    one head a row."""
    first, rest = COVARIATES * HIDDEN, 2 * HIDDEN**2 + HIDDEN * HEAD + HEAD**2 + HEAD
    trained, held_out = 470, 202
    rows = 4 if method == "PairNet" else 1  # each row with its three partners
    steps = trained * rows * (2 * first + 3 * rest)  # no gradient with respect to the covariates
    distances = trained**2 * HIDDEN if method == "PairNet" else 0
    return 2.0 * (steps + held_out * rows * (first + rest) + distances)


def epochs(method, data, together: int = 1) -> dict[str, float]:
    """Time the epochs of a method's last stage under the published plan, with the rate of the
    product beside it.

    together: so many trainings side by side, as the members and replications of a fit are; times
    are those of one.
    """
    import jax
    import jax.numpy as jnp
    import jax.random as jr
    import numpy as np

    from pairnet.core.outcomes import Gaussian
    from pairnet.core.types import Rows, number
    from pairnet.training import Plan, program

    train = data.part(data.train)
    count, strata = train.t.shape[-1], data.treatment.strata
    rows = jax.tree.map(
        lambda leaf: jnp.asarray(leaf, jnp.float32), Rows(train.x, train.t, train.y, train.weight)
    )
    stages = method.recipe(Gaussian(), data.treatment, count).stages
    shape = Plan.published().schedule(count, 120).shape
    keys, fitted = jr.split(jr.key(0), 1), {}
    for stage in stages:
        viewed, setup, state = program.begin_all(
            stage.nameless(), rows, fitted, keys, shape, strata
        )
        fitted[stage.name] = state.network
    never = np.asarray(10**6, np.int32)
    knobs = program.Knobs(number(1e-4), number(0.0), never, never, never)

    def run(count):
        bounds = (np.asarray(0, np.int32), np.asarray(count, np.int32))
        jax.block_until_ready(
            program.advance(
                stages[-1].nameless(), viewed, setup, state, shape, strata, knobs, *bounds
            )
        )

    begun = time.perf_counter()
    run(1)
    compiled = time.perf_counter() - begun
    walls, cpus, shares, rates = [], [], [], []
    for _ in range(5):
        rate = product_rate()
        time.sleep(0.3)  # numpy's threads spin for a while after a product, and would be counted
        begun, cpu = time.perf_counter(), time.process_time()
        with ThreadPoolExecutor(together) as pool:
            list(pool.map(run, [SETTLED] * together))
        count = SETTLED * together
        wall, cpu = (time.perf_counter() - begun) / count, (time.process_time() - cpu) / count
        achieved = epoch_flops(type(method).__name__) / wall / 1e9
        (
            walls.append(wall * 1e3),
            cpus.append(cpu * 1e3),
            shares.append(achieved / rate),
            rates.append(achieved),
        )
    named = zip(("ms", "cpu", "share", "rate"), (walls, cpus, shares, rates), strict=True)
    return {name: statistics.median(values) for name, values in named} | {"compile": compiled}


def whole_fit(method) -> dict[str, float]:
    """Time a first fit and one with another seed (psi of the same one is not trained again), and
    count traces."""
    from pairnet.training.compiling import traces

    data = study()
    rows = data.part(data.train)
    result = {}
    for seed, turn in enumerate(("first", "second")):
        method.set_params(seed=seed)
        before, begun, cpu = sum(traces.values()), time.perf_counter(), time.process_time()
        method.fit(rows.x[0], rows.y[0], treatment=rows.t[0])
        result[turn] = time.perf_counter() - begun
        result[f"{turn} cpu"] = time.process_time() - cpu
        result[f"{turn} traces"] = sum(traces.values()) - before
    return result


def with_doses(table) -> None:
    """Add the epochs of PairNet with doses, beside those of the authors' code."""
    from pairnet import DRNet, PairNet, VCNet

    for base, form, together in itertools.product((DRNet(), VCNet()), ("drawn", "batch"), (1, 2)):
        space, name = "psi" if form == "drawn" else "random", type(base).__name__
        m = epochs(PairNet.published(base=base, form=form, space=space), dose_study(), together)
        side = ", two trainings side by side" if together > 1 else ""
        what = f"PairNet over {name}, {form} pairs, doses, published plan: an epoch{side}"
        times = AUTHORS[name] * 1e3 / m["cpu"]
        table.add_row(
            what, f"{m['ms']:.1f} ms, {m['cpu']:.1f} CPU ms: {times:.1f} times less than theirs"
        )


def every_method(table) -> None:
    """Add a row for each method of arms: a fit of the default plan, once compiled."""
    from pairnet.core.treatments import Arms
    from pairnet.methods import methods

    for name, kind in methods.items():
        if Arms in kind().takes:
            m = whole_fit(kind())
            table.add_row(
                f"{name}, default plan: a fit",
                f"{m['second']:.1f} s, {m['second cpu']:.1f} CPU s once compiled",
            )


def pairing_memory(n: int) -> tuple[float, float]:
    """Return the peak memory (MiB, JAX included) and seconds of exact draws for n rows, in a
    process of its own."""
    code = f"""
import re, time, jax, jax.numpy as jnp, jax.random as jr
from pairnet.pairing import Neighbours
from pairnet.core.types import Embedded, number
n = {n}
def points(n):
    arm = (jnp.arange(n) % 2).astype(jnp.float32)
    return Embedded(jr.normal(jr.key(0), (n, 64)), arm, jnp.ones(n), jnp.arange(n))
pairing = Neighbours(3, number(1.0), number(0.1), True)
draw = jax.jit(lambda query, reference, key: pairing.draw(query, reference, key))
jax.block_until_ready(draw(points(100), points(100), jr.key(1)))
everyone = jax.block_until_ready(points(n))
begun = time.perf_counter()
jax.block_until_ready(draw(everyone, everyone, jr.key(1)))
seconds = time.perf_counter() - begun
status = open("/proc/self/status").read()  # of this process alone, not its parent
peak = re.search("VmHWM:\\s+(\\d+)", status)
print(int(peak[1]) / 1024, seconds)
"""
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    return float(said[0]), float(said[1])


def start_up(*words: str) -> float:
    """Return the median seconds of five starts."""
    seconds = []
    for _ in range(5):
        begun = time.perf_counter()
        subprocess.run([sys.executable, *words], capture_output=True, check=True)
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="leave out the 100,000 rows")
    parser.add_argument(
        "--methods", action="store_true", help="instead, time a fit of every method for arms"
    )
    parser.add_argument(
        "--doses", action="store_true", help="instead, time epochs with doses alone"
    )
    options = parser.parse_args()
    os.environ["PAIRNET_CACHE"] = (
        tempfile.mkdtemp()
    )  # so that compilation is measured, not read from disk
    from rich.console import Console
    from rich.table import Table

    table = Table("what", "measured", title=f"{os.cpu_count()} cores", title_justify="left")
    if options.methods or options.doses:
        (every_method if options.methods else with_doses)(table)
        Console(width=110).print(table)
        return
    table.add_row("import pairnet, median of 5", f"{start_up('-c', 'import pairnet'):.2f} s")
    table.add_row("pairnet --help, median of 5", f"{start_up('-m', 'pairnet.cli', '--help'):.2f} s")

    from pairnet import PairNet, TARNet

    with_doses(table)
    for method in (TARNet.published(), PairNet.published()):
        name, m = type(method).__name__, epochs(method, study())
        table.add_row(
            f"{name}, published plan: an epoch", f"{m['ms']:.1f} ms, {m['cpu']:.1f} CPU ms"
        )
        table.add_row(
            f"{name}: rate", f"{m['rate']:.0f} GFLOP/s = {m['share']:.2f} of numpy's product"
        )
        table.add_row(f"{name}: compilation", f"{m['compile']:.1f} s")
    for name, method in (("published", PairNet.published()), ("default", PairNet())):
        m = whole_fit(method)
        first, second = m["first traces"], m["second traces"]
        table.add_row(
            f"PairNet, {name} plan: a fit",
            f"{m['second']:.1f} s, {m['second cpu']:.1f} CPU s once compiled",
        )
        table.add_row(
            f"PairNet, {name}: first fit", f"{m['first']:.1f} s; {first} traces, then {second}"
        )
    for n in (1_000, 10_000) if options.quick else (1_000, 10_000, 100_000):
        memory, seconds = pairing_memory(n)
        table.add_row(
            f"exact pairing of {n:,} rows, 64 dimensions", f"{memory:.0f} MiB peak, {seconds:.1f} s"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    table.add_row("peak memory of this process", f"{peak:.0f} MiB")
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
