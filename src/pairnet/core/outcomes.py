"""What the outcome column is: a number (`Gaussian`) or a yes / no (`Bernoulli`), and the losses
that follow from it."""

from __future__ import annotations

import abc
import math
from typing import ClassVar, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.types import AbstractWithin, Array, Scalar


class AbstractOutcome(eqx.Module):
    """How a network's score relates to an observed outcome. Losses and means work elementwise."""

    has_unit: ClassVar[
        bool
    ]  # whether the outcome can be measured in other units, as cents or dollars
    bounds: ClassVar[tuple[float, float]]  # of its mean
    penalty_share: ClassVar[
        float
    ]  # of the default penalty that suits its loss; docs/plans.md says how it was set

    @abc.abstractmethod
    def loss(self, score: Float[Array, "*n"], y: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """Return the loss of one row alone."""

    @abc.abstractmethod
    def pair_loss(
        self,
        score: Float[Array, "*#n"],
        y: Float[Array, "*#n"],
        partner_score: Float[Array, "*#n"],
        partner_y: Float[Array, "*#n"],
        alpha: Scalar,
    ) -> Float[Array, "*#n"]:
        """Return the loss of a pair: of its outcomes' difference at alpha = 2, of both rows alone
        at alpha = 0."""

    @abc.abstractmethod
    def mean_pair_loss(
        self,
        score: Float[Array, " b"],
        y: Float[Array, " b"],
        within: AbstractWithin,
        alpha: Scalar,
    ) -> Float[Array, " b"]:
        """Return each row's pair loss averaged over its partners in the batch: sum_j q(j | i)
        pair_loss(i, j)."""

    @abc.abstractmethod
    def mean(self, score: Float[Array, "*n"]) -> Float[Array, "*n"]:
        """Return the expected outcome that a score stands for."""

    @abc.abstractmethod
    def location(self, y: Float[Array, " n"], weight: Float[Array, " n"]) -> Scalar:
        """Return the score that every network starts from."""


class Gaussian(AbstractOutcome):
    """A number; the score is its mean and the loss is the squared error."""

    has_unit: ClassVar[bool] = True
    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    penalty_share: ClassVar[float] = 1.0

    def loss(self, score, y):
        """(y - mu)^2."""
        return (y - score) ** 2

    def pair_loss(self, score, y, partner_score, partner_y, alpha):
        """r^2 + r'^2 - alpha r r' with r = y - mu; at alpha = 2 it is ((y - y') - (mu - mu'))^2
        (the paper's Eq. 4)."""
        r, partner_r = y - score, partner_y - partner_score
        return r**2 + partner_r**2 - alpha * r * partner_r

    def mean_pair_loss(self, score, y, within, alpha):
        """r^2 + E[r'^2] - alpha r E[r']: only the partners' mean residual and mean squared residual
        are needed."""
        r = y - score
        return r**2 + within.mean(r**2) - alpha * r * within.mean(r)

    def mean(self, score):
        """Return the score itself."""
        return score

    def location(self, y, weight):
        """Return 0: outcomes are centred before training where the plan says so."""
        return jnp.zeros((), y.dtype)


class Bernoulli(AbstractOutcome):
    """A yes (1) or no (0); the score is the log odds of yes.

    The difference of two such outcomes is -1, 0 or +1, with probabilities (1-p)p', pp' +
    (1-p)(1-p') and p(1-p'); the pair loss is its cross-entropy (the paper's Appendix E).

    Deviation: the paper feeds the three products to a softmax as if they were logits; here the loss
    is the logarithm of the probabilities themselves. `form="paper"` keeps the paper's form. Below
    alpha = 2 the loss blends into the two rows' own cross-entropies, so that alpha means what it
    means for numbers.
    """

    has_unit: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    penalty_share: ClassVar[float] = (
        0.25  # a cross-entropy bends less than a squared residual in units of noise
    )
    form: Literal["probability", "paper"] = "probability"

    def loss(self, score, y):
        """Return the cross-entropy of y under P(1) = sigmoid(score)."""
        return jax.nn.softplus(score) - y * score

    def pair_loss(self, score, y, partner_score, partner_y, alpha):
        """Return the cross-entropy of y - y' in {-1, 0, +1}."""
        yes, no = jax.nn.log_sigmoid(score), jax.nn.log_sigmoid(-score)
        partner_yes, partner_no = (
            jax.nn.log_sigmoid(partner_score),
            jax.nn.log_sigmoid(-partner_score),
        )
        minus, plus = no + partner_yes, yes + partner_no
        same = jnp.logaddexp(yes + partner_yes, no + partner_no)
        log_p = jnp.where(y > partner_y, plus, jnp.where(y < partner_y, minus, same))
        if self.form == "paper":
            log_p = jnp.exp(log_p) - jax.nn.logsumexp(
                jnp.exp(jnp.stack(jnp.broadcast_arrays(minus, same, plus))), axis=0
            )
        alone = self.loss(score, y) + self.loss(partner_score, partner_y)
        return -log_p * (alpha / 2) + alone * (1 - alpha / 2)

    def mean_pair_loss(self, score, y, within, alpha):
        """Sum over all pairs: the logarithm of "no difference" does not split into a row's and a
        partner's part."""
        pairs = self.pair_loss(score[:, None], y[:, None], score[None, :], y[None, :], alpha)
        return jnp.sum(within.matrix() * pairs, axis=1)

    def mean(self, score):
        """P(1) = sigmoid(score)."""
        return jax.nn.sigmoid(score)

    def location(self, y, weight):
        """Return the log odds of yes in the training rows.

        The pair loss cannot tell (p, p') from (1-p', 1-p): both give the same distribution of
        differences. Starting at the observed rate keeps training on the side that also predicts the
        outcomes.
        """
        rate = jnp.clip(jnp.sum(weight * y) / jnp.maximum(jnp.sum(weight), 1e-12), 1e-3, 1 - 1e-3)
        return jnp.log(rate) - jnp.log1p(-rate)
