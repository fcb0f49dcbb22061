"""The engine: plans, recipes, and the one loop that trains them."""

from pairnet.training.fit import Fitted, fit_recipe
from pairnet.training.loop import TrainingFailed
from pairnet.training.plan import Plan
from pairnet.training.recipe import Blend, Difference, Direct, Recipe, Stage

__all__ = [
    "Blend",
    "Difference",
    "Direct",
    "Fitted",
    "Plan",
    "Recipe",
    "Stage",
    "TrainingFailed",
    "fit_recipe",
]
