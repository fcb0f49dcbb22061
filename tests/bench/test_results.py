"""What came of the jobs of an experiment: cells, claims, correlations, and CSV files."""

import dataclasses

import numpy as np
import pytest

from cheap import TABLE, Shifted, an_experiment
from pairnet.bench.claims import Above, Best, Better, Falls, Flat, Pays
from pairnet.bench.export import export, restore
from pairnet.bench.ranking import correlations
from pairnet.bench.results import Cell, Results, gather
from pairnet.bench.runner import run
from pairnet.bench.store import Store
from pairnet.bench.table import Column, labelled
from pairnet.report.experiments import entries, verdicts


def test_a_mean_says_how_many_runs_it_is_over(tmp_path):
    store, experiment = Store(tmp_path), an_experiment()
    run(experiment.jobs("low", "A", 3), store)
    entry = entries(gather(experiment, store), "pehe_out")["low", "A"]
    assert (entry.done, entry.asked) == (3, 4)
    assert entry.mean == 1.0


def test_claims_say_whether_they_held(tmp_path):
    store = Store(tmp_path)
    claims = (
        Best(text="low is best", row="low"),
        Best(text="high is best", row="high"),
        Better(text="low beats high", than={"low": "high"}),
        Better(text="high is larger", than={"high": "low"}, larger=True),
        Flat(text="it matters little", rows=("low", "high")),
        Falls(text="it falls", row="low"),
        Above(text="always", larger="pehe_out", smaller="pehe_in"),
    )
    experiment = an_experiment(claims=claims)
    assert {held for _, held, _ in verdicts(gather(experiment, store))} == {"not run"}
    run(experiment.all_jobs(), store)
    held = [held for _, held, _ in verdicts(gather(experiment, store))]
    assert held == ["held", "did not hold", "held", "held", "did not hold", "not run", "held"]


@pytest.mark.parametrize(
    ("wins", "losses", "held"),
    [(3, 0, "held"), (2, 1, "held in part"), (1, 1, "did not hold"), (1, 2, "did not hold")],
)
def test_a_claim_that_fails_as_often_as_it_holds_did_not_hold(wins, losses, held):
    signs = [-1.0] * wins + [1.0] * losses
    columns = {f"{number}": (TABLE,) for number in range(len(signs))}
    steps = np.arange(1.0, 5.0)
    cells = {("high", name): Cell({"pehe_out": steps}, 4, 0, 0, 0.0) for name in columns}
    for name, sign in zip(columns, signs, strict=True):
        cells["low", name] = Cell({"pehe_out": steps + sign * (10 + steps)}, 4, 0, 0, 0.0)
    results = Results(an_experiment(columns=columns), cells)
    assert Better(text="low beats high", than={"low": "high"}).judge(results).held == held


def test_a_claim_names_every_rival_that_is_surely_better_and_speaks_of_its_own_columns():
    steps, columns = np.arange(1.0, 9.0), {"A": (TABLE,), "B": (TABLE,)}
    rows = {name: Shifted(0.0) for name in ("mine", "near", "far", "behind")}
    shift = {
        ("near", "A"): -0.5,
        ("far", "A"): -2,
        ("behind", "A"): 3,
        ("near", "B"): 1,
        ("far", "B"): 2,
    }
    waves = {row: 0.1 * np.sin(steps + number) for number, row in enumerate(rows)}
    cells = {
        (row, column): Cell(
            {"pehe_out": steps + shift.get((row, column), 0) + waves[row]}, 8, 0, 0, 0.0
        )
        for row in rows
        for column in columns
        if (row, column) != ("behind", "B")
    }
    results = Results(an_experiment(rows, columns=columns, reference="mine"), cells)
    everywhere = Best(text="mine is best", row="mine").judge(results)
    assert everywhere.held == "held in part"
    assert "surely better than it: far, near on A." in everywhere.sentence
    assert Best(text="mine is best on B", row="mine", columns=("B",)).judge(results).held == "held"


