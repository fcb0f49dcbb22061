"""Outcomes that are yes or no."""

from __future__ import annotations

from typing import ClassVar, Literal

import jax
import jax.numpy as jnp
import numpy as np

from pairnet.core.outcomes.base import AbstractOutcome, OutcomeWords


class Bernoulli(AbstractOutcome):
    """A yes (1) or no (0); the score is the log odds of yes.

    The difference of two such outcomes is -1, 0 or +1, with probabilities (1-p)p',
    pp' + (1-p)(1-p') and p(1-p'); the pair loss is its cross-entropy (the paper's Appendix E).

    Deviation: the paper feeds the three products to a softmax as if they were logits; here the loss
    is the logarithm of the probabilities themselves. `form="paper"` keeps the paper's form. Below
    alpha = 2 the loss blends into the two rows' own cross-entropies, so that alpha means what it
    means for numbers.
    """

    form: Literal["probability", "paper"] = "probability"

    name: ClassVar[str] = "bernoulli"
    has_unit: ClassVar[bool] = False
    bounds: ClassVar[tuple[float, float]] = (0.0, 1.0)
    # The curvature of a cross-entropy is smaller than that of a squared residual in units of noise.
    penalty_share: ClassVar[float] = 0.25
    needs: ClassVar[str] = "0 or 1 (or booleans)"
    about: ClassVar[str] = "yes or no"
    words: ClassVar[OutcomeWords] = OutcomeWords(
        scale=100.0,
        of="the chance of ",
        level="chance of ",
        level_unit=" (%)",
        difference_unit=" percentage points",
        short_unit=" points",
        large="high chance of",
        small="low chance of",
    )

    def loss(self, score, y):
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
        """Sum over all pairs: the log of "no difference" is no sum of parts of the two rows."""
        pairs = self.pair_loss(score[:, None], y[:, None], score[None, :], y[None, :], alpha)
        return jnp.sum(within.matrix() * pairs, axis=1)

    def mean(self, score):
        """P(1) = sigmoid(score)."""
        return jax.nn.sigmoid(score)

    def location(self, y, weight):
        """Return the log odds of yes in the training rows.

        The pair loss cannot tell (p, p') from (1-p', 1-p): both give the same distribution of
        differences. A start at the observed rate keeps training on the side that also predicts the
        outcomes.
        """
        total = jnp.maximum(jnp.sum(weight), 1e-12)
        rate = jnp.clip(jnp.sum(weight * y) / total, 1e-3, 1 - 1e-3)
        return jnp.log(rate) - jnp.log1p(-rate)

    @classmethod
    def allows(cls, y):
        return bool(np.isin(y, (0.0, 1.0)).all())

    @classmethod
    def claims(cls, y):
        return cls.allows(y)

    def table(self, summary):
        return ("yes",), (f"{100 * summary['mean']:.1f} %",)
