"""How effects differ, asked of a model: groups, the best line, calibration."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from models_by_hand import model_of, remembered
from pairnet import LinearTLearner
from pairnet.core.outcomes import Bernoulli
from pairnet.core.treatments import Dose
from pairnet.inference.averages import doubly_robust_of_fit
from pairnet.inference.groups import means_of_groups
from pairnet.model.groups import grouping, held_out
from pairnet.model.heterogeneity import calibration, group_effects, projection
from pairnet.model.question import ask, ask_memory
from pairnet.tables import Schema

N = 600
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "age": RNG.integers(20, 60, N),
        "region": RNG.choice(["north", "south", "west"], N, p=[0.6, 0.35, 0.05]),
        "member": RNG.random(N) < 0.5,
    }
)
ARM = RNG.permutation(np.arange(N) % 2)
TRUTH = 1 + 4.0 * TABLE["member"].to_numpy()
Y = 0.1 * TABLE["age"] + TRUTH * ARM + RNG.normal(size=N)


@pytest.fixture(scope="module")
def model():
    return LinearTLearner(members=3, bootstrap=True).fit(TABLE, Y, treatment=ARM)


@pytest.fixture(scope="module")
def question(model):
    return ask_memory(model.model_)


def known(X=None, **options):
    """A question to a model whose two members say effects of x and x + 2, each seen by one."""
    x = np.arange(8.0)
    draws = np.stack([np.arange(8) % 2, 1 - np.arange(8) % 2])
    rows = remembered(x, np.arange(8) // 2 % 2, x, draws=draws, **options)
    of = model_of(rows, lambda x, t: x[:, 0] * t, lambda x, t: (x[:, 0] + 2) * t)
    return ask_memory(of) if X is None else ask(of, X)


@pytest.mark.filterwarnings("ignore:Few rows of one arm")
def test_the_effect_of_a_group_is_the_mean_of_its_scores():
    asked = known()
    flags = np.arange(8) < 3
    found = group_effects(asked, pd.DataFrame({"first": flags, "all": True}))
    assert found.effect.tolist() == pytest.approx(
        [asked.scores.score[:3].mean(), asked.doubly_robust.value]
    )
    assert found.rows.tolist() == [3, 8]
    assert found.share.tolist() == pytest.approx([3 / 8, 1])
    assert [found.rows_T0.tolist(), found.rows_T1.tolist()] == [[2, 4], [1, 4]]
    assert found.model.tolist() == pytest.approx([2, 4.5])  # x + 1, the mean of both members
    average = doubly_robust_of_fit(asked.scores)
    assert found.error[1] == pytest.approx(average.error)
    luck = asked.scores.luck_in(flags[None] / 3).item()
    own = asked.scores.score[:3].var(ddof=1) / 3
    assert found.error[0] ** 2 == pytest.approx(own + luck)


def test_groups_that_are_known_to_differ_are_found_and_held(model):
    found = model.group_effects(by="member")
    assert found.group == ("member = no", "member = yes")
    assert np.all((found.lower <= [1, 5]) & (found.upper >= [1, 5]))
    assert found.p_same < 1e-6
    assert np.all(found.upper - found.lower > found.upper_alone - found.lower_alone)
    with pytest.warns(UserWarning, match=r"Few rows of one arm \(less than 20\): region = west"):
        regions = model.group_effects(by="region")
    assert regions.p_same > 0.01
    assert regions.few.tolist() == [False, False, True]
    assert len(regions.frame()) == 3  # said, not dropped


def test_numbers_are_cut_at_their_quartiles_and_several_columns_stand_below_one_another(model):
    found = model.group_effects(by=["age", "member"])
    assert [label.split()[0] for label in found.group] == ["age"] * 4 + ["member"] * 2
    assert found.share[:4] == pytest.approx([0.25] * 4, abs=0.03)
    assert found.group[0].startswith("age 20 to ")


def test_groups_of_the_effect_are_found_by_members_that_have_not_seen_the_row(model, question):
    found = model.group_effects(by="effect")
    assert found.group[0] == "lowest fifth"
    assert found.group[-1] == "highest fifth"
    assert np.all(np.diff(found.model) > 0)
    assert found.effect[0] == pytest.approx(1, abs=0.6)
    assert found.effect[-1] == pytest.approx(5, abs=0.6)
    seen_by_all = question.memory.draws.all(axis=0)
    assert not grouping(question, "effect").fit[:, seen_by_all].any()
    assert found.rows.sum() == (~seen_by_all).sum()
    assert "of the rows are in no group" in str(found)
    assert len(model.group_effects(by=3).group) == 3


def test_members_are_brought_to_one_level_before_rows_are_put_in_order():
    effect, judged = held_out(known())
    assert judged.all()
    # Member 1 judges even rows, with effects of x; member 2 odd rows, with x + 2.
    level = {0: 3.0, 1: 6.0}
    assert effect.tolist() == [4.5 + x + 2 * (x % 2) - level[x % 2] for x in range(8)]


def test_a_column_that_is_no_covariate_is_passed_itself_in_the_order_of_the_fit(model, question):
    segment = pd.Series(np.where(TABLE["member"], "gold", "plain"), name="segment")
    found = model.group_effects(TABLE, by=segment)
    of = dict(zip(found.group, found.effect, strict=True))
    by_name = model.group_effects(by="member").effect.tolist()
    assert [of["segment = plain"], of["segment = gold"]] == pytest.approx(by_name)
    flags = TABLE["age"].to_numpy() < 30
    of_flags = model.group_effects(by=flags)
    young = flags[question.memory.row]
    assert of_flags.group == ("no", "yes")
    assert of_flags.effect[1] == pytest.approx(question.scores.score[young].mean())


def test_the_table_of_the_fit_gives_what_the_remembered_rows_give(model):
    left_out = model.group_effects(by="member")
    assert model.group_effects(TABLE, by="member").frame().equals(left_out.frame())


def test_effects_of_other_rows_are_corrected_in_each_group(model, question):
    others = TABLE[TABLE["age"] < 40]
    found = model.group_effects(others, by=["member", "age"])
    member = TABLE["member"].to_numpy()[question.memory.row]
    correction = (question.scores.score - question.effect)[member].mean()
    own = model.effect(others)[others["member"]].mean()
    assert found.effect[1] == pytest.approx(own + correction)
    assert found.share[:2].sum() == pytest.approx(1)
    assert found.rows.tolist()[:2] == [(~member).sum(), member.sum()]  # that judge
    assert np.isnan(found.effect[-1])  # nobody asked about is as old
    assert (
        found.error[1]
        > means_of_groups(
            question.scores.score - question.effect, member[None], question.memory.weight
        ).error.item()
    )


def test_a_projection_on_nothing_is_the_doubly_robust_average(question):
    found = projection(question, np.zeros((N, 0)))
    average = question.doubly_robust
    assert found["constant"].value == pytest.approx(average.value)


def test_the_projection_finds_the_columns_that_go_along_with_the_effect(model):
    found = model.best_linear_projection()
    assert found.terms == ("constant", "age", "region=south", "region=west", "member")
    assert abs(found["member"].value - 4) < 3 * found["member"].error
    assert found["age"].p > 0.01
    assert model.best_linear_projection("member").terms == ("constant", "member")
    given = model.best_linear_projection(TABLE[["member"]].astype(float))
    assert given.value == pytest.approx(model.best_linear_projection(["member"]).value)


def test_errors_are_those_of_clusters_where_rows_belong_together(question):
    village = np.arange(N) // 20
    of_village = np.repeat(RNG.normal(size=N // 20), 20)
    y = question.memory.y + 3 * of_village * question.memory.t
    memory = replace(question.memory, y=y, clusters=village)
    rows, villages = (
        ask_memory(replace(question.model, memory=replace(memory, clusters=clusters)))
        for clusters in (None, village)
    )
    everybody = np.ones((N, 1))
    average = doubly_robust_of_fit(villages.scores)
    assert group_effects(villages, everybody).error[0] == pytest.approx(average.error)
    for error in (
        lambda asked: group_effects(asked, everybody).error[0],
        lambda asked: projection(asked, np.zeros((N, 0)))["constant"].error,
        lambda asked: calibration(asked).average.error,
    ):
        assert error(villages) > 1.2 * error(rows)


def test_calibration_judges_effects_of_unseen_rows(model):
    found = model.calibration_test()
    assert found.bears_out
    assert found.differences.lower < 1 < found.differences.upper
    assert found.average.value == pytest.approx(1, abs=0.1)


def test_effects_that_are_noise_are_not_borne_out():
    x = RNG.normal(size=N)
    arm = np.arange(N) % 2
    noise = LinearTLearner(members=4, bootstrap=True)
    found = noise.fit(x[:, None], arm + RNG.normal(size=N), treatment=arm)
    assert not found.calibration_test().bears_out
    assert found.group_effects(by=2).p_same > 0.01


@pytest.mark.filterwarnings("ignore:Few rows of one arm")
def test_probabilities_stay_possible():
    x = np.arange(40.0)
    draws = np.stack([np.arange(40) % 2, 1 - np.arange(40) % 2])
    rows = remembered(x, np.arange(40) % 2, np.arange(40) % 2, draws=draws)
    of = model_of(rows, lambda x, t: t * 0.5, lambda x, t: t * 0.5, outcome=Bernoulli())
    found = group_effects(ask_memory(of), x % 2 == 1)  # scores are 0.5 under 0, and 1.5 under 1
    assert found.effect.tolist() == pytest.approx([0.5, 1])
    assert found.upper[1] == 1


TOO_FEW = remembered(np.arange(4.0), [0, 1, 0, 1])


@pytest.mark.parametrize(
    ("by", "message"),
    [
        (
            "regio",
            r"by must name covariates of the model \('age', 'region', 'member'\), got 'regio'",
        ),
        ([], "by must name covariates .*, got none"),
        (1, "by must be a number of groups from 2 to 20, got 1"),
        ({"a": 1}, "or a number of groups, got dict"),
        (None, "or a number of groups, got NoneType"),
        (np.ones(5), r"by must hold one value a row of the fit \(600\), got 5"),
        (pd.DataFrame({"a": [[1]] * N}), "by must hold labels, numbers or flags in column 'a'"),
    ],
)
def test_groups_that_make_no_sense_are_explained(model, by, message):
    with pytest.raises(ValueError, match=message):
        model.group_effects(by=by)


def test_other_rows_can_only_be_grouped_by_covariates(model):
    for by, message in (
        ("effect", "X must be the table of the fit, or left out: groups of the effect"),
        (TABLE["region"].head(50), "X must be the table of the fit if by holds a value a row"),
    ):
        with pytest.raises(ValueError, match=message):
            model.group_effects(TABLE.head(50), by=by)


def test_models_that_outcomes_cannot_judge_say_so():
    doses = ask_memory(
        model_of(remembered(np.arange(4.0), [0, 0.2, 0.5, 1], treatment=Dose(0.0, 1.0)))
    )
    seen = ask_memory(model_of(TOO_FEW, lambda x, t: t))
    for asked in (lambda q: group_effects(q, "effect"), projection, calibration):
        with pytest.raises(ValueError, match="is for arms; this model has doses"):
            asked(doses)
        with pytest.raises(ValueError, match="needs rows that some member was not trained on"):
            asked(seen)
        with pytest.raises(ValueError, match="T0 and T1 must differ"):
            asked(ask_memory(known().model, T0=1, T1=1))


def test_a_sample_of_the_rows_needs_the_table_beside_a_column(question):
    some = np.arange(0, N, 3)
    memory = question.memory
    parts = {name: getattr(memory, name)[some] for name in ("x", "t", "y", "weight", "row")}
    few = replace(question.model, memory=replace(memory, draws=memory.draws[:, some], **parts))
    flags = TABLE["member"].to_numpy()
    with pytest.raises(ValueError, match="X is needed beside by: the model remembers 200 rows"):
        group_effects(ask_memory(few), flags)
    assert group_effects(ask(few, TABLE), flags).rows.sum() == 200
    assert Schema.of(TABLE).features == few.schema.features
