"""`pairnet fit` and `pairnet effect` as people type them, and ten tables that are wrong each in its
own way."""

import errno
import re
import sys
import tempfile
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest

import pairnet
from checks import QUICK, easy_dose_problem, easy_problem
from pairnet import PairNet, Plan, TARNet, VCNet, cli
from pairnet.compare.ranking import compare
from pairnet.core.treatments import Arms
from pairnet.methods import methods

N = 140
X, T, Y, _ = easy_problem(N)
TABLE = pl.DataFrame(
    {
        "person": [f"p{i}" for i in range(N)],
        "age": X[:, 0],
        "height": X[:, 1],
        "city": [("Oslo", "Rome")[i % 2] for i in range(N)],
        "drug": [("no", "yes")[t] for t in T],
        "health": Y,
    }
)


@dataclass(kw_only=True, eq=False, repr=False)
class Quick(TARNet):
    """A small network with a short plan."""

    plan: Plan = QUICK
    phi: tuple[int, ...] = (16,)
    mu: tuple[int, ...] = (8,)


@dataclass(kw_only=True, eq=False, repr=False)
class QuickDose(VCNet):
    """The same for doses."""

    plan: Plan = QUICK
    phi: tuple[int, ...] = (16,)
    mu: tuple[int, ...] = (8,)


@pytest.fixture(scope="module", autouse=True)
def quick_methods():
    with methods.having(Quick), methods.having(QuickDose):
        yield


class Said:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        self.flat = " ".join((out + err).split())


def ask(capsys, *words):
    before, sys.argv = sys.argv, ["pairnet", *map(str, words)]
    try:
        with pytest.raises(SystemExit) as end:
            cli.main()
    finally:
        sys.argv = before
    return Said(end.value.code or 0, *capsys.readouterr())


def fit(capsys, table, folder, *more, treatment="drug", outcome="health", method="quick"):
    words = (
        "--treatment",
        treatment,
        "--outcome",
        outcome,
        "-o",
        folder / "model",
        "--method",
        method,
    )
    return ask(capsys, "fit", table, *words, "--members", 2, *more)


@pytest.fixture(scope="module")
def home(tmp_path_factory, quick_methods):
    """A folder with a table of which some outcomes are missing, and a model of it."""
    folder = tmp_path_factory.mktemp("home")
    gone = pl.Series(np.arange(N) % 70 == 3)
    TABLE.with_columns(health=pl.when(gone).then(None).otherwise(pl.col("health"))).write_csv(
        folder / "table.csv"
    )
    TABLE.write_parquet(folder / "table.parquet")
    return folder


@pytest.fixture(scope="module")
def said_of_fit(home):
    import contextlib
    import io

    out, err = io.StringIO(), io.StringIO()
    argv = ["pairnet", "fit", str(home / "table.csv"), "--treatment", "drug", "--outcome", "health"]
    before, sys.argv = (
        sys.argv,
        [*argv, "-o", str(home / "model"), "--method", "quick", "--members", "2"],
    )
    try:
        with (
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
            pytest.raises(SystemExit) as end,
        ):
            cli.main()
    finally:
        sys.argv = before
    assert not end.value.code, err.getvalue()
    return out.getvalue()


def test_fit_shows_the_columns_and_ends_with_a_summary_and_the_next_commands(home, said_of_fit):
    flat = " ".join(said_of_fit.split())
    for part in (
        "140 rows, 6 columns.",
        "Dropped 2 rows without a treatment or an outcome; 138 are left.",
        "person left out looks like an identifier or free text: 138 different values in 138 rows",
        "city category 0 2 levels: Oslo, Rome",
        "Quick was trained on 138 rows",
        "Treatment drug, 2 arms: no (",
        "Average effect on health of yes against no:",
        "(95 % interval",
        "Loss on rows held out of training:",
        "--from no --to yes -o effects.csv",
        "pairnet report",
    ):
        assert part in flat
    assert all(len(line) <= 80 for line in said_of_fit.splitlines() if str(home) not in line)
    model = pairnet.load(home / "model")
    assert model.schema_.left_out[0].name == "person"
    assert model.training_.summary["rows"] == 138


