"""Architectures, one a file. To add one: write the file, import it here, name it in the registry."""

from pairnet.networks.base import AbstractNetwork, Build, Located
from pairnet.networks.two_head import TwoHead
from pairnet.registry import Registry

networks: Registry[type[AbstractNetwork]] = Registry("network", TwoHead)

__all__ = ["AbstractNetwork", "Build", "Located", "TwoHead", "networks"]
