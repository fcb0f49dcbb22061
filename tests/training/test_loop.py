"""The training loop: what it trains on, when it stops, what it keeps, and what it does when things
go wrong."""

import equinox as eqx
import jax
import jax.numpy as jnp
import jax.random as jr
import numpy as np
import pytest

from checks import SMALL, easy_problem, small
from pairnet.core.outcomes import Gaussian
from pairnet.core.types import Rows, number
from pairnet.losses import AbstractLoss, Factual, Pair
from pairnet.networks import Build, TwoHead
from pairnet.pairing import AbstractPairing, Neighbours
from pairnet.training import Plan, Stage, TrainingFailed, host, program
from pairnet.training.compiling import traces
from pairnet.training.progress import silent

OUTCOME = Gaussian()
NEIGHBOURS = Neighbours(3, number(np.inf), number(0.0), False)


def make_rows(n=100, replications=1, seed=0):
    made = [easy_problem(n, seed=seed + k) for k in range(replications)]
    x, t, y, _ = (np.stack(column).astype(np.float32) for column in zip(*made, strict=True))
    return Rows(x, t, y, np.ones_like(y))


def stage(pairing=NEIGHBOURS, loss=None):
    loss = loss or Pair(OUTCOME, number(2.0))
    return Stage("mu", Build(TwoHead, **SMALL), OUTCOME, loss, loss, pairing)


def fit(stage, rows, plan, seed=0, report=silent, **options):
    count = len(rows.t)
    keys = jr.split(jr.key(seed), count)
    return host.fit_stage(
        stage, rows, np.arange(count), {}, plan, keys, 2, report=report, **options
    )


def split_of(stage, rows, plan, seed=0):
    shape = plan.schedule(rows.t.shape[1], 20).shape
    _, setup, _ = program.begin_all(
        *(stage.nameless(), jax.tree.map(jnp.asarray, rows), {}, jr.split(jr.key(seed), 1)),
        *(None, shape, 2),
    )
    return np.asarray(setup.training[0])


class Spy(AbstractPairing):
    """A pairing that tells what it drew."""

    inner: Neighbours
    told: list = eqx.field(static=True)

    def draw(self, query, reference, key):
        partners = self.inner.draw(query, reference, key)
        jax.debug.callback(
            lambda q, p: self.told.append((q, p)),
            query.row,
            reference.row[partners.index],
            ordered=False,
        )
        return partners

    def within(self, batch):
        return None


class Tells(list):
    __hash__ = object.__hash__


def test_training_partners_are_training_rows_and_drawn_anew_every_round():
    """The public code took 31 % of training partners from the validation rows, from a fixed list of
    ten."""
    rows, plan = make_rows(), Plan.published(longest=12)
    told = Tells()
    fit(stage(Spy(NEIGHBOURS, told)), rows, plan)
    jax.effects_barrier()
    training = set(split_of(stage(), rows, plan).tolist())
    assert len(training) == 70
    rounds = [(q, p) for q, p in told if set(q.reshape(-1).tolist()) == training]
    validation = [(q, p) for q, p in told if not set(q.reshape(-1).tolist()) & training]
    assert len(rounds) == 12
    assert len(validation) == 1  # once, and from all rows
    assert all(set(p.reshape(-1).tolist()) <= training for _, p in rounds)
    assert set(validation[0][1].reshape(-1).tolist()) & training
    partners = [
        {int(i): set(js.tolist()) for i, js in zip(q.reshape(-1), p.reshape(-1, 3), strict=True)}
        for q, p in rounds
    ]
    assert min(len(set.union(*(of[i] for of in partners))) for i in partners[0]) > 10


def test_validation_pairs_are_those_that_were_drawn():
    """The public code looked the partners of validation rows up among the training rows."""
    rows, form = make_rows(), stage()
    shape = Plan.published().schedule(100, 20).shape
    _, setup, _ = program.begin_all(
        *(form.nameless(), jax.tree.map(jnp.asarray, rows), {}, jr.split(jr.key(0), 1)),
        *(None, shape, 2),
    )
    pairs = setup.validation
    assert np.all(pairs.partner.weight == 1)
    assert np.all(
        pairs.partner.t != pairs.rows.t[..., None]
    )  # those of other rows would be of either arm