@pytest.mark.parametrize("ending", ["csv", "parquet", "feather", "tsv"])
def test_effects_are_written_beside_the_columns_that_are_no_covariates(
    ending, home, said_of_fit, capsys
):
    out = home / f"effects.{ending}"
    said = ask(
        capsys,
        "effect",
        home / "model",
        home / "table.parquet",
        "--from",
        "no",
        "--to",
        "yes",
        "-o",
        out,
    )
    assert said.code == 0, said.err
    assert "Effects of yes against no for 140 rows: mean" in said.flat
    from pairnet.tables.files import read_table

    found = read_table(out)
    assert found.columns == ["person", "drug", "health", "effect", "lower", "upper", "evidence"]
    expected = pairnet.load(home / "model").effect(
        TABLE.select("age", "height", "city"), T0="no", T1="yes"
    )
    assert np.allclose(found["effect"], expected)
    assert (found["lower"] <= found["effect"]).all()
    assert not list(home.glob("*.part"))


def test_a_table_of_covariates_alone_has_effects_too(home, said_of_fit, tmp_path, capsys):
    TABLE.select("age", "height", "city").write_csv(tmp_path / "new.csv")
    said = ask(
        capsys,
        "effect",
        home / "model",
        tmp_path / "new.csv",
        "-o",
        tmp_path / "e.csv",
        "--no-evidence",
    )
    assert said.code == 0, said.err
    found = pl.read_csv(tmp_path / "e.csv")
    assert found.columns == ["effect", "lower", "upper"]
    assert found.height == N


def test_covariates_are_kept_where_asked_and_those_called_as_identifiers_always(
    home, said_of_fit, tmp_path, capsys
):
    shops = tmp_path / "shops.csv"
    TABLE.with_columns(shop_id=pl.Series(np.arange(N) % 4)).write_csv(shops)
    said = fit(capsys, shops, tmp_path, "--covariates", "age,shop_id", "--no-bootstrap")
    assert "shop_id number" in said.flat
    out = ("-o", tmp_path / "e.csv", "--no-evidence")
    assert ask(capsys, "effect", tmp_path / "model", shops, *out).code == 0
    kept = ["person", "height", "city", "drug", "health", "shop_id"]
    assert pl.read_csv(tmp_path / "e.csv").columns == [*kept, "effect"]
    asked = (
        "effect",
        home / "model",
        home / "table.parquet",
        "-o",
        tmp_path / "e.csv",
        "--no-evidence",
        "--keep",
    )
    for names, kept in (
        ("city,age", ["person", "age", "city", "drug", "health"]),
        ("all", TABLE.columns),
    ):
        assert ask(capsys, *asked, names).code == 0
        assert pl.read_csv(tmp_path / "e.csv").columns == [*kept, "effect", "lower", "upper"]
    assert "has no column 'ages' (--keep)" in ask(capsys, *asked, "ages").flat


def test_abstaining_leaves_rows_without_evidence_empty(home, said_of_fit, capsys):
    far = TABLE.with_columns(
        age=pl.when(pl.col("person") == "p0").then(1e3).otherwise(pl.col("age")), effect=pl.lit(7)
    )
    far.write_csv(home / "far.csv")
    said = ask(
        capsys, "effect", home / "model", home / "far.csv", "-o", home / "far.parquet", "--abstain"
    )
    assert said.code == 0, said.err
    found = pl.read_parquet(home / "far.parquet")
    assert found["evidence"][0] == "extrapolating"
    assert found["effect"][0] is None
    well = found["evidence"] == "well supported"
    assert well.any()
    assert (found["effect"].is_not_null() == well).all()
    assert (found["upper"].is_not_null() == well).all()
    mean = found["effect"].mean()
    assert (
        f"for the {well.sum()} of 140 rows that are well supported: mean {mean:.4g}, from"
        in said.flat
    )
    quick = ask(
        capsys,
        "effect",
        home / "model",
        home / "far.csv",
        "-o",
        home / "far.parquet",
        "--no-evidence",
    )
    assert "evidence" not in pl.read_parquet(home / "far.parquet").columns, quick.out
    both = ("--abstain", "--no-evidence")
    said = ask(
        capsys, "effect", home / "model", home / "far.csv", "-o", home / "bare.parquet", *both
    )
    assert pl.read_parquet(home / "bare.parquet").equals(found.drop("evidence"))
    assert "Rows that are not well supported were left empty." in said.flat


def test_the_effect_of_one_row_is_said_alone(home, said_of_fit, tmp_path, capsys):
    TABLE[:1].write_csv(tmp_path / "one.csv")
    asked = ("effect", home / "model", tmp_path / "one.csv", "-o", tmp_path / "e.csv")
    value = f"{pairnet.load(home / 'model').effect(TABLE.select('age', 'height', 'city')[:1], T0='no', T1='yes')[0]:.4g}"
    assert (
        f"Effect of yes against no for 1 row: {value}. lower, upper"
        in ask(capsys, *asked, "--no-evidence").flat
    )
    TABLE[:1].with_columns(age=pl.lit(1e3)).write_csv(tmp_path / "one.csv")
    assert (
        "No effects of yes against no: 1 row, none of them well supported."
        in ask(capsys, *asked, "--abstain").flat
    )


