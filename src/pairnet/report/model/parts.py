"""A part of the page on a model: one sentence that is always seen, and what it unfolds to.

To add one: write a function that returns a `Part` in a file of its own here, and name it in the
list in `pairnet.report.model`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pairnet.report.document import Block, Document, Strong, details, paragraph

NO_OUTCOMES = (
    "Outcomes and treatments of these rows were not given, so nothing can be judged by them."
)


@dataclass(frozen=True)
class Part:
    """A title, what was found in a sentence, and the blocks that show it, which are folded away.

    warnings: what could be wrong, for the place beside the answer. A part without blocks is its
    sentence alone.
    """

    title: str
    finding: str
    blocks: tuple[Block, ...] = ()
    warnings: tuple[str, ...] = ()

    def add_to(self, page: Document) -> None:
        """Put the part on a page."""
        page.folded(self.title, self.finding, *self.blocks)

    @property
    def block(self) -> Block:
        """The part as one block, for a page that holds several models."""
        if not self.blocks:
            return paragraph((Strong(f"{self.title}. "), self.finding))
        return details(self.finding, *self.blocks, title=self.title)
