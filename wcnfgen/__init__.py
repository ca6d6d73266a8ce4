"""Decision trees as MaxSAT: encode data, run any solver under limits, decode and verify its tree.

The public functions are the commands: `encode`, `solve`, `decode`, `verify`, `predict`, `learn`.

>>> import wcnfgen
>>> instance = wcnfgen.encode("data.csv", ub=31)           # doctest: +SKIP
>>> instance.write("x.wcnf")                               # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wcnfgen.commands.decode import decode
    from wcnfgen.commands.encode import encode
    from wcnfgen.commands.learn import learn
    from wcnfgen.commands.predict import predict
    from wcnfgen.commands.solve import solve
    from wcnfgen.commands.verify import verify

__version__ = "0.1.0"
__all__ = ["decode", "encode", "learn", "predict", "solve", "verify"]


def __getattr__(name: str) -> Any:
    """Import a command when it is asked for: the command line starts without the rest."""
    if name in __all__:
        return getattr(import_module(f"wcnfgen.commands.{name}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