@pytest.mark.parametrize("way", ["itself", "another spelling", "a symbolic link", "a hard link"])
def test_results_never_take_the_place_of_the_table(
    way, home, said_of_fit, tmp_path, capsys, monkeypatch
):
    TABLE.write_csv(tmp_path / "table.csv")
    before = (tmp_path / "table.csv").read_bytes()
    (tmp_path / "soft.csv").symlink_to("table.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "table.csv")
    monkeypatch.chdir(tmp_path)
    names = {"itself": "table.csv", "another spelling": f"../{tmp_path.name}/table.csv"}
    out = (names | {"a symbolic link": "soft.csv", "a hard link": "hard.csv"})[way]
    for said in (
        ask(capsys, "effect", home / "model", "table.csv", "-o", out),
        ask(capsys, "effect", home / "model", out, "-o", tmp_path / "table.csv"),
    ):
        assert (said.code, "--out is the table itself" in said.flat) == (2, True)
    said = ask(capsys, "fit", "table.csv", "--treatment", "drug", "--outcome", "health", "-o", out)
    assert (said.code, "it is left alone" in said.flat) == (2, True)
    assert (tmp_path / "table.csv").read_bytes() == before


def test_results_do_not_lie_among_the_files_of_the_model(home, said_of_fit, capsys):
    files = sorted((home / "model").iterdir())
    said = ask(
        capsys, "effect", home / "model", home / "table.csv", "-o", home / "model" / "effects.csv"
    )
    assert (said.code, "among the files of the model" in said.flat) == (2, True)
    assert sorted((home / "model").iterdir()) == files


def test_a_dose_is_asked_by_numbers_and_all_commands_compare_the_same_where_nobody_says(
    tmp_path, capsys
):
    from pairnet.report.model.subject import subject_of as view

    x, t, y, _ = easy_dose_problem(80)
    pl.DataFrame({"a": x[:, 0], "b": x[:, 1], "mg": t, "y": y}).write_csv(tmp_path / "doses.csv")
    asked = dict(treatment="mg", outcome="y", method="quickdose")
    said = fit(
        capsys, tmp_path / "doses.csv", tmp_path, "--no-bootstrap", "--kind", "dose", **asked
    )
    assert said.code == 0, said.err
    low, high = view(pairnet.load(tmp_path / "model")).labels  # what a report compares
    assert f"Treatment mg, a dose from 10 to 60, mostly {low:g} to {high:g}." in said.flat
    assert f"Average effect on y of {high:g} against {low:g}:" in said.flat
    assert f"--from {low:g} --to {high:g}" in said.flat
    out = ("-o", tmp_path / "e.csv")
    said = ask(
        capsys,
        "effect",
        tmp_path / "model",
        tmp_path / "doses.csv",
        "--from",
        "20",
        "--to",
        "30.5",
        *out,
    )
    assert said.code == 0, said.err
    assert "Effects of 30.5 against 20" in said.flat
    assert "No intervals: the model was fitted without --bootstrap" in said.flat
    assert (
        ask(capsys, "effect", tmp_path / "model", tmp_path / "doses.csv", "--to", "much", *out).code
        == 2
    )
    said = ask(
        capsys,
        "effect",
        tmp_path / "model",
        tmp_path / "doses.csv",
        "--from",
        "70",
        "--to",
        "70.0",
        *out,
    )
    assert "--from and --to must differ for there to be an effect, got '70' twice" in said.flat
    said = ask(capsys, "effect", tmp_path / "model", tmp_path / "doses.csv", "--no-evidence", *out)
    assert f"Effects of {high:g} against {low:g}" in said.flat


def spoiled(column, values, at):
    new = TABLE[column].cast(pl.String).to_list()
    for row, value in zip(at, values, strict=True):
        new[row] = value
    return TABLE.with_columns(pl.Series(column, new))


BAD_TABLES = {
    "a missing column": (
        TABLE.drop("drug"),
        {},
        "has no column 'drug' (--treatment). Its columns: person, age, height",
    ),
    "a misspelt column": (TABLE, {"outcome": "heath"}, "Did you mean 'health'?"),
    "a column in other letters": (
        TABLE.rename({"health": "hp"}).with_columns(HPI=1),
        {"outcome": "HP"},
        "Did you mean 'hp'?",
    ),
    "text in the outcome below a row without one": (
        spoiled("health", ["", "dead"], [2, 5]),
        {},
        "text in 1: got 'dead' in line 7 of the file",
    ),
    "a constant outcome": (
        TABLE.with_columns(health=pl.lit(1.5)),
        {},
        "Is it the right column? (The outcome is the column 'health', the treatment 'drug'.)",
    ),
    "treatment equal to outcome": (
        TABLE,
        {"treatment": "health"},
        "both name 'health': they must be different",
    ),
    "one arm only": (
        TABLE.with_columns(drug=pl.lit("yes")),
        {},
        "at least two values, got only 'yes' in all 140 rows",
    ),
    "nothing but empty columns": (
        TABLE.select("drug", "health").with_columns(age=pl.lit(None, pl.Float64)),
        {},
        "no column to learn from: 'age' has no values at all",
    ),
    "no outcomes": (TABLE.with_columns(health=pl.lit(None, pl.Float64)), {}, "No row of"),
    "doubled names": ("a,b,a\n1,2,3\n", {}, "several columns of the same name: 'a'"),
    "text in a numeric column": (
        spoiled("age", ["n/a", "12,5"], [7, 20]),
        {},
        "Column 'age' holds numbers in 138 rows and text in 2: got 'n/a', '12,5' in lines 9, 22 of the file. Make",
    ),
    "text in the outcome": (
        spoiled("health", ["dead"], [5]),
        {},
        "Column 'health' holds numbers in 139 rows and text in 1",
    ),
    "an empty file": ("", {}, "is empty: expected a table"),
    "no rows": ("drug,health,age\n", {}, "has column names and no rows"),
    "another separator": (
        "drug;health;age\n1;2;3\n",
        {},
        "separated by ';', not ','. Say --separator ';'",
    ),
    "another separator and decimal commas": (
        "drug;health;age\n1;2;3\n1;-2,5;3\n",
        {},
        "separated by ';', not ',', and to have decimal commas. Say --separator ';' --decimal ','.",
    ),
    "an outcome with decimal commas": (
        TABLE.with_columns(pl.col("health").cast(pl.String).str.replace(".", ",", literal=True)),
        {},
        "It looks like numbers with commas",
    ),
    "infinite values": (
        TABLE.with_columns(
            age=pl.when(pl.col("person") == "p9").then(np.inf).otherwise(pl.col("age"))
        ),
        {},
        "infinite values: 1 in all in column 'age', the first at line 11 of the file: inf",
    ),
    "a huge covariate": (
        spoiled("age", ["1e300"], [9]),
        {},
        "The table has values beyond 1e+38: 1 in all in column 'age', the first at line 11 of the file: 1e+300. Is it",
    ),
    "a huge outcome": (
        spoiled("health", ["-1e200"], [4]),
        {},
        "--outcome has values beyond 1e+38: 1 in all in column",
    ),
    "an infinite outcome": (
        spoiled("health", ["inf"], [4]),
        {},
        "--outcome has infinite values: 1 in all in column 'health', the first at line 6 of the file: inf",
    ),
    "an outcome of many labels": (
        TABLE,
        {"outcome": "person"},
        "two labels, got text with 140 different values",
    ),
    "rows that are too long": (
        "drug,health\n1,2\n1,2,3\n",
        {},
        "more values than there are column names",
    ),
    "another encoding": ("drug,h\xe4lsa\n1,2\n".encode("latin-1"), {}, "is not in UTF-8"),
    "an unknown method": (TABLE, {"method": "quik"}, "Unknown method 'quik'"),
}


@pytest.mark.parametrize("case", list(BAD_TABLES))
def test_a_bad_table_ends_with_its_own_line_and_exit_code_2(case, tmp_path, capsys):
    table, names, message = BAD_TABLES[case]
    path = tmp_path / "table.csv"
    if isinstance(table, pl.DataFrame):
        table.write_csv(path)
    else:
        path.write_bytes(table if isinstance(table, bytes) else table.encode())
    said = fit(capsys, path, tmp_path, **names)
    assert said.code == 2
    assert message in " ".join(said.err.split())
    assert "Traceback" not in said.err
    assert [file.name for file in tmp_path.iterdir()] == ["table.csv"]


@pytest.mark.parametrize("ending", ["feather", "parquet"])
def test_files_that_are_not_what_their_name_says_are_told_in_our_words(ending, tmp_path, capsys):
    path = tmp_path / f"table.{ending}"
    for content, message in (
        (
            b"drug,health,age\n1,2,3\n",
            "it holds text; if that is a table, let its name end in .csv.",
        ),
        (
            (b"PAR1" if ending == "parquet" else b"ARROW1\0\0") + b"\0" * 100,
            "damaged or incomplete",
        ),
        (b"\x89PNG\0\0" * 20, "it is of another format."),
    ):
        path.write_bytes(content)
        said = fit(capsys, path, tmp_path)
        assert (said.code, f"cannot be read as {ending}: " in said.flat, message in said.flat) == (
            2,
            True,
            True,
        )


def test_what_repeats_the_answer_and_empty_columns_are_noted(tmp_path, capsys):
    treated = (TABLE["drug"] == "yes").cast(pl.Int64)
    told = {"health": treated, "copy": 3 - 2 * treated, "empty": pl.lit(None, pl.Float64)}
    TABLE.with_columns(**told).write_csv(tmp_path / "table.csv")
    said = fit(capsys, tmp_path / "table.csv", tmp_path, "--ignore", "person,city")
    assert said.code == 0, said.err
    assert "Note: The outcome follows from the treatment exactly" in said.flat
    assert (
        "Note: The covariate 'copy' repeats the outcome exactly. Leave it out with --ignore"
        in said.flat
    )
    assert "empty left out has no values at all" in said.flat
    assert "person" not in said.out.split("Covariates:")[1].split("Next:")[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--from", "maybe", "--to", "yes"),
            "--from names no arm of this model: expected one of no, yes, got 'maybe'",
        ),
        (
            ("--from", "no", "--to", "no"),
            "--from and --to must differ for there to be an effect, got 'no' twice",
        ),
        (("-o", "effects.xlsx"), "must end in .csv, .tsv, .parquet, .feather or .arrow"),
        (("-o", "nowhere/effects.csv"), "does not exist"),
        (("--alpha", "5"), "alpha must be the share"),
    ],
)
def test_bad_questions_end_with_a_line(words, message, home, said_of_fit, capsys):
    more = () if "-o" in words else ("-o", home / "bad.csv")
    said = ask(capsys, "effect", home / "model", home / "table.csv", *words, *more)
    assert said.code == 2
    assert message in said.flat
    assert not (home / "bad.csv").exists()


