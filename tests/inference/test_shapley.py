"""Shapley values against sums over all sets of columns, and the identities that define them."""

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from pairnet.inference.shapley import Background, interactions, shapley_values

RNG = np.random.default_rng(0)
OWNER = np.array([0, 1, 1, 2, 3])  # the second column has two numbers, the last is ignored
ROWS, OTHERS = RNG.normal(size=(20, 5)), RNG.normal(size=(40, 5))
WEIGHT = RNG.random(40) + 0.2


def bends(x):
    return x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + np.abs(x[:, 3]) * x[:, 0]


def background(function, x=OTHERS, weight=WEIGHT):
    return Background.of(function, x, weight, OWNER)


def by_all_sets(function, rows, known):
    """Return Shapley values by their definition, one set of columns after the other."""
    columns = known.columns
    value = {}
    for size in range(columns + 1):
        for some in combinations(range(columns), size):
            taken = np.isin(OWNER, some)
            value[some] = np.array(
                [known.share @ function(np.where(taken, r, known.x)) for r in rows]
            )
    parts = np.zeros((len(rows), columns))
    for some in value:
        for column in set(range(columns)) - set(some):
            weight = factorial(len(some)) * factorial(columns - len(some) - 1) / factorial(columns)
            parts[:, column] += weight * (value[tuple(sorted((*some, column)))] - value[some])
    return parts


def test_with_walks_for_every_order_values_are_exact():
    known = background(bends)
    found = shapley_values(bends, ROWS, known, walks=24 * 40)
    np.testing.assert_allclose(found.parts, by_all_sets(bends, ROWS, known), atol=1e-12)
    assert (found.error == 0).all()


def test_fewer_walks_are_off_by_about_the_errors_that_they_say():
    known = background(bends)
    found = shapley_values(bends, ROWS, known, walks=64)
    off = (found.parts - by_all_sets(bends, ROWS, known))[:, :3]
    assert 0.3 < np.sqrt((off**2).mean()) / np.sqrt((found.error[:, :3] ** 2).mean()) < 1.4
    more = shapley_values(bends, ROWS, known, walks=512)
    assert (more.error[:, :3] ** 2).mean() < (found.error[:, :3] ** 2).mean() / 4


def test_parts_add_up_to_the_value_less_the_mean_of_the_background():
    known = background(bends)
    found = shapley_values(bends, ROWS, known, walks=8)
    assert found.base == pytest.approx((WEIGHT / WEIGHT.sum()) @ bends(OTHERS))
    np.testing.assert_allclose(found.parts.sum(axis=1), bends(ROWS) - found.base, rtol=1e-9)


def test_a_column_that_is_not_looked_at_gets_0():
    found = shapley_values(bends, ROWS, background(bends), walks=8)
    assert (found.parts[:, 3] == 0).all()
    assert (np.abs(found.parts[:, :3]).max(axis=0) > 0).all()


def test_columns_that_are_used_alike_get_alike():
    alike = lambda x: x[:, 0] * x[:, 3]
    same = OTHERS.copy()
    same[:, 3] = same[:, 0]
    rows = ROWS.copy()
    rows[:, 3] = rows[:, 0]
    found = shapley_values(alike, rows, background(alike, same), walks=24 * 40)
    np.testing.assert_allclose(found.parts[:, 0], found.parts[:, 2], atol=1e-12)


def test_the_values_of_a_straight_line_need_no_luck():
    line = lambda x: 3 + x @ np.array([1.0, -2.0, 0.5, 0.0, 0.0])
    inside = RNG.uniform(-1, 1, (500, 5))
    known = background(line, inside, np.ones(500))
    found = shapley_values(line, ROWS[:5].clip(-1, 1), known, walks=4)
    off = ROWS[:5].clip(-1, 1) - inside.mean(axis=0)
    np.testing.assert_allclose(found.parts[:, 0], off[:, 0], atol=1e-4)
    np.testing.assert_allclose(found.parts[:, 1], -2 * off[:, 1] + 0.5 * off[:, 2], atol=1e-4)


def test_rows_like_all_of_the_background_have_no_parts():
    known = background(bends, np.repeat(ROWS[:1], 3, axis=0), np.ones(3))
    assert (shapley_values(bends, ROWS[:1], known).parts == 0).all()


def test_rows_of_the_background_count_by_their_weight():
    twice = background(bends, np.concatenate([OTHERS, OTHERS[:1]]), np.ones(41))
    heavy = background(bends, OTHERS, np.where(np.arange(40) == 0, 2.0, 1.0))
    assert twice.base == pytest.approx(heavy.base)
    first = shapley_values(bends, ROWS, twice, walks=24 * 41).parts
    second = shapley_values(bends, ROWS, heavy, walks=24 * 40).parts
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_only_columns_that_act_together_interact():
    found = interactions(bends, ROWS, background(bends), [(0, 1), (0, 2), (1, 2)], draws=256)
    exact = [(r[0] - OTHERS[:, 0]) * (r[1] - OTHERS[:, 1]) @ WEIGHT / WEIGHT.sum() for r in ROWS]
    assert found[0] == pytest.approx(np.sqrt(np.mean(np.square(exact))), rel=0.1)
    assert found[2] == pytest.approx(0, abs=1e-6)
