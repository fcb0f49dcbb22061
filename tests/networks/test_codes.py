"""Codes of numbers: what they are by hand, what does not change them, and what they are good for."""

import dataclasses

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import CASES, QUICK, SMALL, easy_dose_problem, easy_problem, small
from pairnet import DRLearner, DRNet, PairNet, TARNet, load
from pairnet.bench.digests import describe
from pairnet.core.outcomes import Gaussian
from pairnet.core.treatments import Arms, Dose
from pairnet.core.types import Rows, ask
from pairnet.export import export
from pairnet.methods.pairnet import SPACES
from pairnet.networks import Binned, Build, TwoHead
from pairnet.networks.codes import Coded, _plain_codes, coded
from pairnet.training.compiling import traces
from pairnet.training.spaces import Covariates

X, T, Y, _ = easy_problem(n=200)
RNG = np.random.default_rng(0)


def settled(x, bins, of=None):
    """Return a network that has seen rows."""
    of = of or Build(TwoHead, **SMALL)
    return Coded(x.shape[1], of=of, bins=bins, key=jr.key(0)).settle(jnp.asarray(x, jnp.float32))


def standardised(x, bins, new):
    """Return the codes of new rows [n d k] by the rows x, as the network sees them."""
    inputs = jax.vmap(settled(x, bins).with_codes)(jnp.asarray(new, jnp.float32))
    assert np.array_equal(inputs[:, : x.shape[1]], np.float32(new))  # the numbers stand first
    return np.asarray(inputs[:, x.shape[1] :]).reshape(len(new), x.shape[1], bins)


def codes(x, bins, new):
    """Return the same codes before they are standardised, from 0 to 1."""
    edges = settled(x, bins).edges
    return np.asarray(jax.vmap(lambda row: _plain_codes(row, edges))(jnp.asarray(new, jnp.float32)))


def column(*values):
    return np.array(values, float)[:, None]


def test_codes_of_a_column_by_hand():
    x = column(4, 0, 8, 1, 2)  # the edges of four bins are the five values
    new = column(0, 0.5, 3, 8, -5, 100)
    by_hand = [
        [0, 0, 0, 0],
        [0.5, 0, 0, 0],
        [1, 1, 0.5, 0],
        [1, 1, 1, 1],
        [0, 0, 0, 0],
        [1, 1, 1, 1],
    ]
    assert codes(x, 4, new)[:, 0].tolist() == by_hand


def test_columns_stand_side_by_side():
    x = np.hstack([column(0, 1, 2, 4, 8), column(0, 10, 20, 30, 40)])
    assert codes(x, 2, [[1, 30]])[0].tolist() == [[0.5, 0], [1, 0.5]]


def test_equal_quantiles_are_a_bin_of_width_0_with_code_0():
    x = column(*[0.1] * 7, 0.5, 0.9)  # the edges 0.1, 0.1, 0.1, 0.1, 0.9
    many = codes(x, 4, column(0.1, 0.5, 0.9))[:, 0]
    assert np.allclose(many[:, -1], [0, 0.5, 1])
    assert not many[:, :-1].any()


def test_a_constant_column_and_one_with_two_values_have_no_codes():
    x = np.hstack([column(*[0.7] * 6), column(0, 1, 0, 1, 1, 1), column(0, 1, 0.5, 1, 1, 1)])
    every = codes(x, 3, [[0.7, 1, 1], [-9, 0.4, 0.4], [9, 0.9, 0.9]])
    assert not every[:, :2].any()
    assert every[:, 2].any()


def test_there_may_be_fewer_rows_than_bins():
    many = codes(column(0, 1, 3), 8, column(0, 0.5, 3))[:, 0]
    assert many.sum(axis=1).tolist() == [0, 0.5, 2]


def test_codes_rise_with_the_value_and_every_bin_has_its_share_of_rows():
    x = RNG.exponential(size=(1000, 1))
    many = codes(x, 5, np.sort(x, axis=0))[:, 0]
    assert (np.diff(many, axis=0) >= 0).all()
    inside = ((many > 0) & (many < 1)).sum(axis=0)
    assert (abs(inside - 200) <= 2).all()


