"""`pairnet effect` of tables in blocks: each row once, whatever the workers, and after a kill."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pairnet
from commands_helpers import ask
from pairnet import LinearSLearner, LinearTLearner, Stack
from pairnet.commands import effect as effects
from pairnet.commands import large
from pairnet.commands.asked import FileOptions, SayingOptions
from pairnet.commands.parts import Parts
from pairnet.commands.telling import Teller
from pairnet.core.errors import BadInput
from pairnet.engines import AbstractEngine, Result, WorkerDied
from pairnet.tables import source
from pairnet.tables.files import read_table

N, BLOCK = 500, 90
SILENT = Teller(SayingOptions(quiet=True))
RNG = np.random.default_rng(0)
AGE, TREATED = RNG.normal(50, 10, N), RNG.random(N) < 0.5
TABLE = pl.DataFrame(
    {
        "person": [f"p{i}" for i in range(N)],
        "age": AGE,
        "height": RNG.normal(size=N),
        "city": [None if i == 7 else ("Oslo", "Rome")[i % 2] for i in range(N)],
    }
)
Y = AGE / 10 + TREATED * (1 + TABLE["height"].to_numpy()) + RNG.normal(size=N)
RESULTS = ["person", "effect", "lower", "upper", "evidence"]


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with a model, another model, a stack, and the same table as files of many kinds."""
    folder = tmp_path_factory.mktemp("place")
    x = TABLE.drop("person")
    many = LinearTLearner(members=3, bootstrap=True)
    many.fit(x, Y, treatment=TREATED).save(folder / "model")
    LinearTLearner().fit(x, Y, treatment=TREATED).save(folder / "other")
    learners = (LinearSLearner(), LinearTLearner())
    Stack(learners=learners, members=2).fit(x, Y, treatment=TREATED).save(folder / "stack")
    (folder / "big").mkdir()
    for at, start in enumerate(range(0, N, 200)):
        TABLE[start : start + 200].write_parquet(folder / "big" / f"{at}.parquet")
    TABLE.write_parquet(folder / "table.parquet")
    TABLE.write_csv(folder / "table.csv")
    TABLE.write_ipc(folder / "table.feather")
    return folder


@pytest.fixture
def in_small_blocks(monkeypatch):
    monkeypatch.setattr(source, "BLOCK", BLOCK)


@pytest.fixture(scope="module")
def whole(place, tmp_path_factory):
    """The effects of the table read whole."""
    out = tmp_path_factory.mktemp("whole") / "effects.parquet"
    asked = effects.EffectOptions(out)
    effects.effect(place / "model", place / "table.parquet", asked, FileOptions(), teller=SILENT)
    return pl.read_parquet(out)


def joined(folder):
    return pl.concat([pl.read_parquet(part) for part in sorted(folder.glob("part-*.parquet"))])


def alike(found, wanted):
    """Tell whether tables hold the same: numbers up to rounding."""
    assert found.columns == wanted.columns
    for name in found.columns:
        one, other = found[name], wanted[name]
        if one.dtype.is_float():
            assert (one.is_null() == other.is_null()).all()
            assert np.allclose(one.fill_null(0), other.fill_null(0), rtol=1e-9, atol=1e-12)
        else:
            assert one.to_list() == other.to_list()
    return True


@pytest.mark.usefixtures("in_small_blocks")
@pytest.mark.parametrize("table", ["big", "table.parquet", "table.csv", "table.feather"])
def test_a_folder_of_parts_holds_what_the_table_read_whole_has(
    table, place, whole, tmp_path, capsys
):
    said = ask(capsys, "effect", place / "model", place / table, "-o", f"{tmp_path / 'out'}/")
    assert said.code == 0, said.err
    assert alike(joined(tmp_path / "out"), whole)
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert (manifest["complete"], manifest["rows"]) == (True, N)
    assert sum(part["rows"] for part in manifest["files"]) == N
    assert len(manifest["files"]) == len(list((tmp_path / "out").glob("*.parquet"))) > 5
    assert {entry.name[0] for entry in (tmp_path / "out").iterdir()} == {"p", "m"}
    wanted = f"for 500 rows: mean {whole['effect'].mean():.4g}, from about"
    assert wanted in said.flat
    counts = whole["evidence"].value_counts()
    for verdict, count in counts.iter_rows():
        assert f"{count} {verdict}" in said.flat
    assert "Written: " in said.flat
    assert "with the columns person, effect, lower, upper, evidence" in said.flat


