"""Why effects differ: parts of effects by column of the table."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from checks import QUICK, SMALL
from pairnet import LinearSLearner, LinearTLearner, PairNet, TARNet, load

RNG = np.random.default_rng(0)
N = 300
PEOPLE = pd.DataFrame(
    {
        "age": RNG.uniform(20, 80, N),
        "region": RNG.choice(["north", "south", "west"], N),
        "member": RNG.random(N) < 0.5,
    },
    index=[f"p{k}" for k in range(N)],
)
ARM = (RNG.random(N) < 0.5).astype(int)
NORTH = (PEOPLE["region"] == "north").to_numpy()
SPEND = PEOPLE["age"].to_numpy() / 20 + ARM * (1 + 3 * NORTH) + 0.1 * RNG.normal(size=N)


@pytest.fixture(scope="module")
def shop():
    return LinearTLearner().fit(PEOPLE, SPEND, treatment=ARM)


@pytest.fixture(scope="module")
def network():
    base = TARNet(**SMALL)
    method = PairNet(base=base, members=2, plan=QUICK)
    return method.fit(PEOPLE, SPEND + ARM * (PEOPLE["age"] - 50) / 5 * NORTH, treatment=ARM)


def test_parts_add_up_to_the_effect_less_the_average_effect(shop, network):
    for model in (shop, network):
        found = model.explain(PEOPLE[:50])
        assert found.base == pytest.approx(model.ate(PEOPLE), rel=1e-6)
        whole = model.effect(PEOPLE[:50]).to_numpy() - found.base
        np.testing.assert_allclose(found.values.sum(axis=1), whole, rtol=1e-4, atol=1e-6)


def test_categories_are_one_column_and_the_one_that_matters_comes_first(shop):
    found = shop.explain(PEOPLE[:50])
    assert found.frame().columns.tolist() == ["age", "region", "member"]
    assert found.frame().index.equals(PEOPLE.index[:50])
    assert found.importance.column[0] == "region"
    assert found.importance.share[0] > 0.8
    assert found.importance.largest[0] == "north"
    assert found.importance.smallest[0] in ("south", "west")


def test_a_line_has_the_parts_that_its_slope_says(shop):
    found = shop.explain(PEOPLE[:20])
    older = PEOPLE[:1].assign(age=PEOPLE["age"].iloc[0] + 1)
    slope = shop.effect(older).iloc[0] - shop.effect(PEOPLE[:1]).iloc[0]
    exact = slope * (PEOPLE["age"] - PEOPLE["age"].mean()).to_numpy()[:20]
    np.testing.assert_allclose(found.frame()["age"], exact, atol=1e-3 * np.abs(exact).max())


def test_one_row_is_told_in_its_own_values(shop):
    row = shop.explain(PEOPLE[:5]).row(2)
    assert row.column[0] == "region"
    assert row.value[0] == PEOPLE["region"].iloc[2]
    assert row.base + row.part.sum() == pytest.approx(row.effect)
    assert "Average effect" in str(row)


def test_columns_that_act_together_are_found(network):
    found = network.explain(PEOPLE)
    pair = {found.interactions.first[0], found.interactions.second[0]}
    assert pair == {"age", "region"}
    assert found.interactions.strength[0] > 2 * found.interactions.strength[1]


def test_effects_of_doses_and_of_several_arms_are_explained_alike(shop):
    arms = np.array(["none", "small", "large"])[np.arange(N) % 3]
    several = LinearTLearner().fit(PEOPLE, SPEND + (arms == "large"), treatment=arms)
    found = several.explain(PEOPLE[:20], T0="none", T1="large")
    assert found.base == pytest.approx(several.ate(PEOPLE, T0="none", T1="large"))
    back = several.explain(PEOPLE[:20], T0="large", T1="none")
    np.testing.assert_allclose(back.values, -found.values, atol=1e-6)
    dose = RNG.uniform(0, 10, N)
    doses = LinearSLearner(treatment="dose").fit(PEOPLE, SPEND + dose * NORTH, treatment=dose)
    found = doses.explain(PEOPLE[:20], T0=2, T1=4)
    assert found.importance.column[0] == "region"
    whole = doses.effect(PEOPLE[:20], T0=2, T1=4) - doses.ate(PEOPLE, T0=2, T1=4)
    np.testing.assert_allclose(found.values.sum(axis=1), whole, atol=1e-6)


def test_the_background_says_what_rows_are_compared_with(shop):
    north = PEOPLE[NORTH]
    found = shop.explain(north[:10], background=north)
    assert found.base == pytest.approx(shop.ate(north))
    assert np.abs(found.frame()["region"]).max() < 1e-9


def test_rows_of_the_fit_are_explained_where_none_are_named(shop):
    found = shop.explain()
    assert len(found.effect) == N
    assert found.effect.mean() == pytest.approx(found.base)
    assert found.frame().shape == (N, 3)


def test_frames_are_those_of_the_library_that_came(shop):
    few = pl.DataFrame({name: PEOPLE[name].tolist() for name in PEOPLE})
    assert isinstance(shop.explain(few).frame(), pl.DataFrame)


def test_the_same_seed_gives_the_same_parts_and_a_saved_model_too(shop, tmp_path):
    first = shop.explain(PEOPLE[:20], walks=8).values
    np.testing.assert_array_equal(first, shop.explain(PEOPLE[:20], walks=8).values)
    shop.save(tmp_path / "model")
    again = load(tmp_path / "model").explain(PEOPLE[:20], walks=8).values
    np.testing.assert_allclose(first, again, atol=1e-4)


def test_it_shows_as_text_and_as_a_chart_and_names_are_escaped():
    hostile = PEOPLE.rename(columns={"age": "<script>"})
    found = LinearTLearner().fit(hostile, SPEND, treatment=ARM).explain(hostile[:20])
    assert "region" in str(found)
    assert "<script>" not in found._repr_html_()
    assert "&lt;script&gt;" in found._repr_html_()


def test_wrong_use_fails_in_words(shop):
    with pytest.raises(ValueError, match="walks must be a whole number, at least 4, got 3"):
        shop.explain(PEOPLE, walks=3)
    with pytest.raises(ValueError, match="seed must be a whole number"):
        shop.explain(PEOPLE, seed=-1)
    with pytest.raises(ValueError, match="must differ"):
        shop.explain(PEOPLE, T0=1, T1=1)
    with pytest.raises(ValueError, match="must be one treatment for all rows"):
        shop.explain(PEOPLE, T0=0, T1=ARM)
    with pytest.raises(ValueError, match="must have the columns of the fit"):
        shop.explain(PEOPLE, background=PEOPLE[["age"]])
    with pytest.raises(ValueError, match="number must be a row from 0 to 4, got 5"):
        shop.explain(PEOPLE[:5]).row(5)


@pytest.mark.bridge("shap")
def test_parts_are_those_of_the_exact_explainer_of_shap(network):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of its own imports
        import shap

    x = PEOPLE.assign(age=PEOPLE["age"].round())[["age", "member"]].astype(float)
    x["visits"] = RNG.integers(0, 5, N).astype(float)
    y = SPEND + ARM * x["age"] * x["visits"] / 50
    model = PairNet(base=TARNet(**SMALL), plan=QUICK).fit(x.to_numpy(), y, treatment=ARM)
    known = x.to_numpy()[:20]
    masker = shap.maskers.Independent(known, max_samples=20)
    theirs = shap.explainers.Exact(model.effect, masker)(x.to_numpy()[50:80])
    ours = model.explain(x.to_numpy()[50:80], background=known, walks=6 * 20)
    assert ours.base == pytest.approx(float(theirs.base_values[0]), rel=1e-5)
    np.testing.assert_allclose(ours.values, theirs.values, atol=1e-5 * np.abs(theirs.values).max())
    few = model.explain(x.to_numpy()[50:80], background=known)
    assert np.abs(few.values - theirs.values).mean() < 0.1 * np.abs(theirs.values).mean()
