"""How good effects are: by the truth if it is known, otherwise by held-out pairs and scores."""

from pairnet.metrics.calibration import CalibrationTest as CalibrationTest
from pairnet.metrics.calibration import calibration_test as calibration_test
from pairnet.metrics.effect_scores import effect_scores as effect_scores
from pairnet.metrics.least_squares import Coefficient as Coefficient
from pairnet.metrics.least_squares import Coefficients as Coefficients
from pairnet.metrics.pairs import PairScore as PairScore
from pairnet.metrics.pairs import pair_loss as pair_loss
from pairnet.metrics.pairs import pair_loss_score as pair_loss_score
from pairnet.metrics.projection import best_linear_projection as best_linear_projection
from pairnet.metrics.rank_weighted import rate as rate
from pairnet.metrics.rank_weighted import toc as toc
from pairnet.metrics.samples import mmd as mmd
from pairnet.metrics.significance import PairedTest as PairedTest
from pairnet.metrics.significance import paired_test as paired_test
from pairnet.metrics.significance import welch_test as welch_test
from pairnet.metrics.truth import ate_error as ate_error
from pairnet.metrics.truth import dose_pehe as dose_pehe
from pairnet.metrics.truth import dose_pehe_by_row as dose_pehe_by_row
from pairnet.metrics.truth import mise as mise
from pairnet.metrics.truth import pehe as pehe
from pairnet.metrics.truth import policy_error as policy_error
from pairnet.metrics.uplift import PriorityCurve as PriorityCurve
from pairnet.metrics.uplift import auuc as auuc
from pairnet.metrics.uplift import qini_coefficient as qini_coefficient
from pairnet.metrics.uplift import qini_curve as qini_curve
from pairnet.metrics.uplift import uplift_at_k as uplift_at_k
