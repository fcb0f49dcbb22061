"""Effects of tables of any size: block by block, in bounded memory, by any number of workers.

Each block is a task of an engine and becomes a part file, whatever is worked on beside it. So the
numbers are those of one worker, and a run that was killed goes on with the parts that are missing.
A single file is joined from such parts at the end.
"""

from __future__ import annotations

import functools
import hashlib
import io
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from pairnet.commands.asked import EffectOptions, FileOptions
from pairnet.commands.large import is_large
from pairnet.commands.parts import Head, Parts, parts_in, read_manifest
from pairnet.commands.reading import scanned_for
from pairnet.commands.rows import (
    beside_results,
    check_is_not,
    check_is_not_in,
    covariates_of,
    label_of,
    used_of,
)
from pairnet.commands.saying import INTERRUPTED, Ended, paragraphs
from pairnet.commands.scored import RESULTS, Wanted, answers_of, columns_of, few_of
from pairnet.commands.telling import Teller
from pairnet.commands.totals import Totals, totals_as_facts, totals_in_words
from pairnet.commands.wording import CommandLineWording, notes
from pairnet.core.errors import BadInput, count_of
from pairnet.core.writing import can_write, whole
from pairnet.engines import AbstractEngine, Here, Result, Task, WorkerDied
from pairnet.methods import load
from pairnet.model.face import Estimator
from pairnet.model.folder import TEXT
from pairnet.model.question import ask_memory
from pairnet.tables.columns import Note, Strangeness
from pairnet.tables.files import check_writes, format_of
from pairnet.tables.source import Piece, Source, block_rows
from pairnet.training.progress import bar

BY_BLOCKS = "a folder, a large file, or what goes into a folder or to several workers"


def is_in_blocks(table: Path, wanted: EffectOptions, engine: AbstractEngine | None) -> bool:
    """Tell whether a table is read in blocks."""
    if wanted.into_folder or table.is_dir() or engine is not None:
        return True
    with suppress(BadInput):
        return is_large(table) and format_of(wanted.out).joins
    return False


def score(
    folder: Path,
    table: Path,
    wanted: EffectOptions,
    asked: FileOptions,
    engine: AbstractEngine | None,
    teller: Teller,
) -> None:
    """Write the effects of all rows of a table into part files, or into one file."""
    wanted = replace(wanted, into_folder=wanted.into_folder or _is_folder(table, wanted.out))
    _check_places(folder, table, wanted)
    method, digest = load(folder), digest_of(folder)
    source, said = scanned_for(method.schema_, table, asked)
    job = _job(folder, digest, method, source, table, wanted)
    pieces = source.pieces(block_rows(len(method.schema_.features)))
    head = _head(job, source, wanted, len(pieces))
    place = wanted.out if wanted.into_folder else _beside(wanted.out, head, len(pieces))
    with _left_whole(wanted, place), parts_in(place, head, len(pieces)) as parts:
        known = len(parts.done)
        _work(job, source, pieces, parts, engine or Here(), teller)
        parts.finish()
        totals, where = _told(parts, teller), list(_where(job, wanted, parts, known))
        if not wanted.into_folder:
            with whole(wanted.out) as file:
                format_of(wanted.out, writes=True).join(parts.files, file)
    say = teller.say
    for line in map(paragraphs, said):
        say(line)
    question = ask_memory(method.model_, job.T0, job.T1)
    apart = method.model_.predictor.is_stack
    for line in totals_in_words(totals, question, wanted.alpha, wanted.abstain, apart):
        say(line)
    say(paragraphs(*where))
    teller.tell(
        lambda: {
            "command": "effect",
            "model": folder,
            "table": table,
            **totals_as_facts(totals, question),
            "alpha": wanted.alpha if question.has_interval else None,
            "written": wanted.out,
            "parts": len(pieces),
        }
    )


def digest_of(folder: Path) -> str:
    """Return the hash of a saved model: its text names the hash of its weights."""
    return hashlib.sha256((folder / TEXT).read_bytes()).hexdigest()


@dataclass(frozen=True)
class Job:
    """What is done with each block, as plain values that other processes can read.

    model, digest: the folder of the model, and its hash. used, beside: columns that are read: the
    covariates (None: all, in their order), and those that are written beside results.
    """

    model: Path
    digest: str
    T0: Any
    T1: Any
    wanted: Wanted
    used: tuple[str, ...] | None
    beside: tuple[str, ...]


