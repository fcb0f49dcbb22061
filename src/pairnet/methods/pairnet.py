"""PairNet: any network, trained on differences of observed outcomes between neighbours treated differently."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any, Literal

import equinox as eqx
import jax

from pairnet.losses import AbstractLoss, BatchPair, Factual, Pair
from pairnet.methods.base import NetworkEstimator, expect
from pairnet.methods.tarnet import TARNet
from pairnet.pairing import AbstractPairing, InBatch, Matched, Neighbours
from pairnet.training import Plan, Recipe
from pairnet.training.spaces import AbstractSpace, Covariates, Nowhere, Own, Representation
from pairnet.types import number

SPACES: dict[str, AbstractSpace] = {
    "random": Nowhere(),
    "psi": Representation("psi"),
    "phi": Own(),
    "covariates": Covariates(),
}

ENTROPY = 0.05  # of transport plans, in units of the mean cost


@dataclass(kw_only=True, eq=False, repr=False)
class PairNet(NetworkEstimator):
    """Any network, trained on differences of observed outcomes between pairs treated differently (ICML 2024).

    base: the method whose network is trained. form: "batch" (all pairs of the minibatch), "drawn" (Algorithm 1) or
    "transport" (the minibatch's pairs weighted by an optimal-transport plan; needs ott-jax and a space).
    space: where neighbours are looked for: "random" (nowhere), "psi" (the factual base's representation), "phi"
    (the network's own), "covariates". temperature: partners are drawn from softmax(-distance / temperature), so inf
    is random and small is near. distance: "spread" (in units of the embedding's own spread) or "raw".
    pairs, drop: partners a row, and the share of most distant pairs dropped ("drawn" only). alpha: weight of the
    residuals' alignment, 2 in the paper.
    """

    base: NetworkEstimator = field(default_factory=TARNet)
    form: Literal["batch", "drawn", "transport"] = "batch"
    space: Literal["random", "psi", "phi", "covariates"] = "random"
    temperature: float = 1.0
    distance: Literal["spread", "raw"] = "spread"
    pairs: int = 3
    drop: float = 0.0
    alpha: float = 2.0

    @classmethod
    def published(cls, **changes: Any):
        """Return PairNet as the paper trains it: drawn partners near in psi, a tenth of the pairs dropped."""
        base = changes.pop("base", TARNet())
        values: dict[str, Any] = {
            "plan": Plan.published(),
            "base": dataclasses.replace(base, l2=type(base).published().l2 if base.l2 is None else base.l2),
            "form": "drawn",
            "space": "psi",
            "distance": "raw",
            "drop": 0.1,
        }
        return cls(**(values | changes))

    def check(self):
        """Raise for a hyperparameter that makes no sense."""
        super().check()
        pairable = isinstance(self.base, NetworkEstimator) and self.base.pairable
        expect(pairable, self, "base", "TARNet(), CFRNet(), DragonNet(), FlexTENet(), TLearner() or SLearner()")
        for name in self.training_fields:
            given, default = getattr(self.base, name), getattr(type(self.base)(), name)
            expect(
                given == default, self, "base", f"left at its default {name}: set {name} on PairNet, which trains it"
            )
        self.base.check()
        expect(self.form in ("batch", "drawn", "transport"), self, "form", "'batch', 'drawn' or 'transport'")
        expect(self.form != "transport" or self.space != "random", self, "space", "a space, if form is 'transport'")
        expect(self.space in SPACES, self, "space", f"one of {', '.join(map(repr, SPACES))}")
        expect(self.temperature > 0, self, "temperature", "above 0 (inf draws partners at random)")
        expect(self.distance in ("spread", "raw"), self, "distance", "'spread' or 'raw'")
        expect(self.pairs >= 1 and self.pairs == int(self.pairs), self, "pairs", "a whole number, at least 1")
        expect(0 <= self.drop < 1, self, "drop", "a share from 0 up to, not including, 1")
        expect(0 <= self.alpha <= 2, self, "alpha", "between 0 (two factual losses) and 2 (the paper's)")

    def recipe(self, outcome, treatment, rows):
        """The base's recipe with its factual loss replaced by the pair loss."""
        spread = self.distance == "spread"
        temperature, drop, alpha = map(number, (self.temperature, self.drop, self.alpha))
        loss: AbstractLoss
        pairing: AbstractPairing
        if self.form == "batch":
            loss, pairing = BatchPair(outcome, alpha), InBatch(len(treatment), temperature, spread)
        elif self.form == "transport":
            loss, pairing = BatchPair(outcome, alpha), Matched(len(treatment), ENTROPY)
        else:
            loss, pairing = Pair(outcome, alpha), Neighbours(int(self.pairs), temperature, drop, spread)
        # A term of the pair loss holds the residuals of two rows, so a penalty that is counted in rows counts twice.
        base = self.base.recipe(outcome, treatment, rows / 2)
        return with_pairs(base, loss, pairing, SPACES[self.space])


def with_pairs(recipe: Recipe, pair: AbstractLoss, pairing: AbstractPairing, space: AbstractSpace) -> Recipe:
    """Return the recipe with every factual loss of its last stage replaced by a pair loss: the paper's model-agnostic.

    Where neighbours are looked for in psi, the last stage is first trained as it was, under that name.
    """
    *before, mu = recipe.stages
    is_factual = lambda part: isinstance(part, Factual)
    swap = lambda loss: jax.tree.map(lambda part: pair if is_factual(part) else part, loss, is_leaf=is_factual)
    paired = dataclasses.replace(mu, loss=swap(mu.loss), score=swap(mu.score), pairing=pairing, space=space)
    psi = [dataclasses.replace(mu, name="psi")] if isinstance(space, Representation) else []
    return eqx.tree_at(lambda r: r.stages, recipe, (*before, *psi, paired))
