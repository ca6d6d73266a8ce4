"""Rules on a family's folder: that what is submitted is whole, true and described."""

from __future__ import annotations

import hashlib
import tarfile
import zlib
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path

from wcnfgen.bundle import description, pack
from wcnfgen.bundle.manifest import Row
from wcnfgen.checks._family import Damaged, Family
from wcnfgen.checks._rule import Hit, Place, rule
from wcnfgen.checks.together import Member
from wcnfgen.files import safe, sha256
from wcnfgen.words import count

LARGEST = 352  # instances of a family; submissions of 2023 and 2024 had 60 to 352


@rule(Damaged, "error")
def family_readable(damaged: Damaged) -> Iterator[Hit]:
    """A family's folder holds family.json and manifest.csv, as `wcnfgen family` wrote them."""
    yield Hit(f"{damaged.message}; `wcnfgen family` writes it again")


@rule(Family, "error")
def manifest_missing_file(family: Family) -> Iterator[Hit]:
    """Every instance of the manifest is there."""
    for row, place in family.rows():
        if row.file not in family.members:
            yield family.about(f"{row.file} is not there; make the family again", place=place)


@rule(Family, "error")
def manifest_missing_line(family: Family) -> Iterator[Hit]:
    """Every instance has a line in the manifest: nothing else says what it is."""
    known = {row.file for row, _ in family.rows()}
    for file in sorted(set(family.members) - known):
        yield family.about("no line in manifest.csv: nothing says what it is; delete it", file)


@rule(Family, "error")
def manifest_names(family: Family) -> Iterator[Hit]:
    """A name stands in the manifest once."""
    seen: set[str] = set()
    for row, place in family.rows():
        if row.name in seen:
            yield family.about(f"{row.name} for the second time", place=place)
        seen.add(row.name)


@rule(Family, "error")
def manifest_sums(family: Family) -> Iterator[Hit]:
    """Files and formulas have the SHA-256 of the manifest: they are what was described, solved and
    measured."""
    for row, place in family.rows():
        member = family.members.get(row.file)
        if member is None:
            continue
        if (sha256(member.path), member.sha256) != (row.file_sha256, row.sha256):
            yield family.about(f"{row.file} has another SHA-256: it was changed since", place=place)


@rule(Family, "error")
def manifest_size(family: Family) -> Iterator[Hit]:
    """The manifest's numbers of variables, clauses, literals, weights and bytes are those of the formula."""
    for row, place in family.rows():
        member = family.members.get(row.file)
        for name, value in _numbers(row, member) if member else ():
            if (getattr(row, name) or 0) != value:
                yield family.about(
                    f"{row.file} has {name} {value}, the line says {getattr(row, name)}: it was changed",
                    place=place,
                )
                break


def _numbers(row: Row, member: Member) -> Iterator[tuple[str, int]]:
    """What a line has to say of a file, by column; nothing of what could not be read."""
    if (size := member.size) is None:
        return
    yield "variables", member.variables
    if row.sha256 == member.sha256:
        yield "bytes", member.bytes
    names = ("hard", "soft", "literals", "weight_min", "weight_max", "weight_sum")
    yield from ((name, getattr(size, name) or 0) for name in names)
    if size.weight_distinct is not None:
        yield "weight_distinct", size.weight_distinct


@rule(Family, "error")
def manifest_costs(family: Family) -> Iterator[Hit]:
    """No best cost is below what is proved to be the least, or above that of the model that was known at
    first; and it is proved to be the least where it is equal to that bound."""
    for row, place in family.rows():
        known = [cost for cost in (row.least_cost, row.best_cost, row.witness_cost) if cost is not None]
        if known != sorted(known):
            yield family.about(
                f"{row.name}: least_cost, best_cost and witness_cost are {', '.join(map(str, known))}, "
                "and have to ascend; `wcnfgen calibrate` corrects the best one",
                place=place,
            )
        elif row.best_cost is not None and row.best_cost == row.least_cost and not row.proved:
            yield family.about(f"{row.name}: least_cost is reached, so the best cost is proved", place=place)


@rule(Family, "error")
def manifest_command(family: Family) -> Iterator[Hit]:
    """The manifest's command is the one that the file says it was written by."""
    for row, place in family.rows():
        member = family.members.get(row.file)
        if member and member.command and member.command != row.command:
            yield family.about(
                f"{row.file} says that it was written by `{member.command}`: not what the line says",
                place=place,
            )


@rule(Family, "error")
def name_of_data(family: Family) -> Iterator[Hit]:
    """A name holds that of the data set: the folder it came in is not kept (as with `decision-tree` in
    2021). Data that a rule makes are told by its parameters."""
    for row, place in family.rows():
        data = safe(str(row.parameters.get("data", "")))
        if data.casefold() not in row.name.casefold() and not family.facts.about.family.crafted:
            yield family.about(f"{row.name} does not say its data set, {data}; rename it", place=place)


@rule(Family, "error")
def model(family: Family) -> Iterator[Hit]:
    """Each instance has a model with it that satisfies the hard clauses and costs what the manifest says:
    best costs published without one have been wrong."""
    for row, place in family.rows():
        if (member := family.members.get(row.file)) and member.wrong_model:
            yield family.about(f"{row.name}: {member.wrong_model}", place=place)


