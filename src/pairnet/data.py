"""The studies under the name that they had first: `pairnet.data.load("ihdp")`."""

from pairnet.studies import *  # noqa: F403
from pairnet.studies import DataMissing, Study, load, studies

__all__ = ["DataMissing", "Study", "load", "studies"]