def test_the_first_place_nowhere_is_no_part_of_the_first_place(tmp_path):
    rows = {"low": Shifted(0.0), "same": Shifted(1e-9)}
    experiment = an_experiment(rows, claims=(Best(text="same is best", row="same"),))
    run(experiment.all_jobs(), Store(tmp_path))
    assert [held for _, held, _ in verdicts(gather(experiment, Store(tmp_path)))] == [
        "did not hold"
    ]


def test_a_score_that_no_model_of_a_column_has_is_no_missing_run(tmp_path):
    experiment = an_experiment({f"{shift}": Shifted(shift) for shift in range(1, 7)})
    run(experiment.all_jobs(), Store(tmp_path))
    scores = {"there": "pehe_in", "not for these": "dr_score"}
    cells = correlations([experiment], Store(tmp_path), experiment.columns, scores, ranks=True)
    assert list(cells) == [("there", "A")]
    assert cells["there", "A"].done == 4
    assert cells["there", "A"].metrics["correlation"] == pytest.approx(1.0)


def test_results_travel_as_csv_files(tmp_path):
    experiment = an_experiment()
    run(experiment.all_jobs(), Store(tmp_path / "a"))
    (path,) = export([experiment], Store(tmp_path / "a"), tmp_path / "csv")
    assert path.read_text().count("\n") == 9
    assert restore([experiment], tmp_path / "csv", Store(tmp_path / "b")) == 8
    assert restore([experiment], tmp_path / "csv", Store(tmp_path / "b")) == 0
    ours, theirs = (
        gather(experiment, Store(tmp_path / name)).values("high", "A", "pehe_out") for name in "ab"
    )
    assert np.array_equal(ours, theirs)
    other = an_experiment(
        name="other", measures={"high": Shifted(1.0)}
    )  # whose jobs stand in the first one's file
    assert restore([other], tmp_path / "csv", Store(tmp_path / "d")) == 4
    path.write_text("key,seconds\n" + experiment.jobs("low", "A")[0].key + ",soon\n")
    with pytest.raises(ValueError, match="not a file of results"):
        restore([experiment], tmp_path / "csv", Store(tmp_path / "c"))


def test_a_claim_may_speak_of_the_columns_that_have_a_value_alone():
    sizes = labelled(Column(f"{n} rows", (TABLE,), {"rows": n}) for n in (10, 20))
    columns = sizes | labelled([Column("elsewhere", (TABLE,))])
    means = {"10 rows": 3.0, "20 rows": 2.0, "elsewhere": 5.0}
    cells = {
        ("low", label): Cell({"pehe_out": np.full(4, mean)}, 4, 0, 0, 0.0)
        for label, mean in means.items()
    }
    results = Results(dataclasses.replace(an_experiment(), columns=columns), cells)
    assert Falls(text="with rows", row="low", over="rows").judge(results).held == "held"
    assert Falls(text="everywhere", row="low").judge(results).held == "did not hold"


def test_where_a_row_pays_is_said_for_each_kind_of_column():
    columns = labelled(
        Column(f"{kind} {step}", (TABLE,), {"kind": kind})
        for kind in ("small", "large")
        for step in (1, 2)
    )
    steps = np.arange(1.0, 9.0)
    cells = {}
    for label, column in columns.items():
        factor = 0.5 if column.values["kind"] == "small" else 2.0
        cells["low", label] = Cell({"pehe_out": factor * steps}, 8, 0, 0, 0.0)
        cells["high", label] = Cell({"pehe_out": steps}, 8, 0, 0, 0.0)
    results = Results(dataclasses.replace(an_experiment(), columns=columns), cells)
    held, sentence = Pays(text="low pays", row="low", rival="high", kind="kind").judge(results)
    assert held == "held in part"
    assert sentence == (
        "small: error changes by -50 to -50 %, surely smaller in 2 and surely larger in 0 of 2; "
        "large: error changes by +100 to +100 %, surely smaller in 0 and surely larger in 2 of 2."
    )