@pytest.mark.parametrize("command", ["effect", "report"])
def test_a_place_where_nothing_can_be_written_is_told_before_the_work(
    command, tmp_path, capsys, monkeypatch
):
    ending = {"effect": "csv", "report": "html"}[command]
    words = [
        command,
        tmp_path / "no model",
        *([tmp_path / "no table.csv"] if command == "effect" else []),
    ]
    (tmp_path / f"folder.{ending}").mkdir()
    said = ask(capsys, *words, "-o", tmp_path / f"folder.{ending}")
    assert (said.code, "--out must be a file, got the folder" in said.flat) == (2, True)

    def read_only(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(tempfile, "TemporaryFile", read_only)
    said = ask(capsys, *words, "-o", tmp_path / f"file.{ending}")
    assert (
        said.code,
        "takes no files (Read-only file system). Name another place" in said.flat,
    ) == (2, True)


def test_a_table_without_the_models_columns_and_a_folder_without_a_model(
    home, said_of_fit, tmp_path, capsys
):
    TABLE.drop("age", "city").write_csv(tmp_path / "less.csv")
    said = ask(capsys, "effect", home / "model", tmp_path / "less.csv", "-o", tmp_path / "e.csv")
    assert said.code == 2
    assert "lacks 2 of the 3 covariates of the model: 'age', 'city'" in said.flat
    said = ask(capsys, "effect", tmp_path, home / "table.csv", "-o", tmp_path / "e.csv")
    assert said.code == 2
    assert "is no pairnet model: it has no model.json" in said.flat
    said = fit(capsys, home / "table.csv", home / "table.csv")
    assert said.code == 2
    said = ask(
        capsys, "fit", home / "table.csv", "--treatment", "drug", "--outcome", "health", "-o", home
    )
    assert said.code == 2
    assert "it is left alone" in said.flat


def test_report_writes_a_page_and_says_the_answer(home, said_of_fit, capsys):
    said = ask(
        capsys, "report", home / "model", "-o", home / "report.html", "--from", "no", "--to", "yes"
    )
    assert said.code == 0, said.err
    assert "What does drug = yes instead of no do to health?" in said.flat
    assert "Report:" in said.out
    page = (home / "report.html").read_text()
    assert "The effect of drug on health" in page
    assert "Evidence: who was compared with whom" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("report",), "pairnet report model/"),
        (("report", "model", "-o", "report.pdf"), "must end in .html"),
        (("report", "model", "-o", "nowhere/report.html"), "does not exist"),
        (("report", "model", "--to", "maybe"), "--to names no arm"),
        (("report", "model", "--goal", "most"), "goal must be"),
        (("report", "table.csv"), "table.csv"),
        (
            ("compare", "table.csv", "--treatment", "drugs", "--outcome", "health"),
            "Did you mean 'drug'?",
        ),
        (
            (
                "compare",
                "table.csv",
                "--treatment",
                "drug",
                "--outcome",
                "health",
                "--methods",
                "quik",
            ),
            "Did you mean 'quick'",
        ),
    ],
)
def test_mistakes_with_report_and_compare_end_with_a_line(
    home, said_of_fit, capsys, monkeypatch, words, message
):
    monkeypatch.chdir(home)
    said = ask(capsys, *words)
    assert said.code == 2
    assert message in said.flat
    assert not (home / "report.pdf").exists()


