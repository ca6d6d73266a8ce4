"""The command line: the signatures of the commands, read aloud.

There is no logic here and no second list of options.  A command is a file in `wcnfgen/commands`;
its function's keyword-only parameters become options (``bool`` a ``--x/--no-x`` pair, a sequence an
option that may be repeated, a ``Literal`` a choice), its other parameters arguments, and its
docstring the help.  Only the command that was asked for is imported.

This is the one place that prints and that turns errors into exit codes: 0 ok, 1 failed, 2 usage,
130 interrupted.  A reader that goes away (``| head -1``) is no failure.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import inspect
import io
import logging
import os
import pkgutil
import signal
import sys
import threading
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NoReturn, TextIO

from wcnfgen import __version__, commands, signatures
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.words import printable

log = logging.getLogger("wcnfgen")

EPILOG = """examples:
  wcnfgen learn data.csv                        a provably smallest tree, in one go
  wcnfgen encode data.csv --ub 31 > x.wcnf      the formula
  wcnfgen solve x.wcnf --solver rc2 > x.log     a solver under limits
  wcnfgen decode x.wcnf x.log                   its model as a tree
  wcnfgen verify x.wcnf x.log                   what of it is true

exit codes: 0 ok, 1 failed, 2 usage, 130 interrupted"""


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see `{self.prog} --help`")


def main(argv: Sequence[str] | None = None, out: TextIO | None = None) -> int:
    """Run one command; returns the exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed by `>&-`
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115, PTH123 - for good
    if out is None and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal need not know every character
    out = out or sys.stdout
    handler = _log_to_stderr()
    try:
        with _stopped_by_signals():
            return _run(list(sys.argv[1:] if argv is None else argv), out)
    except WcnfgenError as error:
        print(f"wcnfgen: error: {printable(str(error))}", file=sys.stderr)
        return error.exit_code
    except MemoryError:
        print("wcnfgen: error: not enough memory", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("wcnfgen: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        _forget(out)
        return 0
    except OSError as error:
        name = error.filename or "standard output"
        print(f"wcnfgen: error: {name}: {error.strerror or error}", file=sys.stderr)
        _forget(out)
        return 1
    finally:
        log.removeHandler(handler)


@contextlib.contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP stop us as Ctrl-C does: nothing half written is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {each: signal.signal(each, _interrupt) for each in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _forget(out: TextIO) -> None:
    """Nothing more can be written: keep the interpreter from trying when it exits."""
    if out is sys.stdout:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _log_to_stderr() -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Note())
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False
    return handler


class _Note(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        kind = "warning" if record.levelno >= logging.WARNING else "note"
        return f"wcnfgen: {kind}: {printable(record.getMessage())}"


def names() -> list[str]:
    """The commands there are."""
    modules = (module.name for module in pkgutil.iter_modules(commands.__path__))
    return sorted(name for name in modules if not name.startswith("_"))


def _run(argv: list[str], out: TextIO) -> int:
    if not argv or argv[0].startswith("-"):
        return _top(argv, out)
    name, words = argv[0], argv[1:]
    if name not in names():
        raise UsageError(f"no command {name!r}; there are: {', '.join(names())}")
    module = importlib.import_module(f"wcnfgen.commands.{name}")
    function = getattr(module, name)
    parser = _parser(name, function, _forwarded(module, words))
    if any(word in ("-h", "--help") for word in words):
        out.write(parser.format_help())
        return 0
    options = vars(parser.parse_args(words))
    log.setLevel(logging.WARNING if options.pop("quiet") else logging.INFO)
    result = function(*_arguments(function, options), **options)
    given = {key: value for key, value in options.items() if key in _keywords(function, module)}
    code = module.present(result, out, **given)
    out.flush()
    return int(code)


def _keywords(function: Callable[..., Any], module: types.ModuleType) -> set[str]:
    """The options that `present` wants to know."""
    takes = inspect.signature(module.present).parameters.values()
    return {p.name for p in takes if p.kind is p.KEYWORD_ONLY}


def _top(argv: list[str], out: TextIO) -> int:
    if argv and argv[0] in ("--version", "-V"):
        out.write(f"wcnfgen {__version__}\n")
    elif not argv or argv[0] in ("--help", "-h"):
        out.write(_overview())
    else:
        raise UsageError(f"no option {argv[0]}; see `wcnfgen --help`")
    return 0 if argv else 2


def _overview() -> str:
    lines = ["usage: wcnfgen COMMAND ...", "", "Decision trees as MaxSAT.", "", "commands:"]
    for name in names():
        function = getattr(importlib.import_module(f"wcnfgen.commands.{name}"), name)
        lines.append(f"  {name:<11} {signatures.summary(function)}")
    lines += [
        "",
        "`wcnfgen COMMAND --help` says more; `wcnfgen --version` is the version.",
        "",
        EPILOG,
    ]
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------------- options from signatures


def _forwarded(module: types.ModuleType, words: list[str]) -> Sequence[Callable[..., Any]]:
    """Functions whose options the command has too; which ones depends on the first word and --encoding."""
    if not hasattr(module, "forwards"):
        return ()
    peek = _Parser(prog=f"wcnfgen {module.__name__.rsplit('.', 1)[1]}", add_help=False, allow_abbrev=False)
    peek.add_argument("--encoding", default=argparse.SUPPRESS)
    known = vars(peek.parse_known_args(words)[0])
    first = words[0] if words and not words[0].startswith("-") else ""
    found: Sequence[Callable[..., Any]] = module.forwards({"first": first, **known})
    return found


def _parser(
    name: str, function: Callable[..., Any], forwarded: Sequence[Callable[..., Any]]
) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"wcnfgen {name}",
        description=signatures.description(function),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    for each in (function, *forwarded):
        group = (
            parser.add_argument_group(signatures.summary(each).rstrip("."))
            if each is not function
            else parser
        )
        for parameter in signatures.parameters(each):
            if each is function or parameter.kind is parameter.KEYWORD_ONLY:
                _add(
                    group,
                    parameter,
                    signatures.types_of(each)[parameter.name],
                    signatures.meanings(each).get(parameter.name, ""),
                )
    parser.add_argument("--quiet", action="store_true", help="no notes on standard error, only warnings")
    return parser


def _add(group: Any, parameter: inspect.Parameter, kind: Any, meaning: str) -> None:
    """Declare one parameter to argparse."""
    meaning = meaning.replace("%", "%%")
    if parameter.kind is not parameter.KEYWORD_ONLY:
        optional = parameter.default is not parameter.empty
        more: dict[str, Any] = {"nargs": "?", "default": parameter.default} if optional else {}
        if parameter.kind is parameter.VAR_POSITIONAL:
            more = {"nargs": "*"}
        group.add_argument(parameter.name, help=meaning, **more)
        return
    option = "--" + parameter.name.rstrip("_").replace("_", "-")
    short = {"output": ["-o"]}.get(parameter.name, [])
    base, many = _base(kind)
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
    group.add_argument(*short, option, **settings)


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


def _base(kind: Any) -> tuple[Any, bool]:
    """The type of one value, and whether there may be several."""
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        kind = next(each for each in typing.get_args(kind) if each is not type(None))
    origin = typing.get_origin(kind)
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return typing.get_args(kind)[0], True
    return (str if kind is Any else kind), False


def _arguments(function: Callable[..., Any], options: dict[str, Any]) -> list[Any]:
    """Take the positional arguments out of the options, in order."""
    arguments: list[Any] = []
    for each in signatures.parameters(function):
        if each.kind is each.VAR_POSITIONAL:
            arguments += options.pop(each.name)
        elif each.kind is not each.KEYWORD_ONLY:
            arguments.append(options.pop(each.name))
    return arguments
