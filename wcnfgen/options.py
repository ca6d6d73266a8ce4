"""The options of a command: its function's signature, read aloud.

There is no second list of options.  A function's keyword-only parameters become options (``bool`` a
``--x/--no-x`` pair, a sequence an option that may be repeated, a ``Literal`` a choice), its other parameters
arguments, its docstring the help, and the examples of the docstring the help's end.

The command line parses with this, and `wcnfgen completion` writes what a shell completes.
"""

from __future__ import annotations

import argparse
import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any, Literal, NoReturn

from wcnfgen import signatures
from wcnfgen.errors import UsageError

Function = Callable[..., Any]


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """Raise UsageError."""
        raise UsageError(f"{message}; see `{self.prog} --help`")


def forwarded(module: types.ModuleType, words: list[str]) -> Sequence[Function]:
    """Functions whose options the command has too; which ones depends on the first word and --encoding."""
    if not hasattr(module, "forwards"):
        return ()
    peek = Parser(prog=f"wcnfgen {module.__name__.rsplit('.', 1)[1]}", add_help=False, allow_abbrev=False)
    peek.add_argument("--encoding", default=argparse.SUPPRESS)
    known = vars(peek.parse_known_args(words)[0])
    first = words[0] if words and not words[0].startswith("-") else ""
    found: Sequence[Function] = module.forwards({"first": first, **known})
    return found


def parser(name: str, function: Function, others: Sequence[Function] = ()) -> argparse.ArgumentParser:
    """What parses the words after ``wcnfgen NAME``; others are the functions whose options it has too."""
    made = Parser(
        prog=f"wcnfgen {name}",
        description=signatures.description(function),
        epilog=signatures.examples(function) or None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for each in (function, *others):
        title = signatures.summary(each).rstrip(".")
        group = made if each is function else made.add_argument_group(title)
        for parameter in signatures.parameters(each):
            if each is function or parameter.kind is parameter.KEYWORD_ONLY:
                add(group, each, parameter)
    add_quiet(made)
    return made


def add(group: Any, function: Function, parameter: inspect.Parameter) -> argparse.Action:
    """Declare one parameter of a function to a parser, or to a group of its options."""
    kind = signatures.types_of(function)[parameter.name]
    meaning = signatures.meanings(function).get(parameter.name, "").replace("%", "%%")
    declare = _add_option if parameter.kind is parameter.KEYWORD_ONLY else _add_argument
    return declare(group, parameter, kind, meaning)


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """The option that every command has, and no function."""
    parser.add_argument("--quiet", action="store_true", help="no notes on standard error, only warnings")


def arguments(function: Function, options: dict[str, Any]) -> list[Any]:
    """Take the positional arguments out of the parsed options, in order."""
    found: list[Any] = []
    for each in signatures.parameters(function):
        if each.kind is each.VAR_POSITIONAL:
            found += options.pop(each.name)
        elif each.kind is not each.KEYWORD_ONLY:
            found.append(options.pop(each.name))
    return found


def _flag(parameter: inspect.Parameter) -> str:
    """How the option is written.

    >>> _flag(inspect.Parameter("as_", inspect.Parameter.KEYWORD_ONLY))
    '--as'
    """
    return "--" + parameter.name.rstrip("_").replace("_", "-")


def _add_option(group: Any, parameter: inspect.Parameter, kind: Any, meaning: str) -> argparse.Action:
    """A keyword-only parameter."""
    base, many = _base_of(kind)
    optional = kind is not base and type(None) in typing.get_args(kind)
    settings: dict[str, Any] = {"dest": parameter.name, "default": parameter.default, "help": meaning}
    if parameter.default is parameter.empty:
        settings |= {"required": True, "default": None}
    if base is bool:
        settings["action"] = argparse.BooleanOptionalAction
    elif typing.get_origin(base) is Literal:
        settings |= {"choices": typing.get_args(base), "metavar": "|".join(typing.get_args(base))}
    else:
        settings |= {"type": _or_none(base) if optional else base, "metavar": parameter.name.upper()}
    if many:
        settings |= {"action": _Repeated}
    if base is not bool and parameter.default not in (None, (), parameter.empty) and not many:
        settings["help"] += f" (default {parameter.default})"
    short = {"output": ["-o"]}.get(parameter.name, [])
    added: argparse.Action = group.add_argument(*short, _flag(parameter), **settings)
    return added


def _add_argument(group: Any, parameter: inspect.Parameter, kind: Any, meaning: str) -> argparse.Action:
    """Any other parameter."""
    settings: dict[str, Any] = {"help": meaning}
    if parameter.kind is parameter.VAR_POSITIONAL:
        settings["nargs"] = "*"
    elif parameter.default is not parameter.empty:
        settings |= {"nargs": "?", "default": parameter.default}
    if typing.get_origin(kind) is Literal:
        settings["choices"] = typing.get_args(kind)
    added: argparse.Action = group.add_argument(parameter.name, **settings)
    return added


class _Repeated(argparse.Action):
    """An option that may be given several times; the first one replaces the default."""

    def __call__(self, parser: Any, namespace: Any, value: Any, option_string: str | None = None) -> None:
        before = getattr(namespace, self.dest)
        setattr(namespace, self.dest, (value,) if before is self.default else (*before, value))


def _or_none(base: Callable[[str], Any]) -> Callable[[str], Any]:
    """A number, or ``none`` for no limit."""

    def convert(text: str) -> Any:
        return None if text == "none" and base in (int, float) else base(text)

    convert.__name__ = base.__name__  # for argparse's message
    return convert


def _base_of(kind: Any) -> tuple[Any, bool]:
    """The type of one value, and whether there may be several.

    >>> _base_of(Sequence[int]), _base_of(float | None)
    ((<class 'int'>, True), (<class 'float'>, False))
    """
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        kind = next(each for each in typing.get_args(kind) if each is not type(None))
    origin = typing.get_origin(kind)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return typing.get_args(kind)[0], True
    return (str if kind is Any else kind), False
