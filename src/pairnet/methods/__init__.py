"""Estimators, one a file: hyperparameters and a recipe. To add one: write the file, import it here, name it below."""

from pairnet.methods.base import NetworkEstimator
from pairnet.methods.pairnet import PairNet
from pairnet.methods.tarnet import TARNet
from pairnet.registry import Registry

methods: Registry[type[NetworkEstimator]] = Registry("method", TARNet, PairNet)

__all__ = ["NetworkEstimator", "PairNet", "TARNet", "methods"]
