"""Hypothesis strategies that more than one test module draws from."""

from __future__ import annotations

from hypothesis import strategies as st

from wcnfgen.render import Names
from wcnfgen.tree import Leaf, Node, Tree


def trees(features: int, classes: int, max_leaves: int = 12) -> st.SearchStrategy[Tree]:
    """Trees over the columns 0..features-1 with labels 0..classes-1; a column may return on a path."""
    leaves: st.SearchStrategy[Tree] = st.builds(Leaf, st.integers(0, classes - 1))
    return st.recursive(
        leaves,
        lambda subtrees: st.builds(Node, st.integers(0, features - 1), subtrees, subtrees),
        max_leaves=max_leaves,
    )


BREAKERS = (
    "\"\\<>&;{}[]|'`\n\r\t\x1b\x85\u2028\u202e\uffffnNlG#= é"  # of formats; all may stand in a CSV file
)


def ugly_names(features: int, classes: int) -> st.SearchStrategy[Names]:
    """Whatever a CSV cell may hold, more often what breaks a format: quotes, markup, escapes, controls."""
    ugly = st.text(max_size=60) | st.text(BREAKERS + "\x00\ud800", max_size=30)
    several = {count: st.tuples(*[ugly] * count) for count in (features, classes)}
    return st.builds(Names, several[features], several[features], several[classes], ugly)
