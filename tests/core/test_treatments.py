"""Arms and doses, and what they say for themselves."""

import json

import numpy as np
import pytest

from pairnet.core.treatments import Arms, Dose, treatment_from_json, treatment_of

THREE = Arms(("half", "none", "whole"))
DOSE = Dose(10.0, 60.0, (15.0, 55.0))


def test_arms_that_differ_in_case_alone_are_told_apart():
    arms = Arms(("A", "a", "b"))
    assert [arms.label_in(text, "T0") for text in ("A", "a", "b", "B")] == ["A", "a", "b", "b"]
    with pytest.raises(ValueError, match="names no arm"):
        Arms(("AB", "ab")).label_in("Ab", "T0")


def test_an_arm_that_is_called_as_untreated_ones_are_is_the_baseline():
    assert Arms(("drug", "placebo")).completed(None, None) == ("placebo", "drug")
    assert Arms(("drug", "placebo")).completed("drug", None) == ("drug", "placebo")
    assert Arms((0, 1)).completed(None, None) == (0, 1)


@pytest.mark.parametrize(
    ("labels", "baseline"),
    [
        (("drug", "no"), "no"),
        (("drug", "no drug"), "no drug"),
        (("arm a", "untreated people"), "untreated people"),
        (("new care", "usual care"), "usual care"),
        (("apple", "pear"), None),
        (("no pear", "without apple"), None),  # both are called so
        ((1, 2), 1),
        ((False, True), False),
    ],
)
def test_which_arm_is_untreated_is_told_by_its_label_or_not_at_all(labels, baseline):
    arms = Arms(labels)
    assert arms.is_clear == arms.is_ordered == (baseline is not None)
    assert arms.baseline == (labels[0] if baseline is None else baseline)
    others = [label for label in labels if label != baseline]
    assert arms.comparisons() == ([] if baseline is None else [(baseline, others[0])])


def test_of_several_arms_an_effect_compares_1_with_0_or_asks():
    assert Arms((0, 1, 2)).contrast == (0, 1)
    assert Arms((0, 1, 2)).is_clear
    assert not THREE.is_clear
    with pytest.raises(ValueError, match="T0 and T1 must say which arms to compare, of 'half'"):
        _ = THREE.contrast
    assert THREE.comparisons() == [("none", "half"), ("none", "whole")]
    assert THREE.completed(None, "whole") == ("none", "whole")
    assert THREE.completed("half", "whole") == ("half", "whole")
    for named in ((None, "none"), ("none", None), (None, None)):  # with which other one?
        with pytest.raises(ValueError, match="must say which arms to compare"):
            THREE.completed(*named)
    with pytest.raises(ValueError, match="T1 names no arm of this model"):
        THREE.completed(None, "double")


def test_a_report_shows_all_other_arms_and_one_dose():
    assert THREE.shown_against("none", "half") == ("half", "whole")
    assert THREE.shown_against("half", "whole") == ("none", "whole")
    assert DOSE.shown_against(20, 30) == (30,)


def test_arms_are_positions_inside_and_labels_outside():
    assert THREE.encode("none", "T0").tolist() == 1
    assert THREE.encode(["whole", "half"], "T0").tolist() == [2, 0]
    assert THREE.label_of(np.array([2.0, 0.0])).tolist() == ["whole", "half"]
    with pytest.raises(ValueError, match="T0 names no arm.*got 'a', 'b'"):
        THREE.encode(["b", "half", "a"], "T0")
    with pytest.raises(ValueError, match="T1 names no arm.*got 3"):
        THREE.encode(3, "T1")


def test_doses_are_places_inside_and_amounts_outside():
    assert DOSE.span == 50
    assert DOSE.encode([10, 35, 60], "T0").tolist() == [0, 0.5, 1]
    assert DOSE.label_of(np.array([0, 0.5, 1])).tolist() == [10, 35, 60]
    with pytest.warns(UserWarning, match="T1 is 70, outside the doses that were observed, 10 to"):
        assert DOSE.encode(70.0, "T1").tolist() == pytest.approx(1.2)
    with pytest.warns(UserWarning, match="T1 goes from 0 to 70, outside"):
        DOSE.encode([0.0, 70.0], "T1")


def test_texts_spell_labels():
    assert Arms((0, 1)).label_in("1.0", "T0") == 1
    assert Arms((False, True)).label_in("true", "T0") is True
    assert THREE.label_in("NONE", "T0") == "none"
    with pytest.raises(ValueError, match="T0 names no arm of this model: expected one of half,"):
        THREE.label_in("double", "T0")
    assert DOSE.label_in("30.5", "T0") == 30.5
    for text in ("much", "nan", "inf", "1_0"):
        with pytest.raises(ValueError, match=f"T0 must be a dose, a number, got '{text}'"):
            DOSE.label_in(text, "T0")


def test_rows_alike_are_those_of_the_arm_or_of_doses_near_by():
    assert THREE.alike(np.array([0.0, 1, 2, 1]), 1.0).tolist() == [False, True, False, True]
    assert DOSE.alike(np.array([0.0, 0.41, 0.5, 0.59, 0.61]), 0.5).tolist() == [
        False,
        True,
        True,
        True,
        False,
    ]
    assert THREE.rounded(np.array([0.0, 2.0])).tolist() == [0, 2]
    assert DOSE.rounded(np.array([0.123, 0.125001])).tolist() == [0.12, 0.13]


