"""How recipes are trained: plans, stages, and one training loop for all of them."""

from pairnet.training.fit import fit_recipe as fit_recipe
from pairnet.training.fitted import Fitted as Fitted
from pairnet.training.host import TrainingFailed as TrainingFailed
from pairnet.training.plan import Plan as Plan
from pairnet.training.readings import Blend as Blend
from pairnet.training.readings import Difference as Difference
from pairnet.training.readings import Direct as Direct
from pairnet.training.recipe import Recipe as Recipe
from pairnet.training.recipe import Stage as Stage
