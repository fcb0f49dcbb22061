"""`pairnet effect`: for each row of a table its effect, interval and evidence.

A table that fits in memory is read whole. A folder, a large file, and whatever is to be written
into a folder are read in blocks (scoring.py).
"""

from __future__ import annotations

from pathlib import Path

import polars as pl

from pairnet.commands.asked import EffectOptions, FileOptions
from pairnet.commands.averaging import average_as_facts, average_in_words
from pairnet.commands.reading import in_lines_of, read_for
from pairnet.commands.rows import (
    beside_results,
    check_is_not,
    check_is_not_in,
    covariates_of,
    label_of,
)
from pairnet.commands.saying import paragraphs
from pairnet.commands.scored import RESULTS, Wanted, answers_of, columns_of, few_of
from pairnet.commands.scoring import is_in_blocks, score
from pairnet.commands.telling import Teller
from pairnet.commands.totals import Totals, totals_as_facts, totals_in_words
from pairnet.commands.wording import notes
from pairnet.core.writing import can_write
from pairnet.engines import AbstractEngine
from pairnet.inference import intervals
from pairnet.methods import load
from pairnet.tables.files import check_writes, write_table
from pairnet.tables.location import Location


def effect(
    folder: Path,
    table: Location,
    wanted: EffectOptions,
    asked: FileOptions,
    engine: AbstractEngine | None = None,
    *,
    teller: Teller,
) -> None:
    """Write each row's effect, its interval and the evidence behind it into a table.

    engine: where blocks of rows are worked on (None: here, one after another).
    """
    intervals.check_level(wanted.alpha)
    if isinstance(table, Path) and is_in_blocks(table, wanted, engine):
        score(folder, table, wanted, asked, engine, teller)
    else:
        _whole(folder, table, wanted, asked, teller)


def _whole(
    folder: Path, table: Location, wanted: EffectOptions, asked: FileOptions, teller: Teller
) -> None:
    """Do so for a table that is read whole."""
    out, say = wanted.out, teller.say
    check_writes(out)
    can_write(out, "--out")
    check_is_not(out, table)
    method = load(folder)
    check_is_not_in(out, folder)
    schema, treatment = method.schema_, method.treatment_
    T0, T1 = label_of(treatment, wanted.start, "T0"), label_of(treatment, wanted.to, "T1")
    treatment.completed(T0, T1)  # before a large table is read
    read = read_for(schema, table, asked)
    frame = read.frame
    x = covariates_of(schema, frame, table)
    beside = beside_results(schema, frame, table, wanted.keep, RESULTS)
    of_each = Wanted(wanted.alpha, wanted.evidence, wanted.abstain)
    with notes(told=teller.notes), in_lines_of(table, asked):
        question = method.ask(x, T0=T0, T1=T1, target=wanted.target or "all")
        question.check_differs()
        average = [average_in_words(question)] if wanted.target and teller.in_words else []
        answers = answers_of(question, of_each)
    columns = columns_of(answers, wanted.evidence)
    write_table(pl.DataFrame({name: frame[name] for name in beside} | columns), out)
    for line in map(paragraphs, read.said):
        say(line)
    totals, apart = Totals.of(answers, schema.far(x)), answers.disagreement is not None
    for line in totals_in_words(totals, question, wanted.alpha, wanted.abstain, apart):
        say(line)
    if average:
        say(paragraphs(*average))
    say(paragraphs(f"Written: {out}, with the columns {few_of(beside, columns)}."))
    if replaced := ", ".join(name for name in RESULTS if name in frame.columns):
        say(paragraphs(f"Not carried over, since results have these names: {replaced} of {table}."))
    teller.tell(
        lambda: {
            "command": "effect",
            "model": folder,
            "table": table,
            **totals_as_facts(totals, question),
            **({"average": average_as_facts(question)} if wanted.target else {}),
            "alpha": wanted.alpha if answers.ends is not None else None,
            "written": out,
            "columns": [*beside, *columns],
        }
    )