def test_compare_ranks_methods(home, capsys):
    asked = ("--treatment", "drug", "--outcome", "health", "--methods", "quick", "--folds", 1)
    said = ask(capsys, "compare", home / "table.parquet", *asked)
    assert said.code == 0, said.err
    assert "Held-out pair loss" in said.flat
    assert "quick has the smallest held-out pair loss" in said.flat


def test_compare_takes_the_kind_and_advice_names_options(home, tmp_path, capsys):
    steps = TABLE.with_columns(mg=pl.Series(np.arange(N) % 12))
    steps.write_csv(tmp_path / "steps.csv")
    asked = (
        "compare",
        tmp_path / "steps.csv",
        "--treatment",
        "mg",
        "--outcome",
        "health",
        "--folds",
        1,
        "--methods",
    )
    said = ask(capsys, *asked, "quick,quickdose")
    assert said.code == 2
    assert "Set --kind arms or --kind dose for all of them, or leave some methods out." in said.flat
    assert (
        "Use --method vcnet, drnet or pairnet."
        in ask(capsys, *asked, "quick", "--kind", "dose").flat
    )
    assert ask(capsys, *asked, "quick", "--kind", "doses").code == 2


@pytest.mark.parametrize("kind", ["arms", "dose"])
def test_no_advice_for_python_is_left_on_the_command_line(kind, tmp_path):
    from pairnet.commands.wording import worded

    words = np.array([f"w{i}" for i in range(N)])
    for ask_python in (
        lambda: PairNet(treatment=kind, plan=QUICK).fit(X, Y, treatment=words),
        lambda: PairNet(treatment=kind, plan=QUICK).fit(X, np.full(N, "a"), treatment=T),
        lambda: TARNet(treatment="dose").fit(X, Y, treatment=Y),
        lambda: VCNet(treatment="arms").fit(X, Y, treatment=T),
        lambda: compare(["tarnet", "vcnet"], X, Y, treatment=np.arange(N) % 12, kind="auto"),
        lambda: pairnet.load(tmp_path),
    ):
        with pytest.raises(ValueError, match=".") as error:
            ask_python()
        said = worded(error.value)
        assert not re.search(r"[A-Z]\w+Net\(|treatment=|^[yX] |schema_", said), said