class Scored(NamedTuple):
    """A block that is done: its part file, and what is said of it."""

    part: int
    content: bytes
    totals: Totals
    notes: tuple[Note, ...]


def score_block(job: Job, source: Source, piece: Piece, part: int) -> Scored:
    """Read a block, and return its effects as the content of a part file."""
    method = _model(job.model, job.digest)
    schema = method.schema_
    names = None if job.used is None else list(dict.fromkeys((*job.used, *job.beside)))
    frame = source.read(piece, names)
    place = lambda rows, more: source.place(piece, rows, more)
    strangeness = Strangeness()
    try:
        table = schema.of_rows(covariates_of(schema, frame, source.path))
        table.encoded = schema.encode_noting(table, strangeness)
        question = method.ask(table, T0=job.T0, T1=job.T1)
        answers = answers_of(question, job.wanted, by_fit=True)
    except BadInput as error:
        raise ValueError(error.worded(_InBlock(place))) from None
    columns = columns_of(answers, job.wanted.evidence)
    kept = {name: frame.get_column(name) for name in job.beside}
    content = io.BytesIO()
    pl.DataFrame(kept | columns).write_parquet(content)
    has_far = any(note.what == "far" for note in strangeness.notes)
    far = schema.far(table) if has_far else np.zeros(frame.height, bool)
    totals = Totals.of(answers, far)
    return Scored(part, content.getvalue(), totals, tuple(strangeness.notes))


@functools.lru_cache(maxsize=1)
def _model(folder: Path, digest: str) -> Estimator:
    """Return a saved model, read once a process; raise if it is another one by now."""
    if digest_of(folder) != digest:
        problem = f"The model at {folder} was saved anew while it was in use"
        raise BadInput("", problem, "Begin again, into another folder.")
    return load(folder)


class _InBlock(CommandLineWording):
    """The words of the command line, with rows of a block where they are in the files."""

    def __init__(self, place: Callable[[Sequence[int], bool], str]):
        super().__init__()
        self.in_files = place

    def rows(self, rows, more):
        return self.in_files(rows, more)


def _work(
    job: Job,
    source: Source,
    pieces: Sequence[Piece],
    parts: Parts,
    engine: AbstractEngine,
    teller: Teller,
) -> None:
    """Do the blocks that are left, and write each as soon as it is there."""
    tasks = (
        Task(
            f"block {part + 1} of {len(pieces)}",
            score_block,
            (job, *_alone(source, pieces[part]), part),
        )
        for part in parts.left
    )
    shown = bar("Scoring", shown=sys.stderr.isatty())
    with notes(told=teller.notes), shown as report, closing(engine.run(tasks)) as results:
        for result in results:
            done = _of_worker(result)
            about = {"rows": done.totals.rows, "totals": done.totals.to_json()}
            if done.notes:
                about["notes"] = [list(note) for note in done.notes]
            parts.write(done.part, done.content, about)
            report("blocks", float(len(parts.done)), parts.count, 1)


def _of_worker(result: Result) -> Scored:
    """Return a block that is done; raise if it is not, in words if its worker is gone."""
    try:
        return result.get()
    except WorkerDied as error:
        problem = f"{error} It was killed, or memory ran out"
        advice = "Try again, with fewer --jobs: they need less memory."
        raise BadInput("", problem, advice) from None


def _alone(source: Source, piece: Piece) -> tuple[Source, Piece]:
    """Return a source of the one file that a piece is of, which is quick to send."""
    return replace(source, scans=(source.scans[piece.file],)), piece._replace(file=0)


def _told(parts: Parts, teller: Teller) -> Totals:
    """Return the totals of all parts, and warn of what is strange about their rows."""
    strangeness, in_order = Strangeness(), [parts.done[part] for part in range(parts.count)]
    for about in in_order:
        strangeness.add(_note(value) for value in about.get("notes", ()))
    with notes(told=teller.notes):
        strangeness.tell()
    return Totals.together([Totals.from_json(about["totals"]) for about in in_order])


def _note(value: Sequence[Any]) -> Note:
    note = Note(*value)
    return note._replace(levels=tuple(note.levels))


