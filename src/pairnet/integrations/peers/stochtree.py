"""Bayesian trees of stochtree: causal forests (BCF) and one sum of trees an arm (BART).

Its own chains are short. These are longer: 10 grown from the root, 100 burnt in, 400 draws.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pairnet.integrations.peers.base import AbstractPeer


@dataclass(frozen=True)
class BCF(AbstractPeer):
    """Sums of trees for the outcome's level and for the effect (Hahn et al., 2020).

    stochtree estimates the propensity itself, by sums of trees, too.
    """

    grown: int = 10
    burnt_in: int = 100
    draws: int = 400

    package: ClassVar[str] = "stochtree"
    title: ClassVar[str] = "stochtree"

    def _learned(self, x, t, y, seed):
        from stochtree import BCFModel

        model = BCFModel()
        model.sample(x, t.astype(float), y, general_params=_general(seed), **_chain(self))
        treated = lambda x: np.ones(len(x))
        says = lambda x: model.predict(x, treated(x), terms="cate", type="mean")
        return lambda x: np.asarray(says(x)).ravel()


@dataclass(frozen=True)
class BartTLearner(AbstractPeer):
    """A sum of trees for the outcomes of each arm (Chipman et al., 2010; Hill, 2011)."""

    grown: int = 10
    burnt_in: int = 100
    draws: int = 400

    package: ClassVar[str] = "stochtree"
    title: ClassVar[str] = "stochtree"

    def _learned(self, x, t, y, seed):
        from stochtree import BARTModel

        models = []
        for arm in (0, 1):
            model = BARTModel()
            own = t == arm
            model.sample(x[own], y[own], general_params=_general(seed), **_chain(self))
            models.append(model)
        means = lambda x: [np.ravel(m.predict(x, terms="y_hat", type="mean")) for m in models]
        return lambda x: means(x)[1] - means(x)[0]


def _chain(peer: BCF | BartTLearner) -> dict[str, int]:
    return {"num_gfr": peer.grown, "num_burnin": peer.burnt_in, "num_mcmc": peer.draws}


def _general(seed: int) -> dict[str, Any]:
    # stochtree takes seeds from 0, and one below 0 for chance.
    return {"random_seed": seed, "num_threads": 1}
