"""Attack the library for as long as you like: what breaks it, and how often?

    python benchmarks/soak.py --inputs 100000 --kills 300
    python benchmarks/soak.py --minutes 10 --seed 7
    python benchmarks/soak.py --again "frames:1234"

Every input is a damaged file or model, an odd table, a senseless question or setting. It must
be answered, rightly where that can be told, or refused in words. Every kill ends a process while it
writes: what it wrote over must be whole. All else is a fault; each is written into a file with the
words that make it again. docs/reliability.md tells what is promised and what was found.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import resource
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

# The attacks live among the tests, which make some of each: one code, one list of promises.
sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

HANGING = 300  # seconds after which an input counts as hanging, as attacks.children.PATIENCE
TOLD = 60  # seconds between two lines about how far it is
Job = tuple[str, int]  # the name of an attack, and its seed


@dataclass
class Worker:
    """A process that makes attacks, one after another."""

    process: Any
    line: Connection
    job: Job
    since: float


class Tally:
    """What became of all attacks, by their names."""

    def __init__(self, file: Path):
        self.file, self.begun = file, time.time()
        self.endings: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.mebibytes = 0.0

    def add(self, job: Job, ending: str, seconds: float, story: str = "") -> None:
        """Count an attack; a fault is also written into the file."""
        self.endings[job[0]][ending] += 1
        self.seconds[job[0]] += seconds
        if ending == "fault":
            kind = f"{job[0]}: {_in_short(story)}"
            self.faults[kind] += 1
            if self.faults[kind] == 1:
                print(f'FAULT {kind}\n    --again "{job[0]}:{job[1]}"', flush=True)
            with self.file.open("a") as file:
                file.write(f"{'=' * 100}\n{job[0]}:{job[1]}\n{story}\n")

    def total(self, *endings: str, killed: bool = False) -> int:
        """Return how many attacks ended so, or all, among inputs or among kills."""
        chosen = [each for name, each in self.endings.items() if name.startswith("kill") == killed]
        return sum(n for each in chosen for how, n in each.items() if not endings or how in endings)

    def lines(self) -> Iterator[str]:
        """Yield a table of all counts."""
        columns = ("answers", "refused", "killed", "survived", "skipped", "fault")
        yield f"| attack | {' | '.join(columns)} | ms each |"
        yield "| --- |" + " --- |" * (len(columns) + 1)
        for name, counts in sorted(self.endings.items()):
            each = 1000 * self.seconds[name] / sum(counts.values())
            cells = [f"{counts[column]:,}" if counts[column] else "" for column in columns]
            yield f"| {name} | {' | '.join(cells)} | {each:.0f} |"
        inputs, died = self.total(), self.total("killed", killed=True)
        yield (
            f"\n{inputs:,} inputs: {self.total('answers'):,} answers, "
            f"{self.total('refused'):,} refused in words; {died:,} kills; "
            f"{self.faults.total():,} faults of {len(self.faults)} kinds; "
            f"{(time.time() - self.begun) / 60:.1f} minutes; "
            f"at most {self.mebibytes:,.0f} MiB in a process."
        )


def _in_short(story: str) -> str:
    """Return what went wrong and where, without the numbers of this one case."""
    what = re.split(r"[:(\n]", story.strip())[0]
    places = re.findall(r'File "\S*/(pairnet/\S+)", line (\d+)', story)
    errors = re.findall(r"^[\w.]*(?:Error|Warning|Exception|Operation)\b.*", story, re.MULTILINE)
    where = f" at {places[-1][0]}:{places[-1][1]}" if places else ""
    return f"{what}{where} {errors[-1][:120] if errors else ''}".strip()


def main() -> int:
    """Attack, or make one attack again."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=50, help="processes that were really killed")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; the next ones follow")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so long")
    parser.add_argument("--jobs", type=int, default=2, help="processes side by side")
    parser.add_argument("--only", default="", help="only attacks whose name begins like this")
    parser.add_argument("--faults", type=Path, default=Path("faults.txt"), help="where faults go")
    parser.add_argument("--again", help="make one attack again, as NAME:SEED")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"  # processes beside one another need no threads
    os.environ.setdefault("RUST_BACKTRACE", "0")
    if given.again:
        from attacks.every import made

        name, _, seed = given.again.rpartition(":")
        print(made(name, int(seed)))
        return 0
    tally = Tally(given.faults)
    try:
        _attack(given, tally)
    except KeyboardInterrupt:
        print("Stopped.")
    print("\n".join(tally.lines()))
    return 1 if tally.faults else 0