@pytest.mark.parametrize(
    "form",
    [stage(), stage(Stage.__dataclass_fields__["pairing"].default, Factual(OUTCOME))],
    ids=["pair", "factual"],
)
def test_outcomes_of_validation_rows_never_touch_the_weights(form):
    rows, plan = make_rows(), Plan.published(longest=3)
    training = split_of(form, rows, plan)
    y = np.full_like(rows.y, 1e3)
    y[:, training] = rows.y[:, training]
    told, untold = fit(form, rows, plan), fit(form, Rows(rows.x, rows.t, y, rows.weight), plan)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(*map(jax.tree.leaves, (told.network, untold.network)), strict=True)
    )


def test_the_best_weights_are_kept_and_the_last_only_if_asked_for():
    rows = make_rows()
    form = stage()
    best, last = (
        fit(form, rows, Plan(learning_rate=0.05, patience=100, longest=300, keep=keep))
        for keep in ("best", "last")
    )
    _, setup, _ = program.begin_all(
        form.nameless(),
        jax.tree.map(jnp.asarray, rows),
        {},
        jr.split(jr.key(0), 1),
        None,
        Plan().schedule(100, 20).shape,
        2,
    )
    score = lambda trained: float(
        form.score(*jax.tree.map(lambda leaf: leaf[0], (trained.network, setup.validation)))
    )
    assert np.isclose(score(best), best.score[0], rtol=1e-4)
    assert score(best) < score(last)


def test_it_stops_after_its_patience_and_not_before_it_is_warm():
    rows = make_rows()
    hopeless = stage(loss=Never())
    assert fit(hopeless, rows, Plan.published(patience=7, warm_up=0)).rounds == 8
    assert fit(hopeless, rows, Plan.published(patience=7, warm_up=30)).rounds == 30 + 7
    assert fit(hopeless, rows, Plan.published(patience=50, warm_up=0, longest=12)).rounds == 12


class Never(AbstractLoss):
    """A loss that never gets better."""

    def __call__(self, network, batch):
        return 1.0 + 0.0 * network.penalty()


class Breaks(AbstractLoss):
    """A loss that is not a number once the first bias has moved by so much, or from the
    beginning."""

    after: float = eqx.field(static=True)

    def __call__(self, network, batch):
        moved = jnp.abs(network.network.heads.layers[0].bias).max()
        return Factual(OUTCOME)(network, batch) + jnp.where(moved > self.after, jnp.nan, 0.0)


def test_a_loss_that_turns_nan_returns_the_best_finite_weights_with_a_warning():
    with pytest.warns(
        UserWarning,
        match="turned infinite or NaN in 1 of 1 trainings; the best finite weights are kept",
    ):
        trained = fit(stage(loss=Breaks(0.1)), make_rows(), Plan(longest=2000, learning_rate=1e-2))
    assert trained.diverged.all()
    assert trained.rounds > 1
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(trained.network))


def test_a_loss_that_was_never_finite_fails_and_says_what_to_do():
    with pytest.raises(TrainingFailed, match="no weights to keep.*learning_rate"):
        fit(stage(loss=Breaks(-1.0)), make_rows(), Plan())


class Press:
    """A person who presses Ctrl-C at the n-th report."""

    def __init__(self, count):
        self.left = count

    def __call__(self, *_):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def test_ctrl_c_keeps_the_best_weights_so_far_and_says_so():
    rows = make_rows(replications=2)
    with pytest.warns(
        UserWarning,
        match=r"Interrupted in stage 'mu' after \d+ rounds: the best weights so far are kept",
    ):
        trained = fit(stage(), rows, Plan(), report=Press(2))
    assert ((trained.rounds >= 4) & (trained.rounds <= 8)).all()
    assert np.isfinite(trained.score).all()


