"""``wcnfgen verify``: what of a solver's answer is true."""

from __future__ import annotations

import json as jsons
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TextIO

from wcnfgen.commands._shown import Shown, say

if TYPE_CHECKING:
    from wcnfgen.map import Map
    from wcnfgen.output import Values
    from wcnfgen.verdict import Accuracy, Checked, Verdict


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Verified(Shown):
    """A verdict on a log, and the accuracy on other rows if there were any."""

    checked: Checked
    test: Accuracy | None

    @property
    def verdict(self) -> Verdict:
        """The verdict."""
        return self.checked.verdict

    def __repr__(self) -> str:
        return f"<Verified: {self.verdict!r}{f', test: {self.test}' if self.test else ''}>"


def verify(
    instance: str,
    log: str,
    *,
    data: str | None = None,
    train: str | None = None,
    map: str | None = None,
    solver: str | None = None,
    known: int | None = None,
    json: bool = False,
) -> Verified:
    """Recompute everything a solver claims: hard clauses, cost, tree, training rows.

    The exit code is 0 if there is a model and all claims hold, else 1; also 1 if the instance is one
    of ours and its training rows are not at hand.  Of other files only clauses and cost are checked.

    examples:
      wcnfgen verify x.wcnf x.log
      wcnfgen verify x.wcnf x.log --data test.csv --json
      wcnfgen verify x.wcnf x.log --solver rc2 --known 3

    instance: the WCNF file
    log: the solver's output, or - for standard input
    data: also classify these rows, such as a test set
    train: the data file the instance was made from, if it does not hold the rows
    map: the map, if the instance has lost its comments
    solver: whose output it is, where the text leaves open how its models are to be read
    known: the cost of a verified model of another run: an optimum above it is none
    json: print JSON
    """
    from wcnfgen import solvers
    from wcnfgen import verdict as checking

    values = solvers.get(solver).values if solver else "either"
    checked = check(instance, log, train=train, map=map, values=values, known=known)
    test = None
    if data is not None:
        found, tree = checking.require_tree(checked, instance)
        test = checking.accuracy(found.fitted, tree, checking.table_for(found.fitted, data))
    return Verified(checked, test)


def present(result: Verified, out: TextIO, *, json: bool = False, **options: Any) -> int:
    """Print the verdict, for people or as JSON; 0 if it is all true."""
    if json:
        out.write(jsons.dumps(as_json(result), indent=1) + "\n")
    else:
        say(out, lines(result))
    done = result.verdict.claims_hold and (result.checked.map is None or result.verdict.ok)
    return 0 if done else 1


def check(
    instance: str,
    log: str,
    *,
    train: Any = None,
    map: str | None = None,
    values: Values = "either",
    known: int | None = None,
) -> Checked:
    """Parse a log and check it against its instance."""
    from wcnfgen import output, verdict
    from wcnfgen.errors import UsageError
    from wcnfgen.files import open_log

    if log == instance == "-":
        raise UsageError("the instance and the log cannot both come from standard input")
    with open_log(log) as stream:
        answer = output.parse(output.pieces(stream))
    return verdict.judge(instance, answer, train=train, map_file=map, values=values, known=known)


def lines(result: Verified) -> Iterator[str]:
    """The verdict in a few lines."""
    verdict, found = result.verdict, result.checked.map
    yield f"solver says:  s {verdict.status or '(nothing)'}, o {_or_none(verdict.claimed_cost)}"
    if verdict.model != "whole":
        yield f"model:        {verdict.model}"
    if verdict.cost is not None:
        yield f"hard clauses: {'all hold' if not verdict.falsified else f'{verdict.falsified} falsified'}"
        yield f"cost:         {verdict.cost}" + (f" ({found.fields['cost']})" if found else "")
    if verdict.tree is not None:
        yield f"tree:         {verdict.size} nodes, depth {verdict.depth}, {optimality(verdict)}"
    if verdict.training is not None:
        yield f"rows:         {verdict.training} (training)"
    elif verdict.cost is not None:
        yield f"rows:         not checked{_how(found)}"
    if result.test is not None:
        yield f"test:         {result.test}"
    for finding in verdict.findings:
        yield f"MISMATCH:     {finding} ({finding.kind})"
    for note in verdict.notes:
        yield f"note:         {note}"
    yield f"verdict:      {_conclusion(verdict)}"


def _how(found: Map | None) -> str:
    """How the rows could be checked."""
    if found is None:
        return " (no map in the file: clauses only)"
    return "" if found.has_rows else " (the file does not hold them; give --train DATA)"


def _conclusion(verdict: Verdict) -> str:
    if verdict.ok:
        return "ok"
    if verdict.claims_hold:
        return "claims hold, rows not checked"
    if verdict.findings:
        return "not ok"
    return "no model, there is none, says the solver" if verdict.status == "UNSATISFIABLE" else "no model"


def optimality(verdict: Verdict) -> str:
    """What is known of whether a smaller cost exists."""
    return {
        "proved": "optimal: it meets the proved lower bound",
        "claimed": "optimal, says the solver",
        "assumed": "optimal for this formula only, which --lb or --layout restricts",
        "open": "not proved optimal",
        "none": "as asked for: nothing is optimised",
    }[verdict.optimality]


def as_json(result: Verified) -> dict[str, Any]:
    """The verdict as JSON types."""
    verdict = result.verdict
    names = (
        "claims_hold",
        "status",
        "claimed_cost",
        "model",
        "falsified",
        "cost",
        "size",
        "depth",
        "rows",
        "lower_bound",
    )
    return {
        "ok": verdict.ok,
        **{name: getattr(verdict, name) for name in (*names, "optimality")},
        "training": accuracy_json(verdict.training),
        "test": accuracy_json(result.test),
        "findings": [asdict(finding) for finding in verdict.findings],
        "notes": list(verdict.notes),
    }


def accuracy_json(accuracy: Accuracy | None) -> dict[str, Any] | None:
    """As JSON types."""
    if accuracy is None:
        return None
    return {"rows": accuracy.rows, "right": accuracy.right, "unseen": accuracy.unseen}


def _or_none(value: int | None) -> str:
    return "(none)" if value is None else str(value)
