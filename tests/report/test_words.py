"""Numbers are written for people."""

import numpy as np
import pytest

from pairnet.report.words import figure_of, is_number, p_text, per_cent, say


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (1234.56, "1,235"),
        (-0.01234, "−0.0123"),
        (12.345, "12.3"),
        (3e-9, "3e-09"),
        (np.nan, "–"),
        (np.inf, "–"),
        (2e9, "2e+09"),
        (-999999, "−999,999"),
    ],
)
def test_numbers_are_rounded_to_what_counts(value, text):
    assert say(value) == text


def test_digits_can_be_asked_for():
    assert say(1.23456, 2) == "1.2"
    assert say(98.76, 1) == "99"  # whole digits are never taken away


def test_shares_are_in_per_cent():
    assert per_cent(0.256) == "26 %"
    assert per_cent(np.float32(1)) == "100 %"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.64, "0.640"), (12.345, "12.3"), (123, "123"), (1e-4, "0.0001"), (0, "0")],
)
def test_compared_numbers_keep_their_digits(value, text):
    assert figure_of(value) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [
        (None, ""),
        (0.0004, "< 0.001"),
        (0.0123, "0.012"),
        (0.1234, "0.12"),
        (0.9995, "> 0.999"),
        (0.996, "1.00"),
    ],
)
def test_p_values_are_written_as_people_do(p, text):
    assert p_text(p) == text


@pytest.mark.parametrize("text", ["", "–", "1,234", "−0.5", "3e-09", "< 0.001", "> 0.999", "26 %"])
def test_what_is_written_reads_as_a_number(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["1 to 2", "a", "1.5 (2)", "10-12 years"])
def test_words_and_ranges_are_no_numbers(text):
    assert not is_number(text)
