"""The actions of ``wcnfgen campaign``: each a function, whose docstring is its help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wcnfgen.campaign.collected import Collected
    from wcnfgen.campaign.counting import Counts
    from wcnfgen.campaign.course import Ran
    from wcnfgen.campaign.engines._submission import Submitted
    from wcnfgen.campaign.planned import Planned
    from wcnfgen.campaign.retrying import Retried


def plan(campaign: str) -> Planned:
    """Find solvers and instances, and write down which runs there are to make.

    Whenever campaign.toml, an instance or a program has changed, plan again: runs that are there stay, and
    those that belong to the new plan are not made again.  What other settings the others were made with is
    said.

    campaign: a folder with campaign.toml, or that file

    Raises UsageError where campaign.toml is wrong, SolverError where a solver is not installed.
    """
    from wcnfgen import lock
    from wcnfgen.campaign import planned, planning, settings
    from wcnfgen.campaign.store import LOCK

    folder = settings.folder(campaign)
    given = settings.read(folder / settings.FILE)
    with lock.held(folder / LOCK, f"wcnfgen campaign plan {folder}"):
        return planned.compared(*planning.write(folder, given))


def run(campaign: str, *, jobs: int | None = None, engine: str = "local", address: str | None = None) -> Ran:
    """Make the runs that are not there yet.

    Each run has cores of its own.  Stopped by Ctrl-C, or by anything else, the same command goes on: what is
    there is not made again.  How a solver ended is a result, whatever it was; what else goes wrong, a worker
    that is killed, a program that does not start, is tried again, up to a limit.

    The exit code is 1 if a run could not be made, 130 after Ctrl-C.

    campaign: a folder with campaign.toml, or that file
    jobs: runs at a time; default: as many as there are cores, less one for us if there are more than two
    engine: what makes the runs: local, on this machine, or dask
    address: where the engine is reached, if it is a service

    Raises UsageError where the plan is missing or out of date, or another `campaign run` is at work here,
    WcnfgenError where the disk is full.
    """
    from wcnfgen.campaign import running, settings

    return running.by_engine(settings.folder(campaign), engine, jobs, address)


def work(campaign: str, *, shard: str = "1/1", runs: Sequence[str] = (), cores: str | None = None) -> Ran:
    """Make runs in this process, one after the other: what a job of a queue calls.

    Several may work on a campaign at a time, on different shards.  SIGUSR1 says that the time of the job is
    nearly up, SIGTERM that it is over: either stops the run that is being made, which is as if it had not
    begun.

    The exit code is 0 if all of these runs are there, 1 if one could not be made, 75 after SIGUSR1 if any are
    left, so that the job is to be queued again, and 130 after SIGTERM.

    campaign: a folder with campaign.toml, or that file
    shard: of N equal parts the I-th, as I/N
    runs: the key of a run, as in plan.csv; may be repeated
    cores: the cores of each run, such as 0 or 2-3; default: of those that this process may use

    Raises UsageError where the plan is missing or out of date, or `campaign run` is at work here,
    WcnfgenError where the disk is full.
    """
    from wcnfgen.campaign import running, settings

    return running.here(settings.folder(campaign), running.parse_shard(shard), runs, cores)


def status(campaign: str) -> Counts:
    """Count the runs: by solver and by how they ended, and those still to be made; also while it runs.

    campaign: a folder with campaign.toml, or that file

    Raises UsageError where there is no plan.
    """
    from wcnfgen.campaign import settings
    from wcnfgen.campaign.counting import count

    return count(settings.folder(campaign))


def collect(
    campaign: str, *, jobs: int | None = None, again: bool = False, output: Sequence[str] = ()
) -> Collected:
    """Judge the runs that are there, and write what is true of them to results.csv.

    Each model is checked against its instance, once; what was judged before is not judged again.  It can be
    stopped, repeated, and done while runs are still being made.  The exit code is 1 if a solver said
    something that is not so, or a run cannot be read.

    campaign: a folder with campaign.toml, or that file
    jobs: processes that judge at a time; default: as many as there are cores
    again: judge all runs anew
    output: write results also to this file, as its ending says: .csv, .json or .parquet; may be repeated

    Raises UsageError where there is no plan, or for another ending.
    """
    from wcnfgen.campaign import collecting, settings

    return collecting.collect(settings.folder(campaign), jobs=jobs, again=again, exports=output)


def retry(campaign: str, *, solver: str | None = None, instance: str | None = None) -> Retried:
    """Forget the failed attempts of runs that could not be made, so that they are tried again.

    Failed is what something else than the solver ended, such as a worker that was killed, as often as
    `attempts` in campaign.toml says.  How a solver ended is a result, and is never tried again.

    campaign: a folder with campaign.toml, or that file
    solver: only runs of this solver
    instance: only runs on instances whose names match this pattern, such as 'zoo-*'

    Raises UsageError where there is no plan.
    """
    from wcnfgen import lock
    from wcnfgen.campaign import retrying, settings
    from wcnfgen.campaign.store import LOCK

    folder = settings.folder(campaign)
    with lock.held(folder / LOCK, f"wcnfgen campaign retry {folder}"):
        return retrying.retry(folder, solver, instance)


def submit(
    campaign: str,
    *,
    engine: str = "slurm",
    chunk: int | None = None,
    at_most: int | None = None,
    partition: str | None = None,
    account: str | None = None,
    extra: Sequence[str] = (),
    dry_run: bool = False,
) -> Submitted:
    """Give the runs that are missing to a queue, which makes and collects them; nothing has to wait for it.

    The scripts are in the campaign's folder, submit/N, for all machines to see and for you to change.  Runs
    that are in the queue already are not given again.

    campaign: a folder with campaign.toml, or that file
    engine: the queue: slurm
    chunk: runs of one task; default: so many that it lasts some minutes
    at_most: tasks that run at a time
    partition: of the cluster
    account: that pays
    extra: a further option of the queue, such as --extra=--qos=long; may be repeated
    dry_run: only write the scripts

    Raises UsageError where the plan is missing or out of date, or there is no such queue.
    """
    from wcnfgen.campaign import engines, running, settings
    from wcnfgen.campaign.engines._submission import Options

    give = engines.queue(engine)
    options = Options(chunk=chunk, at_most=at_most, partition=partition, account=account, extra=tuple(extra))
    return give(running.planned(settings.folder(campaign)), options, dry_run=dry_run)
