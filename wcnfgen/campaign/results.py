"""Results: one line a run in `results.csv`, what is true of it.

Costs here are recomputed, times those of `wcnfgen.record`.  Three things are kept apart: ended is how the run
ended, status and claimed are what the solver says, and cost, trace and findings are what is true.
"""

from __future__ import annotations

from dataclasses import dataclass

from wcnfgen.campaign.tables import cell, of_json

FILE = "results.csv"
REFUSED = "refused"  # how a run ended that was never begun, as the solver does not take the instance
Trace = tuple[tuple[float, int], ...]


def _trace_to_text(trace: Trace) -> str:
    return " ".join(f"{seconds:.12g}:{cost}" for seconds, cost in trace)


def _trace_from_text(text: str) -> Trace:
    pairs = (pair.split(":") for pair in text.split())
    return tuple((float(seconds), int(cost)) for seconds, cost in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One run.

    key          of the run; its folder is runs/KEY[:2]/KEY
    instance     its name in instances.csv
    solver       its name in campaign.toml; version what it says of itself
    seed         None: none
    ended        "exit 30", "wall limit", "SIGSEGV", "refused": see `wcnfgen.record.ended`
    wall_s, cpu_s, peak_mib   of all its processes; threads the most at a time, None: not measured
    cores        it had
    wall_limit_s, cpu_limit_s, memory_limit_mib   None: no limit
    status       the solver's last s line; empty: none
    claimed      the cost it says last
    bound        the largest lower bound it claims
    cost         of its last whole model, recomputed; None: there is none, or it falsifies hard clauses
    model_s      when that model was whole, in seconds since the start
    late         whether that was after the limit, in the grace: it counts for that, and no cut-off before
    trace        (seconds, cost) of each improvement that counts (`crediting`), times rising and costs falling
    live         whether the times of the trace say when costs were found, and not when they were printed
    size, depth  of the tree; None: no tree
    right, rows  training rows that the tree classifies rightly, of so many
    findings     (kind, text) of each disagreement with what the solver says
    notes        oddities that contradict nothing
    """

    key: str
    instance: str
    solver: str
    version: str
    seed: int | None
    ended: str
    wall_s: float
    cpu_s: float
    peak_mib: float
    threads: int | None
    cores: int
    wall_limit_s: float | None
    cpu_limit_s: float | None
    memory_limit_mib: float | None
    status: str
    claimed: int | None
    bound: int | None
    cost: int | None
    model_s: float | None
    late: bool
    trace: Trace = cell(_trace_to_text, _trace_from_text)
    live: bool
    size: int | None
    depth: int | None
    right: int | None
    rows: int | None
    findings: tuple[tuple[str, str], ...] = of_json()
    notes: tuple[str, ...] = of_json()

    def __post_init__(self) -> None:
        """JSON has lists."""
        object.__setattr__(self, "findings", tuple((kind, text) for kind, text in self.findings or ()))
        object.__setattr__(self, "notes", tuple(self.notes or ()))
