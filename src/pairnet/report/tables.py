"""Tables for the terminal."""

from __future__ import annotations

import numpy as np
from rich.table import Table

from pairnet.bench.claims import BEYOND_CHANCE
from pairnet.bench.evaluate import Scores
from pairnet.metrics import paired_test
from pairnet.studies import Study


def comparison(study: Study, results: list[Scores]) -> Table:
    """Return a table of mean errors, one line a method, each tested against the last one."""
    *_, reference = results
    table = Table(title=study.description, title_justify="left", caption_justify="left")
    table.add_column("method", no_wrap=True)
    for column in ("PEHE in", "PEHE out", "ATE error", "p-value", "seconds"):
        table.add_column(column, justify="right", no_wrap=True)
    for scores in results:
        means = (
            f"{np.mean(v):.3f}" for v in (scores.pehe_in, scores.pehe_out, scores.ate_error_out)
        )
        tested = len(study) > 1 and scores is not reference
        p = f"{paired_test(reference.pehe_out, scores.pehe_out).p_value:.3f}" if tested else "-"
        table.add_row(scores.method, *means, p, f"{scores.seconds:.1f}")
    table.caption = (
        f"Means over {len(study)} realisation{'s' * (len(study) > 1)}; smaller is better. PEHE: "
        "root mean square error of each row's effect, on training (in) and test rows (out). ATE "
        "error: of the average effect, on test rows. p-value: one-sided paired t-test that "
        f"{reference.method} has the smaller PEHE out."
    )
    return table


def verdict(results: list[Scores]) -> str:
    """Write whether the first or the last method was better, and whether that may be chance."""
    rival, reference = results[0], results[-1]
    count = len(reference.pehe_out)
    change = float(np.mean(reference.pehe_out) / np.mean(rival.pehe_out) - 1)
    size = "smaller" if change < 0 else "larger"
    answer = f"{reference.method}'s mean PEHE out is {abs(change):.0%} {size} than {rival.method}'s"
    if count < 2:
        return f"{answer} (one realisation: no test)."
    p = paired_test(reference.pehe_out, rival.pehe_out).p_value
    if p < BEYOND_CHANCE:
        return f"{answer}, and more than chance (p = {p:.3f}, {count} realisations)."
    if p > 1 - BEYOND_CHANCE:
        other = f"p = {1 - p:.3f} for {rival.method}, {count} realisations"
        return f"{answer}, and more than chance ({other})."
    return f"{answer}, which may be chance (p = {p:.2f}, {count} realisations)."
