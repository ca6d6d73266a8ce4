"""The options that a recipe may give, of the data and of the encoding, and the types of their values."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from wcnfgen.errors import UsageError


class Options:
    """The options that data and the encoding take, with their types."""

    def __init__(self, encoding: str, where: str):
        from wcnfgen import encodings, signatures
        from wcnfgen.prepare import prepare

        self.encoding, self.where = encoding, where
        known([encoding], encodings.names(), f"{where}encoding: ")
        plan = encodings.get(encoding).plan
        self.of_data = [p.name for p in signatures.parameters(prepare) if p.name != "source"]
        takers = (prepare, plan)
        self.kinds = {name: kind for taker in takers for name, kind in signatures.types_of(taker).items()}
        self.kinds.pop("source")
        self.meanings = {name: text for taker in takers for name, text in signatures.meanings(taker).items()}
        self.needed = [p.name for p in signatures.parameters(plan) if p.default is p.empty]

    def grid(self, given: Mapping[str, Any]) -> dict[str, list[Any]]:
        """Each option with its values.  Raises UsageError."""
        self._refuse(given)
        known(given, list(self.kinds), f"{self.where}[options]: ")
        for name in self.needed:
            if name not in given:
                raise UsageError(f"{self.where}[options]: the encoding {self.encoding} needs {name}")
        return {name: self._values(name, value) for name, value in given.items()}

    def single(self, given: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Options of one data set, as they are.  Raises UsageError."""
        self._refuse(given)
        known(given, self.of_data, where)
        for name, value in given.items():
            self._check(name, value)
        return dict(given)

    def _refuse(self, given: Mapping[str, Any]) -> None:
        if "seed" in given:
            raise UsageError(f"{self.where}seed: give the number of samples as seeds = 5 instead")
        if "weights" in given:
            raise UsageError(f"{self.where}weights of rows cannot be given in a recipe")

    def _values(self, name: str, value: Any) -> list[Any]:
        """The values to cross: those of a list, unless the option is itself one."""
        several = isinstance(value, list) and not (
            self._is_list(name) and all(isinstance(each, str) for each in value)
        )
        values = value if several else [value]
        if not values:
            raise UsageError(f"{self.where}[options]: {name} has no value")
        for each in values:
            self._check(name, each)
        if len({repr(each) for each in values}) < len(values):
            raise UsageError(f"{self.where}[options]: {name} has a value twice")
        return values

    def _is_list(self, name: str) -> bool:
        return typing.get_origin(self.kinds[name]) is not None and _fits([], self.kinds[name])

    def _check(self, name: str, value: Any) -> None:
        kind = self.kinds[name]
        if not _fits(value, kind):
            raise UsageError(f"{self.where}{name} = {value!r}: give {_expected(kind)}")


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value of TOML is one of an annotation."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return value in parts
    if origin is Sequence:
        return isinstance(value, list) and all(isinstance(each, parts[0]) for each in value)
    if parts:
        return any(_fits(value, part) for part in parts)
    if kind is float:
        return type(value) in (int, float)
    return kind is Any or type(value) is kind


def _expected(kind: Any) -> str:
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if origin is Literal:
        return f"one of {', '.join(map(str, parts))}"
    if origin is Sequence:
        return "a list of texts"
    if parts:
        return " or ".join(_expected(part) for part in parts if part is not type(None))
    return said(kind)


def known(given: Iterable[str], known: Sequence[str], where: str) -> None:
    """Raises UsageError for a key that nobody reads, with the nearest one that somebody does."""
    for key in given:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean {close[0]}?" if close else f"there are: {', '.join(known)}"
            raise UsageError(f"{where}unknown key {key!r}; {hint}")


def said(kind: Any) -> str:
    words = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list"}
    return words.get(kind, "a table of options")
