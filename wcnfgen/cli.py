"""The command line: finds the command, has its words parsed (`wcnfgen.options`), calls it, and presents.

There is no logic here.  A command is a file in `wcnfgen/commands`, and only the one that was asked for is
imported.

This is the one place that prints and that turns errors into exit codes: 0 ok, 1 failed, 2 usage,
130 interrupted.  A reader that goes away (``| head -1``) is no failure.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import logging
import os
import signal
import sys
import threading
import types
from collections.abc import Iterator, Sequence
from typing import NoReturn, TextIO

from wcnfgen import __version__, commands, options, signatures
from wcnfgen.errors import UsageError, WcnfgenError
from wcnfgen.words import printable, shorten

log = logging.getLogger("wcnfgen")

MOST = 4096  # characters of a message that are shown
EPILOG = """examples:
  wcnfgen learn data.csv                        a provably smallest tree, in one go
  wcnfgen encode data.csv --ub 31 > x.wcnf      the formula
  wcnfgen solve x.wcnf --solver rc2 > x.log     a solver under limits
  wcnfgen decode x.wcnf x.log                   its model as a tree
  wcnfgen verify x.wcnf x.log                   what of it is true

exit codes: 0 ok, 1 failed, 2 usage, 130 interrupted"""


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
        print(f"wcnfgen: error: {_brief(str(error))}", file=sys.stderr)
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
        print(f"wcnfgen: error: {printable(f'{name}: {error.strerror or error}')}", file=sys.stderr)
        if error.filename is None:
            _forget(out)
        return 1
    finally:
        log.removeHandler(handler)
        log.propagate = True


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


def _brief(text: str) -> str:
    """On one line, and of a few thousand characters: an error may quote a name of megabytes."""
    mark = f" [{len(text) - MOST} characters] "
    return printable(shorten(text, MOST + len(mark), mark))


class _Note(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        kind = "warning" if record.levelno >= logging.WARNING else "note"
        return f"wcnfgen: {kind}: {_brief(record.getMessage())}"


def _run(argv: list[str], out: TextIO) -> int:
    if not argv or argv[0].startswith("-"):
        return _top(argv, out)
    name, words = argv[0], argv[1:]
    if name not in commands.names():
        raise UsageError(f"no command {name!r}; there are: {', '.join(commands.names())}")
    module, function = commands.get(name)
    parser = options.parser(name, function, options.forwarded(module, words))
    if any(word in ("-h", "--help") for word in words):
        out.write(parser.format_help())
        return 0
    given = vars(parser.parse_args(words))
    log.setLevel(logging.WARNING if given.pop("quiet") else logging.INFO)
    result = function(*options.arguments(function, given), **given)
    wanted = _keywords(module)
    code = module.present(result, out, **{key: value for key, value in given.items() if key in wanted})
    out.flush()
    return int(code)


def _keywords(module: types.ModuleType) -> set[str]:
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
    lines += [f"  {name:<11} {signatures.summary(commands.get(name)[1])}" for name in commands.names()]
    lines += [
        "",
        "`wcnfgen COMMAND --help` says more; `wcnfgen --version` is the version.",
        "",
        EPILOG,
    ]
    return "\n".join(lines) + "\n"
