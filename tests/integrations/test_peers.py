"""Methods of other libraries: they learn effects, are measured as ours are, and say what they lack."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from pairnet.bench.measures import FitOfPeer
from pairnet.commands.run import run as command
from pairnet.core.errors import NotInstalled
from pairnet.integrations.peers import (
    BCF,
    AbstractPeer,
    BartTLearner,
    CausalForest,
    EconMLDRLearner,
    EconMLXLearner,
)
from pairnet.studies import load

OF_ECONML = (
    CausalForest(),
    EconMLDRLearner(),
    EconMLDRLearner("forest"),
    EconMLXLearner(),
    EconMLXLearner("forest"),
)
PEERS = [
    *(pytest.param(peer, marks=pytest.mark.bridge("econml")) for peer in OF_ECONML),
    BCF(grown=5, burnt_in=5, draws=20),
    BartTLearner(grown=5, burnt_in=5, draws=20),
]


@dataclass(frozen=True)
class TwiceFirst(AbstractPeer):
    """Says that the effect is twice the first covariate, plus the seed."""

    package: ClassVar[str] = "numpy"
    title: ClassVar[str] = "NumPy"

    def _learned(self, x, t, y, seed):
        assert set(np.unique(t)) <= {0, 1}
        return lambda x: 2 * x[:, 0] + seed


@dataclass(frozen=True)
class Nowhere(TwiceFirst):
    package: ClassVar[str] = "no_such_package"
    title: ClassVar[str] = "NoSuchPackage"


@pytest.mark.parametrize("peer", PEERS, ids=repr)
def test_a_peer_finds_who_gains(peer):
    if not peer.is_installed():
        pytest.skip(f"{peer.title} is not installed (pip install 'pairnet[peers]')")
    rng = np.random.default_rng(0)
    x, t = rng.normal(size=(400, 3)), rng.integers(0, 2, 400)
    y = x[:, 1] + t * np.where(x[:, 0] > 0, 4.0, 0.0) + 0.1 * rng.normal(size=400)
    effects = peer.learn(x, t, y, 1)(x)
    assert effects.shape == (400,)
    assert effects[x[:, 0] > 0.5].mean() > 3
    assert effects[x[:, 0] < -0.5].mean() < 1
    np.testing.assert_array_equal(effects, peer.learn(x, t, y, 1)(x))


def test_a_peer_is_measured_in_every_replication_with_a_seed_of_its_own():
    study = load("confounded", rows=60, test=30, realisations=2)
    metrics = FitOfPeer(TwiceFirst())(study, [0, 5])
    for part, index in (("in", study.train), ("out", study.test)):
        x, truth = study.part(index).x, study.effect(index)
        for k, seed in enumerate((0, 5)):
            own = x if x.ndim == 2 else x[k]
            off = 2 * own[:, 0] + seed - truth[k]
            assert metrics[f"pehe_{part}"][k] == pytest.approx(np.sqrt(np.mean(off**2)), rel=1e-5)
    assert (metrics["cpu_seconds"] >= 0).all()


def test_a_peer_that_is_not_installed_says_how_to_get_it():
    x, t, y = np.zeros((4, 1)), np.array([0, 1, 0, 1]), np.zeros(4)
    with pytest.raises(NotInstalled, match=r"NoSuchPackage, .*pip install 'pairnet\[peers\]'"):
        Nowhere().learn(x, t, y, 0)
    assert FitOfPeer(Nowhere()).lacking == "NoSuchPackage"
    assert FitOfPeer(TwiceFirst()).lacking is None


def test_the_experiment_says_before_it_begins_what_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(AbstractPeer, "is_installed", lambda self: False)
    options = {"replications": 1, "device": "auto", "jobs": 1, "retry": False}
    shapes = {"names": ["peers"], "methods": "BCF,Causal forest", "store": tmp_path / "store"}
    with pytest.raises(ValueError, match=r"EconML and stochtree are not installed.*'pairnet\[peer"):
        command(**options, **shapes)
