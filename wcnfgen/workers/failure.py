"""Why a job is not done."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from dataclasses import dataclass

KILLED = "killed"
DISK_FULL = "DiskFull"
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


@dataclass(frozen=True, slots=True)
class Failure:
    """The name of an error, or KILLED where the worker was, or DISK_FULL; and a message of one line."""

    error: str
    message: str

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """What an error comes to, whatever it was wrapped in."""
        full = any(isinstance(each, OSError) and each.errno in _FULL for each in _causes(error))
        message = str(error) or ("not enough memory" if isinstance(error, MemoryError) else repr(error))
        return cls(DISK_FULL if full else type(error).__name__, message)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and what it arose from."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
