"""Stack: the default of the command line, many learners weighed by rows that they have not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pairnet.core.treatments import Treatment
from pairnet.learners.stacked import Stacked
from pairnet.methods.drnet import DRNet
from pairnet.methods.linearslearner import LinearSLearner
from pairnet.methods.pairnet import PairNet
from pairnet.methods.ralearner import RALearner
from pairnet.methods.tarnet import TARNet
from pairnet.methods.treeslearner import TreeSLearner
from pairnet.methods.treexlearner import TreeXLearner
from pairnet.methods.vcnet import VCNet
from pairnet.methods.xlearner import XLearner
from pairnet.model.learner import Learner, expect, expect_one_of

CODES = 8  # bins of each number, for the networks that see codes
PRESETS = ("fast", "balanced", "best")


def for_arms(preset: str) -> tuple[Learner, ...]:
    """Return the learners for arms; those that pay most a second come first."""
    fast = (LinearSLearner(), TreeXLearner(), PairNet())
    balanced = (*fast, TARNet(), RALearner(), TARNet(codes=CODES))
    best = (*balanced, PairNet(space="covariates", temperature=0.2), XLearner())
    return {"fast": fast, "balanced": balanced, "best": best}[preset]


def for_doses(preset: str) -> tuple[Learner, ...]:
    """Return the learners for doses; those that pay most a second come first."""
    fast = (LinearSLearner(), TreeSLearner(), PairNet())
    balanced = (*fast, VCNet(), VCNet(codes=CODES))
    best = (*balanced, PairNet(base=DRNet()), DRNet())
    return {"fast": fast, "balanced": balanced, "best": best}[preset]


@dataclass(kw_only=True, eq=False, repr=False)
class Stack(Stacked):
    """Many learners, weighed by what they say about rows that they have not seen.

    preset: which learners: "fast", "balanced" or "best" (docs/stack.md says which these are, and
    what they take). learners: others instead, as a list: those that pay most a second first.
    """

    preset: Literal["fast", "balanced", "best"] = "balanced"
    learners: Sequence[Learner] | None = None

    def learners_for(self, treatment: Treatment) -> tuple[Learner, ...]:
        """Return the learners that the user named, or those of the preset."""
        if self.learners is not None:
            return tuple(self.learners)
        return for_doses(self.preset) if treatment.whole_range else for_arms(self.preset)

    def known_methods(self):
        from pairnet.methods import methods  # the room imports this file before it knows them all

        return methods

    def check(self):
        super().check()
        expect_one_of(self, "preset", PRESETS)
        if self.learners is None:
            return
        good = isinstance(self.learners, tuple | list) and len(self.learners) > 0
        good = good and all(isinstance(one, Learner) for one in self.learners)
        good = good and not any(isinstance(one, Stacked) for one in self.learners)
        expect(
            good,
            self,
            "learners",
            "a list of methods that are no stacks, as [PairNet(), TARNet()], or None",
        )
        for learner in self.learners:
            learner.check()
