"""Real tables whose columns give the answer away, and the same tables without these columns."""

import numpy as np
import pandas as pd
import pytest

from evidence_helpers import looked_up
from pairnet.core.treatments import Arms
from pairnet.evidence.leaks import leaks
from pairnet.tables import Schema

causaldata = pytest.importorskip("causaldata")


def table(name):
    return getattr(causaldata, name).load_pandas().data


def told(frame, outcome, treatment):
    frame = frame.dropna(subset=[outcome, treatment])
    rest = frame.drop(columns=[outcome, treatment])
    schema = Schema.of(rest)
    t, y = (frame[name].to_numpy(float) for name in (treatment, outcome))
    found = leaks(schema, schema.encode(rest), t, y, Arms((0, 1)))
    return {(frozenset(leak.columns), leak.tells) for leak in found}


def test_the_weights_of_which_the_outcome_is_the_difference_are_named_together():
    """So are cigarettes a day in 1971 and their change until 1982: those who gave up had none."""
    nhefs = table("nhefs")
    weights = (frozenset({"wt71", "wt82"}), "outcome")
    cigarettes = (frozenset({"smokeintensity", "smkintensity82_71"}), "treatment")
    assert told(nhefs, "wt82_71", "qsmk") == {weights, cigarettes}
    before = nhefs.drop(columns=["wt82", "smkintensity82_71"])
    assert told(before, "wt82_71", "qsmk") == set()


def test_the_size_of_an_incentive_tells_who_had_one():
    thornton = table("thornton_hiv")
    assert told(thornton, "got", "any") == {(frozenset({"tinc"}), "treatment")}
    assert told(thornton.drop(columns="tinc"), "got", "any") == set()


def test_the_survey_that_controls_come_from_tells_who_was_treated():
    nsw = table("nsw_mixtape")
    both = pd.concat([nsw[nsw["treat"] == 1], table("cps_mixtape")], ignore_index=True)
    assert told(both, "re78", "treat") == {(frozenset({"data_id"}), "treatment")}
    assert told(both.drop(columns="data_id"), "re78", "treat") == set()
    assert told(nsw, "re78", "treat") == set()


def test_men_of_the_titanic_are_well_supported_since_both_classes_carried_many():
    titanic = table("titanic")
    frame = titanic[titanic["class"].isin(["1st class", "crew"])]
    x = np.stack([frame["age"] == "adults", frame["sex"] == "man"], axis=1)
    found = looked_up(x, frame["class"] == "crew", Arms((0, 1)), 0.0, 1.0)
    men = x.all(axis=1)
    assert set(found.verdict[men]) == {"well supported"}
    assert set(found.verdict[~x[:, 0]]) == {"extrapolating"}  # no child was crew
