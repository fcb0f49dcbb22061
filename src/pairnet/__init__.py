"""What would change for this person if the treatment changed? Effects from observational data.

The public names are the methods, each registered by one import line in `pairnet.methods`, and a few
more. They are imported when they are first used, so that `import pairnet` itself is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from pairnet.core import forks as _forks  # noqa: F401

__version__ = "0.1.0"

if TYPE_CHECKING:
    from pairnet import comparing as comparing
    from pairnet import data as data
    from pairnet import export as export
    from pairnet import metrics as metrics
    from pairnet import policy as policy
    from pairnet.compare.folds import GroupedByTreatment as GroupedByTreatment
    from pairnet.compare.folds import StratifiedByTreatment as StratifiedByTreatment
    from pairnet.integrations.foreign import Foreign as Foreign
    from pairnet.methods import *  # noqa: F403
    from pairnet.methods import load as load
    from pairnet.report.model import model_report as model_report
    from pairnet.tables.source import scan as scan
    from pairnet.training import Plan as Plan

ROOMS = ("comparing", "data", "export", "metrics", "policy")
HOMES = {
    "Foreign": "pairnet.integrations.foreign",
    "GroupedByTreatment": "pairnet.compare.folds",
    "Plan": "pairnet.training",
    "StratifiedByTreatment": "pairnet.compare.folds",
    "load": "pairnet.methods",
    "model_report": "pairnet.report.model",
    "scan": "pairnet.tables.source",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name in ROOMS:
        return import_module(f"pairnet.{name}")
    if name in HOMES:
        return getattr(import_module(HOMES[name]), name)
    if name == "__all__":
        return _public_names()
    if name[0].isupper():
        method = _methods().get(name)
        if method is not None:
            return method
    if name.startswith("_"):
        raise AttributeError(f"module 'pairnet' has no attribute {name!r}")
    known = ", ".join(_public_names())
    raise AttributeError(f"module 'pairnet' has no attribute {name!r}. Public names: {known}.")


def __dir__() -> list[str]:
    return _public_names()


def _public_names() -> list[str]:
    return sorted((*_methods(), *HOMES, *ROOMS, "__version__"))


def _methods() -> dict[str, Any]:
    """Return the methods of this package by the names of their classes."""
    from pairnet.methods import methods

    own = (kind for kind in methods.values() if kind.__module__.startswith("pairnet."))
    return {kind.__name__: kind for kind in own}
