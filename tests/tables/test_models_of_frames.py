"""Models of data frames with columns of all kinds."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from checks import small
from pairnet.tables import Schema
from tables_helpers import COLUMNS, PANDAS, POLARS, N, T, Y


@pytest.fixture(scope="module")
def fitted():
    with pytest.warns(UserWarning, match="Left out of the covariates|holds two labels") as said:
        model = small().fit(
            PANDAS, np.where(Y > 0, "yes", "no"), treatment=pl.Series(["drug", "none"]).gather(T)
        )
    assert any("'customer' looks like an identifier" in str(w.message) for w in said)
    assert any("'no' counts as 0 and 'yes' as 1" in str(w.message) for w in said)
    return model


def test_a_model_of_a_mixed_frame_answers_in_the_frames_own_kind(fitted):
    contrast = dict(T0="drug", T1="none")
    indexed = PANDAS.set_axis([f"row {i}" for i in range(N)])
    effect = fitted.effect(indexed, **contrast)
    assert effect.name == "effect"
    assert effect.index.equals(indexed.index)
    assert isinstance(fitted.effect(POLARS, **contrast), pl.Series)
    assert np.array_equal(fitted.effect(POLARS, **contrast).to_numpy(), effect.to_numpy())
    assert np.isclose(fitted.ate(POLARS, **contrast), effect.mean())
    outcome = fitted.predict_outcome(indexed.iloc[5:9], treatment="drug")
    assert outcome.name == "outcome"
    assert list(outcome.index) == ["row 5", "row 6", "row 7", "row 8"]
    assert set(fitted.optimal_treatment(POLARS)) <= {"drug", "none"}
    assert fitted.feature_names_in_.tolist() == list(COLUMNS)
    assert fitted.n_features_in_ == len(COLUMNS)


def test_evidence_comes_as_a_frame_of_the_library_that_asked(fitted):
    contrast = dict(T0="drug", T1="none", k=2)
    indexed = PANDAS.set_axis([f"row {i}" for i in range(N)])
    wanted = fitted.support(indexed[:5], **contrast).frame()
    assert list(wanted.index) == [f"row {i}" for i in range(5)]
    found = fitted.support(POLARS[:5], **contrast).frame()
    assert isinstance(found, pl.DataFrame)
    assert found.to_dict(as_series=False) == wanted.to_dict("list")


def test_a_lazy_frame_is_collected_and_answers_as_the_frame_does(fitted):
    contrast = dict(T0="drug", T1="none")
    with pytest.warns(UserWarning, match="X is a lazy frame: its .* rows were collected"):
        effect = fitted.effect(POLARS.lazy(), **contrast)
    assert effect.equals(fitted.effect(POLARS, **contrast))
    with pytest.warns(UserWarning, match="lazy frame"):
        assert Schema.of(POLARS.lazy()) == Schema.of(POLARS)
    with pytest.raises(TypeError, match=r"y is a lazy frame.*Call \.collect"):
        small().fit(POLARS, POLARS.lazy().select("age"), treatment=T)


def test_two_labels_of_an_outcome_are_kept(fitted):
    assert fitted.outcome_labels_ == ("no", "yes")
    t = np.array(["drug", "none"])[T]
    assert np.isfinite(fitted.score(PANDAS, np.where(Y > 0, "yes", "no"), treatment=t))
    with pytest.raises(ValueError, match="y must be 'no' or 'yes', as in fit, got 'maybe'"):
        fitted.score(PANDAS, np.full(N, "maybe"), treatment=t)
    with pytest.raises(ValueError, match="y must be 'no' or 'yes', as in fit"):
        fitted.score(PANDAS, Y, treatment=t)


def test_absent_rows_and_their_order_do_not_matter_in_a_mixed_frame():
    used = [name for name in COLUMNS if name not in ("customer", "country", "note", "empty")]
    frame = PANDAS[used]
    reference = small().fit(frame, Y, treatment=T).effect(frame).to_numpy()
    order = np.random.default_rng(0).permutation(N)
    more = pd.concat([frame, frame.iloc[:5].assign(city="Atlantis", age=np.nan, visits=1e9)])
    weight = np.r_[np.ones(N), np.zeros(5)]
    again = small().fit(more, np.r_[Y, Y[:5]], treatment=np.r_[T, T[:5]], sample_weight=weight)
    shuffled = small().fit(
        pl.DataFrame(COLUMNS, strict=False).select(used)[order], Y[order], treatment=T[order]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.array_equal(again.effect(frame), reference)
        assert np.array_equal(shuffled.effect(frame), reference)
