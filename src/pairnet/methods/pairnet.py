"""PairNet: any network, trained on differences of outcomes between neighbours."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import equinox as eqx
import jax

from pairnet.core.errors import BadInput
from pairnet.core.outcomes import Bernoulli
from pairnet.core.treatments import Arms, Dose, Treatment
from pairnet.core.types import is_number, is_whole, number
from pairnet.learners.networked import NetworkEstimator
from pairnet.losses import AbstractLoss, BatchPair, Factual, Pair
from pairnet.methods.tarnet import TARNet
from pairnet.methods.vcnet import VCNet
from pairnet.model.learner import expect, expect_one_of
from pairnet.pairing import AbstractPairing, Apart, InBatch, Matched, Neighbours, Window
from pairnet.training import Recipe
from pairnet.training.spaces import AbstractSpace, Covariates, Nowhere, Own, Representation

SPACES: dict[str, AbstractSpace] = {
    "random": Nowhere(),
    "psi": Representation("psi"),
    "phi": Own(),
    "covariates": Covariates(),
}

PAIRABLE = (  # what a base may be
    "TARNet(), CFRNet(), DragonNet(), FlexTENet(), TLearner() or SLearner() for arms, DRNet() or "
    "VCNet() for doses, or None"
)
ENTROPY_OF_PAIRS = 0.05  # of the transport plan that pairs rows, in units of the mean cost


@dataclass(kw_only=True, eq=False, repr=False)
class PairNet(NetworkEstimator):
    """Any network, trained on pairs of rows that were treated differently (ICML 2024).

    The loss compares the observed difference of two outcomes with the predicted one.

    base: the method whose network is trained; None is TARNet() for arms and VCNet() for doses.
    form: "batch" (all pairs of the minibatch), "drawn" (Algorithm 1) or "transport" (the
    minibatch's pairs weighted by an optimal-transport plan; for arms, needs ott-jax and a space).
    space: where neighbours are looked for: "random" (nowhere), "psi" (the factual base's
    representation), "phi" (the network's own), "covariates". temperature: partners are drawn from
    softmax(-distance / temperature), so that inf is random and a small value is near. distance:
    "spread" (in units of the embedding's own spread) or "raw". pairs, drop: partners a row, and the
    share of most distant pairs dropped ("drawn" only). window, window_in: for doses, how far a
    drawn partner's dose may be from a random one: as a share of the "range", in units of the
    "dose", or as a "quantile" (a share of the rows). alpha: weight of the residuals' alignment, 2
    in the paper. columns: positions of the covariates by which neighbours are looked for, with
    space="covariates"; left out, all. difference: for outcomes of yes / no, the loss of y - y': the
    cross-entropy of its "probability", or the "paper"'s form, which takes the probabilities for
    logits.
    """

    base: NetworkEstimator | None = None
    form: Literal["batch", "drawn", "transport"] = "batch"
    space: Literal["random", "psi", "phi", "covariates"] = "random"
    temperature: float = 1.0
    distance: Literal["spread", "raw"] = "spread"
    pairs: int = 3
    drop: float = 0.0
    window: float = 0.05
    window_in: Literal["range", "dose", "quantile"] = "range"
    alpha: float = 2.0
    columns: tuple[int, ...] | None = None
    difference: Literal["probability", "paper"] = "probability"

    what_doses_mean: ClassVar[str] = ", and PairNet trains VCNet"

    @classmethod
    def published(cls, **changes: Any):
        """Return PairNet as the paper trains it.

        Partners are drawn near in psi; for arms, a tenth of the pairs is dropped.
        """
        base = changes.pop("base", None)
        if base is None:
            base = cls(treatment=changes.get("treatment", "auto")).stands_for("base")
        if not _pairable(base):
            raise BadInput("", f"PairNet.base must be {PAIRABLE}, got {base!r}")
        as_paper = type(base).published()
        values: dict[str, Any] = {
            "plan": as_paper.plan,
            "base": dataclasses.replace(base, l2=as_paper.l2 if base.l2 is None else base.l2),
            "form": "drawn",
            "space": "psi",
            "distance": "raw",
            "drop": 0.0 if Dose in base.takes else 0.1,
        }
        return cls(**(values | changes))

    @property
    def takes(self) -> tuple[type, ...]:  # type: ignore[override]
        """The kinds of treatment that the base takes; without a base, arms and doses."""
        return (Arms, Dose) if self.base is None else self.base.takes

    def stands_for(self, name):
        """Return the default base: for doses, where they were named, VCNet, else TARNet."""
        if name != "base":
            return None
        return VCNet() if self.treatment == "dose" else TARNet()

    def base_for(self, treatment: Treatment) -> NetworkEstimator:
        """Return the method whose network is trained on such a treatment."""
        if self.base is not None:
            return self.base
        return VCNet() if treatment.whole_range else TARNet()

    @property
    def label(self) -> str:
        """The name PairNet, with the name of its base."""
        return "PairNet" if self.base is None else f"PairNet over {type(self.base).__name__}"

    @property
    def results_version(self) -> int:
        """Version 2 draws partners part by part, and gives psi random numbers of its own."""
        return 2 if self.form == "drawn" or self.space == "psi" else 1

    def check(self):
        super().check()
        self._check_base()
        self._check_pairs()
        self._check_loss()

    def _check_base(self) -> None:
        if self.base is None:
            return
        expect(_pairable(self.base), self, "base", PAIRABLE)
        for name in self.training_fields:
            value, default = getattr(self.base, name), getattr(type(self.base)(), name)
            what = f"left at its default {name}: set {name} on PairNet, which trains it"
            expect(value == default, self, "base", what)
        self.base.check()

    def _check_pairs(self) -> None:
        expect_one_of(self, "form", ("batch", "drawn", "transport"))
        expect_one_of(self, "space", tuple(SPACES))
        expect(
            self.form != "transport" or self.space != "random",
            self,
            "space",
            "a space, if form is 'transport'",
        )
        expect(
            is_number(self.temperature) and self.temperature > 0,
            self,
            "temperature",
            "above 0 (inf draws partners at random)",
        )
        expect_one_of(self, "distance", ("spread", "raw"))
        expect(
            is_whole(self.pairs) and self.pairs >= 1, self, "pairs", "a whole number, at least 1"
        )
        good = is_number(self.drop) and 0 <= self.drop < 1
        expect(good, self, "drop", "a share from 0 up to, not including, 1")
        expect(is_number(self.window) and self.window > 0, self, "window", "above 0")
        expect_one_of(self, "window_in", ("range", "dose", "quantile"))
        good = self.columns is None or (
            self.space == "covariates"
            and isinstance(self.columns, tuple | list)
            and len(self.columns) > 0
            and all(is_whole(k) and k >= 0 for k in self.columns)
        )
        expect(
            good,
            self,
            "columns",
            "None, or positions of covariates (0, 1, ...) with space='covariates'",
        )

    def _check_loss(self) -> None:
        expect_one_of(self, "difference", ("probability", "paper"))
        good = is_number(self.alpha) and 0 <= self.alpha <= 2
        expect(good, self, "alpha", "between 0 (two factual losses) and 2 (the paper's)")

    def recipe(self, outcome, treatment, rows):
        """The base's recipe with the pair loss in place of its factual loss."""
        pairing = self.pairing(treatment)
        outcome = Bernoulli(self.difference) if isinstance(outcome, Bernoulli) else outcome
        space = SPACES[self.space]
        if self.columns is not None:
            space = Covariates(tuple(map(int, self.columns)))
        pair = Pair if self.form == "drawn" else BatchPair
        loss: AbstractLoss = pair(outcome, number(self.alpha))
        # A term of the pair loss holds the residuals of two rows, so that a penalty counted in rows
        # has twice the weight.
        base = dataclasses.replace(self.base_for(treatment), plan=self.plan)
        recipe = base.recipe(outcome, treatment, rows / 2)
        recipe = eqx.tree_at(lambda r: r.pilot, recipe, base.pilot(outcome, treatment, rows))
        return with_pairs(recipe, loss, pairing, space)

    def pairing(self, treatment: Any) -> AbstractPairing:
        """Return how partners are found for a treatment."""
        temperature, spread = number(self.temperature), self.distance == "spread"
        neighbours = Neighbours(int(self.pairs), temperature, number(self.drop), spread)
        if not treatment.whole_range:
            forms = {
                "batch": InBatch(len(treatment), temperature, spread),
                "transport": Matched(len(treatment), ENTROPY_OF_PAIRS),
            }
            return forms.get(self.form, neighbours)
        expect(self.form != "transport", self, "form", "'batch' or 'drawn' for doses")
        unit = treatment.span if self.window_in == "dose" else 1.0
        window = Window(neighbours, number(self.window / unit), self.window_in == "quantile")
        return window if self.form == "drawn" else Apart(temperature, spread)


def _pairable(base: object) -> bool:
    return isinstance(base, NetworkEstimator) and base.pairable


def with_pairs(
    recipe: Recipe, pair: AbstractLoss, pairing: AbstractPairing, space: AbstractSpace
) -> Recipe:
    """Return the recipe with every factual loss of its last stage replaced by a pair loss.

    This is what the paper calls model-agnostic. If neighbours are looked for in psi, the last stage
    is first trained as it was, under the name psi.
    """
    *before, mu = recipe.stages
    is_factual = lambda part: isinstance(part, Factual)
    swap = lambda loss: jax.tree.map(
        lambda part: pair if is_factual(part) else part, loss, is_leaf=is_factual
    )
    paired = dataclasses.replace(
        mu, loss=swap(mu.loss), score=swap(mu.score), pairing=pairing, space=space
    )
    psi = [dataclasses.replace(mu, name="psi")] if isinstance(space, Representation) else []
    return eqx.tree_at(lambda r: r.stages, recipe, (*before, *psi, paired))