def test_words_that_look_like_numbers_or_flags_are_the_levels_they_were_in_fit(tmp_path, capsys):
    status = np.array(["true", "false", "unknown"])[np.arange(N) % 3]
    version = np.array(["1.0", "2.0", "beta", "gamma"])[np.arange(N) % 4]
    table = TABLE.with_columns(status=pl.Series(status), version=pl.Series(version))
    table.write_csv(tmp_path / "all.csv")
    rest = (pl.col("status") != "unknown") & pl.col("version").is_in(["1.0", "2.0"])
    table.filter(rest).write_csv(tmp_path / "some.csv")
    assert fit(capsys, tmp_path / "all.csv", tmp_path).code == 0
    effects = {}
    for name in ("all", "some"):
        said = ask(
            capsys,
            "effect",
            tmp_path / "model",
            tmp_path / f"{name}.csv",
            "-o",
            tmp_path / f"{name}_effects.csv",
        )
        assert "not seen in fit" not in said.flat
        effects[name] = pl.read_csv(tmp_path / f"{name}_effects.csv")
    both = effects["all"].join(effects["some"], on="person", suffix="_alone")
    assert both.height == table.filter(rest).height > 20
    assert np.allclose(both["effect"], both["effect_alone"])


def test_beside_a_mean_stands_what_rows_far_outside_the_fit_make_of_it(
    home, said_of_fit, tmp_path, capsys
):
    TABLE.with_columns(age=pl.Series([5e30, *X[1:, 0]])).write_csv(tmp_path / "slip.csv")
    asked = ("effect", home / "model", tmp_path / "slip.csv", "-o", tmp_path / "e.csv")
    said = ask(capsys, *asked, "--no-evidence")
    assert "column 'age' has 1 row far outside the range of fit" in said.flat
    assert "as far as 5e+30" in said.flat
    rest = pl.read_csv(tmp_path / "e.csv")["effect"][1:].mean()
    means = "of rows. Beware: 1 of them has numbers far outside those of the fit; without it the mean is"
    assert f"{means} {rest:.4g}." in said.flat
    assert "Beware" not in ask(capsys, *asked, "--abstain").flat  # such a row is not well supported


