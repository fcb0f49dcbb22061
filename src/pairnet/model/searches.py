"""Searches and cross-validations of scikit-learn stop where folds lack an arm.

scikit-learn catches every error of `fit` and `score`, warns with its text, and goes on with nan;
the "best" candidate of such a search means nothing. So its warning is an error if it carries our
sentence about folds. All other warnings stay what they are, and whoever wants nan can filter this
one: `warnings.simplefilter("ignore", FitFailedWarning)`.
"""

import re
import warnings

from sklearn.exceptions import FitFailedWarning

from pairnet.core.treatments.arms import IN_FOLDS


def stop_where_folds_lack_an_arm() -> None:
    """Make errors of those warnings of scikit-learn that carry our sentence about folds."""
    for kind in (FitFailedWarning, UserWarning):  # of fits, and of scores
        warnings.filterwarnings("error", f"(?s).*{re.escape(IN_FOLDS.text)}", kind)
