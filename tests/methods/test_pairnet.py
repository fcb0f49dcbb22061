import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from checks import QUICK, SMALL, easy_problem, small
from pairnet import PairNet, Plan, TARNet
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms
from pairnet.losses import BatchPair, Factual, Pair
from pairnet.methods.pairnet import SPACES
from pairnet.training import fit, once

X, T, Y, TAU = (
    easy_problem()
)  # of the size that other files have, too: they share compiled programs


@pytest.mark.parametrize("form", ["batch", "drawn"])
@pytest.mark.parametrize("space", list(SPACES))
def test_every_space_and_form_learns(form, space):
    method = small(form=form, space=space, temperature=0.5, drop=0.1, plan=QUICK).fit(
        X, Y, treatment=T
    )
    assert np.corrcoef(method.effect(X), TAU)[0, 1] > 0.8
    assert ("psi" in method.fitted_.networks) == (space == "psi")


@pytest.mark.parametrize(("form", "loss"), [("batch", BatchPair), ("drawn", Pair)])
def test_it_is_the_base_with_its_factual_loss_replaced(form, loss):
    recipe = PairNet(base=TARNet(l2=0.5), form=form, space="psi").recipe(
        Gaussian(), Arms((0, 1)), 100
    )
    psi, mu = recipe.stages
    assert isinstance(psi.score.first, Factual)
    assert isinstance(mu.score.first, loss)
    assert isinstance(mu.loss.first, loss)
    assert isinstance(recipe.pilot.score, Factual)  # the noise is measured without a penalty
    assert mu.loss.second.factor == 0.5
    assert mu.network == psi.network


def test_it_shows_only_what_was_set():
    assert repr(PairNet(members=3)) == "PairNet(members=3)"
    assert repr(PairNet(base=TARNet(l2=0.5))) == "PairNet(base=TARNet(l2=0.5))"


def test_nested_parameters_reach_the_base():
    method = PairNet(base=TARNet()).set_params(base__l2=0.25)
    assert method.base.l2 == 0.25
    assert method.get_params()["base__l2"] == 0.25


def test_training_settings_on_the_base_are_refused_and_not_ignored():
    with pytest.raises(ValueError, match="set members on PairNet"):
        PairNet(base=TARNet(members=5)).fit(X, Y, treatment=T)


def test_the_published_method_runs_on_its_own_plan():
    assert PairNet.published().base.phi == TARNet().phi
    method = PairNet.published(base=TARNet(**SMALL), plan=Plan.published(longest=15)).fit(
        X, Y, treatment=T
    )
    assert method.base.l2 == 1.0
    assert method.drop == 0.1
    assert int(method.fitted_.rounds["mu"][0, 0]) == 15
    assert np.isfinite(method.effect(X)).all()


def test_random_partners_are_psi_at_an_infinite_temperature():
    """A fit that trains psi first has the splits, initial weights and draws of one that does
    not."""
    plain = small(form="drawn", space="random", plan=QUICK).fit(X, Y, treatment=T)
    placed = small(form="drawn", space="psi", temperature=np.inf, plan=QUICK).fit(X, Y, treatment=T)
    assert np.allclose(plain.effect(X), placed.effect(X), atol=1e-4)


def test_psi_is_trained_once_for_fits_that_share_it(monkeypatch):
    trained = []
    train = fit.fit_stage
    monkeypatch.setattr(
        fit,
        "fit_stage",
        lambda stage, *rest, **more: trained.append(stage.name) or train(stage, *rest, **more),
    )
    fitted = lambda y=Y, **changes: small(form="drawn", space="psi", plan=QUICK, **changes).fit(
        X, y, treatment=T
    )
    first = fitted(seed=31).effect(X)
    fitted(seed=31, temperature=0.5)
    again = fitted(seed=31).effect(X)
    assert trained.count("psi") == 1
    assert np.array_equal(first, again)
    fitted(seed=32), fitted(Y + X[:, 0], seed=31), fitted(seed=31, l2=0.3)
    assert trained.count("psi") == 4  # another seed, other rows, another penalty
    monkeypatch.setattr(once, "REMEMBERED", 0)
    fitted(seed=31, l2=0.3), fitted(seed=31, l2=0.3)
    assert trained.count("psi") == 6  # no more is kept than may be: the pilot drove out the first


def test_the_default_penalty_fades_as_rows_grow():
    penalty = lambda method, rows: (
        method.recipe(Gaussian(), Arms((0, 1)), rows).stages[0].loss.second.factor
    )
    assert np.isclose(penalty(TARNet(), 300), 1)
    assert np.isclose(penalty(TARNet(), 3000), 0.1)
    # A term of the pair loss holds two residuals, so the same strength is twice the number.
    assert np.isclose(penalty(PairNet(), 3000), 0.2)
    assert np.isclose(penalty(PairNet(base=TARNet(l2=0.7)), 3000), 0.7)


def test_it_can_be_searched_over_with_metadata_routing():
    from sklearn import config_context

    with config_context(enable_metadata_routing=True):
        method = small().set_fit_request(treatment=True).set_score_request(treatment=True)
        search = GridSearchCV(method, {"base__l2": [0.05, 5.0]}, cv=2).fit(X, Y, treatment=T)
    assert search.best_params_["base__l2"] in (0.05, 5.0)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_neighbours_may_be_looked_for_by_some_covariates_only():
    from pairnet.training.spaces import Covariates

    x = np.arange(12.0).reshape(4, 3)
    assert np.array_equal(Covariates((2, 0)).place(x, None, {}), x[:, [2, 0]])
    with pytest.raises(ValueError, match="positions below 3"):
        Covariates((3,)).place(x, None, {})
    for wrong in (3, ("age",), ()):
        with pytest.raises(ValueError, match="columns must be None, or positions"):
            PairNet(space="covariates").set_params(columns=wrong).check()
    with pytest.raises(ValueError, match="columns must be None, or positions"):
        PairNet(columns=(0,)).check()  # of no space
