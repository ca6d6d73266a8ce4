"""Campaigns: solvers on the same instances under the same limits.

A campaign is a folder, and each step reads files and writes files:

    campaign.toml   what is compared, written by hand or by `wcnfgen compare` (`settings`)
    plan.csv        one line a run, in the order in which they are made; plan.json what they have in common,
    instances.csv   and one line an instance (`planning`)
    facts.csv       what was read of each file, so that it is read once (`finding`)
    campaign.lock   who is at work here (`wcnfgen.lock`)
    runs/AB/KEY/    a run that was made (`store`, `working`)
    runs/.KEY.*     one that is being made (`making`)
    attempts/KEY    beginnings of a run that is not there yet (`store`)
    submit/N/       what was given to a queue (`engines`)
    results.csv     one line a run, what is true of it (`collecting`); made anew from the runs at any time

A run's key is the SHA-256 of all that may change what comes out: the bytes of the instance, the solver (its
program's bytes, version and arguments), seed, limits, number of cores and driver (`keys`).  So a run is never
made twice, a changed setting is another run, and whoever finds a run knows what it is: its folder holds the
text that the key is the hash of.  A run is made under a temporary name and renamed when it is whole; of two
that were made of one key, on two machines, the first stays.

How a run ended is the solver's doing, and is never tried again: a time limit, a crash, a refusal.  What
happens around it, a worker that is killed, a lost node, is tried again, up to a limit; a full disk, or
anything else that would come to every run, ends the campaign, which then can go on.

The public functions are the actions of ``wcnfgen campaign`` (`actions`).  For each there is a module that
does it, and a result that says what came of it:

    plan      `planning`, of `settings` (`toml`), `entrants` and `finding` (`places`, `facts`); `planned` says
              how much there is to do, and which runs belong to other settings
    run,      `running`, with one of `engines`; `course` hands runs out and is told how each went, `progress`
    work      shows it; `working` makes one, in a process of `worker` where an engine has a pool
    submit    a queue of `engines`
    status    `counting`
    retry     `retrying`
    collect   `collecting`: `wcnfgen.judged` says what is true of a run, `crediting` which costs count and
              when; `collected` says what came of it, `exports` writes `results` in other forms

Files of lines are `tables`: `instances`, the plan's, `results`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wcnfgen.campaign.actions import collect, plan, retry, run, status, submit, work

__all__ = ["collect", "plan", "retry", "run", "status", "submit", "work"]

if not TYPE_CHECKING:  # to whom any name would be there

    def __getattr__(name: str) -> Any:
        """Import an action when it is asked for."""
        if name in __all__:
            return getattr(import_module("wcnfgen.campaign.actions"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """What there is to ask for, before it is imported."""
    return list(__all__)
