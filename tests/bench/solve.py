"""How fast a smallest tree is found and proved: the core form, the paper's, and dynamic programming.

    python -m tests.bench.solve DATA_FOLDER [--sets mouse,zoo] [--seeds 1,2,3] [--limit 300]

Seconds are CPU seconds of a child process that builds a formula and solves it, one child at a time; reading
the data is not in them.  Both forms get the same rows, lb 3, the size of the greedy tree as ub, counters, and
the same solver, and no tree to start from.  PySAT's solvers take no seed, so a seed is a permutation of
rows and columns, and another sample where a set is sampled; figures are medians over the seeds.  A run
that hits the limit counts as the limit, which makes the figure a bound: ">".  All agree on the optimum.

`plain` is the core form without its redundant constraints; `core` has them, as `wcnfgen encode` writes it for
sets of this size.  Needs pystreed and pydl8.5, which stand in the same tables.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pydl85 import DL85Classifier
from pysat.examples.rc2 import RC2
from pysat.formula import WCNF
from pystreed import STreeDClassifier

from tests.bench.runs import Emit, Figure, Results, middle, table
from wcnfgen import bounds
from wcnfgen.clauses import layout
from wcnfgen.constraints import counting
from wcnfgen.encodings import Encoding
from wcnfgen.encodings.depth import Depth
from wcnfgen.encodings.size import Size
from wcnfgen.prepare import prepare
from wcnfgen.rows import Problem
from wcnfgen.searches import Improvement, lazy
from wcnfgen.searches.lms import Linear, search
from wcnfgen.tree import depth, size

Options = dict[str, Any]
SETS: dict[str, tuple[str, Options]] = {  # file and options of `prepare`
    "mouse": ("narodytska/mouse.csv", {}),
    "zoo": ("uci/zoo.csv", {"drop": "animal"}),
    "monk1": ("uci/monks-1-train.csv", {}),
    "monk3": ("uci/monks-3-train.csv", {}),
    "cancer 10 %": ("narodytska/cancer.csv", {"sample": 0.1}),
    "car 5 %": ("narodytska/car.csv", {"sample": 0.05}),
    "car 10 %": ("narodytska/car.csv", {"sample": 0.1}),
}
PLAIN: Options = {"reach": False, "root_bounds": False}
CORE: Options = {"reach": True, "root_bounds": True}
FORMS: dict[str, Options] = {"paper": {"form": "paper"}, "plain": PLAIN, "core": CORE}
HELPERS: dict[str, Options] = {  # what differs from core
    "no counters": {"counters": False},
    "no reach": {"reach": False},
    "no root bounds": {"root_bounds": False},
    "proved lb": {"lb": True},
    "from greedy tree": {"known": True},
    "lazy rows": {"lazily": True},
    "AMO product": {"product": True},
    "Glucose 4": {"sat": "glucose4"},
}
PEERS = ("RC2", "STreeD", "DL8.5")


def problem_of(folder: Path, name: str, seed: int) -> Problem:
    """The rows of a set, in an order of the seed's."""
    file, options = SETS[name]
    sampled: Options = {"seed": seed} if "sample" in options else {}
    found = prepare(str(folder / file), **options, **sampled).problem
    rng = np.random.default_rng(seed)
    rows, columns = rng.permutation(found.rows), rng.permutation(found.features)
    return replace(found, X=found.X[np.ix_(rows, columns)], y=found.y[rows], w=found.w[rows])


# ---------------------------------------------------------------------------- what is measured


def lms(
    problem: Problem,
    emit: Emit,
    *,
    sat: str = "cadical195",
    known: bool = False,
    lb: bool = False,
    lazily: bool = False,
    product: bool = False,
    **options: Any,
) -> None:
    """LMS; each tree is told."""
    if product:
        counting.PAIRWISE_UP_TO = 0
    witness, least = bounds.greedy(problem), bounds.lower_bound(problem) if lb else 3
    encoding = Size(problem, ub=size(witness), lb=least, **options)
    model = encoding.model(witness) if known else None
    events = lazy.search(encoding, sat=sat) if lazily else search(encoding, sat=sat, known=model)
    for event in events:
        if isinstance(event, Improvement):
            tree = encoding.tree(event.model)
            emit("tree", (size(tree), depth(tree)))


def rc2(problem: Problem, emit: Emit, **options: Any) -> None:
    """RC2 as PySAT has it."""
    encoding = Size(problem, ub=size(bounds.greedy(problem)), **options)
    tree = encoding.tree(optimum_by_rc2(encoding))
    emit("tree", (size(tree), depth(tree)))


