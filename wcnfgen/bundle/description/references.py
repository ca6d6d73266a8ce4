"""References: entries of a BibTeX file, taken over as they stand.

No interpretation is needed, only where an entry begins and ends: at ``@kind{key,`` and at the brace that
closes it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources

_START = re.compile(r"^[ \t]*@(\w+)\s*\{\s*([^\s,{}]+)\s*,", re.MULTILINE)


def entries(text: str) -> dict[str, str]:
    """Each entry by its key, in order; comments, strings and what is outside of entries is left away.

    >>> entries("% a list\\n@book{b1, title = {A {B} C}}\\n\\n@misc{c2,\\n note = {x}\\n}\\n")["b1"]
    '@book{b1, title = {A {B} C}}'
    """
    starts = [
        match for match in _START.finditer(text) if match[1].lower() not in ("comment", "string", "preamble")
    ]
    return {match[2]: text[match.start() : _end(text, match.end())].strip() for match in starts}


def _end(text: str, start: int) -> int:
    """Behind the brace that closes an entry whose head ends at start; the end of the text where none does."""
    depth = 1
    for brace in re.finditer(r"(?<!\\)[{}]", text[start:]):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return start + brace.end()
    return len(text)


@functools.cache
def known() -> dict[str, str]:
    """The entries that come with wcnfgen, in ``instances/data/references.bib``."""
    source = resources.files("wcnfgen.instances") / "data" / "references.bib"
    return entries(source.read_text("utf-8")) if source.is_file() else {}


def cited(keys: Iterable[str], among: Mapping[str, str]) -> str:
    """A BibTeX file of the entries with these keys, in their order; unknown keys are left away."""
    return "\n\n".join(among[key] for key in dict.fromkeys(keys) if key in among) + "\n"


def cite(keys: Sequence[str]) -> str:
    """A citation of those keys that have an entry; empty without any."""
    there = [key for key in dict.fromkeys(keys) if key in known()]
    return f"~\\cite{{{','.join(there)}}}" if there else ""
