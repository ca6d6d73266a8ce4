"""Every error that wcnfgen raises on purpose.

    WcnfgenError           exit code 1
    ├── UsageError         exit code 2: an option or an argument is wrong
    ├── DataError          the data file is wrong
    ├── FormatError        a WCNF file or a solver log is malformed
    └── SolverError        a solver cannot be found or started

A message says what is wrong, where (``file:line`` when there is one) and what to do next.
Only the command line turns an error into an exit code.
"""

from __future__ import annotations


class WcnfgenError(Exception):
    """The family; the message is one line that a user can act on."""

    exit_code = 1


class UsageError(WcnfgenError):
    """An option or an argument is wrong: nothing was read or written."""

    exit_code = 2


class DataError(WcnfgenError):
    """The data cannot be used as it stands."""


class FormatError(WcnfgenError):
    """A WCNF file, a map or a solver log is malformed."""


class SolverError(WcnfgenError):
    """A solver cannot be found or started."""
