"""Tables as files: made by other programs, mistyped, damaged on their way."""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import polars as pl
import zstandard

import pairnet
from attacks import odd
from attacks.ground import frame, known
from attacks.oracle import (
    Fault,
    Said,
    about,
    check_finite,
    check_nothing,
    check_same,
    check_table,
    command,
    untouched,
)
from pairnet.commands.scored import in_digits
from pairnet.tables.files import write_table

TEXT = (".csv", ".csv", ".csv", ".tsv", ".txt", ".csv.gz", ".csv.zst", ".json", ".jsonl", ".xlsx")
TYPED = (".parquet", ".parquet", ".parquet", ".feather")
PLAIN = (".csv", ".tsv", ".txt")


def files(rng: Random, place: Path) -> str:
    """Type `pairnet fit` for a table of odd columns and names, in a file that may be damaged."""
    numbers = np.random.default_rng(rng.getrandbits(64))
    n = rng.randint(5, 50)
    names = odd.names(rng, rng.randint(4, 7), odd=0.15)
    columns = [odd.column(rng, numbers, n) for _ in names]
    labels = rng.choice((("a", "b"), (0, 1), ("none", "drug", "more")))
    columns[0] = [labels[k % len(labels)] for k in range(n)]
    columns[1] = odd.measured(rng, numbers, n)
    if rng.random() < 0.15:
        columns[rng.randint(0, 1)] = odd.column(rng, numbers, n)
    order = rng.sample(range(len(names)), len(names))
    table = {names[k]: columns[k] for k in order}
    file = place / f"table{_ending(rng)}"
    _write(rng, table, file)
    damage = damaged(rng, file) if rng.random() < 0.4 else "no damage"
    words = ["--treatment", names[0], "--outcome", names[1], *_options(rng, names)]
    words += [] if rng.random() < 0.1 else ["--method", "steady"]
    with about(f"{file.name}, {damage}: {file.read_bytes()[:3000]!r}"), untouched(file):
        said = command(*("fit", file, *words, "-o", place / "model", "--members", 2))
        if said.code:
            check_nothing(place, file.name)
            return "refused"
        check_rows(said, file)
        method = pairnet.load(place / "model")
        check_nothing(place, file.name, "model")
        memory = method.model_.memory
        check_finite(method.model_.predictor.outcome(memory.x, memory.t))
    return "answers"


def asked_of_files(rng: Random, place: Path) -> str:
    """Type `pairnet effect` for a table like that of the fit, in a file that may be damaged."""
    model = known(rng.choice(("two arms", "three arms", "yes or no", "doses", "stack")))
    X = frame(rng.randint(0, 9), rng.randint(1, 30))
    X["person"] = [f"p{k}" for k in range(len(X))]
    file = place / f"rows{_ending(rng)}"
    out = place / f"effects{rng.choice(('.csv', '.parquet', '.csv.gz', '.xlsx', '.jsonl'))}"
    _written(pl.DataFrame(X.to_dict("list")).fill_nan(None), file)
    damage = damaged(rng, file) if rng.random() < 0.8 else "no damage"
    words = ["--from", model.T0, "--to", model.T1, "-o", out]
    words += rng.choice(([], [], [], ["--keep", "all"], ["--abstain"], ["--keep", "age"]))
    words += [] if rng.random() < 0.1 or "--abstain" in words else ["--no-evidence"]
    old = rng.random() < 0.5
    if old:
        out.write_text("old")
    with about(f"{file.name}, {damage}: {file.read_bytes()[:3000]!r}"), untouched(file):
        said = command("effect", model.folder, file, *words)
        if said.code:
            check_nothing(place, file.name, *([out.name] if old else []))
            if old and out.read_text() != "old":
                raise Fault("results that were there are gone, and no new ones were written")
            return "refused"
        check_nothing(place, file.name, out.name)
        results = check_table(out)
        check_rows(said, file, results.height)
        if "--abstain" not in words:
            effect = check_finite(results["effect"], (results.height,))
            if damage == "no damage":
                there = model.method.effect(X[model.X.columns], T0=model.T0, T1=model.T1)
                there = in_digits("effect", there).to_numpy()  # as files have them
                check_same(effect, there, "asking about a frame instead of a file", 1e-9)
    return "answers"


