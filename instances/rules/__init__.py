"""A data set that a rule generates: the contract, and how a rule is found.

One file ``rules/x_y.py`` is the rule ``x-y``.  It holds one function::

    def generate(*, length: int = 3, seed: int = 0) -> Dataset:
        '''First line: what the class is (source).

        The formula; the real file it was compared with.

        length: what it means, and its range
        seed: of the random choices
        '''

Each keyword-only parameter has a default (int, float, str or a tuple of int), whose type converts
the text after ``--set length=``, and one line ``name: meaning`` in the docstring.  Ranges are checked when
`generate` is called, not when the rows are drawn, by UsageError.

``NAMES``, optional, maps the names of the literature to the parameters they stand for: ``"mux6"``
fixes ``address`` to 2, and in ``"parity{relevant}"`` an integer fills the parameter.  What a name fixes
cannot be set again.

The same options give the same bytes.  Rows are distinct where the rule lists all inputs: the real
files often repeat some (each row of ``mux6`` twice), but equal rows merge before encoding, and only
their weights would differ.
"""

from __future__ import annotations

import csv
import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

Value = int | float | str | tuple[int, ...]
_KINDS = {int: "an integer", float: "a number", tuple: "integers like 2,3"}


class Dataset(NamedTuple):
    """A table that has not been drawn yet; ``class`` is the last column."""

    columns: Sequence[str]
    rows: Iterator[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Option:
    """One parameter of a rule."""

    name: str
    default: Value
    meaning: str

    def convert(self, value: object) -> object:
        """The value of a text, by the default's type; other values are returned as they are.

        >>> Option("bits", (), "").convert("2,3")
        (2, 3)
        """
        if not isinstance(value, str):
            return value
        try:
            if isinstance(self.default, tuple):
                return tuple(int(part) for part in value.split(","))
            return type(self.default)(value)
        except ValueError:
            raise UsageError(f"{self.name} must be {_KINDS[type(self.default)]}, not {value!r}") from None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule under one of its names, with what that name fixes."""

    name: str
    function: Callable[..., Dataset]
    names: Mapping[str, Mapping[str, Value]]
    fixed: Mapping[str, object]

    @property
    def summary(self) -> str:
        """First line of the rule's docstring."""
        return (inspect.getdoc(self.function) or "").partition("\n")[0]

    @property
    def options(self) -> list[Option]:
        """The parameters that are still free, in the order of the signature."""
        parameters = inspect.signature(self.function).parameters.values()
        return [
            Option(p.name, p.default, self._meaning(p.name)) for p in parameters if p.name not in self.fixed
        ]

    def _meaning(self, option: str) -> str:
        line = re.search(rf"^{option}: (.+)$", inspect.getdoc(self.function) or "", re.MULTILINE)
        return line[1] if line else ""

    def generate(self, **options: object) -> Dataset:
        """The data set. UsageError when an option is unknown, fixed by the name or out of range."""
        known = {option.name: option for option in self.options}
        for option in options:
            if option not in known:
                raise UsageError(f"{self.name} has no option {option}: {self._choices(option, known)}")
        values = {name: known[name].convert(value) for name, value in options.items()}
        return self.function(**self.fixed, **values)

    def _choices(self, option: str, known: Mapping[str, Option]) -> str:
        if option in self.fixed:
            return f"its name fixes it to {self.fixed[option]}"
        return f"it has {', '.join(known)}" if known else "it has none"


def names() -> list[str]:
    """The rules, by their own names.

    >>> "tic-tac-toe" in names()
    True
    """
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name.replace("_", "-") for name in found if not name.startswith("_"))


def get(name: str) -> Rule:
    """The rule of this name, its own or one of the literature. UsageError when there is none.

    >>> get("mux6").fixed
    {'address': 2}
    >>> get("mofn-3-7-10").fixed
    {'m': 3, 'relevant': 7, 'features': 10}
    """
    if name in names():
        return _load(name)
    rules = [_load(rule) for rule in names()]
    for rule in rules:
        for printed, options in rule.names.items():
            if (numbers := _numbers(printed, name)) is not None:
                return Rule(name, rule.function, rule.names, {**options, **numbers})
    known = [*names(), *(printed for rule in rules for printed in rule.names)]
    close = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`wcnfgen data` lists them"
    raise UsageError(f"no rule is named {name!r}; {hint}")


def _load(name: str) -> Rule:
    module = importlib.import_module(f"{__name__}.{name.replace('-', '_')}")
    return Rule(name, module.generate, getattr(module, "NAMES", {}), {})


def _numbers(printed: str, name: str) -> dict[str, int] | None:
    """The integers of a name in the places of a printed one; None when it does not fit.

    >>> _numbers("parity{relevant}+{irrelevant}", "parity5+3")
    {'relevant': 5, 'irrelevant': 3}
    """
    pattern = re.sub(r"\\{(\w+)\\}", r"(?P<\1>[0-9]{1,9})", re.escape(printed))
    match = re.fullmatch(pattern, name)
    return None if match is None else {group: int(number) for group, number in match.groupdict().items()}


def generate(name: str, **options: object) -> Dataset:
    """The data set of a rule; options may be values or the texts of a command line.

    >>> columns, rows = generate("parity2")
    >>> columns
    ['x1', 'x2', 'class']
    >>> [",".join(row) for row in rows]
    ['0,0,0', '0,1,1', '1,0,1', '1,1,0']
    """
    return get(name).generate(**options)


def write_csv(out: SupportsWrite[str], data: Dataset) -> None:
    """Write the header and the rows, with LF line ends."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(data.columns)
    writer.writerows(data.rows)
