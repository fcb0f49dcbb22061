"""An answer that is a small table, as text, as HTML and as a data frame."""

import sys

import numpy as np

from pairnet.core.listing import Listing


class Prices(Listing):
    def columns(self):
        return {
            "what": np.array(["tea", "<b>coffee"], object),
            "price": np.array([2.0, 1234.5678]),
            "p": np.array([1e-9, 0.3]),
            "sold": np.array([True, False]),
        }

    def notes(self):
        return ("Prices are <in> EUR.",)


def test_text_has_a_line_a_thing_and_ends_with_what_must_be_known():
    assert str(Prices()).splitlines() == [
        "what       price        p  sold",
        "tea            2  < 0.001   yes",
        "<b>coffee   1235     0.30      ",
        "Prices are <in> EUR.",
    ]


def test_html_is_escaped():
    page = Prices()._repr_html_()
    assert "<td>&lt;b&gt;coffee</td>" in page
    assert "&lt;in&gt;" in page


def test_a_frame_holds_the_numbers_as_they_are_with_or_without_pandas(monkeypatch):
    frame = Prices().frame()
    assert frame["price"].tolist() == [2.0, 1234.5678]
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert Prices().frame()["price"].to_list() == [2.0, 1234.5678]
