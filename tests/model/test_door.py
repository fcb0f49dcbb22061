"""Bad input: each gives an error that says what was expected, what came, and what to do; nothing is
half-fitted."""

import numpy as np
import pandas as pd
import pytest

from checks import QUICK, SMALL, easy_problem, small
from pairnet import PairNet, Plan, TARNet
from pairnet.core.treatments import Arms
from pairnet.evidence.leaks import repeats

X, T, Y, _ = easy_problem(60)


def spoiled(array, value, at=3):
    array = np.array(array, float)
    array[at] = value
    return array


BAD_ROWS = {
    "y of another length": (
        (X, Y[:50], T),
        r"y must hold one value per row: expected shape \(60,\), got \(50,\)",
    ),
    "t of another length": (
        (X, Y, T[:50]),
        r"treatment must hold one value per row.*another split",
    ),
    "y of two columns": ((X, np.stack([Y, Y], 1), T), r"expected shape \(60,\), got \(60, 2\)"),
    "inf in X": (
        (spoiled(X, np.inf), Y, T),
        r"X has infinite values: 1 in all in column 0, the first at row 3",
    ),
    "nan in y": (
        (X, spoiled(Y, np.nan), T),
        r"y has missing values \(NaN\): 1 in all, the first at row 3 \(the first row is 0\)\. Drop",
    ),
    "inf in y": ((X, spoiled(Y, -np.inf), T), r"y has infinite values"),
    "huge in y": (
        (X, spoiled(Y, -1e200), T),
        r"y has values beyond 1e\+38: 1 in all, the first at row 3.*: -1e\+200",
    ),
    "huge in X": (
        (spoiled(X, 1e300), Y, T),
        r"X has values beyond 1e\+38: 1 in all in column 0.*larger unit",
    ),
    "nan in t": ((X, Y, spoiled(T, np.nan)), r"treatment has missing values"),
    "none in t": ((X, Y, [None, *T[1:]]), r"treatment has missing values"),
    "mixed labels": (
        (X, Y, ["a", *T[1:].tolist()]),
        r"treatment mixes types \(int, str\): make all its values text",
    ),
    "one arm": ((X, Y, np.ones(60)), r"at least two values, got only 1\.0"),
    "a rare arm": ((X, Y, np.r_[np.zeros(58), 1, 1]), r"Arm 1\.0 has 2 rows: expected at least 7"),
    "constant y": ((X, np.full(60, 3.0), T), r"y is constant \(3 in all 60 rows\)"),
    "text in X": (
        ([*X.astype(object).tolist()[:59], ["a", "b", "c"]], Y, T),
        r"Column 0 holds numbers in 59 rows and text in 1: got 'a' in row 59",
    ),
    "one label in y": (
        (X, np.full(60, "a"), T),
        r"y must be numbers, booleans or two labels, got text with 1 diff",
    ),
    "three labels in y": (
        (X, np.tile(["a", "b", "c"], 20), T),
        r"two labels, got text with 3 different values \('a', 'b",
    ),
    "commas in y": (
        (X, [f"{i},5" for i in range(60)], T),
        r"60 different values .* It looks like numbers with commas",
    ),
    "dates in y": ((X, np.full(60, "2020-01-01", "datetime64[D]"), T), r"two labels, got dates"),
    "a flat X": (
        (X[:, 0], Y, T),
        r"expected 2 dimensions, got shape \(60,\)\. Reshape your data: for one covariate",
    ),
    "no rows": ((X[:0], Y[:0], T[:0]), r"X must hold at least one row"),
    "one row": ((X[:1], Y[:1], T[:1]), r"at least two values, got only \d in all 1 rows"),
    "pandas' NA in t": (
        (X, Y, pd.Series(["a", pd.NA] * 30, dtype="string")),
        r"treatment has missing values",
    ),
    "no columns": ((X[:, :0], Y, T), r"at least one covariate, got 0 columns"),
    "no y": ((X, None, T), r"y is missing"),
}