def test_a_file_with_decimal_commas_is_read_by_all_commands(home, said_of_fit, tmp_path, capsys):
    text = TABLE.write_csv(separator=";", float_precision=6).replace(".", ",")
    (tmp_path / "table.csv").write_text(text)
    said = fit(capsys, tmp_path / "table.csv", tmp_path, "--separator", ";")
    assert "say --decimal ',' if the file has decimal commas" in said.flat, (
        said.err
    )  # of the outcome
    read = ("--separator", ";", "--decimal", ",")
    said = fit(capsys, tmp_path / "table.csv", tmp_path, *read)
    assert said.code == 0, said.err
    assert "age number 0" in said.flat
    assert "table.csv --separator ';' --decimal , --from no --to yes" in said.flat
    asked = (
        "effect",
        tmp_path / "model",
        tmp_path / "table.csv",
        "-o",
        tmp_path / "e.csv",
        "--no-evidence",
    )
    assert ask(capsys, *asked, *read).code == 0
    expected = pairnet.load(tmp_path / "model").effect(
        TABLE.select("age", "height", "city"), T0="no", T1="yes"
    )
    assert np.allclose(pl.read_csv(tmp_path / "e.csv")["effect"], expected, atol=1e-4)
    said = ask(capsys, *asked, "--separator", ";")
    assert said.code == 2
    assert "must hold numbers in column 'age', as in fit: got" in said.flat
    assert "say --decimal ','" in said.flat
    asked = ("--treatment", "drug", "--outcome", "health", "--methods", "quick", "--folds", 1)
    assert ask(capsys, "compare", tmp_path / "table.csv", *asked, *read).code == 0
    assert (
        "--decimal must be '.' or ','"
        in ask(capsys, "compare", tmp_path / "table.csv", *asked, "--decimal", ";").flat
    )


def test_covariates_with_decimal_commas_are_noted_after_the_table(tmp_path, capsys):
    TABLE.with_columns(pl.col("age").cast(pl.String).str.replace(".", ",", literal=True)).write_csv(
        tmp_path / "t.csv"
    )
    said = fit(capsys, tmp_path / "t.csv", tmp_path)
    assert said.code == 0, said.err
    assert (
        "Note: Not used as numbers, since they have commas: 'age'. Say --decimal ','"
        in " ".join(said.err.split())
    )
    said = fit(
        capsys, tmp_path / "t.csv", tmp_path, "--decimal", ",", "--members", 1
    )  # values with commas are quoted
    assert "age number 0" in said.flat
    assert "commas" not in said.flat


def test_rows_that_are_dropped_have_no_say_in_what_an_outcome_is(tmp_path, capsys):
    lived = pl.Series("lived", [("0", "1")[int(y > 0)] for y in Y])
    table = TABLE.with_columns(lived).with_columns(
        lived=pl.when(pl.col("person") == "p3").then(pl.lit("lost")).otherwise("lived"),
        drug=pl.when(pl.col("person") == "p3").then(None).otherwise("drug"),
    )
    table.write_csv(tmp_path / "t.csv")
    said = fit(capsys, tmp_path / "t.csv", tmp_path, "--ignore", "health,person", outcome="lived")
    assert said.code == 0, said.err


def test_errors_name_lines_of_text_files_and_rows_of_others(home, said_of_fit, tmp_path, capsys):
    broken = TABLE.with_columns(
        city=pl.when(pl.col("person") == "p1").then(pl.lit("Os\nlo")).otherwise("city")
    )
    broken = broken.with_columns(
        age=pl.when(pl.col("person") == "p3").then(np.inf).otherwise("age")
    )
    broken.write_csv(tmp_path / "new.csv")
    broken.write_parquet(tmp_path / "new.parquet")
    asked = ("-o", tmp_path / "e.csv")
    said = ask(capsys, "effect", home / "model", tmp_path / "new.csv", *asked)
    assert (said.code, "column 'age', the first at line 6 of the file: inf" in said.flat) == (
        2,
        True,
    )
    said = ask(capsys, "effect", home / "model", tmp_path / "new.parquet", *asked)
    assert (
        said.code,
        "column 'age', the first at row 3 (the first row is 0): inf" in said.flat,
    ) == (2, True)


