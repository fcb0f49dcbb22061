"""EconML's causal forest, DR-learner and X-learner, as its users take them.

A forest has EconML's defaults, and LightGBM its own (100 trees of 31 leaves). Chances of treatment
are kept 0.05 away from 0 in the DR-learner; with EconML's default, 1e-6, few rows decide all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pairnet.integrations.peers.base import AbstractPeer

Models = Literal["lightgbm", "forest"]
CLIP = 0.05
LEAST = 5  # rows in a leaf of a random forest


@dataclass(frozen=True)
class CausalForest(AbstractPeer):
    """Honest trees of effects on residuals (`CausalForestDML`; Athey et al., 2019)."""

    package: ClassVar[str] = "econml"
    title: ClassVar[str] = "EconML"

    def _learned(self, x, t, y, seed):
        from econml.dml import CausalForestDML

        forest = CausalForestDML(discrete_treatment=True, random_state=seed, n_jobs=1)
        return _fitted(forest, x, t, y)


@dataclass(frozen=True)
class EconMLDRLearner(AbstractPeer):
    """Effects regressed on doubly robust scores (`DRLearner`; Kennedy, 2023)."""

    models: Models = "lightgbm"

    package: ClassVar[str] = "econml"
    title: ClassVar[str] = "EconML"

    def _learned(self, x, t, y, seed):
        from econml.dr import DRLearner

        learner = DRLearner(
            model_propensity=_classifier(self.models, seed),
            model_regression=_regressor(self.models, seed),
            model_final=_regressor(self.models, seed),
            min_propensity=CLIP,
            random_state=seed,
        )
        return _fitted(learner, x, t, y)


@dataclass(frozen=True)
class EconMLXLearner(AbstractPeer):
    """Effects imputed by the other arm's model (`XLearner`; Kuenzel et al., 2019)."""

    models: Models = "lightgbm"

    package: ClassVar[str] = "econml"
    title: ClassVar[str] = "EconML"

    def _learned(self, x, t, y, seed):
        from econml.metalearners import XLearner

        learner = XLearner(
            models=_regressor(self.models, seed),
            propensity_model=_classifier(self.models, seed),
        )
        return _fitted(learner, x, t, y)


def _fitted(learner: Any, x: Any, t: Any, y: Any):
    learner.fit(y, t, X=x)
    return lambda x: learner.effect(x).ravel()


def _regressor(models: Models, seed: int) -> Any:
    if models == "lightgbm":
        from lightgbm import LGBMRegressor

        return LGBMRegressor(random_state=seed, n_jobs=1, verbosity=-1)
    from sklearn.ensemble import RandomForestRegressor

    return RandomForestRegressor(min_samples_leaf=LEAST, random_state=seed)


def _classifier(models: Models, seed: int) -> Any:
    if models == "lightgbm":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(random_state=seed, n_jobs=1, verbosity=-1)
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(min_samples_leaf=LEAST, random_state=seed)