@rule(Family, "warning", "maxsat")
def optimum_unknown(family: Family) -> Iterator[Hit]:
    """Of each instance it is shown that its optimum is not 0, by a bound or by a solver."""
    for row, place in family.rows():
        if row.nonzero == "open":
            yield family.about(
                f"{row.name}: nothing shows that the optimum is not 0, which is disqualified; "
                "`wcnfgen calibrate` may settle it",
                place=place,
            )


@rule(Family, "error")
def authors(family: Family) -> Iterator[Hit]:
    """The description names its authors with affiliation and a way to reach them (call for benchmarks)."""
    given = family.facts.about.authors
    if not given:
        yield family.about('no authors; give --author "NAME; AFFILIATION; E-MAIL"', "family.json")
    elif not any("@" in each for each in given):
        yield family.about("no author has an e-mail address; give one in --author", "family.json")


@rule(Family, "error")
def placeholder(family: Family) -> Iterator[Hit]:
    """Nothing in the description is left to be filled in."""
    source = family.folder.path / "description.tex"
    if not source.is_file():
        return
    text = source.read_text("utf-8", "replace")
    for line, words in enumerate(text.split("\n"), 1):
        if description.PLACEHOLDER in words:
            place = Place(text.count(description.PLACEHOLDER), line)
            yield family.about(f"says {description.PLACEHOLDER!r}", source.name, place)
            return


@rule(Family, "error")
def description_text(family: Family) -> Iterator[Hit]:
    """A submission comes with a description in IEEE style: domain, parameters, file names, references (call
    for benchmarks)."""
    if not (family.folder.path / "description.tex").is_file():
        yield family.about("not there; `wcnfgen family` writes it", "description.tex")


@rule(Family, "warning")
def description_pdf(family: Family) -> Iterator[Hit]:
    """The description is submitted as PDF (call for benchmarks)."""
    if not (family.folder.path / "description.pdf").is_file():
        yield family.about(
            "not there, and the Evaluation asks for it; install LaTeX and make it of description.tex",
            "description.pdf",
        )


@rule(Family, "warning", "maxsat")
def classed_as_random(family: Family) -> Iterator[Hit]:
    """The Evaluation takes no random instances, and its organisers decide what is one."""
    if reason := family.facts.about.family.random:
        yield family.about(f"organisers may class it as random: {reason}", "family.json")


@rule(Family, "note")
def crafted(family: Family) -> Iterator[Hit]:
    """Crafted instances are submitted apart from those of real data, as what they are."""
    if family.facts.about.family.crafted:
        yield family.about("made by a rule, not of real data: submit it apart, as crafted", "family.json")


@rule(Family, "error")
def no_instances(family: Family) -> Iterator[Hit]:
    """A family has instances."""
    if not family.members:
        yield Hit("no instances")


@rule(Family, "error")
def nothing_submitted(family: Family) -> Iterator[Hit]:
    """Of the instances that there are, some are submitted."""
    if family.facts.written and not family.facts.submitted:
        yield family.about(
            "says no to every instance, and why; make others, or delete it to submit all",
            family.folder.selection.name,
        )


@rule(Family, "warning")
def selection_out_of_date(family: Family) -> Iterator[Hit]:
    """Where instances were chosen, all that there are stood to choice; else the choice does not count."""
    if unchosen := family.facts.unchosen:
        yield family.about(
            f"out of date: it does not name {count(unchosen, 'instance')}, so all are submitted; "
            "`wcnfgen calibrate` chooses anew",
            family.folder.selection.name,
        )


@rule(Family, "note")
def many_instances(family: Family) -> Iterator[Hit]:
    """No rule limits a family, but at most 25 of a new one are selected, and recent ones had 60 to 352
    instances."""
    if len(family.facts.submitted) > LARGEST:
        yield family.about(
            f"{len(family.facts.submitted)} instances are submitted, more than recent families had; "
            "`wcnfgen calibrate` chooses"
        )


@rule(Family, "error")
def archive(family: Family) -> Iterator[Hit]:
    """The archive, if it was made, holds the instances to be submitted as the folder has them, and no
    others."""
    source = family.folder.path / f"{pack.name(family.facts)}.tar.gz"
    if not source.is_file():
        return
    wanted = {row.file: row.file_sha256 for row in family.facts.submitted}
    try:
        held = dict(_packed(source))
    except (tarfile.TarError, EOFError, OSError, LZMAError, zlib.error) as error:
        yield family.about(f"cannot be unpacked: {error}; pack it again", source.name)
        return
    if wrong := sorted(file for file in {**wanted, **held} if wanted.get(file) != held.get(file)):
        yield family.about(
            f"does not hold what is submitted: {wrong[0]}"
            + (f" and {len(wrong) - 1} more differ" if len(wrong) > 1 else " differs")
            + "; pack it again",
            source.name,
        )


def _packed(source: Path) -> Iterator[tuple[str, str]]:
    """The instances in an archive, by path below its one folder, and their SHA-256."""
    with tarfile.open(source) as archive:
        for member in archive:
            name = member.name.split("/", 1)[-1]
            if name.startswith("instances/") and (stream := archive.extractfile(member)):
                yield name, hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
