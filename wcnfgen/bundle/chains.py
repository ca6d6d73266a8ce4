"""Chains of AdaBoost rounds: each round's weights follow from the trees of the rounds before.

A solver under a time limit need not find the same tree twice, so trees are stored: ``chains/NAME.json`` has
the tree of each round with who found it and what it cost.  From there on all is arithmetic, and the family
is the same bytes wherever it is made again.  What a tree was learned from is kept as a SHA-256 of the
weights, so that a file that belongs to other data is noticed.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from wcnfgen import boosting, encodings, leftovers, output, runs
from wcnfgen.bundle import one
from wcnfgen.bundle.manifest import Row
from wcnfgen.bundle.one import Settings
from wcnfgen.drivers import Limits
from wcnfgen.errors import FormatError, WcnfgenError
from wcnfgen.files import atomic, open_log, safe
from wcnfgen.instance import Instance
from wcnfgen.instances import Chain, Spec
from wcnfgen.launch import known, prepared
from wcnfgen.making import prepare_for, split
from wcnfgen.prepare import prepare
from wcnfgen.rounds import Rounds, Rows
from wcnfgen.rows import Problem
from wcnfgen.tree import Tree, from_list, to_list
from wcnfgen.verdict import judge
from wcnfgen.weights import sha256

log = logging.getLogger("wcnfgen")

MEMORY_MIB = 4096.0
GRACE_S = 5.0


@dataclass(frozen=True, slots=True)
class Stored:
    """The tree of a round: breadth first, who found it, at what cost, and for which weights of the rows."""

    tree: list[int]
    by: str
    cost: int
    proved: bool
    weights_sha256: str


def place(folder: Path, chain: Chain) -> Path:
    """The file of a chain's trees."""
    return folder / f"{safe(chain.name, one.NAME_LENGTH)}.json"


def read(source: Path) -> list[Stored]:
    """The trees so far; none where there is no file.  Raises FormatError."""
    if not source.is_file():
        return []
    try:
        return [Stored(**each) for each in json.loads(source.read_text("utf-8"))["trees"]]
    except (ValueError, TypeError, KeyError) as error:
        raise FormatError(f"{source}: not a chain's trees: {error}; delete it to learn them anew") from error