@pytest.mark.usefixtures("in_small_blocks")
@pytest.mark.parametrize("ending", ["parquet", "csv", "feather", "csv.gz"])
def test_one_file_is_joined_from_parts_that_are_gone_then(
    ending, place, whole, tmp_path, capsys, monkeypatch
):
    out = tmp_path / f"effects.{ending}"
    said = ask(capsys, "effect", place / "model", place / "big", "-o", out)
    assert said.code == 0, said.err
    assert alike(read_table(out), whole)
    assert [entry.name for entry in tmp_path.iterdir()] == [out.name]
    monkeypatch.setattr(large, "LARGE", 100)  # bytes: now a single file is too large, too
    assert ask(capsys, "effect", place / "model", place / "table.parquet", "-o", out).code == 0
    assert alike(read_table(out), whole)


@pytest.mark.usefixtures("in_small_blocks")
def test_many_workers_give_the_bytes_of_one(place, tmp_path, capsys):
    for name, more in (("one", ()), ("two", ("--jobs", 2))):
        out = f"{tmp_path / name}/"
        said = ask(capsys, "effect", place / "model", place / "big", "-o", out, *more)
        assert said.code == 0, said.err
    parts = sorted((tmp_path / "one").glob("part-*"))
    assert len(parts) > 5
    assert all(part.read_bytes() == (tmp_path / "two" / part.name).read_bytes() for part in parts)


@dataclass(frozen=True)
class Short(AbstractEngine):
    """An engine whose first worker is killed, as where memory is short."""

    name = "short"

    def run(self, tasks):
        yield Result(next(iter(tasks)).name, error=WorkerDied("The process ended."))


@pytest.mark.usefixtures("in_small_blocks")
def test_a_worker_that_is_gone_is_told_in_words(place, tmp_path):
    asked = effects.EffectOptions(tmp_path / "effects.csv")
    with pytest.raises(BadInput, match=r"It was killed, or memory ran out\. Try again, with fewer"):
        effects.effect(place / "model", place / "big", asked, FileOptions(), Short(), teller=SILENT)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("in_small_blocks")
def test_a_killed_run_goes_on_and_scores_each_row_once(place, whole, tmp_path, capsys):
    out = tmp_path / "out"
    code = f"""
import os, signal
from pairnet import cli
from pairnet.commands import parts
from pairnet.tables import source
source.BLOCK = {BLOCK}
write, left = parts.Parts.write, [3]
def killed(self, *args):
    if not left[0]:
        (self.folder / ".part-000003.parquet.abcdefgh.part").write_text("half")
        with (self.folder / "progress.jsonl").open("a") as log:
            log.write('{{"part": 3, "fi')
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    write(self, *args)
parts.Parts.write = killed
import sys
sys.argv = ["pairnet", "effect", {str(place / "model")!r}, {str(place / "big")!r}, "-o", {f"{out}/"!r}]
cli.main()
"""
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    before = {part.name: part.stat().st_mtime_ns for part in out.glob("part-*.parquet")}
    assert len(before) == 3
    assert json.loads((out / "manifest.json").read_text())["complete"] is False
    words = ("effect", place / "model", place / "big", "-o", f"{out}/")
    said = ask(capsys, *words)
    assert said.code == 0, said.err
    assert "3 of 8 parts (200 rows) were there already" in said.flat
    assert all((out / name).stat().st_mtime_ns == time for name, time in before.items())
    assert alike(joined(out), whole)
    assert not [entry.name for entry in out.iterdir() if entry.name.startswith(".")]
    again = ask(capsys, *words)
    assert "8 of 8 parts (500 rows) were there already" in again.flat
    (out / "part-000002.parquet").unlink()  # somebody takes one away
    assert "7 of 8 parts" in ask(capsys, *words).flat
    assert alike(joined(out), whole)


@pytest.mark.usefixtures("in_small_blocks")
def test_ctrl_c_keeps_parts_of_a_folder_and_nothing_of_a_file(place, tmp_path, capsys, monkeypatch):
    write = Parts.write

    def interrupted(self, part, *more):
        write(self, part, *more)
        raise KeyboardInterrupt

    words = ("effect", place / "model", place / "big", "-o")
    with monkeypatch.context() as patch:
        patch.setattr(Parts, "write", interrupted)
        said = ask(capsys, *words, f"{tmp_path / 'out'}/")
        assert (said.code, "goes on with what is missing" in said.flat) == (130, True)
        assert ask(capsys, *words, tmp_path / "out.csv").code == 130
        assert not list(tmp_path.glob("*out.csv*"))
    assert "1 of 8 parts" in ask(capsys, *words, f"{tmp_path / 'out'}/").flat


