"""Writing TOML, with comments: Python only reads it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wcnfgen.errors import UsageError


def lines(found: Mapping[str, Any], comments: Mapping[str, str]) -> Iterator[str]:
    """Keys with their values, then tables, and lists of tables; a key's comment stands behind it.

    >>> print(*lines({"a": {"b": 60.0}, "c": [{"d": "x"}], "e": [1, True]}, {"b": "seconds"}), sep="\\n")
    e = [1, true]
    <BLANKLINE>
    [a]
    b = 60 # seconds
    <BLANKLINE>
    [[c]]
    d = "x"
    """
    for key, value in found.items():
        if not _tables(value):
            yield _said(f"{key} = {_value(value)}", comments.get(key))
    for key, value in found.items():
        header = f"[{key}]" if isinstance(value, dict) else f"[[{key}]]"
        for table in _tables(value):
            yield from ("", _said(header, comments.get(key)))
            yield from lines(table, comments)


def encoded(lines: Iterable[str]) -> bytes:
    """The bytes of a file.  Raises UsageError for a name that no TOML can hold."""
    try:
        return "".join(f"{line}\n" for line in lines).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(f"names have to be UTF-8 here: {error.object[error.start :][:60]!a}") from None


def _tables(value: Any) -> list[dict[str, Any]]:
    """The tables that a value is; none if it is another one."""
    if isinstance(value, dict):
        return [value]
    return value if isinstance(value, list) and value and isinstance(value[0], dict) else []


def _said(text: str, comment: str | None) -> str:
    return f"{text} # {comment}" if comment else text


def _value(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    text = json.dumps(value, ensure_ascii=False)  # escapes as TOML does, but for one character
    return text.replace("\x7f", "\\u007f")
