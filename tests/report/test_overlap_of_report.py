"""Who was compared, as a report shows it: chances, worth, balance, and warnings where they belong."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from models_by_hand import AGE, CHANCES, TREATED, model_of, remembered
from pairnet import TARNet
from pairnet.core.treatments import Arms, Dose
from pairnet.model.question import ask_memory
from pairnet.report.model.overlap import overlap
from pairnet.report.model.subject import Subject

NO_CHANCE, APART, HAND_IN_HAND = "hardly any chance", "still differs by", "hand in hand"


@dataclass(frozen=True, eq=False)
class OfKnownChances(Subject):
    """A subject whose rows' chances are known."""

    known: np.ndarray = field(kw_only=True)

    @property
    def chances(self):
        return self.known


def subject(memory, T0=0, T1=1):
    question = ask_memory(model_of(memory, lambda x, t: t), T0, T1)
    rows = np.arange(len(memory))
    return OfKnownChances(TARNet(), question, memory.t, memory.y, rows, 1, known=memory.known)


def overlap_of(asked):
    """Return the blocks of the part and its warnings."""
    part = overlap(asked)
    return part.blocks, list(part.warnings)


def people(chances=CHANCES):
    return subject(remembered(AGE, TREATED, chances=chances))


def number(text):
    return float(text.replace("−", "-"))


def values(figure):
    """Return the numbers of a chart of points, by what each row of it is called."""
    column = next(k for k, name in enumerate(figure.chart.header) if name and name != "group")
    return [(row[0], number(row[column])) for row in figure.chart.rows]


def test_each_arms_rows_are_counted_and_what_they_are_worth():
    (_, worth, _), _ = overlap_of(people())
    assert worth.header == ("arm", "rows", "worth")
    assert worth.rows == (("0", "4", "3.00"), ("1", "4", "3.00"))
    (_, worth, _), _ = overlap_of(people(np.full((8, 2), 0.5)))
    assert worth.rows == (("0", "4", "4.00"), ("1", "4", "4.00"))


def test_chances_are_shown_by_arm_in_percentage_points():
    (picture, *_), _ = overlap_of(people())
    of = {row[0]: row[1:] for row in picture.chart.rows if any(str(n) != "0" for n in row[1:])}
    assert [list(map(str, counts)) for counts in of.values()] == [["3", "1"], ["1", "3"]]
    assert [text.split()[0] for text in of] == ["25.0", "75.0"]
    assert "chance of drug = 1 (%)" in picture.chart.svg
    assert "0 % of rows had hardly any chance" in picture.caption


def test_balance_is_shown_before_and_after_weighting():
    (*_, chart), warnings = overlap_of(people())
    before, after = (value for _, value in values(chart))
    assert before == pytest.approx(2 / np.sqrt(3), abs=0.01)  # half, in spreads of sqrt(3) / 4
    assert after == pytest.approx(0, abs=1e-9)
    assert "1 of 1 differ by more than 0.1 as observed, 0 after weighting" in chart.caption
    assert warnings == []