def test_ctrl_c_with_nothing_to_keep_passes_on():
    with pytest.raises(KeyboardInterrupt):
        fit(stage(), make_rows(replications=2), Plan(), report=Press(1))
    with pytest.raises(KeyboardInterrupt):
        fit(stage(), make_rows(), Plan(), report=Press(1), last=False)


def test_an_interrupted_first_fit_leaves_the_estimator_unfitted(monkeypatch):
    method = small()
    x, t, y, _ = easy_problem()
    monkeypatch.setattr(
        "pairnet.learners.networked.fit_recipe",
        lambda *a, **k: (_ for _ in ()).throw(KeyboardInterrupt),
    )
    with pytest.raises(KeyboardInterrupt):
        method.fit(x, y, treatment=t)
    assert not method.__sklearn_is_fitted__()


def test_finished_replications_leave_the_batch(monkeypatch):
    """Side by side, as on an accelerator: sixteen trainings of different length end as they would
    alone."""
    rows = make_rows(60, replications=16)
    plan = Plan(patience=30, longest=400, warm_up=0, learning_rate=1e-2)
    alone = fit(stage(), rows, plan)
    widths = []
    monkeypatch.setattr(host, "NARROW_GROUP", 4)
    monkeypatch.setattr(host.jax, "default_backend", lambda: "accelerator")
    shrink = host.TrainingGroup.shrink

    def watch(group, finished):
        shrink(group, finished)
        widths.append(len(group.jobs))

    monkeypatch.setattr(host.TrainingGroup, "shrink", watch)
    together = fit(stage(), rows, plan)
    assert {16, 4, 0} <= set(widths) <= {16, 4, 1, 0}
    assert np.mean(together.rounds == alone.rounds) > 0.8
    assert np.allclose(np.median(together.score), np.median(alone.score), rtol=0.05)


def test_replications_that_share_covariates_are_fitted_as_if_they_did_not():
    rows = make_rows(replications=2)
    shared = Rows(rows.x[0], rows.t, rows.y, rows.weight)
    copied = Rows(np.stack([rows.x[0]] * 2), rows.t, rows.y, rows.weight)
    one, two = (fit(stage(), r, Plan(longest=50)) for r in (shared, copied))
    assert np.array_equal(one.score, two.score)


def test_trainings_on_one_table_hold_its_covariates_once(monkeypatch):
    """Members of one fit, one by one as on a CPU and side by side as on an accelerator."""
    rows, source = make_rows(), np.zeros(3, int)
    keys = jr.split(jr.key(0), 3)
    train = lambda: host.fit_stage(
        stage(), rows, source, {}, Plan(longest=50), keys, 2, report=silent
    )
    held, make = [], host.TrainingGroup.__init__

    def remember(group, jobs, rows, setup, state):
        held.append(rows.x)
        make(group, jobs, rows, setup, state)

    monkeypatch.setattr(host.TrainingGroup, "__init__", remember)
    alone = train()
    assert len(held) == 3
    assert len({x.unsafe_buffer_pointer() for x in held}) == 1
    monkeypatch.setattr(host.jax, "default_backend", lambda: "accelerator")
    together = train()
    assert held[-1].shape == rows.x.shape[1:]
    assert np.allclose(together.score, alone.score, rtol=0.02)


def test_all_replications_and_stages_share_one_program():
    rows, form = (
        make_rows(90, replications=5),
        stage(loss=Factual(OUTCOME) + 0.3 * Factual(OUTCOME)),
    )
    before = traces["advance"]
    fit(form, rows, Plan(longest=20))
    assert traces["advance"] == before + 1
    fit(
        eqx.tree_at(lambda s: s.loss.second.factor, form, number(0.7)),
        rows,
        Plan(longest=30, learning_rate=1e-2, patience=3),
    )
    assert traces["advance"] == before + 1