BAD_ROWS |= {
    "a dose": (
        (X, Y, np.linspace(0, 1, 60)),
        r"takes 60 different values in 60 rows, which looks like a dose",
    )
}


@pytest.mark.parametrize("case", list(BAD_ROWS))
def test_bad_rows(case):
    (x, y, t), message = BAD_ROWS[case]
    method = small()
    with pytest.raises((ValueError, TypeError), match=message):
        method.fit(x, y, treatment=t)
    assert not method.__sklearn_is_fitted__()


BAD_PARAMETERS = {
    "negative drop": (PairNet, dict(drop=-0.1), r"PairNet\.drop must be a share.*got -0\.1"),
    "drop of one": (PairNet, dict(drop=1.0), r"PairNet\.drop"),
    "zero pairs": (
        PairNet,
        dict(pairs=0),
        r"PairNet\.pairs must be a whole number, at least 1, got 0",
    ),
    "half a pair": (PairNet, dict(pairs=1.5), r"PairNet\.pairs"),
    "zero temperature": (
        PairNet,
        dict(temperature=0.0),
        r"PairNet\.temperature must be above 0 \(inf draws",
    ),
    "unknown form": (
        PairNet,
        dict(form="all"),
        r"PairNet\.form must be 'batch', 'drawn' or 'transport'",
    ),
    "unknown space": (
        PairNet,
        dict(space="psy"),
        r"PairNet\.space must be 'random', 'psi', 'phi' or 'covariates'",
    ),
    "alpha of three": (PairNet, dict(alpha=3.0), r"PairNet\.alpha"),
    "a share that is text": (
        PairNet,
        dict(drop="0.1"),
        r"PairNet\.drop must be a share.*got '0\.1'",
    ),
    "endless pairs": (
        PairNet,
        dict(pairs=np.inf),
        r"PairNet\.pairs must be a whole number, at least 1, got inf",
    ),
    "no members": (
        TARNet,
        dict(members=0),
        r"TARNet\.members must be a whole number, at least 1, got 0",
    ),
    "half a member": (
        TARNet,
        dict(members=1.5),
        r"TARNet\.members must be a whole number.*got 1\.5",
    ),
    "no seed": (
        TARNet,
        dict(seed=None),
        r"TARNet\.seed must be a whole number below 2\*\*32, got None",
    ),
    "endless l2": (TARNet, dict(l2=np.inf), r"TARNet\.l2 must be 0 or more.*got inf"),
    "one width alone": (
        TARNet,
        dict(phi=200),
        r"TARNet\.phi must be a tuple of at least one width.*got 200",
    ),
    "half a width": (TARNet, dict(mu=(8.5,)), r"TARNet\.mu must be a tuple of widths"),
    "negative l2": (TARNet, dict(l2=-1.0), r"TARNet\.l2"),
    "no layers": (TARNet, dict(phi=()), r"TARNet\.phi"),
    "not a plan": (TARNet, dict(plan="published"), r"TARNet\.plan must be a pairnet\.Plan"),
    "unknown outcome": (TARNet, dict(outcome="poisson"), r"TARNet\.outcome"),
    "not binary": (TARNet, dict(outcome="bernoulli"), r"needs y to be 0 or 1"),
    "bad base": (PairNet, dict(base=3), r"PairNet\.base must be TARNet\(\), CFRNet"),
}


