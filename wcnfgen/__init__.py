"""Decision trees as MaxSAT: encode data, run any solver under limits, decode and verify its tree.

The public functions are the commands, and their keyword parameters the options; the package
`wcnfgen.campaign` has a step of a campaign in each function.  The classes are estimators for scikit-learn,
which the extra ``wcnfgen[learn]`` installs.  API.md, beside this file, shows them all.

>>> import wcnfgen
>>> tree = wcnfgen.learn("data.csv")                       # doctest: +SKIP
>>> print(tree)                                            # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wcnfgen.commands.bag import bag
    from wcnfgen.commands.boost import boost
    from wcnfgen.commands.calibrate import calibrate
    from wcnfgen.commands.columns import columns
    from wcnfgen.commands.compare import compare
    from wcnfgen.commands.completion import completion
    from wcnfgen.commands.decode import decode
    from wcnfgen.commands.encode import encode
    from wcnfgen.commands.family import family
    from wcnfgen.commands.learn import learn
    from wcnfgen.commands.lint import lint
    from wcnfgen.commands.mpdt import mpdt
    from wcnfgen.commands.peer import peer
    from wcnfgen.commands.predict import predict
    from wcnfgen.commands.reproduce import reproduce
    from wcnfgen.commands.search import search
    from wcnfgen.commands.solve import solve
    from wcnfgen.commands.split import split
    from wcnfgen.commands.tutorial import tutorial
    from wcnfgen.commands.verify import verify
    from wcnfgen.estimators import BaggedTreesClassifier, BoostedTreesClassifier, OptimalTreeClassifier

__version__ = "0.1.0"
__all__ = [
    "BaggedTreesClassifier",
    "BoostedTreesClassifier",
    "OptimalTreeClassifier",
    "bag",
    "boost",
    "calibrate",
    "columns",
    "compare",
    "completion",
    "decode",
    "encode",
    "family",
    "learn",
    "lint",
    "mpdt",
    "peer",
    "predict",
    "reproduce",
    "search",
    "solve",
    "split",
    "tutorial",
    "verify",
]

if not TYPE_CHECKING:  # to whom any name would be there

    def __getattr__(name: str) -> Any:
        """Import what is asked for: the command line starts without the rest."""
        if name in __all__:
            where = "estimators" if name.endswith("Classifier") else f"commands.{name}"
            return getattr(import_module(f"wcnfgen.{where}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What there is to ask for, before it is imported."""
    return [*__all__, "__version__"]
