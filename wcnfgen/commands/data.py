"""``wcnfgen data``: write a data set that a rule generates, or list the rules.

The parameters differ from rule to rule, so they are given as ``--set NAME=VALUE``; the list shows
them with their defaults.  Rules live in ``instances/rules/``, and nothing here names one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from wcnfgen.commands._shown import say
from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.instances.rules import Dataset, Option, Rule


def data(
    rule: str = "", *, set: Sequence[str] = (), seed: int | None = None, output: str | None = None
) -> Dataset | list[Rule]:
    """Generate a data set by a rule, or, without a rule, list the rules.

    UsageError when there is no such rule or option, or a value is out of range.

    examples:
      wcnfgen data                                              the rules
      wcnfgen data iris -o iris.csv
      wcnfgen data hidden-tree --set nodes=9 --set rows=100 --seed 3 -o hidden.csv.gz

    rule: name of the rule or of its data set in the literature, such as mux6; see the list
    set: NAME=VALUE, a parameter of the rule; may be repeated
    seed: short for --set seed=N
    output: file to write, .csv, .csv.gz or .csv.xz; standard output if not given
    """
    from wcnfgen.instances.rules import get, names

    if not rule and (set or seed is not None or output is not None):
        raise UsageError("which rule? `wcnfgen data` lists them")
    if not rule:
        return [get(name) for name in names()]
    options: dict[str, object] = dict(map(_assignment, set))
    if seed is not None:
        options["seed"] = seed
    if output is not None and output != "-":
        _write(get(rule).generate(**options), output)
    return get(rule).generate(**options)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text} should be NAME=VALUE")
    return name, value


def present(result: Dataset | list[Rule], out: TextIO, *, output: str | None = None, **options: Any) -> int:
    """Write the data set, unless it is in a file already, or the list."""
    from wcnfgen.instances.rules import write_csv

    if isinstance(result, list):
        say(out, (line for rule in result for line in _lines(rule)))
    elif output in (None, "-"):
        write_csv(out, result)
    return 0


def _write(result: Dataset, output: str) -> None:
    from wcnfgen.files import atomic
    from wcnfgen.instances.rules import write_csv

    with atomic(output) as file:
        write_csv(codecs.getwriter("utf-8")(file), result)


def _lines(rule: Rule) -> Iterator[str]:
    """One rule of the list: what it is, the names of the literature, the parameters."""
    yield f"{rule.name}"
    yield f"    {rule.summary}"
    if rule.names:
        yield f"    also named {', '.join(rule.names)}"
    yield from map(_option_line, rule.options)


def _option_line(option: Option) -> str:
    default = ",".join(map(str, option.default)) if isinstance(option.default, tuple) else option.default
    return f"    --set {option.name}={default}".ljust(28) + option.meaning