@pytest.mark.parametrize("case", list(BAD_PARAMETERS))
def test_bad_hyperparameters(case):
    kind, change, message = BAD_PARAMETERS[case]
    method = kind().set_params(**change)  # as a search over hyperparameters would
    with pytest.raises(ValueError, match=message):
        method.fit(X, Y, treatment=T)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"learning_rate": 0.0}, "learning_rate must be a positive number"),
        ({"batch_size": 1}, "batch_size must be a whole number, at least 2"),
        ({"patience": 0}, "patience"),
        ({"validation": 1.0}, "validation must be a share between 0 and 1"),
        ({"tolerance": 1.0}, "tolerance"),
    ],
)
def test_bad_plans(change, message):
    with pytest.raises(ValueError, match=message):
        Plan(**change)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("learning_rate", "fast", "learning_rate must be a positive number, got 'fast'"),
        ("batch_size", 64.5, "batch_size must be a whole number, at least 2.*got 64.5"),
        ("longest", np.inf, "longest must be a whole number, at least 1, got inf"),
    ],
)
def test_plans_of_other_types(name, value, message):
    plan = Plan()
    object.__setattr__(
        plan, name, value
    )  # at the door the type checker of the tests would be first
    with pytest.raises(ValueError, match=message):
        plan.__post_init__()


@pytest.fixture(scope="module")
def fitted():
    return small().fit(
        pd.DataFrame(X, columns=["age", "size", "dose"]), pd.Series(Y), treatment=pd.Series(T)
    )


def test_frames_are_remembered_by_their_columns(fitted):
    assert fitted.feature_names_in_.tolist() == ["age", "size", "dose"]
    frame = pd.DataFrame(X, columns=["age", "size", "dose"])
    assert np.array_equal(fitted.effect(frame), fitted.effect(X))
    assert np.array_equal(fitted.effect(frame[["size", "age", "dose"]]), fitted.effect(X))
    with pytest.raises(ValueError, match=r"missing \['age'\]; not seen in fit \['years'\]"):
        fitted.effect(frame.rename(columns={"age": "years"}))
    with pytest.raises(
        ValueError, match="must hold numbers in column 'age', as in fit: got 'old' in rows 0, 1"
    ):
        fitted.effect(frame.assign(age="old"))


def test_bad_questions_to_a_fitted_model(fitted):
    with pytest.raises(ValueError, match="must have the 3 columns of the fit, got 2"):
        fitted.effect(X[:, :2])
    with pytest.raises(ValueError, match="at least one row"):
        fitted.effect(X[:0])
    with pytest.raises(
        ValueError, match="T1 names no arm of this model: expected one of 0, 1, got 2"
    ):
        fitted.effect(X, T1=2)
    with pytest.raises(ValueError, match="T0 names no arm.*got 'control'"):
        fitted.effect(X, T0="control")
    with pytest.raises(
        ValueError, match=r"T1 must be one arm, or one per row: expected shape \(60,\), got \(3,\)"
    ):
        fitted.effect(X, T1=[0, 1, 1])
    with pytest.raises(ValueError, match="y must hold one value per row"):
        fitted.score(X, Y[:5], treatment=T)
    with pytest.raises(ValueError, match="y must be numbers"):
        fitted.score(X, ["good"] * 60, treatment=T)


def test_a_failed_second_fit_keeps_the_first(fitted):
    before = fitted.effect(X)
    with pytest.raises(ValueError, match="constant"):
        fitted.fit(X, np.ones(60), treatment=T)
    assert np.array_equal(fitted.effect(X), before)


def test_an_outcome_that_is_constant_where_rows_count_is_refused():
    half = np.arange(60) < 30
    with pytest.raises(ValueError, match=r"y is constant \(2 in all 30 rows\)"):
        small().fit(X, np.where(half, 2.0, Y), treatment=np.arange(60) % 2, sample_weight=half)


def test_one_row_and_booleans_are_welcome():
    method = TARNet(**SMALL, plan=QUICK).fit(X > 0, Y, treatment=T.astype(bool))
    assert method.effect(X[:1] > 0).shape == (1,)
    assert method.effect(X > 0, T0=False, T1=True).shape == (60,)


def test_sparse_matrices_are_refused_with_advice():
    from scipy import sparse

    with pytest.raises(TypeError, match="toarray"):
        small().fit(sparse.csr_array(X), Y, treatment=T)


