"""Evidence: for a few rows the observed rows most like them under either treatment, and the support of all rows."""

from __future__ import annotations

from pairnet.report.model_view import View
from pairnet.report.page import Block


def examples(view: View) -> tuple[list[Block], list[str]]:
    """Return blocks and warnings."""
    return [], []
