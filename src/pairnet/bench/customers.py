"""A table of customers, made here, with the effect that a discount truly has on each of them.

Customers who buy little get the discount more often, so that a plain comparison of those with and
without it says far too little. It works best on young customers who shop online, and hardly on
those who have been customers for long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from jaxtyping import Float, Shaped

if TYPE_CHECKING:
    import polars as pl

REGIONS = ("north", "south", "west")
NOISE = 12.0  # of the outcome, in its units


class Customers(NamedTuple):
    """A table as a shop might export it, and the true effect of the discount on each row."""

    table: pl.DataFrame
    effect: Float[np.ndarray, " n"]


def customers(rows: int, seed: int = 0, first: int = 1) -> Customers:
    """Make a table of customers; first: the number of the first one."""
    import polars as pl

    random = np.random.default_rng([seed, first])
    age = random.integers(18, 80, rows)
    months = np.floor(random.exponential(24, rows)).clip(0, 120)
    visits = random.poisson(4, rows)
    online = random.random(rows) < np.where(age < 45, 0.7, 0.35)
    region = random.integers(0, len(REGIONS), rows)
    past = np.round(random.gamma(3, 15 + 3 * visits), 2)
    young, recent = _falls(age, 40.0, 6.0), _falls(months, 36.0, 6.0)
    effect = 4 + 18 * young * online - 8 * (1 - recent) + 2.0 * (region == 1)
    plain = 20 + 0.5 * past + 3 * visits + 0.1 * months + 6 * np.sin(age / 12)
    chance = 1 / (1 + np.exp((past - 75) / 40 + 0.15 * (visits - 4)))
    discount = random.random(rows) < 0.05 + 0.9 * chance
    spend = plain + effect * discount + NOISE * random.normal(size=rows)
    unknown = random.random(rows) < 0.03
    table = pl.DataFrame(
        {
            "customer": [f"C{number:05d}" for number in range(first, first + rows)],
            "age": [None if gap else int(years) for years, gap in zip(age, unknown, strict=True)],
            "region": [REGIONS[place] for place in region],
            "months": months.astype(int),
            "visits": visits,
            "shops_online": np.where(online, "yes", "no"),
            "past_spend": past,
            "discount": np.where(discount, "yes", "no"),
            "spend": np.round(spend, 2),
        }
    )
    return Customers(table, effect)


def _falls(x: Shaped[np.ndarray, " n"], middle: float, width: float) -> Float[np.ndarray, " n"]:
    """Fall smoothly from 1 to 0 around the middle."""
    return 1 / (1 + np.exp((x - middle) / width))