def test_groups_are_arms_or_thirds_of_the_doses():
    names, group = THREE.groups(np.array([2.0, 0.0, 1.0]))
    assert (names, group.tolist()) == (("half", "none", "whole"), [2, 0, 1])
    names, group = DOSE.groups(np.array([0.0, 1.0, 0.1, 0.5, 0.9, 0.6]))
    assert names == ("10 to 15", "35 to 40", "55 to 60")
    assert group.tolist() == [0, 2, 0, 1, 2, 1]
    names, group = DOSE.groups(np.array([0.0, 0.0, 0.0, 0.0, 1.0]))  # few have got any
    assert (names, group.tolist()) == (("10 to 10", "60 to 60"), [0, 0, 0, 0, 1])


def test_a_dose_compares_what_most_rows_got_where_nobody_says():
    column = np.arange(101.0)
    assert Dose.of(column).contrast == (10, 90)
    assert Dose.of(column) == Dose(0.0, 100.0)  # it is the same dose, whatever is usual
    assert DOSE.completed(None, None) == (15, 55)
    assert DOSE.completed(20, None) == (20, 55)
    assert DOSE.comparisons() == [(15, 55)]
    assert DOSE.is_clear
    assert Dose(10.0, 60.0).contrast == (10, 60)


@pytest.mark.parametrize(
    "treatment", [THREE, Arms((0, 1)), Arms((False, True)), DOSE, Dose(0.0, 1.0)]
)
def test_treatments_go_through_json_and_back(treatment):
    again = treatment_from_json(json.loads(json.dumps(treatment.to_json())))
    assert again == treatment
    assert again.to_json() | {"usual": None} == treatment.to_json() | {"usual": None}
    assert (again.strata, again.example) == (treatment.strata, treatment.example)


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "arms", "labels": ["a"]},
        {"kind": "arms", "labels": ["a", "a"]},
        {"kind": "arms", "labels": [1, "a"]},
        {"kind": "arms", "labels": [[1], [2]]},
        {"kind": "arms", "labels": "ab"},
        {"kind": "dose", "low": 1.0, "high": 1.0, "usual": None},
        {"kind": "dose", "low": "0", "high": 1.0, "usual": None},
        {"kind": "dose", "low": 0.0, "high": 1.0, "usual": [-1.0, 0.5]},
        {"kind": "dose", "low": 0.0, "high": 1.0, "usual": [0.5, 0.5]},
        {"kind": "potion"},
    ],
)
def test_what_no_treatment_wrote_is_refused(value):
    with pytest.raises(ValueError, match="its |it does not say|Unknown treatment 'potion'"):
        treatment_from_json(value)


def test_many_numbers_are_a_dose_where_a_method_takes_both():
    both = (Arms, Dose)
    assert treatment_of(np.arange(10.0), "auto", both, "A") == Arms(tuple(np.arange(10.0)))
    assert treatment_of(np.arange(11.0), "auto", both, "A") == Dose(0.0, 10.0)
    assert treatment_of(np.arange(11.0), "arms", both, "A").strata == 11
    assert treatment_of(np.array(["a", "b"]), "auto", both, "A") == Arms(("a", "b"))
    with pytest.raises(ValueError, match="^A learns from doses; it cannot compare arms"):
        treatment_of(np.arange(3.0), "arms", (Dose,), "A")
    with pytest.raises(ValueError, match="^A compares arms; it cannot learn from doses"):
        treatment_of(np.arange(3.0), "dose", (Arms,), "A")


def test_summaries_speak_of_rows():
    summary = json.loads(json.dumps(THREE.summary(np.array([0.0, 1.0, 1.0, 2.0]))))
    assert THREE.words(summary) == "3 arms: half (1 row), none (2 rows), whole (1 row)"
    assert THREE.table(summary)[1][1] == ("none", 2, "50.0 %")
    assert all(check(summary[part]) for part, check in THREE.summary_checks().items())
    assert not THREE.summary_checks()["arms"](summary["arms"][:2])
    summary = json.loads(json.dumps(DOSE.summary(np.array([0.0, 0.5, 0.7]))))
    assert DOSE.words(summary) == "a dose from 10 to 60, mostly 15 to 55"
    assert DOSE.table(summary)[1] == [(10.0, pytest.approx(30.0), 60.0)]
    assert all(check(summary[part]) for part, check in DOSE.summary_checks().items())
    assert not DOSE.summary_checks()["mean"]("30")


def test_rows_decide_on_the_positions_of_arms_and_labels_on_their_order():
    t = np.array([1.0, 0, 1, 2, 2, 2])
    arms = Arms(("a", "b", "c")).arranged(t, lambda: pytest.fail("the numbers of rows differ"))
    assert arms.labels == ("c", "b", "a")
    assert arms.in_order == ("a", "b", "c")
    assert arms.encode(["a", "c"], "T0").tolist() == [2, 0]
    assert arms.label_of(np.array([0.0, 2])).tolist() == ["c", "a"]
    assert [row["arm"] for row in arms.summary(arms.encode(["a", "c"], "T0"))["arms"]] == [*"abc"]
    assert treatment_from_json(arms.to_json()) == arms


def test_of_arms_with_equally_many_rows_the_one_with_the_first_place_is_first():
    arms = Arms(("a", "b"))
    assert arms.arranged(np.array([0.0, 1, 1, 0]), lambda: np.array([1, 0, 1, 1])).labels[0] == "b"
    assert arms.arranged(np.array([0.0, 1, 1, 0]), lambda: np.array([0, 0, 2, 1])).labels[0] == "a"
