"""The commands, one file each: `NAME.py` holds the public function NAME and what presents its result.

The command line is the function said again: keyword-only parameters are options, the others
arguments, and the docstring's ``name: meaning`` lines are the help.  A function returns its
result and prints nothing; ``present(result, out, **options)`` writes it for a person and gives the exit
code.  An ``examples:`` paragraph of the docstring has a command line in each line, then two blanks and what
it is for; the tests run them.  A command that passes options on to another function names it in
``forwards(options)``, where ``first`` is the first argument and ``encoding`` what --encoding says.

Nothing heavy is imported here before a command runs, which keeps ``wcnfgen --help`` quick.
"""

from __future__ import annotations

import pkgutil
import types
from collections.abc import Callable
from importlib import import_module
from typing import Any


def names() -> list[str]:
    """The commands there are."""
    modules = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name for name in modules if not name.startswith("_"))


def get(name: str) -> tuple[types.ModuleType, Callable[..., Any]]:
    """The module of a command, and its function."""
    module = import_module(f"wcnfgen.commands.{name}")
    return module, getattr(module, name)
