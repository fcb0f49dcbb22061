"""Effects of yes / no outcomes, their averages and their intervals lie between -1 and 1."""

import numpy as np
import pytest

from attacks.stacks import cheap_stack
from checks import easy_problem, small
from models_by_hand import model_of, remembered
from pairnet import TARNet
from pairnet.core.outcomes import Bernoulli
from pairnet.core.treatments import Dose
from pairnet.inference.averages import of_scores
from pairnet.model.question import ask_memory
from pairnet.report.model.doses import Curves
from pairnet.report.model.scores import Scored, scored
from pairnet.report.model.subject import Subject

N = 40
DRAWS = np.tile([[2, 0], [0, 2]], N // 2)  # two members; each sees half of the rows
HIGH = np.array([500.0, 300, 100])
FAR = (lambda x, t: 0.95 * t, lambda x, t: 0.05 * t)  # members that hardly agree


def yes_or_no(treatment=None, t=None):
    """A question whose two members disagree, so that its plain interval would be impossible."""
    t = np.arange(N) // 2 % 2 if t is None else t
    y = np.arange(N) % 3 == 0
    memory = remembered(np.arange(N), t, y, treatment=treatment, draws=DRAWS)
    return ask_memory(model_of(memory, *FAR, outcome=Bernoulli()))


def subject(question):
    memory = question.memory
    return Subject(TARNet(), question, memory.t, memory.y * 100, np.arange(N), 1)


def test_intervals_of_rows_and_of_averages_are_possible():
    question = yes_or_no()
    lower, upper = question.interval()
    assert lower.min() >= -1
    assert upper.max() == 1  # the plain end is above 5
    assert question.average_interval()[1] == 1
    assert question.average_interval(kind="doubly robust")[0] >= -1


def test_intervals_of_a_reports_groups_are_possible():
    seen = subject(yes_or_no())
    assert seen.group_interval(np.arange(5)) == (-100, 100)
    impossible = Scored(np.zeros(3), HIGH, of_scores(HIGH), (-100.0, 100.0))
    assert impossible.mean()[0] == 100
    assert scored(seen).possible == (-100, 100)


def test_bands_around_chances_are_possible():
    question = yes_or_no(Dose(0.0, 10.0, (2.0, 8.0)), np.linspace(0, 1, N))
    band = Curves(subject(question)).average("all")
    assert band.low.min() >= 0
    assert band.high.max() == 100


@pytest.mark.parametrize("method", [small(members=2, bootstrap=True), cheap_stack(members=2)])
def test_fits_with_few_members_say_that_intervals_are_poor(method):
    x, t, y, _ = easy_problem(100)
    with pytest.warns(UserWarning, match="Intervals from 2 members are poor.*members=5 or more"):
        method.fit(x, y, treatment=t)


def test_numbers_have_no_bounds():
    question = ask_memory(model_of(remembered(np.arange(N), np.arange(N) % 2, draws=DRAWS), *FAR))
    assert question.interval()[1].max() > 5
