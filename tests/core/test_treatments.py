"""Arms and doses, and what they say for themselves."""

import pytest

from pairnet.core.treatments import Arms


def test_arms_that_differ_in_case_alone_are_told_apart():
    arms = Arms(("A", "a", "b"))
    assert [arms.label_in(text, "T0") for text in ("A", "a", "b", "B")] == ["A", "a", "b", "b"]
    with pytest.raises(ValueError, match="names no arm"):
        Arms(("AB", "ab")).label_in("Ab", "T0")


def test_an_arm_that_is_called_as_untreated_ones_are_is_the_baseline():
    assert Arms(("drug", "placebo")).completed(None, None) == ("placebo", "drug")
    assert Arms(("drug", "placebo")).completed("drug", None) == ("drug", "placebo")
    assert Arms((0, 1)).completed(None, None) == (0, 1)
