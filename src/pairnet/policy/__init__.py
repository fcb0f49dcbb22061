"""Whom to treat how: with a budget, as a tree that people can read, and what it gains.

These are functions on arrays; `model.policy(X, budget=...)` and `model.policy_tree()` ask a fitted
model.
"""

from pairnet.policy.budget import Allocation as Allocation
from pairnet.policy.budget import Rule as Rule
from pairnet.policy.budget import allocate as allocate
from pairnet.policy.tree import PolicyTree as PolicyTree
from pairnet.policy.tree import policy_tree as policy_tree
from pairnet.policy.value import PolicyValue as PolicyValue
from pairnet.policy.value import policy_value as policy_value