def lot(rows, treated, *, rare=0, chance=0.01):
    """Return rows treated by lot, of which some had hardly any chance of a treatment."""
    t = np.arange(rows) % 2
    chances = np.full((rows, 2), 0.5)
    chances[:rare] = (1 - chance, chance)
    x = np.zeros(rows)
    x[t == 1], x[t == 0] = np.arange(rows // 2) < treated, np.arange(rows // 2) < 50
    return subject(remembered(x, t, chances=chances))


@pytest.mark.parametrize(("rare", "warned"), [(0, False), (10, False), (11, True), (40, True)])
def test_rows_without_a_chance_are_warned_of_from_one_in_twenty_on(rare, warned):
    """Of two hundred rows, 5 % are ten."""
    (picture, *_), warnings = overlap_of(lot(200, 50, rare=rare))
    assert any(NO_CHANCE in warning for warning in warnings) == warned
    assert f"{rare / 2:.0f} % of rows had hardly any chance" in picture.caption


def test_chances_that_are_small_but_no_smaller_than_5_per_cent_are_no_reason():
    assert overlap_of(lot(200, 50, rare=2, chance=0.049))[1] == []
    _, warnings = overlap_of(lot(200, 50, rare=40, chance=0.05))
    assert not any(NO_CHANCE in warning for warning in warnings)


@pytest.mark.parametrize(("treated", "warned"), [(50, False), (59, False), (60, True), (40, True)])
def test_arms_that_weights_cannot_make_alike_are_warned_of(treated, warned):
    """Half of the untreated are old, and chances are all alike, so that weights change nothing.

    A share of 0.6 is 0.1 / 0.495 = 0.202 standard deviations from that, and 0.59 is 0.182.
    """
    (*_, chart), warnings = overlap_of(lot(200, treated))
    assert any(APART in warning for warning in warnings) == warned
    assert len(warnings) == warned
    apart = abs(treated / 100 - 0.5) / np.sqrt((0.25 + treated / 100 * (1 - treated / 100)) / 2)
    sizes = [abs(value) for _, value in values(chart)]
    assert sizes == pytest.approx([apart] * 2, abs=0.005)


def test_of_several_arms_the_two_that_are_compared_are_shown():
    """Chances of the two are taken among themselves: 0.2 against 0.6 is one in four."""
    arms = Arms(("a", "b", "none"))
    t, chances = np.array([0, 1, 2, 0, 1, 2]), np.tile([0.2, 0.2, 0.6], (6, 1))
    memory = remembered(np.arange(6.0), t, treatment=arms, chances=chances)
    (picture, worth, _), _ = overlap_of(subject(memory, "none", "a"))
    assert [row[:2] for row in worth.rows] == [("none", "2"), ("a", "2")]
    assert "chance of a (of these two) (%)" in picture.chart.svg
    full = [row[0] for row in picture.chart.rows if any(str(n) != "0" for n in row[1:])]
    assert [text.split()[0] for text in full] == ["25.0"]


def test_many_covariates_are_cut_to_those_farthest_apart():
    t = np.arange(40) % 2
    x = np.random.default_rng(0).normal(size=(40, 15)) + t[:, None] * np.arange(15)
    (*_, chart), _ = overlap_of(subject(remembered(x, t)))
    assert len({row[0] for row in chart.chart.rows}) == 12
    assert "The 12 largest of 15 are shown." in chart.caption
    assert "14" in chart.chart.rows[0][0]  # the covariate that was pulled apart most


def doses(x, t):
    t = np.asarray(t, float)
    memory = remembered(x, t, treatment=Dose(0.0, 10.0), chances=np.full((len(t), 3), 1 / 3))
    return subject(memory, 2, 8)


def test_doses_are_shown_with_the_correlations_of_covariates():
    t = np.linspace(0, 1, 9)
    x = np.stack([np.tile([1.0, -1, 0], 3), -t, np.full(9, 3.0)], axis=1)
    (observed, related, groups), warnings = overlap_of(doses(x, t))
    assert sum(int(row[1]) for row in observed.chart.rows) == 9
    assert [value for _, value in values(related)] == pytest.approx(
        [-1, np.corrcoef(x[:, 0], t)[0, 1]], abs=0.005
    )
    assert len(values(related)) == 2  # a constant goes along with nothing
    assert "three groups of low, middle and high doses" in groups.caption
    assert len(warnings) == 1
    assert HAND_IN_HAND in warnings[0]
    assert "correlation -1.00" in warnings[0]


@pytest.mark.parametrize(("share", "warned"), [(0.68, False), (0.72, True), (-0.72, True)])
def test_a_covariate_that_nearly_is_the_dose_is_warned_of(share, warned):
    t = np.linspace(0, 1, 64)
    other = np.tile([1.0, -1, -1, 1], 16)  # neither a slope nor a mean
    z = (t - t.mean()) / t.std()
    x = share * z + np.sqrt(1 - share**2) * other
    assert np.corrcoef(x, t)[0, 1] == pytest.approx(share, abs=1e-6)
    assert bool(overlap_of(doses(x, t))[1]) == warned


def test_rows_that_are_all_alike_go_along_with_no_dose():
    assert overlap_of(doses(np.zeros(9), np.linspace(0, 1, 9)))[1] == []


def test_an_arm_that_nobody_had_is_warned_of():
    _, warnings = overlap_of(subject(remembered(np.arange(8.0), np.zeros(8))))
    assert warnings == ["None of these rows had drug = 1: who had it is not compared."]
