"""Decision trees as MaxSAT: encode data, run any solver under limits, decode and verify its tree.

The public functions are the commands: `encode`, `solve`, `decode`, `verify`, `predict`, `learn`, `search`,
`mpdt`, `boost`, `bag`, `family`, `lint`, `calibrate`, `compare`; the package `wcnfgen.campaign` has a step of
a campaign in each function.  The classes are estimators for scikit-learn, which the extra ``wcnfgen[learn]``
installs.

>>> import wcnfgen
>>> instance = wcnfgen.encode("data.csv", ub=31)           # doctest: +SKIP
>>> instance.write("x.wcnf")                               # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wcnfgen.commands.bag import bag
    from wcnfgen.commands.boost import boost
    from wcnfgen.commands.calibrate import calibrate
    from wcnfgen.commands.compare import compare
    from wcnfgen.commands.decode import decode
    from wcnfgen.commands.encode import encode
    from wcnfgen.commands.family import family
    from wcnfgen.commands.learn import learn
    from wcnfgen.commands.lint import lint
    from wcnfgen.commands.mpdt import mpdt
    from wcnfgen.commands.predict import predict
    from wcnfgen.commands.reproduce import reproduce
    from wcnfgen.commands.search import search
    from wcnfgen.commands.solve import solve
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
    "compare",
    "decode",
    "encode",
    "family",
    "learn",
    "lint",
    "mpdt",
    "predict",
    "reproduce",
    "search",
    "solve",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for: the command line starts without the rest."""
    if name in __all__:
        where = "estimators" if name.endswith("Classifier") else f"commands.{name}"
        return getattr(import_module(f"wcnfgen.{where}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
