"""``wcnfgen decode``: the model in a solver's log, as a tree."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TextIO

from wcnfgen.commands._shown import Shown

if TYPE_CHECKING:
    from wcnfgen.render import Counts, Names
    from wcnfgen.tree import Tree
    from wcnfgen.verdict import Checked


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Decoded(Shown):
    """A tree with its words, and the training rows in each leaf if they are known."""

    tree: Tree
    names: Names
    counts: Counts

    def render(self, style: Literal["text", "rules", "dot", "svg", "json"] = "text") -> str:
        """The tree in one of the styles."""
        from wcnfgen.render import render

        return render(self.tree, self.names, style, self.counts)

    def __repr__(self) -> str:
        from wcnfgen.tree import depth, size

        return f"<Decoded: {self.names.target!r}, {size(self.tree)} nodes, depth {depth(self.tree)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: the drawing."""
        from wcnfgen import notebook

        return notebook.page(notebook.figure(self.tree, self.names, self.counts))

    def _repr_svg_(self) -> str | None:
        """The drawing for what a notebook is converted to; None if the tree is too large."""
        from wcnfgen import notebook

        return notebook.drawing(self.tree, self.names, self.counts)


def decode(
    instance: str,
    log: str,
    *,
    as_: Literal["text", "rules", "dot", "svg", "json"] = "text",
    output: str | None = None,
    map: str | None = None,
) -> Decoded:
    """Show the tree that a solver's model means, with the names of the data.

    What does not hold of the model is said on standard error.

    examples:
      wcnfgen decode x.wcnf x.log
      wcnfgen decode x.wcnf x.log --as rules
      wcnfgen decode x.wcnf x.log --as svg -o tree.svg

    instance: the WCNF file, as `wcnfgen encode` wrote it
    log: the solver's output, or - for standard input
    as_: how to show the tree
    output: file to write; default: standard output
    map: the map, if the instance has lost its comments

    Raises FormatError if there is no model, or if it means no tree.
    """
    from wcnfgen.commands.verify import check
    from wcnfgen.files import atomic, distinct
    from wcnfgen.verdict import require_tree

    distinct(output, instance, log, map)
    checked = check(instance, log, map=map)
    require_tree(checked, instance)
    for finding in checked.verdict.findings:
        logging.getLogger("wcnfgen").warning("%s: %s", log, finding)
    result = decoded(checked)
    if output is not None:
        with atomic(output) as out:
            out.write(result.render(as_).encode("utf-8"))
    return result


def present(
    result: Decoded, out: TextIO, *, as_: Any = "text", output: str | None = None, **options: Any
) -> int:
    """Print the tree unless it is in a file already."""
    if output is None:
        out.write(result.render(as_))
    return 0


def decoded(checked: Checked) -> Decoded:
    """The tree of a verdict that has one, with its words."""
    from wcnfgen.render import leaf_counts

    assert checked.map is not None and checked.verdict.tree is not None
    tree, problem = checked.verdict.tree, checked.map.encoding.problem
    counts = leaf_counts(tree, problem.X, problem.y, problem.counts, problem.classes)
    return Decoded(tree, checked.map.fitted.names, counts if checked.map.has_rows else None)
