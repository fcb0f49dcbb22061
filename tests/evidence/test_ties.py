"""Support where rows have the same covariates: they are one neighbourhood."""

import numpy as np
import pytest

from evidence_helpers import looked_up
from pairnet.core.treatments import Arms, Dose
from pairnet.evidence import places
from pairnet.evidence.places import Places

N = 1000
TWO, FOUR, DOSE = Arms((0, 1)), Arms((0, 1, 2, 3)), Dose(0.0, 1.0)


def tables(rng):
    yes_no = lambda columns: rng.random((N, columns)) < 0.5
    yield from (yes_no(columns) for columns in (1, 2, 3))
    yield rng.random((N, 3)) < (0.5, 0.1, 0.02)
    yield rng.integers(0, 5, (N, 2))
    yield np.column_stack([yes_no(1), rng.normal(size=N)])
    yield np.column_stack([np.where(yes_no(1)[:, 0], 0, rng.exponential(size=N)), yes_no(1)])
    yield np.column_stack([np.eye(4)[rng.integers(0, 4, N)], rng.integers(18, 80, N)])
    yield rng.normal(size=(N, 3))
    yield np.zeros((N, 1))


@pytest.mark.parametrize(
    ("drawn", "kind", "T0", "T1"),
    [
        (lambda rng: rng.random(N) < 0.5, TWO, 0.0, 1.0),
        (lambda rng: rng.random(N) < 0.05, TWO, 0.0, 1.0),
        (lambda rng: rng.integers(0, 4, N), FOUR, 1.0, 3.0),
        (lambda rng: rng.random(N), DOSE, 0.2, 0.8),
        (lambda rng: (rng.integers(0, 11, N) / 10).astype(np.float32), DOSE, 0.2, 0.8),
    ],
    ids=["a fair coin", "5 % treated", "four arms", "doses", "tied doses"],
)
def test_where_treatments_are_drawn_by_lot_rows_are_well_supported_with_ties_and_without(
    drawn, kind, T0, T1
):
    rng = np.random.default_rng(0)
    for x in tables(rng):
        found = looked_up(x, drawn(rng), kind, T0, T1)
        assert found.share("well supported") >= 0.9


@pytest.mark.parametrize("share", [0.5, 0.2, 0.05])
@pytest.mark.parametrize("beside", ["flags", "a number"])
def test_a_stratum_in_which_an_arm_is_absent_is_found(share, beside):
    rng = np.random.default_rng(1)
    x = (rng.random((2000, 2)) < 0.5).astype(float)
    absent = x.all(axis=1)
    t = (rng.random(2000) < share) & ~absent
    if beside == "a number":
        x = np.column_stack([x, rng.normal(size=2000)])
    verdict = looked_up(x, t, TWO, 0.0, 1.0).verdict
    scarce = beside == "a number" and share == 0.05  # as few as 75 had the arm at all
    assert np.mean(verdict[absent] == "extrapolating") > (0.5 if scarce else 0.95)
    assert np.mean(verdict[absent] == "well supported") < 0.02
    assert np.mean(verdict[~absent] == "well supported") > 0.9


def test_a_small_stratum_is_not_outvoted_by_the_many_rows_of_its_neighbour():
    x = np.repeat([0.0, 1.0], [980, 20])[:, None]
    t = np.where(x[:, 0] == 1, 0, np.arange(1000) % 2)
    verdict = looked_up(x, t, TWO, 0.0, 1.0).verdict
    assert set(verdict[980:]) == {"extrapolating"}
    assert set(verdict[:980]) == {"well supported"}


def test_a_stratum_with_many_rows_of_both_arms_is_supported_though_one_is_rarer():
    """On the Titanic, of the men 175 travelled first class and 862 were crew."""
    x = np.repeat([1.0, 1.0, 0.0, 0.0], [175, 862, 144, 23])[:, None]
    t = np.repeat([0, 1, 0, 1], [175, 862, 144, 23])
    found = looked_up(x, t, TWO, 0.0, 1.0)
    assert set(found.verdict[x[:, 0] == 1]) == {"well supported"}
    assert np.ptp(found.overlap[x[:, 0] == 1]) == 0


def test_of_tied_partners_those_shown_have_low_middling_and_high_outcomes():
    x, t = np.zeros((300, 1)), np.repeat([0.0, 1.0], 150)
    found = looked_up(x, t, TWO, 0.0, 1.0, asked=np.zeros((1, 1)))
    for side, mean in ((found.T0, 0), (found.T1, 2)):
        assert not side.distances.any()
        assert len(set(side.rows[0])) == 3
        low, middle, high = np.sort(side.outcomes[0])
        assert low < mean - 0.5 < mean + 0.5 < high
        assert abs(middle - mean) < 0.3


def test_each_place_is_looked_up_once_and_counts_as_often_as_rows_lie_there(monkeypatch):
    z = np.repeat([[0.0], [1.0], [3.0]], [2, 5000, 1], axis=0)
    rows = np.arange(len(z))
    found = Places.of(z)
    assert len(found.z) == 3
    at = np.zeros((1, 1))
    of = lambda k: found.distances(at, rows, k).tolist()
    assert of(2) + of(3) + of(5002) + of(5003) == [0, 1, 1, 3]
    distances, near = found.nearest_rows(at, rows, 4)
    assert distances.tolist() == [[0, 0, 1, 1]]
    assert near[0, :2].tolist() == [0, 1]
    assert len(set(near[0])) == 4


def test_rows_equally_far_share_the_places_that_are_left(monkeypatch):
    z = np.array([[0.0], [1.0], [-1.0], [1.0], [-1.0], [5.0]])
    wanted = (np.array([False, True, True, False, False, False]),)
    found = Places.of(z)
    share = lambda size: found.shares(np.zeros((1, 1)), np.arange(6), wanted, size).item()
    assert share(1) == 0
    assert share(3) == pytest.approx(1 / 3)  # two places for four rows, half of them wanted
    assert share(6) == pytest.approx(2 / 6)
    monkeypatch.setattr(places, "ENTRIES", 1)  # one row at a time
    assert share(3) == pytest.approx(1 / 3)