def optimum_by_rc2(encoding: Encoding) -> NDArray[np.bool_]:
    """A model of least cost; clauses go without `append`, which takes longer than a short proof."""
    formula = WCNF()
    formula.nv = encoding.variables
    formula.hard = [clause for block in encoding.hard() for clause in layout(block).tolist()]
    for weight, block in encoding.soft():
        formula.soft += block.tolist()
        formula.wght += [weight] * len(block)
    formula.topw = sum(formula.wght) + 1
    with RC2(formula) as solver:
        true = np.array([x for x in solver.compute() if 0 < x <= encoding.variables])
    model = np.zeros(encoding.variables + 1, bool)
    model[true] = True
    return model


def asked(problem: Problem, emit: Emit, *, nodes: int, **options: Any) -> None:
    """Is there a tree of at most so many nodes?"""
    linear = Linear()
    linear.take(Size(problem, ub=nodes, **options))
    emit("answer", linear.sat.solve() is not None)


def streed(problem: Problem, emit: Emit, *, deepest: int) -> None:
    """STreeD minimises errors and a tiny cost for each test, within a depth."""
    model = STreeDClassifier("cost-complex-accuracy", max_depth=deepest, cost_complexity=1e-4, time_limit=1e6)
    model.fit(problem.X.astype(int), problem.y)
    emit("tree", (2 * model.get_n_leaves() - 1, model.get_depth()))


def fewest_errors(problem: Problem, emit: Emit, *, peer: str, deepest: int) -> None:
    """The fewest errors within a depth; the peers get merged rows as often as they occur."""
    X, y = (np.repeat(part, problem.w, axis=0) for part in (problem.X.astype(int), problem.y))
    if peer == "RC2":
        encoding = Depth.plan(problem, depth=deepest).encoding
        assert isinstance(encoding, Depth)
        errors = encoding.errors(encoding.tree(optimum_by_rc2(encoding)))
    elif peer == "DL8.5":
        errors = int(DL85Classifier(max_depth=deepest, min_sup=1).fit(X, y).error_)
    else:
        model = STreeDClassifier("accuracy", max_depth=deepest, time_limit=1e6).fit(X, y)
        errors = int((model.predict(X) != y).sum())
    emit("errors", errors)


# ---------------------------------------------------------------------------- the runs


class Bench:
    """What is run on each set and seed, part by part, and what is known of its optimum."""

    def __init__(self, folder: Path, results: Results, forms: list[str]) -> None:
        self.folder, self.results = folder, results
        self.chosen = {form: FORMS[form] for form in forms}

    def run(self, name: str, seed: int, method: str, work: Callable[..., None], **options: Any) -> None:
        """Measure one method."""
        problem = problem_of(self.folder, name, seed)
        self.results.measure((name, seed, method), lambda emit: work(problem, emit, **options))

    def optimum(self, name: str, seed: int) -> tuple[int, int] | None:
        """Size and depth of a smallest tree, None if nothing has proved it."""
        runs = [run for (n, s, _), run in self.results.runs.items() if (n, s) == (name, seed)]
        ours = [run.last("tree") for run in runs if run.finished and run.method[:3] in ("LMS", "RC2")]
        trees = [found[1] for found in ours if found]
        assert len({nodes for nodes, _ in trees}) <= 1, (name, seed, trees)
        return (trees[0][0], trees[0][1]) if trees else None

    def lms(self, name: str, seed: int) -> None:
        """Each form in LMS; then dynamic programming, with the depth of the tree that LMS found."""
        for form, options in self.chosen.items():
            self.run(name, seed, f"LMS {form}", lms, **options)
        if found := self.optimum(name, seed):
            self.run(name, seed, "STreeD", streed, deepest=found[1])

    def rc2(self, name: str, seed: int) -> None:
        """Each form in RC2."""
        for form, options in self.chosen.items():
            self.run(name, seed, f"RC2 {form}", rc2, **options)

    def asked(self, name: str, seed: int) -> None:
        """The questions at the optimum and below it, where it is known."""
        if found := self.optimum(name, seed):
            for what, nodes in (("SAT", found[0]), ("UNSAT", found[0] - 2)):
                for form, options in self.chosen.items():
                    self.run(name, seed, f"{what} {form}", asked, nodes=nodes, **options)

    def helpers(self, name: str, seed: int) -> None:
        """LMS on core with one thing changed."""
        for helper, change in HELPERS.items():
            self.run(name, seed, f"core, {helper}", lms, **{**CORE, **change})

    def accuracy(self, name: str, seed: int) -> None:
        """Fewest errors within depth 2 and 3."""
        for deepest in (2, 3):
            for peer in PEERS:
                method = f"depth {deepest}, {peer}"
                self.run(name, seed, method, fewest_errors, peer=peer, deepest=deepest)


