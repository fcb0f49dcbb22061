"""Clusters of rows: their sums, and the error of a mean with clusters as units."""

import numpy as np
import pytest

from pairnet.core.clusters import by_cluster
from pairnet.inference.clusters import variance_of_mean


def test_values_are_summed_by_cluster_in_the_order_of_the_clusters():
    values = np.array([[1.0, 2.0, 4.0, 8.0], [0.0, 1.0, 0.0, 3.0]])
    clusters = np.array([2, 0, 2, 5])
    np.testing.assert_array_equal(by_cluster(values, clusters), [[2, 5, 8], [1, 0, 3]])
    assert by_cluster(values, None) is values


def test_clusters_of_one_row_are_rows():
    rng = np.random.default_rng(0)
    values, share = rng.normal(size=50), rng.dirichlet(np.ones(50))
    alone = variance_of_mean(values, share)
    assert variance_of_mean(values, share, rng.permutation(50)) == pytest.approx(alone, rel=1e-12)
    assert alone[1] == 49


def test_rows_repeated_within_clusters_leave_the_error_as_it_is():
    values = np.random.default_rng(1).normal(size=30)
    once = variance_of_mean(values)
    thrice = variance_of_mean(np.repeat(values, 3), clusters=np.repeat(np.arange(30), 3))
    assert thrice == pytest.approx(once)
    assert once[0] == pytest.approx(values.var(ddof=1) / 30)


def test_one_unit_tells_nothing_of_the_error():
    assert variance_of_mean(np.ones(1)) == (0.0, 1)
    assert variance_of_mean(np.arange(4.0), clusters=np.zeros(4, int)) == (0.0, 1)