def _attack(given: argparse.Namespace, tally: Tally) -> None:
    """Hand out attacks to processes until there are enough."""
    from attacks.children import patience

    jobs = _jobs(given, tally)
    workers: list[Worker] = []
    told = time.time()
    try:
        for _ in range(given.jobs):
            if job := next(jobs, None):
                workers.append(_hired(job))
        while workers:
            ready = wait([worker.line for worker in workers], timeout=5)
            for worker in list(workers):
                late = time.time() - worker.since > patience(HANGING)
                if worker.line in ready:
                    _hear(worker, tally)
                elif late:
                    waited = time.time() - worker.since
                    tally.add(worker.job, "fault", waited, f"no end after {waited:.0f} s")
                    worker.process.kill()
                else:
                    continue
                job = next(jobs, None)
                if job is None or late or not worker.process.is_alive():
                    workers.remove(worker)
                    worker.process.kill()
                    workers += [] if job is None else [_hired(job)]
                else:
                    _ask(worker, job)
            if time.time() - told > TOLD:
                told = time.time()
                died = tally.total("killed", killed=True)
                print(f"{tally.total():,} inputs, {died:,} kills", flush=True)
    finally:
        for worker in workers:
            worker.process.kill()


def _jobs(given: argparse.Namespace, tally: Tally) -> Iterator[Job]:
    """Yield attacks, kills among inputs, until enough of both were counted or time is up."""
    from attacks.every import drawn

    handed = 0
    for seed in range(given.seed, sys.maxsize):
        died = tally.total("killed", killed=True)
        if time.time() - tally.begun > 60 * given.minutes:
            return
        if handed >= given.inputs and died >= given.kills:
            return
        killed = died < given.kills and died * given.inputs <= handed * given.kills
        if not killed and handed >= given.inputs:
            return
        name = drawn(seed, killed)
        if name.startswith(given.only):
            handed += not killed
            yield name, seed


def _hired(job: Job) -> Worker:
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=_work, args=(theirs,))
    process.start()
    theirs.close()
    worker = Worker(process, mine, job, 0.0)
    _ask(worker, job)
    return worker


def _ask(worker: Worker, job: Job) -> None:
    worker.job, worker.since = job, time.time()
    worker.line.send(job)


def _hear(worker: Worker, tally: Tally) -> None:
    try:
        ending, seconds, story, mebibytes = worker.line.recv()
    except EOFError:
        worker.process.join()
        seconds = time.time() - worker.since
        tally.add(worker.job, "fault", seconds, f"the process died: {worker.process.exitcode}")
        return
    tally.mebibytes = max(tally.mebibytes, mebibytes)
    tally.add(worker.job, ending, seconds, story)


def _work(line: Connection) -> None:
    """Be a process that makes attacks."""
    from attacks.every import made
    from attacks.oracle import Fault

    while True:
        try:
            name, seed = line.recv()
        except EOFError:
            return
        begun, story = time.perf_counter(), ""
        try:
            ending = made(name, seed)
        except Fault as fault:
            ending, story = "fault", "\n".join([str(fault), *getattr(fault, "__notes__", [])])
        except BaseException:  # polars' panics are no exceptions
            ending, story = "fault", f"the attack itself failed\n{traceback.format_exc()}"
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        line.send((ending, time.perf_counter() - begun, story, most))


if __name__ == "__main__":
    sys.exit(main())