FRAME = pd.DataFrame(X, columns=["a", "b", "c"])


@pytest.mark.parametrize("name", ["y", "treatment"])
def test_rows_in_another_order_are_refused(name):
    columns = {"y": pd.Series(Y), "treatment": pd.Series(T)}
    columns[name] = columns[name].sample(frac=1, random_state=0)
    with pytest.raises(
        ValueError,
        match=rf"{name} has the rows of X in another order.*Pass {name}\.loc\[X\.index\]",
    ):
        small(TARNet).fit(FRAME, columns["y"], treatment=columns["treatment"])


def test_other_indexes_are_noticed_and_the_same_ones_are_fine():
    named = FRAME.set_axis(np.arange(100, 160))
    with pytest.warns(
        UserWarning, match="y and X have different indexes: rows are matched by their place"
    ):
        small(TARNet).fit(named, pd.Series(Y), treatment=T)
    shuffled = FRAME.assign(y=Y, t=T).sample(frac=1, random_state=0)
    small(TARNet).fit(shuffled[["a", "b", "c"]], shuffled["y"], treatment=shuffled["t"])


@pytest.mark.parametrize(
    ("copy", "what"),
    [({"copy": 0.9 * Y}, "outcome"), ({"copy": 3 - 2 * T}, "treatment")],
    ids=["outcome", "treatment"],
)
def test_a_covariate_that_gives_the_answer_away_is_noticed(copy, what):
    with pytest.warns(
        UserWarning, match=f"The covariate 'copy' repeats the {what} exactly. Leave it out"
    ):
        small(TARNet).fit(FRAME.assign(**copy), Y, treatment=T)


def test_a_repeated_arm_is_found_by_its_label_and_by_its_indicator():
    rng = np.random.default_rng(0)
    t = rng.integers(0, 3, 50).astype(float)
    x = np.stack([np.array([1.0, 2.0, 5.0])[t.astype(int)], t == 2, rng.normal(size=50)], axis=1)
    found = repeats(["label", "flag", "noise"], x, t, rng.normal(size=50), Arms((1, 2, 5)))
    assert found == [("label", "treatment"), ("flag", "treatment")]


def test_names_of_columns_that_fit_has_not_seen_are_noticed():
    model = small(TARNet).fit(X, Y, treatment=T)
    with pytest.warns(UserWarning, match="columns are taken by their place"):
        assert np.allclose(model.effect(FRAME), model.effect(X))


@pytest.mark.parametrize(
    ("labels", "contrast"),
    [
        ((0, 1), (0, 1)),
        ((1, 2), (1, 2)),
        ((False, True), (False, True)),
        (("large", "none"), ("none", "large")),
        (("Email", "No Email"), ("No Email", "Email")),
        (("20 % off", "no discount"), ("no discount", "20 % off")),
        (("new drug", "standard care"), ("standard care", "new drug")),
        ((0, 1, 2), (0, 1)),
    ],
)
def test_what_an_effect_compares_where_nobody_says(labels, contrast):
    assert Arms(labels).contrast == contrast


@pytest.mark.parametrize("labels", [("A", "B"), ("no", "small", "large"), (1, 2, 3)])
def test_an_effect_whose_sign_would_be_a_guess_is_asked_for(labels):
    with pytest.raises(ValueError, match="T0 and T1 must say which arms to compare"):
        Arms(labels).contrast  # noqa: B018


def test_the_plainest_name_of_an_untreated_arm_is_the_baseline():
    assert Arms(("Mens E-Mail", "No Email", "Womens E-Mail")).baseline == "No Email"
    assert Arms(("control", "no extra", "standard")).baseline == "control"
    assert Arms(("drug", "sugar placebo")).baseline == "sugar placebo"
    assert Arms(("northern", "southern")).baseline == "northern"
    assert Arms(("no email", "no letter")).baseline == "no email"
