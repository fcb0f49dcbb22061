"""A cluster of three machines on this one, for the engine of Ray."""

import logging
import os
import warnings
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def cluster():
    """Ray's cluster of three nodes with a core each; this process is connected to it.

    The first says that it has a GPU, though this machine need not have one.
    """
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    tests = Path(__file__).parent.parent
    places = [str(tests), str(tests / "engines"), os.environ.get("PYTHONPATH", "")]
    before = dict(os.environ)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, places))  # workers need our tasks
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    one = {"num_cpus": 1, "object_store_memory": 80 * 2**20, "include_dashboard": False}
    one["num_gpus"] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray forks to start its processes, which JAX dislikes
        made = Cluster(initialize_head=True, head_node_args=one)
        for _ in range(2):
            made.add_node(num_cpus=1, object_store_memory=80 * 2**20)
        ray.init(made.address, log_to_driver=False, logging_level=logging.CRITICAL)
    yield made
    ray.shutdown()
    made.shutdown()
    os.environ.clear()
    os.environ.update(before)
