"""What `pairnet policy` says and writes."""

import polars as pl
import pytest

import pairnet
from commands_helpers import TABLE, N, ask

PRICES = pl.Series("price", [1.0 + k % 3 for k in range(N)])


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A folder with a table, and a model of it that does not know prices."""
    folder = tmp_path_factory.mktemp("shop")
    TABLE.with_columns(PRICES).write_csv(folder / "table.csv")
    columns = ["age", "height", "city"]
    model = pairnet.LinearTLearner(members=5, bootstrap=True)
    model.fit(TABLE.select(columns), TABLE["health"], treatment=TABLE["drug"])
    model.save(folder / "model")
    return folder


def plan(capsys, shop, *words, table="table.csv"):
    out = shop / "plan.csv"
    out.unlink(missing_ok=True)
    said = ask(capsys, "policy", shop / "model", shop / table, "-o", out, *words)
    return said, pl.read_csv(out) if out.exists() else None


def test_a_plan_is_written_beside_the_columns_that_are_no_covariates(shop, capsys):
    said, found = plan(capsys, shop, "--budget", 50, "--cost", 2)
    assert said.code == 0, said.err
    assert found.columns == ["person", "drug", "health", "price", "plan", "gain", "spent"]
    treated = found.filter(pl.col("plan") == "yes")
    assert (treated["spent"] == 2).all()
    assert 0 < found["spent"].sum() <= 50
    assert f"Spent: {found['spent'].sum():.2f} of 50.00." in said.flat
    assert "By outcomes the rule gains per row (95 % interval): against nobody" in said.flat
    model = pairnet.load(shop / "model")
    X = TABLE.select("age", "height", "city")
    assert found["plan"].to_list() == model.policy(X, budget=50, cost=2).labels.tolist()


def test_costs_of_arms_and_of_rows_add_up(shop, capsys):
    said, found = plan(capsys, shop, "--cost-column", "price", "--cost", "yes=2", "--budget", 90)
    assert said.code == 0, said.err
    treated = found.filter(pl.col("plan") == "yes")
    assert (treated["spent"] == treated["price"] + 2).all()
    assert "against everybody" in said.flat  # the table of the fit, whose rows can judge
    TABLE.with_columns(PRICES).head(30).write_csv(shop / "new.csv")
    said, found = plan(capsys, shop, "--cost-column", "price", "--budget", 20, table="new.csv")
    assert "what treating the rows of the fit costs is not known" in said.flat
    assert found.height == 30


def test_what_is_not_worth_its_cost_is_not_done(shop, capsys):
    said, found = plan(capsys, shop, "--cost", 1, "--worth", 0.5, "--goal", "max", "--to", "yes")
    assert said.code == 0, said.err
    assert (found.filter(pl.col("plan") == "yes")["gain"] > 2).all()
    assert "less its cost" in said.flat


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--budget", 5), "--cost is needed beside --budget: what does treating a row cost?"),
        (("--cost", "much"), "--cost must be a number, or arm=number,arm=number, got 'much'"),
        (("--cost", "maybe=3"), "--cost names no arm of this model: expected one of no, yes"),
        (("--cost-column", "prices"), "has no column 'prices' (--cost-column)."),
        (("--cost-column", "person"), "--cost-column names column 'person', which holds values"),
        (("--bounds", "1"), "--bounds must be two doses with a comma between them, got '1'"),
        (("--bounds", "1,2"), "--bounds are for doses; this model compares arms"),
        (("--budget", -1, "--cost", 1), "--budget must pay for the cheapest option of every row"),
        (("--worth", 0, "--cost", 1), "--worth must be a number above 0"),
        (("--goal", "most"), "--goal must be 'max' or 'min', got 'most'"),
        (("--from", "some"), "--from names no arm of this model"),
    ],
)
def test_what_cannot_be_used_is_told_in_words(words, message, shop, capsys):
    said, found = plan(capsys, shop, *words)
    assert said.code == 2
    assert message in said.flat
    assert found is None


def test_the_table_and_the_model_are_left_alone(shop, capsys):
    table, inside = shop / "table.csv", shop / "model" / "plan.csv"
    for out, message in ((table, "--out is the table itself"), (inside, "among the files of the")):
        said = ask(capsys, "policy", shop / "model", table, "-o", out)
        assert message in said.flat