def test_a_new_date_that_could_be_in_march_or_in_may_is_refused(tmp_path, capsys):
    days = pl.Series([f"{1 + i % 28:02d}/{1 + i % 12:02d}/2024" for i in range(N)])
    TABLE.with_columns(seen=days).write_csv(tmp_path / "table.csv")
    said = fit(capsys, tmp_path / "table.csv", tmp_path)
    assert "seen date 0 2024-01-01 to" in said.flat, said.err
    for day, code in (("03/05/2024", 2), ("03.05.2024", 0), ("2024-05-03", 0)):
        TABLE[:1].with_columns(seen=pl.lit(day)).write_csv(tmp_path / "new.csv")
        said = ask(
            capsys, "effect", tmp_path / "model", tmp_path / "new.csv", "-o", tmp_path / "e.csv"
        )
        assert (said.code, "day and month could be either way round" in said.flat) == (
            code,
            bool(code),
        ), said.err


def test_arms_that_differ_in_case_alone_are_told_apart():
    arms = Arms(("A", "a", "b"))
    assert [arms.label_in(text, "T0") for text in ("A", "a", "b", "B")] == ["A", "a", "b", "b"]
    with pytest.raises(ValueError, match="names no arm"):
        Arms(("AB", "ab")).label_in("Ab", "T0")


def test_a_first_column_without_a_name_and_one_member_are_fine(tmp_path, capsys):
    TABLE.with_row_index("").write_csv(tmp_path / "from_pandas.csv")
    said = fit(
        capsys,
        tmp_path / "from_pandas.csv",
        tmp_path,
        "--no-bootstrap",
        "--covariates",
        "age,age,height",
    )
    assert said.code == 0, said.err
    assert "its interval needs" in said.flat
    assert "pairnet effect" in said.out


def test_a_dose_that_is_another_in_every_row_is_no_leak(tmp_path, capsys):
    x, t, y, _ = easy_dose_problem(N)
    pl.DataFrame({"age": x[:, 0], "mg": t, "bp": y}).write_csv(tmp_path / "t.csv")
    said = fit(
        capsys, tmp_path / "t.csv", tmp_path, treatment="mg", outcome="bp", method="quickdose"
    )
    assert said.code == 0, said.err
    assert "exactly" not in said.flat


def test_ctrl_c_ends_a_fit_and_leaves_the_older_model_alone(home, said_of_fit, capsys, monkeypatch):
    import signal

    before = (home / "model" / "model.json").read_bytes()
    monkeypatch.setattr(Quick, "fit", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    said = fit(capsys, home / "table.csv", home)
    assert said.code == 130
    assert "Interrupted; nothing was written." in said.err
    assert (home / "model" / "model.json").read_bytes() == before


def test_an_arm_that_is_called_as_untreated_ones_are_is_the_baseline():
    assert Arms(("drug", "placebo")).completed(None, None) == ("placebo", "drug")
    assert Arms(("drug", "placebo")).completed("drug", None) == ("drug", "placebo")
    assert Arms((0, 1)).completed(None, None) == (0, 1)


def test_a_sign_that_would_be_a_guess_is_asked_for_by_all_commands(tmp_path, capsys):
    """Neither apples nor pears are called as untreated ones are: nobody guesses which is which."""
    arms = pl.Series("drug", ["apple", "pear"])[(TABLE["drug"] == "yes").cast(pl.Int8)]
    TABLE.with_columns(arms).write_csv(tmp_path / "t.csv")
    said = fit(capsys, tmp_path / "t.csv", tmp_path)
    assert said.code == 0, said.err
    assert "No average effect is shown: no arm is called as untreated ones are" in said.flat
    assert "--from apple --to pear" in said.flat
    model, effects = tmp_path / "model", tmp_path / "e.csv"
    wanted = "--from and --to must say which arms to compare, of 'apple', 'pear'"
    for words in (("effect", model, tmp_path / "t.csv", "-o", effects), ("report", model)):
        said = ask(capsys, *words)
        assert said.code == 2
        assert wanted in said.flat, said.err
        assert "--from apple, --to pear" in said.flat
    both = ("--from", "apple", "--to", "pear")
    said = ask(capsys, "effect", model, tmp_path / "t.csv", "-o", effects, *both)
    assert "of pear against apple" in said.flat, said.err
    said = ask(capsys, "effect", model, tmp_path / "t.csv", "-o", effects, "--from", "pear")
    assert "of apple against pear" in said.flat, said.err