def _job(
    folder: Path, digest: str, method: Estimator, source: Source, table: Path, wanted: EffectOptions
) -> Job:
    """Return what is done with each block, after all that can be checked before the work."""
    schema, treatment = method.schema_, method.treatment_
    T0, T1 = label_of(treatment, wanted.start, "T0"), label_of(treatment, wanted.to, "T1")
    T0, T1 = treatment.completed(T0, T1)
    ask_memory(method.model_, T0, T1).check_differs()
    empty = pl.DataFrame({name: [] for name in source.names})
    used = tuple(used_of(schema, source.names, table)) if schema.named else None
    beside = tuple(beside_results(schema, empty, table, wanted.keep, RESULTS))
    of_each = Wanted(wanted.alpha, wanted.evidence, wanted.abstain)
    return Job(folder.absolute(), digest, T0, T1, of_each, used, beside)


def _head(job: Job, source: Source, wanted: EffectOptions, count: int) -> Head:
    """Return what the results are about, as plain values."""
    plain = lambda value: value.item() if isinstance(value, np.generic) else value
    files = [(file, file.stat()) for file in source.files]
    asked = source.asked
    return {
        "model": {"sha256": job.digest},
        "question": {
            "from": plain(job.T0),
            "to": plain(job.T1),
            "evidence": wanted.evidence,
            "abstain": wanted.abstain,
            "alpha": plain(wanted.alpha),
            "columns": list(job.beside),
            "na": list(asked.na),
            "decimal": asked.decimal,
        },
        "input": [
            {"file": file.name, "bytes": stat.st_size, "modified": stat.st_mtime_ns}
            for file, stat in files
        ],
        "parts": count,
    }


def _is_folder(table: Path, out: Path) -> bool:
    """Tell whether results go into a folder though nobody said so: those of a folder, mostly."""
    if out.is_dir():
        return True
    return table.is_dir() and not out.suffix


def _check_places(folder: Path, table: Path, wanted: EffectOptions) -> None:
    """Raise if the results cannot go where they are to go, or an average over them is asked for."""
    out = wanted.out
    if wanted.target is not None:
        raise BadInput(
            "",
            f"--target says an average over all rows at once; {table} is read in blocks, as is "
            f"{BY_BLOCKS}",
            "Leave it out: the mean of the effects is said at the end.",
        )
    if not wanted.into_folder:
        check_writes(out)
        if not format_of(out, writes=True).joins:
            problem = f"{out} cannot be written block by block"
            raise BadInput(
                "", problem, "Name a .parquet, .feather, .csv or .tsv file, or a folder."
            )
        can_write(out, "--out")
        check_is_not(out, table)
    inside = [out.absolute(), *out.absolute().parents]
    for other, what in ((table, "the table itself"), (folder, "the model")):
        if other.is_dir() and other.absolute() in inside:
            raise BadInput("", f"--out would lie in {what}, {other}", "Name another place.")
    if not wanted.into_folder and folder.is_dir():
        check_is_not_in(out, folder)


def _beside(out: Path, head: Head, count: int) -> Path:
    """Return the folder of the parts of a single file, without what other commands left in it."""
    place = out.absolute().with_name(f".{out.name}.parts")
    before = read_manifest(place)
    plain = {key: before.get(key) for key in head} if before else {}
    if place.exists() and plain != head:
        shutil.rmtree(place)
    return place


@contextmanager
def _left_whole(wanted: EffectOptions, place: Path) -> Iterator[None]:
    """Leave nothing but the results: of a single file no parts, whatever happens."""
    try:
        yield
    except KeyboardInterrupt:
        if wanted.into_folder:
            text = f"Interrupted. The same command goes on with what is missing in {wanted.out}."
            print(text, file=sys.stderr)
            raise Ended(INTERRUPTED) from None
        raise
    finally:
        if not wanted.into_folder:
            shutil.rmtree(place, ignore_errors=True)


def _where(job: Job, wanted: EffectOptions, parts: Parts, known: int) -> Iterator[str]:
    """Yield sentences about what is written where."""
    if known:
        rows = sum(about["rows"] for about in list(parts.done.values())[:known])
        yield f"{known:,} of {parts.count:,} parts ({count_of(rows)}) were there already."
    results = [name for name in pl.read_parquet_schema(parts.files[0]) if name not in job.beside]
    many = f", {len(parts.files):,} files" if wanted.into_folder else ""
    yield f"Written: {wanted.out}{many}, with the columns {few_of(job.beside, results)}."