def planned_of_files(rng: Random, place: Path) -> str:
    """Type `pairnet policy` for such a table, with costs that may be odd."""
    model = known(rng.choice(("two arms", "three arms", "yes or no", "doses")))
    X = frame(rng.randint(0, 9), rng.randint(1, 30))
    X["price"] = rng.choice((1.0, -1.0, 1e300, float("nan"), "x", 2))
    file, out = place / f"rows{_ending(rng)}", place / "plan.csv"
    _written(pl.DataFrame(X.to_dict("list")).fill_nan(None), file)
    damage = damaged(rng, file) if rng.random() < 0.4 else "no damage"
    some = lambda: rng.choice((1, 20, 0.5, odd.text(rng), odd.number(rng)))
    words = ["--from", model.T0, "--cost", some()]
    words += rng.choice(([], ["--budget", some()], ["--worth", some()]))
    words += rng.choice(([], [], ["--cost-column", rng.choice(("price", "age", odd.text(rng)))]))
    words += rng.choice(([], [], ["--bounds", "15,40"], ["--goal", "min"], ["--alpha", some()]))
    with about(f"{file.name}, {damage}: {words}"), untouched(file):
        said = command("policy", model.folder, file, "-o", out, *words)
        check_nothing(place, file.name, *([] if said.code else [out.name]))
        if said.code:
            return "refused"
        check_finite(check_table(out, column="spent")["spent"])
    return "answers"


def check_rows(said: Said, file: Path, rows: int | None = None) -> None:
    """Raise a fault if rows of a text file were swallowed without a word.

    All values of our files are on one line, so that lines tell how many rows there are.
    """
    if file.suffix not in PLAIN or "Not read: " in said.out:
        return
    if rows is None:
        rows = int(re.search(r": ([\d,]+) rows?,", " ".join(said.out.split()))[1].replace(",", ""))
    text = file.read_bytes().decode("utf-8-sig", errors="replace")
    lines = sum(1 for line in re.split(r"\r\n|\n|\r(?!\n)", text) if line.strip()) - 1
    if (
        rows < lines
        and "quote" not in (said.out + said.err)
        and not _on_purpose(text, lines - rows)
    ):
        raise Fault(f"{lines} lines were read as {rows} rows without a word")


def _on_purpose(text: str, swallowed: int) -> bool:
    """Tell whether line breaks are inside well-formed quotes, as our own odd names have them."""
    return swallowed <= text.partition("\n")[0].count('"') + text.count("\r")


def _ending(rng: Random) -> str:
    """Return a kind of file; those that are first read in a process of their own are dear."""
    ending = rng.choice(TEXT if rng.random() < 0.75 else TYPED)
    return ".arrow" if ending == ".feather" and rng.random() < 0.5 else ending


def _options(rng: Random, names: list[str]) -> list[str]:
    some = rng.choice(names)
    return rng.choice(
        (
            *([[]] * 20),
            ["--covariates", some],
            ["--ignore", some],
            ["--categories", some],
            ["--decimal", ","],
            ["--thousands", rng.choice((",", ".", " ", "x"))],
            ["--na", rng.choice(("-9", "-,.", "", ",", "0"))],
            ["--skip-rows", rng.choice((0, 1, 99))],
            ["--sheet", rng.choice(("1", "x", ""))],
            ["--separator", rng.choice((";", "\t", "|", " ", ",", "", "ab", "é", '"', "\n", "0"))],
            ["--kind", rng.choice(("arms", "dose"))],
            ["--treatment", odd.text(rng)],
            ["--set", f"strength={rng.choice((0, -1, 'x', 1e400, 2))}"],
            ["--no-bootstrap"],
        )
    )


def _write(rng: Random, table: dict[str, odd.Column], file: Path) -> None:
    """Write a table as some other program might."""
    if file.suffix in PLAIN:
        file.write_bytes(_text(rng, table, "," if file.suffix == ".csv" else "\t"))
        return
    if file.suffix in (".gz", ".zst"):
        pack = gzip.compress if file.suffix == ".gz" else zstandard.compress
        file.write_bytes(pack(_text(rng, table, ",")))
        return
    columns = []
    for name, values in table.items():
        try:
            made = pl.Series(name, values, strict=False)
        except BaseException:  # polars panics at some values
            made = pl.Series(name, [None] * len(values), pl.Object)
        if made.dtype == pl.Object or made.dtype == pl.Struct([]):  # which no file can hold
            words = [str(_in_a_line(one)).replace("\ud800", "?") for one in values]
            made = pl.Series(name, words, pl.String)
        columns.append(made)
    try:
        _written(pl.DataFrame(columns), file)
    except BaseException:  # polars cannot write it: an empty file is odd, too
        file.write_bytes(b"")


