"""How a stage sees the rows: weights and pseudo-outcomes, made with earlier stages' networks."""

from pairnet.views.base import AbstractView as AbstractView
from pairnet.views.base import AsTheyAre as AsTheyAre
from pairnet.views.base import Networks as Networks
from pairnet.views.contrasts import AbstractContrast as AbstractContrast
from pairnet.views.contrasts import DoublyRobust as DoublyRobust
from pairnet.views.contrasts import ImputedEffect as ImputedEffect
from pairnet.views.contrasts import RegressionAdjusted as RegressionAdjusted
from pairnet.views.contrasts import Robinson as Robinson
from pairnet.views.nuisance import Nuisance as Nuisance
from pairnet.views.nuisance import fold_of as fold_of
from pairnet.views.weights import EqualArms as EqualArms
from pairnet.views.weights import InversePropensity as InversePropensity
from pairnet.views.weights import LeaveOut as LeaveOut
from pairnet.views.weights import OnlyArms as OnlyArms
