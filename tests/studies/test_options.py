"""Options of studies: which rows they choose, and which make no sense."""

import numpy as np
import pytest

from pairnet.studies import DataMissing, load

WORDS = np.random.default_rng(0).poisson(0.3, size=(60, 30))


def test_the_first_realisations_do_not_depend_on_how_many_there_are():
    few, many = load("confounded", realisations=2), load("confounded", realisations=5)
    assert np.array_equal(few.rows.y, many.rows.y[:2])
    assert np.array_equal(few.rows.t, many.rows.t[:2])


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("confounded", {"overlap": 0.6}, r"overlap must be between 0 and 1 / arms = 0.5, got 0.6"),
        ("confounded", {"treated": 1.0}, "treated must be a share between 0 and 1, got 1.0"),
        ("confounded", {"rows": 0}, "confounded: rows must be a whole number, at least 1, got 0"),
        ("confounded", {"arms": 0}, "arms at least 2, got 10 and 0"),
        ("confounded", {"noise": -1.0}, "noise must be 0 or more, got -1.0"),
        ("gaussians", {"test": -1}, "gaussians: test must be a whole number, at least 0, got -1"),
        (
            "relevant-covariates",
            {"realisations": 0},
            "realisations must be a whole number, at least 1, got 0",
        ),
        ("gp", {"seed": -1}, "gp: seed must be a whole number, at least 0, got -1"),
        ("acic2016", {"setting": 3}, "acic2016 has settings 2, 7 and 26, got .3."),
        ("acic2016", {"setting": []}, "acic2016 has settings 2, 7 and 26, got .."),
        ("twins", {"seeds": [-1]}, "seeds must be one or more whole numbers, 0 or above, got .-1."),
        ("acic2016", {"seeds": [101]}, "acic2016 has seeds 1 to 100, got .101."),
        (
            "acic2016",
            {"seeds": [0, 1]},
            r"seeds 1 to 100, got .0, 1.* the first ten are range\(1, 11\)",
        ),
        ("acic2016", {"seeds": range(0, 102)}, r"acic2016 has seeds 1 to 100, got .1, 2"),
        ("twins", {"size": 6000}, "size must be between 1 and 5700"),
        ("twins", {"share": 1.5}, "share must be between 0 and 1"),
        ("tcga-dose", {"matrix": WORDS, "version": 3}, "versions 0, 1 and 2"),
        ("tcga-dose", {"matrix": WORDS, "share": 0.0}, "share must be above 0"),
        ("news-dose", {"matrix": WORDS[0]}, "documents x words"),
        ("news-dose", {"matrix": WORDS - 1.0}, "counts, 0 or more"),
        ("news-dose", {"matrix": WORDS.astype(str)}, "matrix must hold numbers, got <U21 of shape"),
        ("shapes", {"kind": "sinus"}, "kind must be one of sine, steps, .*, got 'sinus'"),
        ("shapes", {"covariates": 3}, "shapes: covariates must be at least 4, got 3"),
        ("shapes", {"treated": 0.0}, "treated must be a share between 0 and 1, got 0.0"),
        ("shapes", {"rows": 0}, "shapes: rows must be a whole number, at least 1, got 0"),
        ("tau-complexity", {"rho": 0.3}, "give both setup and rho"),
    ],
)
def test_options_that_make_no_sense(name, options, message):
    with pytest.raises(ValueError, match=message):
        load(name, **options)


def test_a_range_from_zero_means_the_first_ones():
    from pairnet.studies.study import choose

    assert (
        choose(range(10), 100, "seeds").tolist()
        == choose(range(1, 11), 100, "seeds").tolist()
        == list(range(10))
    )
    assert choose([1, 3], 100, "seeds").tolist() == [0, 2]


def test_a_matrix_whose_path_is_wrong_is_missing_and_not_damaged():
    for name in ("news-dose", "tcga-dose"):
        with pytest.raises(DataMissing, match="got /nowhere/matrix.npy: no such file"):
            load(name, matrix="/nowhere/matrix.npy")


def test_an_unknown_formula_is_refused():
    from pairnet.studies import ihdp_dose

    with pytest.raises(
        Exception, match="formula"
    ):  # by the study, or by the type checker of the tests before it
        ihdp_dose(formula="print")


def test_treatments_that_are_no_arms_are_refused():
    from pairnet.studies.study import under_own_arm

    with pytest.raises(ValueError, match="Treatments must be 0 to 1, got"):
        under_own_arm(np.zeros((1, 2, 2)), np.array([[0.0, 2.0]]))


def test_realisations_that_are_not_there(needs_data):
    needs_data("ihdp", "ihdp_npci_1-100.train.npz")
    with pytest.raises(ValueError, match="ihdp has realisations 1 to 100, got \\[101\\]"):
        load("ihdp", realisations=[101])


def test_an_unknown_study_lists_the_known_ones():
    with pytest.raises(
        ValueError,
        match="Unknown study 'ihpd'. Known: acic2016, .*, twins-cevae. Did you mean 'ihdp'",
    ):
        load("ihpd")
