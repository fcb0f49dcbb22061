"""`pairnet fit`: trains a model on a table, and tells people what was made of it."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pairnet.commands.asked import TableOptions
from pairnet.commands.averaging import average_as_facts, average_in_words, why_not_all
from pairnet.commands.choosing import chosen
from pairnet.commands.large import entered, is_large
from pairnet.commands.learner import asked_learner
from pairnet.commands.saying import paragraphs, stopping
from pairnet.commands.speaking import who_speaks
from pairnet.commands.telling import Teller
from pairnet.commands.typed import hash_of
from pairnet.commands.wording import notes, worded
from pairnet.core.errors import count_of
from pairnet.core.own_jax import CannotRun
from pairnet.core.words import in_full, word
from pairnet.engines import AbstractEngine
from pairnet.evidence.memory import MOST_ROWS
from pairnet.evidence.support import DISAGREE, MANY, MOST, VERDICTS, Support, some_of
from pairnet.learners.stacked import Stacked
from pairnet.methods import Estimator
from pairnet.model.door import LEFT_OUT
from pairnet.model.folder import can_write
from pairnet.model.leading import leading_target
from pairnet.model.model import Model
from pairnet.model.question import Question, ask_memory
from pairnet.tables import Schema
from pairnet.tables.files import is_spelled
from pairnet.tables.hints import COMMAS_SAID
from pairnet.tables.location import Location

DROPPED = "a treatment or an outcome"  # what rows lack that are dropped
MOST_SHOWN = 5  # the most comparisons whose average effect is shown


def fit(
    asked: TableOptions,
    *,
    out: Path,
    method: str,
    options: dict[str, Any],
    settings: Sequence[str],
    target: str | None,
    engine: AbstractEngine | None = None,
    command: str = "",
    teller: Teller,
) -> None:
    """Train a model on a table and save it in a folder.

    options: hyperparameters that the command has options for; None: not said. settings: others, as
    NAME=VALUE. target: whose average effect is said (None: see `leading_target`). engine: where
    learners of a stack and members learn. command: what was typed, which the model remembers.
    """
    can_write(out)
    say = teller.say
    learner = asked_learner(method, options, settings)
    read = _in_blocks if is_large(asked.path) else _whole
    table = read(asked, learner, say, teller)
    source = asked.path.name, hash_of(asked.path), table.read, command
    dropped = table.read - table.rows
    if dropped:
        more = (asked.weights, asked.clusters, asked.propensity) != (None, None, None)
        what = "a treatment, an outcome or what options name" if more else DROPPED
        say(f"Dropped {dropped:,} rows without {what}; {table.rows:,} are left.")
    for line in map(paragraphs, table.said):
        say(line)
    say(f"Treatment: {asked.treatment}. Outcome: {asked.outcome}. Covariates:\n")
    say(table.schema.summary() + "\n")
    with stopping(), notes(but=LEFT_OUT, told=teller.notes):
        spelled = read is _whole and is_spelled(asked.path)
        _warn_of_commas(table.schema, spelled and asked.decimal != ",")
        try:
            table.learn(engine)
        except CannotRun:
            raise
        except ValueError as error:
            columns = (
                f"The outcome is the column {asked.outcome!r}, the treatment {asked.treatment!r}."
            )
            raise ValueError(f"{worded(error)} ({columns})") from None
        learner.call_columns(treatment=asked.treatment, outcome=asked.outcome)
        learner.model_ = learner.model_.from_file(*source)
        learner.set_params(verbose=False).save(out)
        end = Ending.of(learner, table, asked, out, target)
        if teller.in_words:
            say(end.in_words())
        teller.tell(lambda: {**end.as_facts(), "dropped_rows": dropped})


@dataclass(frozen=True)
class ToLearn:
    """A table that is ready for a fit.

    read, rows: how many rows it had, and how many take part. learn: fits the learner. ask: asks the
    fitted learner about these rows or, if they are not in memory, those that it remembers.
    """

    read: int
    rows: int
    schema: Schema
    said: Sequence[str]
    learn: Callable[[AbstractEngine | None], Any]
    ask: Callable[[Any, Any], Question]


def _whole(
    asked: TableOptions, learner: Estimator, say: Callable[[str], None], teller: Teller
) -> ToLearn:
    """Read a table that fits in memory."""
    rows = chosen(asked)
    x = rows.schema.of_rows(rows.x)
    say(f"{asked.path}: {rows.frame.height:,} rows, {len(rows.frame.columns)} columns.")
    learn = lambda engine: learner.fit(
        x,
        rows.outcome,
        treatment=rows.treatment,
        sample_weight=rows.weight,
        groups=rows.clusters,
        propensity=rows.propensity,
        engine=engine,
    )
    ask = lambda T0, T1: learner.ask(x, T0=T0, T1=T1, sample_weight=rows.weight)
    return ToLearn(rows.frame.height, x.rows, rows.schema, rows.said, learn, ask)


def _in_blocks(
    asked: TableOptions, learner: Estimator, say: Callable[[str], None], teller: Teller
) -> ToLearn:
    """Read a table that need not fit in memory."""
    with notes(told=teller.notes):
        table = entered(asked, learner, say)
    rows = len(table.rows.t)
    say(f"{asked.path}: {table.read:,} rows, {len(table.schema.columns)} covariates.")
    said = [f"Averages and support are those of {MOST_ROWS:,} rows drawn by lot."]
    learn = lambda engine: learner.fit_entered(table, engine)
    ask = lambda T0, T1: ask_memory(learner.model_, T0, T1)
    return ToLearn(table.read, rows, table.schema, said * (rows > MOST_ROWS), learn, ask)


def _warn_of_commas(schema: Schema, option: bool) -> None:
    """Warn of columns that were meant to be numbers; `option`: whether an option can read them."""
    has_commas = lambda column: COMMAS_SAID in column.about() + column.hint()
    names = [repr(column.name) for column in schema.columns if has_commas(column)]
    if names:
        few = ", ".join(names[:5]) + ", ..." * (len(names) > 5)
        advice = "Write them with a decimal point."
        if option:
            advice = "Say --decimal ',' if these are decimal commas."
        warnings.warn(f"Not used as numbers, since they have commas: {few}. {advice}", stacklevel=2)


@dataclass(frozen=True)
class Ending:
    """What was learned, to be said in words or as facts.

    question: the first comparison that is shown. clear: the comparisons whose sign is no guess.
    """

    method: Any
    question: Question
    clear: Sequence[tuple[Any, Any]]
    rows: int
    asked: TableOptions
    out: Path
    target: str | None

    @classmethod
    def of(
        cls,
        method: Any,
        table: ToLearn,
        asked: TableOptions,
        out: Path,
        target: str | None,
    ) -> Ending:
        """Ask a fitted method about the rows of its fit."""
        treatment = method.model_.treatment
        clear = treatment.comparisons()[:MOST_SHOWN]
        T0, T1 = (clear or [treatment.example])[0]
        return cls(method, table.ask(T0, T1), clear, table.rows, asked, out, target)

    @property
    def shown(self) -> Sequence[tuple[Any, Any]]:
        """The comparisons whose support is shown."""
        return self.clear or [self.method.model_.treatment.example]

    def in_words(self) -> str:
        """Say what was learned, and what to type next."""
        model, method, question = self.method.model_, self.method, self.question
        summary, treatment, names = model.memory.summary, model.treatment, model.names
        said = [
            paragraphs(
                f"{type(method).__name__} was trained on {count_of(self.rows)} in "
                f"{summary['seconds']:.0f} s.",
                f"Treatment {names['treatment']}, {treatment.words(summary['treatment'])}.",
                *_averages(question, self.clear, self.target),
                *_support(question, self.shown, self.rows),
            )
        ]
        if isinstance(method, Stacked):
            said.append(who_speaks(method.weights_, question if len(self.clear) == 1 else None))
        if summary["held_out_score"]:
            score = in_full(np.mean(summary["held_out_score"]))
            held_out = f"Loss on rows held out of training: {score} (smaller is better, to compare "
            said.append(paragraphs(f"{held_out}methods with)."))
        size = sum(file.stat().st_size for file in self.out.iterdir()) / 2**20
        said.append(paragraphs(f"Model: {self.out} ({size:.1f} MiB)."))
        next_ = _next(model, self.asked.path, self.out, self.asked.typed())
        return "\n".join(["", *said, "", "Next:", next_])

    def as_facts(self) -> dict[str, Any]:
        """Return what was learned, for programs."""
        model, question = self.method.model_, self.question
        averages, support = [], []
        for T0, T1 in self.clear:
            compared = question.comparing(T0, T1)
            whose = self.target or leading_target(compared)
            averages.append(average_as_facts(compared.targeting(whose)))
        some = some_of(len(question.x))
        for T0, T1 in self.shown:
            verdict = question.comparing(T0, T1).of_rows(some).support().verdict
            counts = {name: int((verdict == name).sum()) for name in (*VERDICTS, DISAGREE)}
            support.append({"from": T0, "to": T1, "rows": len(verdict), **counts})
        is_stack = isinstance(self.method, Stacked)
        voices = self.method.weights_ if is_stack else ()
        return {
            "command": "fit",
            "table": str(self.asked.path),
            "rows": self.rows,
            "treatment": self.asked.treatment,
            "outcome": self.asked.outcome,
            "covariates": [
                {"name": str(column.name), "kind": column.kind, "used": bool(column.features)}
                for column in model.schema.columns
            ],
            "method": type(self.method).__name__,
            "seconds": model.memory.summary["seconds"],
            "averages": averages,
            "support": support,
            "weights": [{"learner": one.learner, "weight": one.weight} for one in voices],
            "model": str(self.out),
        }


def _averages(
    question: Question, clear: Sequence[tuple[Any, Any]], target: str | None
) -> Iterator[str]:
    """Yield sentences on each average effect, unless its sign is a guess."""
    for T0, T1 in clear:
        asked = question.comparing(T0, T1)
        whose = target or leading_target(asked)
        yield average_in_words(asked.targeting(whose))
        if target is None and whose != "all":
            yield why_not_all(asked.targeting(whose))
    if not clear:
        yield (
            "No average effect is shown: no arm has a name that means untreated, as control or "
            "placebo, so say which arms to compare, as in the next commands."
        )


def _support(question: Question, shown: Sequence[tuple[Any, Any]], rows: int) -> Iterator[str]:
    """Yield a sentence on the support of each comparison."""
    some = some_of(len(question.x))
    for T0, T1 in shown:
        whose = f" of {word(T1)} against {word(T0)}" * (question.model.treatment.strata != 2)
        support = question.comparing(T0, T1).of_rows(some).support()
        yield f"Support{whose}: {in_words(support, rows)}"


def in_words(support: Support, rows: int) -> str:
    """Write how many rows are well supported, what it means and, if few are, what to do.

    rows: how many there are; the support may be that of a sample of them.
    """
    looked_at = len(support.verdict)
    of = f"of {count_of(looked_at)}{' drawn by lot' * (looked_at < rows)}"
    well, thin, extrapolating = (f"{(support.verdict == name).sum():,}" for name in VERDICTS)
    counts = (
        f"{of}, {well} are well supported (rows like them had either treatment), {thin} thin, and "
        f"{extrapolating} extrapolating (hardly any like them had one of the two)."
    )
    if doubted := (support.verdict == DISAGREE).sum():
        counts += f" On {doubted:,} more the learners disagree: by more than the effect itself."
    share = support.share(VERDICTS[-1])
    if share <= MANY:
        return counts
    average = "; the average effect is mostly guessed, too" * (share > MOST)
    return (
        f"{counts} Effects of rows that extrapolate are guesses of the model{average}. If a column "
        "decides who is treated but does not matter for the outcome, leave it out with --ignore; "
        "`pairnet effect --abstain` leaves rows empty that are not well supported."
    )


def _next(model: Model, table: Location, out: Path, reading: dict[str, str]) -> str:
    """Return the commands that people are likely to type next."""
    first, second = (shlex.quote(word(label)) for label in model.treatment.example)
    name = lambda path: shlex.quote(str(path))
    read = "".join(f" {option} {shlex.quote(value)}" for option, value in reading.items())
    sides = f"--from {first} --to {second}"
    report = f"  pairnet report {name(out)} -o report.html"
    report += f" {sides}" * (not model.treatment.is_clear)
    return f"  pairnet effect {name(out)} {name(table)}{read} {sides} -o effects.csv\n{report}"