def _written(frame: pl.DataFrame, file: Path) -> None:
    write_table(frame, file)


def _text(rng: Random, table: dict[str, odd.Column], separator: str) -> bytes:
    if rng.random() < 0.05:
        separator = rng.choice(";|\t, ")
    ending = rng.choice(("\n", "\n", "\r\n", "\r\n" if rng.random() < 0.9 else "\r"))
    quoting = rng.choice(
        (csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)
    )
    made = io.StringIO(newline="")
    writer = csv.writer(made, delimiter=separator, lineterminator=ending, quoting=quoting)
    writer.writerow(map(_in_a_line, table))
    for row in zip(*table.values(), strict=True):
        writer.writerow([_in_a_line(one) for one in row])
    text = made.getvalue()
    if rng.random() < 0.05:
        text = rng.choice((ending, "# made by a machine" + ending, "sep=;" + ending)) + text
    other = rng.choice(("utf-8-sig", "utf-8-sig", "latin-1", "utf-16", "cp1252"))
    return text.encode(other if rng.random() < 0.1 else "utf-8", errors="replace")


def _in_a_line(value: object) -> object:
    """Return a value whose text has no line breaks, so that lines can be counted."""
    try:
        plain = value is None or isinstance(value, int | float)
        text = "" if value is None else str(value)
    except ValueError:  # a whole number of more than 4300 digits
        return "9" * 5000
    return (
        value
        if plain and value is not None
        else re.sub(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]", " ", text)
    )


def damaged(rng: Random, file: Path) -> str:
    """Damage a file, and say how."""
    content = bytearray(file.read_bytes())
    done = []
    for _ in range(rng.choice((1, 1, 2, 5))):
        damage = rng.choice(DAMAGES)
        content = damage(rng, content) or bytearray(b"")
        done.append(damage.__name__.strip("_"))
    file.write_bytes(content)
    return ", ".join(done)


def _flipped(rng: Random, content: bytearray) -> bytearray:
    for _ in range(rng.choice((1, 1, 3, 20)) if content else 0):
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    return content


def _cut(rng: Random, content: bytearray) -> bytearray:
    return content[: rng.randrange(len(content) + 1)]


def _without_a_part(rng: Random, content: bytearray) -> bytearray:
    start = rng.randrange(len(content) + 1)
    return content[:start] + content[start + rng.choice((1, 1, 4, 50)) :]


def _with_more(rng: Random, content: bytearray) -> bytearray:
    start = rng.randrange(len(content) + 1)
    more = rng.choice(
        (b'"', b'"', b",", b"\n", b"\r", b"\0", b"\xff", b"\t", b";", b"'", b"NA", b" ")
    )
    return content[:start] + more * rng.choice((1, 1, 1, 3)) + content[start:]


def _zeroed(rng: Random, content: bytearray) -> bytearray:
    start = rng.randrange(len(content) + 1)
    size = min(rng.choice((1, 8, 100)), len(content) - start)
    return content[:start] + bytes(size) + content[start + size :]


def _repeated(rng: Random, content: bytearray) -> bytearray:
    start = rng.randrange(len(content) + 1)
    return content + content[start : start + 200]


def _longer(rng: Random, content: bytearray) -> bytearray:
    """Insert a value that is longer than readers expect."""
    start = rng.randrange(len(content) + 1)
    return content[:start] + rng.choice((b"x", b"1", b",", b'"x"')) * 140_000 + content[start:]


DAMAGES: tuple[Callable[[Random, bytearray], bytearray], ...] = (
    *(_flipped, _flipped, _cut, _without_a_part, _with_more, _with_more, _with_more),
    *(_zeroed, _repeated, _flipped, _cut, _without_a_part, _with_more, _longer),
)
