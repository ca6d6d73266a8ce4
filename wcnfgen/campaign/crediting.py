"""Which costs count for a run, and from when on.

A solver says ``o 12`` at some time; that is a claim.  What counts is what a verified model supports:

1. Without a last whole model that satisfies the hard clauses nothing counts.  Let V be its recomputed cost.
2. V counts from the moment at which the model was whole.
3. A claimed cost of at least V counts from the moment of its line: the model shows that it was not too
   low.  Costs that are not below one that counts already add nothing.
4. A claim below V, made before the model, is one that the solver did not keep to: the run is a
   contradiction, which is a finding, and of it only the model counts.  A claim after the model, whose own
   model was cut off by the end of the run, is not held against it; nor does it count.
5. Where the model does not cost what the solver says of it, its claims are costs of something else, and
   only the model counts.

Times are seconds since the program was started, so reading the formula counts.  The end of the time is the
wall limit, or, where only CPU time was limited, the moment at which the run was told to stop.  What comes
later, in the grace, counts for the end of the time and for no cut-off before: it is entered at the end, and
a model that was not whole before is marked as late.  An ``o`` line counts at a cut-off if it could be read by
then.  Where a program prints in blocks, or a script prints a file at the end, that is when its lines count:
such a trace is not live (`wcnfgen.record`), its costs are true and its times too late.

Lines may carry time stamps that run backwards, where some do and others do not; a line counts no sooner than
the line before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from operator import itemgetter

from wcnfgen.campaign.results import Trace
from wcnfgen.judged import Judged
from wcnfgen.record import Record

ONLY_MODEL = "the costs that the solver claims do not count, only its model does"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """What counts of a run.

    trace     (seconds, cost): times rise, costs fall, the last is the verified model's; empty without one
    late      whether the model was whole only after the end of the time
    findings  (kind, text) as in `wcnfgen.claims`: claims of costs that the solver did not keep to
    notes     why claims do not count that contradict nothing
    """

    trace: Trace = ()
    late: bool = False
    findings: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


def credit(record: Record, judged: Judged) -> Credit:
    """What counts of a run; the rule is that of this module."""
    cost = judged.cost
    if cost is None:
        return Credit()
    end_s = time_limit_s(record)
    model_s = record.run.wall_s if record.model_s is None else record.model_s
    kinds = {kind for kind, _ in judged.findings}
    broken = _broken(record.trace, cost)
    claims = () if "o-mismatch" in kinds or broken is not None else record.trace
    known = broken is None or kinds & {"o-mismatch", "contradiction"}
    return Credit(
        trace=tuple(_counting(claims, (model_s, cost), end_s)),
        late=model_s > end_s,
        findings=() if known else (("contradiction", _says(broken, cost)),),
        notes=() if claims or not record.trace else (ONLY_MODEL,),
    )


def time_limit_s(record: Record) -> float:
    """When the time is over, in seconds of wall time since the start; infinite without a limit.

    A run that ran into a limit on CPU time is over when it is told to stop.
    """
    run, wall_s = record.run, record.limits.wall_s
    told_s = run.signalled_s if run.limit == "cpu" else None
    return min(math.inf if each is None else each for each in (wall_s, told_s))


def _broken(trace: Trace, cost: int) -> int | None:
    """The least cost that was claimed below that of the model, and before it; None if none was.

    The model's own claim is the last one of its cost; only one that was cut off comes after it.
    """
    costs = [claimed for _, claimed in trace]
    if cost in costs:
        costs = costs[: len(costs) - costs[::-1].index(cost)]
    return min((claimed for claimed in costs if claimed < cost), default=None)


def _says(claimed: int | None, cost: int) -> str:
    return f"the solver says o {claimed} on the way, its model costs {cost}: solver's error"


def _counting(claims: Trace, model: tuple[float, int], end_s: float) -> Iterator[tuple[float, int]]:
    """What counts of the claims and the model; of several costs at one moment the last."""
    times = accumulate((seconds for seconds, _ in claims), max)
    lines = [(seconds, cost) for seconds, (_, cost) in zip(times, claims, strict=True) if cost >= model[1]]
    held: tuple[float, int] | None = None
    for seconds, cost in sorted([*lines, model], key=itemgetter(0)):
        if held is not None and cost >= held[1]:
            continue
        if held is not None and min(seconds, end_s) > held[0]:
            yield held
        held = min(seconds, end_s), cost
    if held is not None:
        yield held
