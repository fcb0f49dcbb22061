"""The best linear projection of the effect, and its robust errors."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from pairnet.metrics import best_linear_projection

RNG = np.random.default_rng(0)
N = 60
X = RNG.normal(size=(N, 2))
SCORE = 1 + X @ [2.0, 0.0] + RNG.normal(size=N) * (1 + np.abs(X[:, 0]))
WEIGHT = RNG.uniform(0.5, 2, N)
VILLAGE = np.array(["a", "b", "c", "d", "e", "f"])[RNG.integers(0, 6, N)]
DESIGN = np.column_stack([np.ones(N), X])


def solved(rows, weight=WEIGHT):
    design, w = DESIGN[rows], weight[rows]
    return np.linalg.solve((design.T * w) @ design, (design.T * w) @ SCORE[rows])


def test_a_constant_alone_is_the_average_of_the_scores():
    found = best_linear_projection([1.0, 2.0, 6.0], weight=[1, 1, 2])["constant"]
    assert found.value == pytest.approx(15 / 4)
    plain = best_linear_projection(SCORE)["constant"]
    assert plain.value == pytest.approx(SCORE.mean())
    # HC3 of a mean: the sum of squares by (n - 1)^2, where the usual error has n (n - 1).
    assert plain.error == pytest.approx(SCORE.std(ddof=1) / np.sqrt(N - 1))


def test_coefficients_are_those_of_weighted_least_squares():
    found = best_linear_projection(SCORE, X, weight=WEIGHT)
    assert found.value == pytest.approx(solved(np.arange(N)))
    assert found.terms == ("constant", "0", "1")


def test_errors_without_clusters_are_hc3():
    found = best_linear_projection(SCORE, X)
    inverse = np.linalg.inv(DESIGN.T @ DESIGN)
    residual = SCORE - DESIGN @ found.value
    leverage = np.einsum("ij,jk,ik->i", DESIGN, inverse, DESIGN)
    inside = (DESIGN.T * (residual / (1 - leverage)) ** 2) @ DESIGN
    assert found.covariance == pytest.approx(inverse @ inside @ inverse)
    assert found.freedom == N - 3


@pytest.mark.parametrize("clusters", [np.arange(N), VILLAGE])
def test_errors_are_how_far_coefficients_move_without_a_unit(clusters):
    found = best_linear_projection(SCORE, X, weight=WEIGHT, clusters=clusters)
    moved = np.asarray([solved(clusters != unit) - found.value for unit in np.unique(clusters)])
    assert found.covariance == pytest.approx(moved.T @ moved)
    assert found.freedom == len(moved) - 1


def test_rows_of_weight_0_count_for_nothing():
    weight = np.where(np.arange(N) < 20, 0, WEIGHT)
    found = best_linear_projection(SCORE, X, weight=weight, clusters=VILLAGE)
    kept = best_linear_projection(SCORE[20:], X[20:], weight=WEIGHT[20:], clusters=VILLAGE[20:])
    assert found.value == pytest.approx(kept.value)
    assert found.covariance == pytest.approx(kept.covariance)


def test_intervals_and_p_values_are_students():
    line = best_linear_projection(SCORE, X, alpha=0.1)["0"]
    assert line.upper - line.value == pytest.approx(stats.t.ppf(0.95, N - 3) * line.error)
    assert line.p == pytest.approx(2 * stats.t.sf(line.value / line.error, N - 3))


def test_intervals_hold_the_best_line_where_noise_is_unequal_and_the_effect_is_no_line():
    """The best line of x^2 for an exponential x has the slope cov(x^2, x) / var(x) = 4."""
    rng, held = np.random.default_rng(1), 0
    for _ in range(300):
        x = rng.exponential(size=800)
        score = x**2 + rng.normal(size=800) * x
        line = best_linear_projection(score, x)["0"]
        held += line.lower <= 4 <= line.upper
    assert 0.88 <= held / 300 <= 0.98


def test_intervals_by_cluster_hold_what_those_of_rows_miss():
    rng, held = np.random.default_rng(2), {"clusters": 0, "rows": 0}
    village = np.repeat(np.arange(30), 20)
    for _ in range(200):
        x = np.repeat(rng.normal(size=30), 20)
        score = np.repeat(rng.normal(size=30), 20) + rng.normal(size=600)
        for kind, clusters in (("clusters", village), ("rows", None)):
            line = best_linear_projection(score, x, clusters=clusters)["0"]
            held[kind] += line.lower <= 0 <= line.upper
    assert 0.90 <= held["clusters"] / 200 <= 0.99
    assert held["rows"] / 200 < 0.6


def test_terms_have_the_names_of_a_frame_and_the_answer_is_a_table():
    found = best_linear_projection(SCORE, pd.DataFrame(X, columns=["age", "size"]))
    frame = found.frame()
    assert frame["term"].tolist() == ["constant", "age", "size"]
    assert list(frame) == ["term", "coefficient", "error", "lower", "upper", "p"]
    assert frame["coefficient"].to_numpy() == pytest.approx(found.value)
    assert str(found).splitlines()[0].split() == list(frame)
    assert "<th>coefficient</th>" in found._repr_html_()


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        (np.ones(N), {}, "The column '0' says nothing that the columns before it do not say"),
        (X[:, [0, 0]], {}, "The column '1' says nothing"),
        (np.eye(N)[0], {}, "'0' differs from the others in one row alone"),
        (VILLAGE == "a", {"clusters": VILLAGE}, "'0' differs from the others in one cluster alone"),
        (VILLAGE, {}, "X must hold numbers. Make flags of categories first"),
        (np.complex64(1), {}, "X must hold numbers"),
        (X[:5], {}, r"X must have a row a score \(60\), got 5"),
        (X, {"clusters": VILLAGE[:5]}, "clusters must hold one label a row"),
        (X, {"clusters": np.ones(N)}, "clusters must be two or more"),
        (X, {"weight": -np.ones(N)}, "weight must be numbers, none negative"),
        (X, {"names": ["a"]}, r"names must be one a column \(2\), got 1"),
    ],
)
def test_mistakes_are_explained(columns, options, message):
    with pytest.raises(ValueError, match=message):
        best_linear_projection(SCORE, columns, **options)


def test_scores_that_are_no_numbers_are_refused():
    with pytest.raises(ValueError, match="scores must be finite numbers"):
        best_linear_projection([1.0, np.nan])
    with pytest.raises(ValueError, match="2 terms need more rows than that, got 2"):
        best_linear_projection([1.0, 2.0], [1.0, 3.0])
