"""What processes do that are killed: type a command, save a model, run an experiment."""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from attacks.stacks import cheap_presets
from attacks.steady import Steady
from cheap import Shifted, an_experiment
from pairnet import cli, load
from pairnet.methods import methods

TINY = an_experiment({f"row {k}": Shifted(float(k)) for k in range(6)})


@contextlib.contextmanager
def all_known() -> Iterator[None]:
    """Let commands know the method and the experiment of the attacks, and stacks be cheap."""
    from pairnet.paper import experiments

    with methods.having(Steady), experiments.having(TINY), cheap_presets():
        yield


def type_command(*words: Any) -> None:
    """Type a command."""
    sys.argv = ["pairnet", *map(str, words)]
    with all_known():
        cli.main()


def save_again(source: Path, target: Path, times: int = 1) -> None:
    """Load a model and save it elsewhere, so often."""
    warnings.simplefilter("ignore")
    with methods.having(Steady):
        model = load(source)
        for _ in range(times):
            model.save(target)