# ---------------------------------------------------------------------------- the tables


class Tables:
    """What the runs come to."""

    def __init__(self, bench: Bench, names: list[str]) -> None:
        self.bench, self.results, self.names = bench, bench.results, names

    def columns(self, methods: list[str]) -> dict[str, Callable[[str], object]]:
        """A column for each method, of the seeds for which all have run."""
        return {each: self.seconds(each, *methods) for each in methods}

    def seconds(self, method: str, *beside: str) -> Callable[[str], object]:
        """The column of a method."""
        return lambda name: self.results.seconds(name, method, *beside)

    def found(self, method: str) -> Callable[[str], object]:
        """When the optimum was there; the limit, if it was not."""

        def column(name: str) -> Figure:
            values = []
            for run in self.results.of(name, method):
                best, tree = self.bench.optimum(name, run.seed), run.last("tree")
                there = tree is not None and best is not None and tree[1][0] == best[0]
                values.append((tree[0] if tree and there else float(run.limit), not there))
            return middle(values)

        return column

    def optima(self, name: str) -> str:
        """The least sizes, one for each seed."""
        seeds = sorted({seed for n, seed, method in self.results.runs if n == name and method[:3] == "LMS"})
        found = [self.bench.optimum(name, seed) for seed in seeds]
        return ", ".join(str(each[0]) if each else "?" for each in found)

    def ratio(self, solver: str, form: str) -> Callable[[str], Figure]:
        """How often the time of a form goes into that of the paper's."""

        def column(name: str) -> Figure:
            both = f"{solver} {form}", f"{solver} paper"
            ours, paper = (self.results.seconds(name, each, *both) for each in both)
            return Figure(paper.value / ours.value, paper.bound and not ours.bound)

        return column

    def forms(self, solver: str) -> None:
        """Seconds and ratios, and the geometric mean; a bound counts as it stands."""
        columns: dict[str, Callable[[str], object]] = {"optimum": self.optima}
        columns |= self.columns([f"{solver} {form}" for form in FORMS])
        if solver == "LMS":
            columns |= {f"{form}, found": self.found(f"LMS {form}") for form in FORMS}
            columns["STreeD"] = self.seconds("STreeD")
        columns |= {f"paper/{form}": self.ratio(solver, form) for form in list(FORMS)[1:]}
        table(f"{solver}, seconds to the proof", self.names, columns)
        for form in list(FORMS)[1:]:
            ratios = [self.ratio(solver, form)(name).value for name in self.names]
            logs = [math.log(ratio) for ratio in ratios if not math.isnan(ratio)]
            mean = math.exp(sum(logs) / len(logs)) if logs else math.nan
            print(f"\ngeometric mean of paper/{form} over {len(logs)} sets: {mean:.2f}")

    def all(self) -> None:
        """Print them."""
        self.forms("LMS")
        self.forms("RC2")
        asks = [f"{what} {form}" for what in ("SAT", "UNSAT") for form in FORMS]
        title = "CaDiCaL: is there a tree of the least size (SAT), or a smaller one (UNSAT)?"
        table(title, self.names, self.columns(asks))
        methods = ["LMS core", *(f"core, {helper}" for helper in HELPERS)]
        table("LMS on core with one thing changed", self.names, self.columns(methods))
        methods = [f"depth {deepest}, {peer}" for deepest in (2, 3) for peer in PEERS]
        table("Fewest errors within a depth", self.names, self.columns(methods))


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument(
        "data", type=Path, help="folder with the files of SETS; those without one are skipped"
    )
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--forms", default=",".join(FORMS), help="to run; all that have run are printed")
    parser.add_argument("--parts", default="lms,rc2,asked,helpers,accuracy")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--limit", type=int, default=300, help="CPU seconds a run")
    parser.add_argument("--results", type=Path, default=Path("solve.jsonl"))
    options = parser.parse_args()
    wanted = options.sets.split(",")
    names = [name for name in wanted if (options.data / SETS[name][0]).exists()]
    for absent in [name for name in wanted if name not in names]:
        print(f"no {SETS[absent][0]}: {absent} is skipped", file=sys.stderr)
    bench = Bench(options.data, Results(options.results, options.limit), options.forms.split(","))
    for part in options.parts.split(",") if options.parts else ():
        for seed in map(int, options.seeds.split(",")):
            for name in names:
                getattr(bench, part)(name, seed)
    Tables(bench, names).all()


if __name__ == "__main__":
    main()
