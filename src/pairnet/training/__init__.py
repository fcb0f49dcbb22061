"""The engine: plans, recipes, and the one loop that trains them."""

from pairnet.training.fit import Fitted, fit_recipe
from pairnet.training.loop import TrainingFailed
from pairnet.training.plan import Plan
from pairnet.training.recipe import Difference, Recipe, Stage

__all__ = ["Difference", "Fitted", "Plan", "Recipe", "Stage", "TrainingFailed", "fit_recipe"]
