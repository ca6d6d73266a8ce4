"""``wcnfgen data``: write a data set that a rule generates, or list the rules.

The parameters differ from rule to rule, so they are given as ``--set NAME=VALUE``; the list shows
them with their defaults.  Rules live in ``instances/rules/``, and nothing here names one.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TextIO

from wcnfgen.errors import UsageError

if TYPE_CHECKING:
    from wcnfgen.instances.rules import Dataset, Option, Rule


def data(
    rule: str = "", *, set: Sequence[str] = (), seed: int | None = None, output: str | None = None
) -> Dataset | list[Rule]:
    """Generate a data set by a rule, or, without a rule, list the rules.

    UsageError when there is no such rule or option, or a value is out of range.

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
    return get(rule).generate(**options)


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise UsageError(f"--set {text} should be NAME=VALUE")
    return name, value


def present(
    result: Dataset | list[Rule],
    out: TextIO,
    *,
    set: Sequence[str] = (),
    seed: int | None = None,
    output: str | None = None,
) -> int:
    """Write the data set to the file or to `out`, or the list to `out`; returns the exit code."""
    if isinstance(result, list):
        out.writelines(f"{line}\n" for rule in result for line in _lines(rule))
    else:
        _write(result, out, output)
    return 0


def _write(result: Dataset, out: TextIO, output: str | None) -> None:
    from wcnfgen.files import atomic
    from wcnfgen.instances.rules import write_csv

    if output in (None, "-"):
        write_csv(out, result)
    else:
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