def write(trees: Sequence[Stored], chain: Chain, target: Path) -> None:
    """Write the trees, whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    found = {"chain": chain.name, "solver": chain.solver, "wall_s": chain.wall_s}
    with atomic(target) as out:
        out.write(json.dumps(found | {"trees": [asdict(each) for each in trees]}, indent=1).encode() + b"\n")


def make(specs: Sequence[Spec], data: Path, settings: Settings) -> list[Row]:
    """All rounds of one chain, in order; those that boosting does not come to are left out."""
    try:
        maker = _Maker(specs, data, settings)
    except WcnfgenError as error:
        return [one.left_out(spec, str(error)) for spec in specs]
    done = list(boosting.boost(maker.problem, maker.learn, rounds=max(maker.specs)))
    why = {"perfect": "makes no error", "useless": "is no better than a guess", "stuck": "changes no weight"}
    ended = boosting.end(done, max(maker.specs))
    rest = (number for number in maker.specs if number > len(done))
    missing = [one.left_out(maker.specs[n], f"round {len(done)} {why.get(ended, ended)}") for n in rest]
    return [maker.rows[number] for number in sorted(maker.rows)] + missing


class _Maker:
    """Writes the instance of each round, and learns its tree or takes the stored one."""

    def __init__(self, specs: Sequence[Spec], data: Path, settings: Settings):
        self.settings = settings
        self.specs = {_chain(spec).round: spec for spec in specs}
        self.chain = _chain(specs[0])
        self.file = place(settings.folder.chains, self.chain)
        self.trees = read(self.file)
        kind = encodings.get("boost")
        of_data, of_encoding = split(dict(specs[0].options), prepare, kind.plan)
        found = prepare_for(kind, str(data), of_data, of_encoding)
        self.problem = found.problem
        self.rounds = Rounds(found, str(data), of_data, of_encoding, Rows(found, str(data), None))
        self.rows: dict[int, Row] = {}

    def learn(self, number: int, problem: Problem) -> Tree:
        """The tree of a round, whose instance is written if it is one of the family."""
        weights = self.file.with_name(f"{self.file.stem}.round-{number:02}.weights")
        instance = self.rounds.instance(number, problem, weights)
        row = None
        if number in self.specs:
            row = one.write(instance, self.specs[number], self.settings)
        stored = self._stored(number, problem) or self._learned(instance, problem)
        tree = from_list(stored.tree)
        if row is not None:
            self.rows[number] = self._with_tree(row, instance, tree, stored) if row.written else row
        return tree

    def _stored(self, number: int, problem: Problem) -> Stored | None:
        if number > len(self.trees):
            return None
        stored = self.trees[number - 1]
        if stored.weights_sha256 != sha256(problem.w):
            raise FormatError(
                f"{self.file}: its tree {number} was learned from other weights: delete it to learn them anew"
            )
        return stored

    def _learned(self, instance: Instance, problem: Problem) -> Stored:
        stored = replace(solved(instance, self.chain), weights_sha256=sha256(problem.w))
        self.trees.append(stored)
        write(self.trees, self.chain, self.file)
        return stored

    def _with_tree(self, row: Row, instance: Instance, tree: Tree, stored: Stored) -> Row:
        """The solver's tree is the best model known if it costs less."""
        if row.best_cost is None or stored.by == "wcnfgen":
            return row
        if stored.cost > row.best_cost or (stored.cost == row.best_cost and not stored.proved):
            return row
        model = instance.encoding.model(tree)
        cost = one.judged(row, model, self.settings.folder, instance)
        proved_by = stored.by if stored.proved and cost == stored.cost else ""
        return one.known(row, model, cost, stored.by, proved_by, self.settings.folder)


def _chain(spec: Spec) -> Chain:
    if spec.chain is None:
        raise ValueError(f"{spec.name} is no round of a chain")
    return spec.chain


def solved(instance: Instance, chain: Chain) -> Stored:
    """The solver's tree, if it has one that holds, else the greedy one.

    Raises SolverError where the solver cannot start, KeyboardInterrupt where the user stopped it.
    """
    limits = Limits(wall_s=chain.wall_s, memory_mib=MEMORY_MIB, grace_s=GRACE_S)
    descriptor = known(chain.solver)
    with leftovers.folder() as scratch:
        file, text = Path(scratch) / "round.wcnf", Path(scratch) / "log.gz"
        instance.write(file, descriptor.formats[0])
        run = runs.recorded(
            str(file),
            chain.solver,
            lambda folder: prepared(descriptor, chain.solver, file, folder, limits),
            limits,
            log=str(text),
        ).run
        if run.limit == "interrupt":
            raise KeyboardInterrupt
        with open_log(text) as stream:
            answer = output.parse(output.pieces(stream))
        train = None if instance.map["rows"] else instance.prepared
        verdict = judge(file, answer, train=train, values=descriptor.values).verdict
    if verdict.ok and verdict.tree is not None and verdict.cost is not None:
        by, tree = chain.solver, verdict.tree
        proved = verdict.optimality in ("proved", "claimed")
    elif instance.witness is not None:
        by, tree, proved = "wcnfgen", instance.witness, False
        log.warning("%s: %s gave no tree that holds; the greedy one stands in", chain.name, chain.solver)
    else:
        raise WcnfgenError(f"{chain.name}: {chain.solver} gave no tree that holds: give it more time")
    return Stored(to_list(tree), by, instance.encoding.cost(tree), proved, "")


def trees_digest(chain: Chain, folder: Path) -> list[Any]:
    """What the weights of a round follow from."""
    return [each.tree for each in read(place(folder, chain))[: chain.round]]
