"""``wcnfgen campaign``: solvers on the same instances, in steps that each can be stopped and repeated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TextIO

from wcnfgen.commands._shown import say
from wcnfgen.errors import UsageError

ACTIONS = ("plan", "run", "work", "status", "collect", "submit", "retry")


def campaign(action: str, campaign: str, **options: Any) -> Any:
    """Solvers on the same instances: plan | run | work | status | collect | submit | retry.

    A campaign is a folder with a campaign.toml, which says what is compared; `wcnfgen compare` writes one.

      plan     settle the runs: instances, solvers, seeds, limits; it runs nothing
      run      make those that are not there yet, here or through Dask
      submit   make them on a Slurm cluster, and collect afterwards
      work     make a share of them in this process: what Slurm and Dask call
      status   how many runs are there, and how they ended
      collect  judge what was run, and write results.csv
      retry    try again what something else than the solver ended too often

    `wcnfgen campaign ACTION --help` shows the options of each.  What was stopped goes on by the same command.

    examples:
      wcnfgen campaign plan race
      wcnfgen campaign run race --jobs 1
      wcnfgen campaign status race
      wcnfgen campaign collect race --output race.json

    action: what to do
    campaign: the campaign's folder, or its campaign.toml
    """
    return _function(action)(campaign, **options)


def _function(action: str) -> Callable[..., Any]:
    from wcnfgen.campaign import actions

    if action not in ACTIONS:
        raise UsageError(f"wcnfgen campaign {action}: there is {', '.join(ACTIONS)}")
    found: Callable[..., Any] = getattr(actions, action)
    return found


def forwards(options: dict[str, Any]) -> Sequence[Callable[..., Any]]:
    """The options of the action."""
    return [_function(options["first"])] if options.get("first") in ACTIONS else []


def present(result: Any, out: TextIO) -> int:
    """Print what an action says of its result."""
    say(out, result.lines())
    return int(result.exit_code)
