"""Trees as arrays say what LightGBM says, to the last bit."""

import lightgbm
import numpy as np
import pytest

from pairnet.learners.trees import MOST_LEAVES, ROWS_IN_BLOCK, Trees

PLAIN = {"use_missing": False, "verbosity": -1, "num_threads": 1, "deterministic": True}


def table(n=1500, seed=0):
    """Return covariates, of which some are whole numbers, flags or tiny, and outcomes."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 6))
    x[:, 1] = np.round(2 * x[:, 1])
    x[:, 2] = x[:, 2] > 1
    x[:, 3] *= 1e-30
    x[:, 4] = 1e9 + x[:, 4]  # differs only in digits that single precision lacks
    steps = x[:, 1] + 2 * x[:, 2] * np.sign(x[:, 3]) + np.sin(3 * x[:, 0]) + 3 * (x[:, 4] > 1e9)
    return x, steps + 0.3 * rng.normal(size=n), rng


def grown(leaves=16, rounds=40, **options):
    x, y, _ = table()
    options = {"objective": "regression", "num_leaves": leaves} | PLAIN | options
    return lightgbm.train(options, lightgbm.Dataset(x, y, params=options), rounds)


def hard_rows(booster):
    """Return rows that stand on thresholds and beside them, at zero, far out, and nowhere."""
    x, _, rng = table(n=4000, seed=1)
    trees = Trees.of_dump(booster.dump_model())
    for column in range(x.shape[1]):
        cuts = trees.threshold[trees.column == column]
        if len(cuts):
            for k, side in enumerate((-np.inf, 0, np.inf)):
                at = np.nextafter(cuts, side) if side else cuts
                x[k : 3 * len(cuts) : 3, column] = at[: len(x[k : 3 * len(cuts) : 3])]
    odd = np.array([0.0, -0.0, 1e-35, -1e-35, 1e-36, -2e-35, np.inf, -np.inf, np.nan])
    odd = np.append(odd, [float(np.float32(1e-35)), -float(np.float32(1e-35))])
    x[2000:3000] = rng.choice(odd, (1000, x.shape[1]))
    return x


@pytest.mark.parametrize("leaves", [2, 3, 16, MOST_LEAVES])
def test_predictions_are_those_of_lightgbm_to_the_last_bit(leaves):
    booster = grown(leaves)
    x = hard_rows(booster)
    assert np.array_equal(Trees.of_dump(booster.dump_model())(x), booster.predict(x))


def test_log_odds_of_yes_are_those_of_lightgbm_to_the_last_bit():
    x, y, _ = table()
    options = {"objective": "binary"} | PLAIN
    booster = lightgbm.train(options, lightgbm.Dataset(x, y > 0, params=options), 30)
    ours = Trees.of_dump(booster.dump_model())(x)
    assert np.array_equal(ours, booster.predict(x, raw_score=True))


def test_many_rows_are_answered_block_by_block_as_alone():
    booster = grown()
    x = np.tile(hard_rows(booster), (5, 1))
    assert len(x) > ROWS_IN_BLOCK
    trees = Trees.of_dump(booster.dump_model())
    assert np.array_equal(trees(x), booster.predict(x))
    assert np.array_equal(trees(x[:7]), trees(x)[:7])
    assert trees(x[:0]).shape == (0,)


def test_trees_without_a_split_predict_one_number():
    x, y, _ = table(n=30)
    options = {"objective": "regression", "min_data_in_leaf": 20} | PLAIN
    booster = lightgbm.train(options, lightgbm.Dataset(x, y, params=options), 5)
    trees = Trees.of_dump(booster.dump_model())
    assert np.array_equal(trees(x), booster.predict(x))
    assert np.ptp(trees(x)) == 0
    assert np.array_equal(Trees.constant(2.5)(x), np.full(30, 2.5))


@pytest.mark.parametrize(
    "options", [{"use_missing": True}, {"zero_as_missing": True, "use_missing": True}]
)
def test_trees_that_treat_missing_numbers_apart_are_refused(options):
    x, y, rng = table()
    x[rng.random(x.shape) < 0.1] = np.nan
    options = {"objective": "regression"} | PLAIN | options
    booster = lightgbm.train(options, lightgbm.Dataset(x, y, params=options), 5)
    with pytest.raises(ValueError, match="categories or missing numbers are not understood"):
        Trees.of_dump(booster.dump_model())


def test_trees_that_know_categories_are_refused():
    x, y, _ = table()
    x[:, 1] -= x[:, 1].min()
    y = y + 5 * np.sin(3 * x[:, 1])
    options = {"objective": "regression", "min_data_per_group": 1} | PLAIN
    table_of_categories = lightgbm.Dataset(x, y, params=options, categorical_feature=[1])
    booster = lightgbm.train(options, table_of_categories, 5)
    with pytest.raises(ValueError, match="categories or missing numbers are not understood"):
        Trees.of_dump(booster.dump_model())


def test_another_unit_is_another_scale_and_origin():
    trees, x = Trees.of_dump(grown().dump_model()), table()[0]
    assert np.allclose(trees.in_units(-3.0, 10.0)(x), 10 * trees(x) - 3, rtol=1e-12)


def test_they_come_back_from_arrays():
    trees, x = Trees.of_dump(grown().dump_model()), table()[0]
    again = Trees.of_arrays(trees.arrays(), x.shape[1])
    assert np.array_equal(again(x), trees(x))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("sizes", lambda a: a + 1),
        ("sizes", lambda a: a.astype(float)),
        ("sizes", lambda a: a[:0]),
        ("column", lambda a: a + 5),
        ("column", lambda a: -a - 1),
        ("threshold", lambda a: a * np.nan),
        ("threshold", lambda a: a[:-1]),
        ("first", lambda a: a - 1),
        ("past", lambda a: a + 1),
        ("past", lambda a: a * 0),
        ("value", lambda a: a * np.inf),
        ("value", lambda a: a[:-1]),
        ("value", lambda a: a[:, None]),
    ],
)
def test_arrays_that_are_no_trees_are_refused(name, change):
    trees = Trees.of_dump(grown().dump_model())
    with np.errstate(invalid="ignore"), pytest.raises(ValueError, match="its trees"):
        Trees.of_arrays(trees.arrays() | {name: change(trees.arrays()[name])}, 6)
