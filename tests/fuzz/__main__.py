"""Fuzz a law of `tests.fuzz.laws` with atheris.

python -m tests.fuzz LAW FOLDER ... [-libfuzzer_option=value ...]

LAW is csv, wcnf, header or output.  What reaches new code is written to the first folder, the others are
seeds; `tests.fuzz.seeds` adds small files of our own.  Memory above 1 GiB and five seconds for one input
are crashes, and what crashed is left beside the first folder.

python -m tests.fuzz LAW --replay FILE ...: hold the law against files, without atheris.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


def replay(law: str, names: list[str]) -> None:
    """One line a file that does not keep the law, and how many do."""
    from tests.fuzz.laws import LAWS

    kept = accepted = 0
    paths = map(Path, names)
    files = [file for path in paths for file in (sorted(path.iterdir()) if path.is_dir() else [path])]
    for file in files:
        try:
            accepted += LAWS[law](file.read_bytes())
            kept += 1
        except Exception as error:
            print(f"{file}: {type(error).__name__}: {error}")
    print(f"{law}: {kept} of {len(files)} files keep the law, {accepted} of them are accepted")


def _without_arrays(trace: Callable[..., Any]) -> Callable[..., Any]:
    """A trace of comparisons that leaves arrays out: of these atheris 3.0.0 keeps each result for ever."""
    import numpy as np

    operators = [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]

    def traced(left: Any, right: Any, place: int, *more: Any) -> Any:
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            return operators[place](left, right)
        return trace(left, right, place, *more)

    return traced


def fuzz(law: str, arguments: list[str]) -> None:
    """Fuzz until libFuzzer ends."""
    import atheris

    with atheris.instrument_imports(include=["wcnfgen"]):
        from tests.fuzz.laws import LAWS
        from tests.fuzz.seeds import mutated, sown

    folder = Path(next(each for each in arguments if not each.startswith("-")))
    folder.mkdir(parents=True, exist_ok=True)
    sown(law, folder)
    options = ["-rss_limit_mb=1024", "-timeout=5", "-max_len=4096", f"-dict={HERE / law}.dict"]
    options.append(f"-artifact_prefix={folder.parent / law}-")
    more = {"custom_mutator": mutated} if law == "header" else {}
    traces = atheris._trace_cmp

    def target(raw: bytes) -> None:
        nonlocal traces
        if atheris._trace_cmp is not traces:  # `Fuzz` puts its own there
            atheris._trace_cmp = traces = _without_arrays(atheris._trace_cmp)
        LAWS[law](raw)

    atheris.Setup([sys.argv[0], *options, *arguments], target, **more)
    atheris.Fuzz()


if __name__ == "__main__":
    law, *rest = sys.argv[1:] or ["--help"]
    if law not in ("csv", "wcnf", "header", "output") or not rest:
        sys.exit(__doc__)
    replay(law, rest[1:]) if rest[0] == "--replay" else fuzz(law, rest)