@pytest.mark.usefixtures("in_small_blocks")
def test_another_question_model_or_table_does_not_go_into_the_same_folder(place, tmp_path, capsys):
    out = f"{tmp_path / 'out'}/"
    TABLE.write_parquet(tmp_path / "t.parquet")
    words = ("effect", place / "model", tmp_path / "t.parquet", "-o", out)
    assert ask(capsys, *words, "--no-evidence").code == 0
    before = {entry.name: entry.read_bytes() for entry in (tmp_path / "out").iterdir()}
    refused = {
        "holds effects of another question: evidence was False and is True": words,
        "alpha was 0.05 and is 0.1": (*words, "--no-evidence", "--alpha", 0.1),
        "columns was ['person'] and is ['person', 'age']": (
            *words,
            "--no-evidence",
            "--keep",
            "age",
        ),
        "holds effects by another model": ("effect", place / "other", *words[2:], "--no-evidence"),
    }
    for problem, asked in refused.items():
        said = ask(capsys, *asked)
        assert said.code == 2
        assert problem in said.flat
        assert "Name another folder for the new results, or remove this one." in said.flat
    TABLE[:-1].write_parquet(tmp_path / "t.parquet")
    assert (
        "of another table, or of one that has changed" in ask(capsys, *words, "--no-evidence").flat
    )
    assert before == {entry.name: entry.read_bytes() for entry in (tmp_path / "out").iterdir()}


def test_what_cannot_be_is_told_before_the_work(place, tmp_path, capsys):
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "letter.txt").write_text("dear")
    (tmp_path / "file").write_text("x")
    model, big = place / "model", place / "big"
    for words, problem in {
        (model, big, "-o", f"{tmp_path / 'full'}/"): "holds other things than effects: it is left",
        (model, big, "-o", f"{tmp_path / 'file'}/"): "--out must be a folder, got the file",
        (model, big, "-o", f"{big / 'effects'}/"): "--out would lie in the table itself",
        (model, big, "-o", f"{model}/"): "--out would lie in the model",
        (model, big, "-o", tmp_path / "e.xlsx"): "cannot be written block by block",
        (model, big, "-o", tmp_path / "e.csv", "--target", "all"): "--target says an average over",
        (model, big, "-o", tmp_path / "e.csv", "--from", "True", "--to", "True"): "must differ",
        (model, place, "-o", tmp_path / "e.csv"): "holds folders (big, model, other and stack)",
        (model, big, "-o", tmp_path / "e.csv", "--keep", "hight"): "Did you mean 'height'?",
        (model, big, "-o", tmp_path / "e.csv", "--engine", "her"): "Did you mean 'here'?",
    }.items():
        said = ask(capsys, "effect", *words)
        assert (said.code, problem in said.flat) == (2, True), (words, said.flat)
    assert {entry.name for entry in tmp_path.iterdir()} == {"full", "file"}
    assert len(list(big.iterdir())) == 3


@pytest.mark.usefixtures("in_small_blocks")
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_value_beyond_float32_names_its_row_and_leaves_no_part_of_it(
    ending, place, tmp_path, capsys
):
    age = AGE.copy()
    age[321] = 1e39
    spoiled = TABLE.with_columns(age=pl.Series(age))
    path = tmp_path / f"t.{ending}"
    spoiled.write_csv(path) if ending == "csv" else spoiled.write_parquet(path)
    out = tmp_path / "out"
    said = ask(capsys, "effect", place / "model", path, "-o", f"{out}/", "--no-evidence")
    where = {"parquet": "row 321 of", "csv": "line 323 of"}[ending]
    assert said.code == 2
    assert f"has values beyond 1e+38: 1 in all in column 'age', the first at {where}" in said.flat
    assert len(list(out.glob("part-*.parquet"))) < 6
    assert json.loads((out / "manifest.json").read_text())["complete"] is False
    assert ask(capsys, "effect", place / "model", path, "-o", tmp_path / "e.csv", "--jobs", 1).code
    assert not list(tmp_path.glob("*e.csv*"))