@pytest.mark.parametrize("which", [codes, standardised])
def test_units_do_not_matter(which):
    x, new = RNG.normal(size=(100, 3)), 2 * RNG.normal(size=(50, 3))
    moved = lambda rows: rows * [0.01, 3, 1000] + [0.02, -7, 100]
    before, after = which(x, 8, new), which(moved(x), 8, moved(new))
    assert before.std() > 0.1
    assert np.allclose(before, after, atol=1e-3 * max(1, np.abs(before).max()))


@pytest.mark.parametrize("count", [60, 1000])
def test_standardised_codes_have_mean_0_and_spread_1_on_the_rows(count):
    x = np.hstack([RNG.exponential(size=(count, 1)), RNG.normal(50, 7, size=(count, 1))])
    seen = standardised(x, 5, x)
    assert np.allclose(seen.mean(axis=0), 0, atol=1e-4)
    assert np.allclose(seen.std(axis=0), 1, atol=1e-3)


def test_of_more_rows_than_quantiles_codes_are_standardised_nearly():
    x = RNG.exponential(size=(5000, 1))
    seen = standardised(x, 5, x)
    assert np.allclose(seen.mean(axis=0), 0, atol=0.05)
    assert np.allclose(seen.std(axis=0), 1, atol=0.05)


def test_a_standardised_code_is_the_plain_one_moved_and_stretched():
    x, new = RNG.normal(size=(200, 2)), 3 * RNG.normal(size=(40, 2))
    own = codes(x, 4, x)
    expected = (codes(x, 4, new) - own.mean(axis=0)) / own.std(axis=0)
    assert np.allclose(standardised(x, 4, new), expected, atol=1e-3)


def test_bins_without_width_and_columns_without_codes_are_0_however_far_a_row_is():
    tied = [0.1] * 7 + [0.5, 0.9]
    x = np.hstack([column(*tied), column(*[0.7] * 9), column(*[0, 1] * 4, 1)])
    seen = standardised(x, 4, [[-50, -50, -50], [0.3, 0.7, 0.4], [50, 50, 50]])
    assert not seen[:, 0, :-1].any()
    assert seen[:, 0, -1].any()
    assert not seen[:, 1:].any()


def test_networks_asked_about_many_rows_say_what_they_say_about_one():
    x = jnp.asarray(X, jnp.float32)
    network = settled(X, 4, Build(Binned, bins=3, **SMALL))  # has a way of its own for many
    t = jnp.asarray(RNG.uniform(size=len(X)), jnp.float32)
    many, one = ask(network, x, t), jax.vmap(network)(x, t)
    assert np.allclose(many.y, one.y, atol=1e-5)
    assert np.allclose(many.z, one.z, atol=1e-5)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.is_network])
def test_every_network_of_every_method_is_given_codes(name):
    case = CASES[name]
    treatment = Dose(0.0, 1.0) if case.is_dose else Arms((0, 1))
    recipe = coded(case.make().recipe(Gaussian(), treatment, 100), 3)
    plain = case.make().recipe(Gaussian(), treatment, 100)
    stages = zip((*recipe.stages, recipe.pilot), (*plain.stages, plain.pilot), strict=True)
    for stage, before in stages:
        assert stage.network == Build(Coded, of=before.network, bins=3)
        assert dataclasses.replace(stage, network=before.network) == before  # and nothing else


def coded_methods():
    near = {"space": "psi", "form": "drawn", "temperature": 0.1}
    doses = easy_dose_problem(n=200)[:3]
    return {
        "stages": (DRLearner(**SMALL, plan=QUICK, l2=0.1, codes=3), (X, T, Y)),
        "pairs": (small(**near, members=2, bootstrap=True, codes=3), (X, T, Y)),
        "doses": (DRNet(**SMALL, plan=QUICK, l2=0.1, codes=3), doses),
    }


@pytest.fixture(params=list(coded_methods()), scope="module")
def fitted(request):
    method, (x, t, y) = coded_methods()[request.param]
    return method.fit(x, y, treatment=t), x, t, y


def test_a_saved_and_loaded_model_is_the_same(fitted, tmp_path):
    model, x, *_ = fitted
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.codes == 3
    assert np.array_equal(again.member_effects(x), model.member_effects(x))


def test_an_exported_model_is_the_same(fitted, tmp_path):
    model, x, *_ = fitted
    path = export(model.model_, tmp_path / "effects.stablehlo")[0]
    program = jax.export.deserialize(bytearray(path.read_bytes()))
    t0, t1 = np.zeros(len(x), np.float32), np.ones(len(x), np.float32)
    effect = program.call(np.asarray(x, np.float32), t0, t1)
    expected = model.model_.predictor.effect(x, t0, t1).mean(axis=0)
    assert np.allclose(effect, expected, atol=1e-4)


