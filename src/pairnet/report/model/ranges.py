"""Where doses are drawn: where rows are, not from the smallest to the largest."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from pairnet.report.words import per_cent

MOST_ROWS = (2.5, 97.5)  # percentiles between which most rows lie
SPARSE = 0.75  # of the whole range: if they cover more of it, all of it is drawn


def where_rows_are(
    doses: np.ndarray, compared: Iterable[Hashable]
) -> tuple[tuple[float, float], str]:
    """Return the ends of the doses to draw, and a sentence on the rows beyond them.

    compared: the doses that are asked about; they are drawn in any case.
    """
    whole = float(doses.min()), float(doses.max())
    asked = np.clip([float(dose) for dose in compared], *whole)  # type: ignore[arg-type]
    ends = np.percentile(doses, MOST_ROWS)
    low, high = min(ends[0], *asked), max(ends[1], *asked)
    if high - low >= SPARSE * (whole[1] - whole[0]):
        return whole, ""
    beyond = float(np.mean((doses < low) | (doses > high)))
    return (float(low), float(high)), f" {per_cent(beyond)} of the rows had doses beyond these."