@pytest.mark.usefixtures("in_small_blocks")
def test_what_is_strange_is_said_once_of_all_blocks(place, tmp_path, capsys):
    city = ["Bonn" if i in (3, 300) else city for i, city in enumerate(TABLE["city"])]
    age = AGE.copy()
    age[[5, 400]] = 900, -4000
    table = TABLE.with_columns(age=pl.Series(age), city=pl.Series(city))
    table.write_parquet(tmp_path / "t.parquet")
    words = ("effect", place / "model", tmp_path / "t.parquet", "--no-evidence", "-o")
    here = ask(capsys, *words, tmp_path / "e.parquet")
    blocks = ask(capsys, *words, f"{tmp_path / 'out'}/")
    assert here.err == blocks.err
    assert "column 'age' has 2 rows far outside the range of fit" in blocks.flat
    assert "as far as -4000; column 'city' has 2 rows with levels not seen in fit ('Bonn')" in (
        blocks.flat
    )
    rest = np.delete(pl.read_parquet(tmp_path / "e.parquet")["effect"].to_numpy(), [5, 400])
    assert f"without them the mean is {rest.mean():.4g}." in here.flat
    assert f"without them the mean is {rest.mean():.4g}." in blocks.flat


@pytest.mark.usefixtures("in_small_blocks")
def test_rows_without_evidence_are_left_empty_and_not_counted(place, tmp_path, capsys):
    words = ("effect", place / "model", place / "table.parquet", "--abstain", "-o")
    here = ask(capsys, *words, tmp_path / "e.parquet")
    blocks = ask(capsys, *words, f"{tmp_path / 'out'}/")
    assert blocks.code == 0, blocks.err
    found = joined(tmp_path / "out")
    assert alike(found, pl.read_parquet(tmp_path / "e.parquet"))
    assert found["effect"].null_count() > 0
    said = f"for the {found['effect'].len() - found['effect'].null_count()} of 500 rows that are"
    assert said in here.flat
    assert said in blocks.flat


@pytest.mark.usefixtures("in_small_blocks")
def test_a_row_of_a_stack_has_the_same_verdict_in_whatever_block(place, tmp_path, capsys):
    for name, rows in (("small", BLOCK), ("large", 10 * N)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(source, "BLOCK", rows)
            out = f"{tmp_path / name}/"
            assert ask(capsys, "effect", place / "stack", place / "big", "-o", out).code == 0
    found = joined(tmp_path / "small")
    assert alike(found, joined(tmp_path / "large"))
    assert "disagreement" in found.columns


def test_the_middle_of_many_parts_is_that_of_all_rows():
    from pairnet.commands.scored import Answers
    from pairnet.commands.totals import Totals

    values = np.random.default_rng(1).normal(size=(7, 400)) + np.arange(7)[:, None]
    far = np.zeros(400, bool)
    parts = [Totals.of(Answers(part, None, None, None), far) for part in values]
    both = Totals.together([Totals.from_json(json.loads(json.dumps(p.to_json()))) for p in parts])
    assert both.shown.mean == pytest.approx(values.mean())
    for share in (0.1, 0.5, 0.9):
        assert (values <= both.quantile(share)).mean() == pytest.approx(share, abs=0.01)


def test_memory_does_not_grow_with_the_rows(place, tmp_path):
    """A table that takes 96 MB as numbers is scored in the memory of a few blocks."""
    rows, columns = 201_000, 60
    rng = np.random.default_rng(0)
    x = rng.normal(size=(400, columns))
    y, t = x[:, 0] + rng.normal(size=400), rng.random(400) < 0.5
    frame = lambda values: pl.DataFrame({f"x{k}": values[:, k] for k in range(columns)})
    LinearTLearner().fit(frame(x), y, treatment=t).save(tmp_path / "model")
    (tmp_path / "big").mkdir()
    for part in range(3):
        values = rng.integers(-2, 3, (rows // 3, columns)).astype(float)
        frame(values).write_parquet(tmp_path / "big" / f"{part}.parquet")
    code = f"""
import re, sys
from pairnet import cli
from pairnet.commands import parts
from pairnet.tables import source
source.BLOCK = 10_000
peaks, write = [], parts.Parts.write
def noted(self, *args):
    peaks.append(int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024)
    write(self, *args)
parts.Parts.write = noted
sys.argv = ["pairnet", "effect", {str(tmp_path / "model")!r}, {str(tmp_path / "big")!r}, "-o",
    {f"{tmp_path / 'out'}/"!r}, "--no-evidence"]
try:
    cli.main()
finally:
    print(peaks[2], max(peaks))
"""
    if not Path("/proc/self/status").exists():
        pytest.skip("the system does not say how much memory a process has taken")
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    begun, most = map(float, done.stdout.split()[-2:])
    assert most - begun < 50
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["rows"] == rows
    model = pairnet.load(tmp_path / "model")
    last = pl.read_parquet(tmp_path / "big" / "2.parquet")[-5:]
    assert np.allclose(model.effect(last), joined(tmp_path / "out")["effect"][-5:])
