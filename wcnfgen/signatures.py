"""What a function's signature and docstring say of its options.

The command line and the library share them: a parameter's name is the option's, its annotation the
type, and a line ``name: meaning`` of the docstring the help.
"""

from __future__ import annotations

import functools
import inspect
import re
import sys
import types
import typing
from collections.abc import Callable
from typing import Any, Literal

from wcnfgen.errors import UsageError

Function = Callable[..., Any]


def parameters(function: Function) -> list[inspect.Parameter]:
    """The parameters that a user gives; what is passed on as a problem is none."""
    found = inspect.signature(function).parameters.values()
    return [p for p in found if p.kind is not p.VAR_KEYWORD and p.name not in ("self", "cls", "problem")]


def types_of(function: Function) -> dict[str, Any]:
    """The annotations of these parameters, resolved."""
    raw = inspect.unwrap(getattr(function, "__func__", function))
    names = {p.name for p in parameters(function)}
    wanted = {name: kind for name, kind in raw.__annotations__.items() if name in names}
    scope = {**vars(typing), **vars(sys.modules[raw.__module__])}
    return typing.get_type_hints(types.SimpleNamespace(__annotations__=wanted), scope)


def without(function: Function, *names: str) -> Function:
    """The function with fewer options, for a command that settles some of them itself.

    >>> [p.name for p in parameters(without(sorted, "key"))]
    ['iterable', 'reverse']
    """

    @functools.wraps(function)
    def fewer(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **options)

    whole = inspect.signature(function)
    kept = [p for name, p in whole.parameters.items() if name not in names]
    vars(fewer)["__signature__"] = whole.replace(parameters=kept)
    return fewer


def check_choices(function: Function, options: dict[str, Any]) -> None:
    """Refuse what the command line refuses: a value that is none of those that an annotation lists.

    Raises UsageError.
    """
    kinds = types_of(function)
    for name, value in options.items():
        literals = (kinds[name], *typing.get_args(kinds[name]))
        choices = [
            x for kind in literals if typing.get_origin(kind) is Literal for x in typing.get_args(kind)
        ]
        if choices and value is not None and value not in choices:
            raise UsageError(f"--{name.replace('_', '-')} {value}: choose one of {', '.join(choices)}")


def fits(value: object, kind: Any) -> bool:
    """Whether a value that comes from JSON is what an annotation says, with natural numbers for int.

    >>> fits(3, int | None), fits(None, int | None), fits(True, int), fits(-3, int), fits([1], list[int])
    (True, True, False, False, True)
    """
    inner = typing.get_args(kind)
    match typing.get_origin(kind):
        case typing.Literal:
            return value in inner
        case types.UnionType | typing.Union:
            return any(fits(value, each) for each in inner)
        case None:
            return type(value) is kind and (kind is not int or value >= 0)  # type: ignore[operator]
        case _:
            return isinstance(value, list) and all(fits(each, inner[0]) for each in value)


def text(function: Function) -> str:
    """The docstring."""
    return inspect.getdoc(function) or ""


def summary(function: Function) -> str:
    """Its first line."""
    return text(function).split("\n")[0]


def description(function: Function) -> str:
    """The docstring without the lines on examples, parameters and errors."""
    parts = text(function).split("\n\n")
    return "\n\n".join(p for p in parts if not re.match(r"(\w+: |examples:\n|Raises |\w*Error)", p))


def examples(function: Function) -> str:
    """The paragraph of the docstring with examples; empty if there is none."""
    return next((p for p in text(function).split("\n\n") if p.startswith("examples:\n")), "")


def meanings(function: Function) -> dict[str, str]:
    """What the docstring says of each parameter."""
    lines: dict[str, str] = {}
    name = ""
    for line in text(function).split("\n"):
        found = re.match(r"(\w+): (.*)", line)
        if found:
            name = found[1]
            lines[name] = found[2]
        elif line.startswith("  ") and name:
            lines[name] += " " + line.strip()
        else:
            name = ""
    return lines