def test_a_second_fit_traces_nothing(fitted):
    model, x, t, y = fitted
    before = dict(traces)
    type(model)(**model.get_params(deep=False)).fit(x[::-1] * 3, y + 1, treatment=t[::-1])
    assert dict(traces) == before


def test_edges_and_units_of_codes_are_the_same_for_all_stages_and_members_and_are_not_trained(
    fitted,
):
    model, x, *_ = fitted
    scaled = model.fitted_.scaling.x(x)[0]
    expected = settled(scaled, 3)
    for located in model.fitted_.networks.values():
        for name in ("edges", "mean", "spread"):
            every, one = getattr(located.network, name)[0], getattr(expected, name)
            assert all(np.allclose(values, one, rtol=1e-6, atol=1e-6) for values in every)
            assert (every == every[0]).all()
        assert np.array_equal(located.network.edges[0][0], expected.edges)


def test_units_of_covariates_do_not_matter_to_a_fit():
    fit = lambda x: small("tarnet", codes=4).fit(x, Y, treatment=T).effect(x)
    reference = fit(X)
    moved = fit(X * [0.5, 30, 1000] + 7)
    assert np.allclose(moved, reference, rtol=1e-3, atol=1e-3 * np.abs(reference).max())


@pytest.mark.usefixtures("as_people_have_it")
@pytest.mark.parametrize("shared", [True, False])
def test_replications_have_edges_of_their_own_rows(shared):
    rows = lambda values: np.asarray(values, float)
    tables = [easy_problem(n=100, seed=seed) for seed in range(2)]
    x, t, y = (np.stack([rows(table[k]) for table in tables]) for k in range(3))
    x = x[0] if shared else x
    fitted = small("tarnet", codes=4).fit_replications(
        Rows(x, t, y, np.ones(t.shape)), Arms((0, 1))
    )
    first, second = fitted.networks["mu"].network.edges[:, 0]
    assert np.array_equal(first, second) == shared


class Looking(Covariates):
    """The space of covariates, which remembers how many columns it had."""

    seen: list = eqx.field(static=True, default=None)

    def place(self, x, network, fitted):
        places = super().place(x, network, fitted)
        self.seen.append(places.shape[-1])
        return places


def test_neighbours_are_looked_for_among_covariates_without_codes(monkeypatch):
    seen = []
    monkeypatch.setitem(SPACES, "covariates", Looking(seen=seen))
    small(space="covariates", codes=4).fit(X, Y, treatment=T)
    assert set(seen) == {3}


def test_without_codes_all_is_as_it_was():
    recipe = TARNet().recipe(Gaussian(), Arms((0, 1)), 100)
    assert coded(recipe, 0) is recipe
    assert "codes" not in describe(TARNet())  # so that older results keep their names
    assert describe(TARNet(codes=8)) != describe(TARNet())


@pytest.mark.usefixtures("as_people_have_it")
@pytest.mark.parametrize("wrong", [-1, 257, 2.5, True, "8", None])
def test_what_is_no_number_of_codes_is_refused(wrong):
    with pytest.raises(ValueError, match="codes must be a whole number from 0 to 256"):
        TARNet(codes=wrong).fit(X, Y, treatment=T)


def test_pairnet_has_the_codes_and_not_its_base():
    with pytest.raises(ValueError, match="set codes on PairNet"):
        PairNet(base=TARNet(codes=8)).fit(X, Y, treatment=T)


def stepped(seed):
    """Return a table whose effect is a step."""
    rng = np.random.default_rng(seed)
    x, t = rng.normal(size=(600, 3)), rng.integers(0, 2, 600)
    tau = 2.0 * (x[:, 0] > 0.5)
    return x, t, x[:, 1] + t * tau + 0.3 * rng.normal(size=600), tau


def test_an_effect_that_is_a_step_is_learned_better_with_codes():
    x, t, y, _ = stepped(0)
    new, _, _, tau = stepped(50)
    fit = lambda many: TARNet(**SMALL, plan=QUICK, l2=0.01, codes=many).fit(x, y, treatment=t)
    error = lambda many: np.sqrt(np.mean((fit(many).effect(new) - tau) ** 2))
    assert error(16) < 0.8 * error(0)
