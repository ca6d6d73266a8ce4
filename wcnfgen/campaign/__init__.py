"""Campaigns: solvers on the same instances under the same limits.

A campaign is a folder, and each step reads files and writes files:

    campaign.toml   what is compared, written by hand or by `wcnfgen compare` (`settings`)
    plan.csv        one line a run, in the order in which they are made; plan.json what they have in common,
    instances.csv   and one line an instance (`planning`)
    facts.csv       what was read of each file, so that it is read once (`finding`)
    runs/AB/KEY/    a run that was made (`store`, `working`)
    attempts/KEY    beginnings of a run that is not there yet (`store`)
    results.csv     one line a run, what is true of it (`collecting`); made anew from the runs at any time

A run's key is the SHA-256 of all that may change what comes out: the bytes of the instance, the solver (its
program's bytes, version and arguments), seed, limits, number of cores and driver (`keys`).  So a run is never
made twice, a changed setting is another run, and whoever finds a run knows what it is: its folder holds the
text that the key is the hash of.  A run is made under a temporary name and renamed when it is whole; of two
that were made of one key, on two machines, the first stays.

How a run ended is the solver's doing, and is never tried again: a time limit, a crash, a refusal.  What
happens around it, a worker that is killed, a full disk, a lost node, is tried again, up to a limit.

The public functions are the actions of ``wcnfgen campaign`` (`actions`): `plan`, `run`, `work`, `status`,
`collect`, `submit`, `retry`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wcnfgen.campaign.actions import collect, plan, retry, run, status, submit, work

__all__ = ["collect", "plan", "retry", "run", "status", "submit", "work"]


def __getattr__(name: str) -> Any:
    """Import an action when it is asked for."""
    if name in __all__:
        return getattr(import_module("wcnfgen.campaign.actions"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
