"""`pairnet list`: the methods, experiments, studies and parts, with a line about each."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from pairnet.commands.options import DEFAULT_METHOD
from pairnet.core.outcomes import outcomes
from pairnet.core.registry import Registry, summary
from pairnet.engines import engines
from pairnet.export import exports
from pairnet.losses import losses
from pairnet.methods import methods
from pairnet.networks import networks
from pairnet.pairing import pairings
from pairnet.paper import experiments
from pairnet.studies import studies
from pairnet.tables.formats import formats


def list_parts() -> None:
    """Print everything that is registered, kind by kind."""
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column()
    parts = (methods, studies, networks, losses, pairings, outcomes, engines, formats, exports)
    for registry in parts:
        table.add_row(f"[bold]{registry.kind}[/bold]", "")
        for name in _in_order(registry):
            table.add_row(f"  {name}", summary(registry[name]))
        if registry is methods:
            table.add_row("[bold]experiment[/bold]", "")
            for name, experiment in experiments.items():
                table.add_row(f"  {name}", experiment.asks)
    Console().print(table)


def _in_order(registry: Registry) -> list[str]:
    """Return the names of a kind of part: what commands take where nobody says comes first."""
    return (
        sorted(registry, key=lambda name: name != DEFAULT_METHOD)
        if registry is methods
        else [*registry]
    )
