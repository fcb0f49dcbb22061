"""How outcomes and effects are read off fitted networks, for one individual."""

from __future__ import annotations

import abc

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Float

from pairnet.core.outcomes import AbstractOutcome
from pairnet.core.types import Array, Scalar
from pairnet.views import Networks


class AbstractReading(eqx.Module):
    """A way to read outcomes and effects off the fitted networks."""

    kind: eqx.AbstractVar[AbstractOutcome]

    @abc.abstractmethod
    def outcome(self, networks: Networks, x: Float[Array, " d"], t: Scalar) -> Scalar:
        """Return mu(x, t)."""

    @abc.abstractmethod
    def effect(self, networks: Networks, x: Float[Array, " d"], t0: Scalar, t1: Scalar) -> Scalar:
        """Return tau(x, t1, t0)."""

    @abc.abstractmethod
    def represent(self, networks: Networks, x: Float[Array, " d"], t: Scalar) -> Float[Array, " h"]:
        """Return phi(x) of the network that models outcomes; t does not matter."""

    def curve(
        self, networks: Networks, x: Float[Array, " d"], t: Float[Array, " g"]
    ) -> Float[Array, " g"]:
        """Return mu(x, t) under several treatments; what depends only on x is computed once."""
        return jax.vmap(lambda dose: self.outcome(networks, x, dose))(t)

    def slope(self, networks: Networks, x: Float[Array, " d"], t: Scalar) -> Scalar:
        """Return the derivative of mu(x, t) in the dose."""
        return jax.grad(lambda dose: self.outcome(networks, x, dose))(t)


class Difference(AbstractReading):
    """The effect as a difference of two outcomes of one network: mu(x, t1) - mu(x, t0)."""

    stage: str = eqx.field(static=True)
    kind: AbstractOutcome

    def outcome(self, networks, x, t):
        return self.kind.mean(networks[self.stage](x, t).y)

    def effect(self, networks, x, t0, t1):
        return self.outcome(networks, x, t1) - self.outcome(networks, x, t0)

    def represent(self, networks, x, t):
        return networks[self.stage](x, t).z


class Direct(AbstractReading):
    """The effect as stages regressed it: for each arm after the first, tau against the first.

    Outcomes are those of the first arm by an earlier stage, plus the effect. If that stage models
    the outcome averaged over the first two arms, `propensity` is the stage that tells how much of
    the effect is in the average.
    """

    kind: AbstractOutcome
    level: str = eqx.field(static=True)
    taus: tuple[str, ...] = eqx.field(static=True)
    propensity: str | None = eqx.field(static=True, default=None)

    def outcome(self, networks, x, t):
        level = self.kind.mean(networks[self.level](x, jnp.zeros(())).y)
        taus = self._taus(networks, x)
        if self.propensity is not None:
            chance = networks[self.propensity](x, t).chance()
            level = level - chance[1] / (chance[0] + chance[1]) * taus[1]
        return level + self._of(taus, t)

    def effect(self, networks, x, t0, t1):
        taus = self._taus(networks, x)
        return self.kind.effect_inside(self._of(taus, t1) - self._of(taus, t0))

    def represent(self, networks, x, t):
        return networks[self.level](x, t).z

    def _taus(self, networks: Networks, x: Float[Array, " d"]) -> Float[Array, " k"]:
        return jnp.stack(
            [jnp.zeros(()), *(networks[name](x, jnp.zeros(())).y for name in self.taus)]
        )

    def _of(self, taus: Float[Array, " k"], t: Scalar) -> Scalar:
        return jnp.sum(jnp.where(jnp.arange(len(taus)) == t, taus, 0))


class Blend(AbstractReading):
    """The X-learner's effect: two regressed effects, weighted by the propensity.

    tau = e tau_control + (1 - e) tau_treated with e = P(arm | x, arm or first): each of the two
    counts more where the other arm had more rows to learn its outcome from (Kuenzel et al., 2019).
    """

    kind: AbstractOutcome
    level: str = eqx.field(static=True)
    of_control: tuple[str, ...] = eqx.field(static=True)
    of_treated: tuple[str, ...] = eqx.field(static=True)
    propensity: str = eqx.field(static=True)

    def outcome(self, networks, x, t):
        level = self.kind.mean(networks[self.level](x, jnp.zeros(())).y)
        return level + self._against_first(networks, x, t)

    def effect(self, networks, x, t0, t1):
        difference = self._against_first(networks, x, t1) - self._against_first(networks, x, t0)
        return self.kind.effect_inside(difference)

    def represent(self, networks, x, t):
        return networks[self.level](x, t).z

    def _against_first(self, networks: Networks, x: Float[Array, " d"], t: Scalar) -> Scalar:
        ask = lambda name: networks[name](x, jnp.zeros(())).y
        chance = networks[self.propensity](x, t).chance()
        total = jnp.zeros(())
        for arm, names in enumerate(zip(self.of_control, self.of_treated, strict=True), start=1):
            control, treated = map(ask, names)
            e = chance[arm] / (chance[arm] + chance[0])
            total += jnp.where(t == arm, e * control + (1 - e) * treated, 0)
        return total
