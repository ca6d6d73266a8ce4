"""Descriptions: what they say, that nothing in a name is a command, and that LaTeX makes the same pages."""

from __future__ import annotations

import logging
import os
import re
import stat
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import bundles
from tests.optional import needs
from wcnfgen import instances, tex
from wcnfgen import record as records
from wcnfgen.bundle import description, facts, manifest, plots
from wcnfgen.bundle.description import latex, references
from wcnfgen.bundle.finish import finish
from wcnfgen.bundle.folder import Folder
from wcnfgen.bundle.manifest import Row
from wcnfgen.errors import FormatError, SolverError, UsageError, WcnfgenError
from wcnfgen.instances import datasets
from wcnfgen.words import shorten

UGLY = "\\_&%#${}~^<>|\"'`[]*-,!?@:;=+/()\t\n\x00\u00a0éßŁ中\u202e\ud83d😀…–“”≤"
ugly = st.text(UGLY + "aZ9", max_size=40) | st.text(max_size=40)


def say(folder: Folder) -> str:
    """The description on one line, without commands that only allow a break."""
    description.write(folder)
    text = (folder.path / "description.tex").read_text(encoding="ascii")
    return " ".join(text.replace("\\allowbreak{}", "").split())


def typeset(text: str, place: Path) -> str:
    """What LaTeX prints for a text."""
    needs(latex.engine(), "LaTeX with bibtex")
    (place / "x.tex").write_text(text, encoding="ascii")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "x.tex"]
    env = os.environ | {"max_print_line": "1000"}
    run = subprocess.run(command, cwd=place, env=env, capture_output=True, timeout=120, check=False)
    printed = run.stdout.decode("utf-8", "replace")
    assert run.returncode == 0, printed[-3000:]
    return printed


def fits(text: str, place: Path) -> str:
    """Nothing sticks out of its column, and no table is longer than a page."""
    log = typeset(text, place)
    wide = [float(points) for points in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\)", log)]
    assert max(wide, default=0) < 2, log
    assert "too large for page" not in log
    return log


def written(folder: Folder) -> str:
    """The description as it is written."""
    description.write(folder)
    return (folder.path / "description.tex").read_text(encoding="ascii")


def rewritten(folder: Folder, **changes: object) -> None:
    """Change what all instances of a family say."""
    rows = [replace(row, **changes) for row in manifest.read(folder.manifest)]  # type: ignore[arg-type]
    manifest.write(rows, folder.manifest)


# -- text


@given(st.text(st.characters(max_codepoint=126), max_size=60))
def test_ascii_can_be_read_back(text: str) -> None:
    signs = {command: c for c, command in tex.SPECIAL.items()}
    pieces = re.findall(
        "|".join(map(re.escape, sorted(signs, key=len, reverse=True))) + r"|\{\}|.", tex.escape(text)
    )
    shown = "".join("" if piece == "{}" else signs.get(piece, piece) for piece in pieces)
    assert shown == " ".join("".join(c if c.isprintable() else " " for c in text).split())


@given(ugly)
def test_text_is_ascii_and_on_one_line(text: str) -> None:
    for shown in (tex.escape(text), tex.code(text)):
        assert shown.isascii()
        assert shown.isprintable()
        assert "--" not in shown or "–" in text or "—" in text


@settings(max_examples=4)
@given(st.lists(ugly, min_size=60, max_size=60))
def test_any_text_compiles(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    paragraphs = [f"{tex.escape(each)} x\n\n{tex.code(each)} x\n" for each in texts]
    cells = [(tex.escape(each), tex.code(each)) for each in texts]
    boxes = tex.floating(tex.escape(texts[0]), "x", ("a", "b"), cells, "ll")
    text = description.document("\n".join([*paragraphs, boxes, tex.listing(list(map(tex.escape, texts)))]))
    typeset(text, tmp_path_factory.mktemp("ugly"))


def test_every_sign_and_accent_compiles(tmp_path: Path) -> None:
    letters = [
        chr(number) for number in (*range(0x21, 0x17F), *range(0x1E00, 0x1EFF)) if chr(number).isprintable()
    ]
    shown = [tex.escape(each) for each in (*letters, *tex.SIGNS)]
    log = typeset(description.document(" ".join(shown)), tmp_path)
    assert "Missing character" not in log
    assert sum(each.startswith("U+") for each in shown) < 120
    assert {tex.escape(each) for each in "éüçőřşąŁß"} == {
        *("\\'{e}", '\\"{u}', "\\c{c}", "\\H{o}", "\\v{r}", "\\c{s}", "\\k{a}", "\\L{}", "\\ss{}")
    }


def test_signs_are_what_they_are() -> None:
    assert tex.escape("\\_&%#${}") == "\\textbackslash{}\\_\\&\\%\\#\\$\\{\\}"
    assert tex.escape("~^<>") == "\\textasciitilde{}\\textasciicircum{}\\textless{}\\textgreater{}"
    assert tex.escape('|"`[*') == "\\textbar{}\\textquotedbl{}\\textasciigrave{}{[}{*}"
    assert tex.escape("a--b,,c''d") == "a-{}-b,{},c'{}'d"
    shown = tex.code("it's --ub").replace("\\allowbreak{}", "")
    assert shown == "\\texttt{it\\textquotesingle{}s -{}-ub}"


def test_long_names_lose_their_middle_and_counts_are_short() -> None:
    assert shorten("x" * 18, 18) == "x" * 18
    assert shorten("abcdefghij" * 3, 11) == "abcde…fghij"
    assert shorten("abcdefghij" * 3, 10) == "abcde…ghij"
    assert [tex.number(n) for n in (0, 9949, 9951, 999_499, 999_500)] == ["0", "9.9k", "10k", "999k", "1.0M"]


# -- what it says


def test_a_family_that_nobody_tried(tmp_path: Path) -> None:
    text = say(bundles.small(tmp_path / "f"))
    for words in (
        "2 instances from 2 data sets with 804 to 1.4k variables and 6.5k to 11k hard clauses",
        "none of these are known to be optimal",
        "100 \\% of them, A\\&B.",
        "\\texttt{ub}, the upper bound on nodes: 15, 21.",
        "2 instances (WCNF) in the encoding \\texttt{size} of wcnfgen: MPDT: the smallest pure tree",
        "A cost means: \\texttt{size = 2{*}cost + 3}.",
        "\\textless{}data set\\textgreater{}-ub\\textless{}upper bound\\textgreater{}, such as weather-ub15",
        "One is \\texttt{weather-ub15.wcnf.xz}.",
        "Rules of wcnfgen generate lenses (``Lenses: which contact lenses fit",
        "lenses & 1 & 1.4k & 11k & 9 & 0.19 \\\\",
        "all & 2 & 804--1.4k & 6.5k--11k & 6--9 & 0.10--0.19 \\\\",
        "No reference solver has been run on these instances yet.",
        "has the best solution known of every instance",
        "Found by: wcnfgen (2).",
        "That the optimum is not 0 is shown by a lower bound (2).",
        "1 instance: about 4095 MB, more than -{}-max-mb 500",
        "wcnfgen 1.2.3 writes the same text",
        "\\texttt{wcnfgen family small -{}-seed 3 -o DIR}",
        "Ada \\L{}ovelace",
        "\\IEEEauthorblockA{Analytical Engines, St James's Square\\\\ ada@example.org}",
    ):
        assert words in text, words
    assert "crafted" not in text
    assert description.PLACEHOLDER not in text


def test_a_family_that_was_tried_and_chosen_from(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    bundles.calibrated(folder, ["weather-ub15"])
    text = say(folder)
    for words in (
        "1 instance from 1 data set with 804 variables",
        "They were chosen from 2",
        "all of these are known to be optimal",
        "2 reference solvers ran on every instance. ",
        "easy & within a tenth of the limit on time & 1 & 1 \\\\",
        "untouched & not improved either & 1 & 0 \\\\",
        "rc2 & 2 & 1 & 1.5 & 1.5 \\\\",
        "clasp & 2 & 0 & -- & -- \\\\",
        "Proved to be optimal: 1, by rc2 (1).",
    ):
        assert words in text, words
    assert "lenses &" not in text


def test_limits_come_from_the_records_of_runs(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    bundles.calibrated(folder)
    bundles.record(folder, "rc2", "weather-ub15", wall_s=60, memory_mib=4000)
    text = say(folder)
    cpu = tex.escape(records.machine().cpu)
    assert f"ran on every instance, within 60~s of wall time and 4000~MiB of memory, on {cpu}. Table" in text
    assert "Versions: rc2 (1.9\\_dev)." in text
    (folder.runs / "rc2" / "weather-ub15.run.json").write_text("{}")  # of another version of ours
    assert "ran on every instance. Table" in say(folder)


def test_papers_data_sets_have_licence_address_and_citation(tmp_path: Path) -> None:
    folder, zoo = bundles.many(tmp_path / "f", 1, 1), datasets.get("zoo")
    rewritten(folder, data="animals", source="paper:zoo", data_sha256=zoo.sha256)
    text = say(folder)
    assert (
        f"animals & \\texttt{{{zoo.sha256[:12]}}} & \\raggedright CC BY 4.0 & "
        "archive.ics.uci.edu/dataset/111/zoo" in text
    )
    assert f"\\cite{{{','.join(zoo.cite)}}}" in text
    assert "\\texttt{wcnfgen family small -{}-seed 3 -{}-data DATA -o DIR}" in text
    assert "other bytes" not in text
    rewritten(folder, data_sha256="0" * 64)
    text = say(folder)
    assert "Of animals a copy with other bytes than the published file was used." in text
    assert "animals & \\texttt{000000000000} & \\raggedright CC BY 4.0" in text


@pytest.mark.parametrize(("source", "whose"), [("file", "the submitters' own"), ("", "not recorded")])
def test_a_file_of_the_users_is_theirs_whatever_its_name_and_bytes(
    tmp_path: Path, source: str, whose: str
) -> None:
    folder, zoo = bundles.many(tmp_path / "f", 1, 1), datasets.get("zoo")
    folder.data.mkdir()
    (folder.data / "zoo.csv").write_text("")
    rewritten(folder, data="zoo", source=source, data_sha256=zoo.sha256, parameters={"data": "zoo"})
    text = say(folder)
    assert f"zoo & \\texttt{{{zoo.sha256[:12]}}} & {whose} \\\\" in text
    assert "CC BY" not in text and zoo.cite[0] not in text and "DATA" not in text


def test_published_data_that_a_rule_writes_need_no_folder(tmp_path: Path) -> None:
    folder, monks = bundles.many(tmp_path / "f", 1, 1), datasets.get("monks-1-all")
    rewritten(folder, data=monks.name, source=f"paper:{monks.name}", data_sha256=monks.sha256)
    assert "archive.ics.uci.edu" in say(folder) and "DATA" not in say(folder)
    rewritten(folder, data_sha256="0" * 64)
    assert "-{}-data DATA" in say(folder)


def test_many_generated_data_sets_are_not_listed(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 61, 1)
    assert "data-set-number-60 & \\texttt{" in say(folder)
    rewritten(folder, source="rule:nothing-of-this-version")
    text = say(folder)
    assert "data-set-number-4, data-set-number-5 and 55 more (``a rule of wcnfgen'')" in text
    assert "The manifest has the SHA-256 of each." in text
    assert "& \\texttt{" not in text


def test_kinds_of_families(tmp_path: Path) -> None:
    sat = replace(bundles.FAMILY, track="sat", crafted=True, random="the data are drawn")
    folder = bundles.small(tmp_path / "f", replace(bundles.ABOUT, family=sat))
    rewritten(folder, format="cnf", soft=0, best_cost=None, proved=None, nonzero="", witness_cost=None)
    text = say(folder)
    assert "Crafted benchmark instances for the SAT Competition." in text
    assert "MaxSAT Evaluation" not in text
    assert "6.5k to 11k clauses" in text
    assert "variables & clauses & MB" in text
    assert "has a satisfying assignment of every instance" in text
    assert "What is random in them: the data are drawn." in text
    assert "clause by clause. Found by" in text
    assert "is not 0" not in text
    assert "A cost means" not in text


def test_whose_the_problem_and_the_formulas_are(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    first, second, _ = manifest.read(folder.manifest)
    see = "See also~\\cite{narodytska2018}."
    core = "the formulas are wcnfgen's (form core), with the errors of the printed ones corrected."
    assert first.options["form"] == "core"
    assert f"The problem is that of~\\cite{{alos2023}}; {core} {see}" in say(folder)
    rewritten(folder, options={})
    assert f"The problem is that of~\\cite{{alos2023}}; the formulas are wcnfgen's. {see}" in say(folder)
    rewritten(folder, options={"form": "paper"})
    assert "the formulas are the printed ones (form paper), with their errors corrected." in say(folder)
    manifest.write([first, replace(second, encoding="depth")], folder.manifest)
    assert f"See~\\cite{{alos2023,narodytska2018}} for the problems; {core}" in say(folder)


def test_papers_that_are_not_known_are_not_cited(tmp_path: Path) -> None:
    for papers, words in ((("nobody1999", "alos2023"), "that of~\\cite{alos2023};"), (("nobody1999",), "")):
        family = replace(bundles.FAMILY, papers=papers)
        text = say(bundles.small(tmp_path / papers[-1], replace(bundles.ABOUT, family=family)))
        assert words in text and "nobody" not in text
        assert ("The problem is" in text) == bool(words)


def test_answers_of_a_sat_family(tmp_path: Path) -> None:
    sat = replace(bundles.FAMILY, track="sat")
    folder = bundles.small(tmp_path / "f", replace(bundles.ABOUT, family=sat))
    rewritten(folder, format="cnf", soft=0, best_cost=None, nonzero="", proved=True, proved_by="rc2")
    assert "satisfiable" not in say(folder).replace("hard clauses are satisfiable", "")
    first, second, third = manifest.read(folder.manifest)
    manifest.write([replace(first, answer="SAT"), second, third], folder.manifest)
    open_ = (
        "1 of 2 instances are known to be satisfiable, by a model that is given; 0 are unsatisfiable; "
        "of 1 the answer is not known."
    )
    assert say(folder).count(open_) == 2, "in the abstract, and with the solutions"
    manifest.write([replace(first, answer="SAT"), replace(second, answer="UNSAT"), third], folder.manifest)
    for model in folder.models.iterdir():
        model.unlink()
    text = say(folder)
    assert "1 are unsatisfiable, as claimed by rc2 (1); of 0 the answer is not known." in text
    assert "Proved to be optimal" not in text


def test_runs_that_told_nothing_are_runs(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    bundles.calibrated(folder)
    rewritten(
        folder, difficulty=None, proved=False, proved_by="", seconds={"rc2": None}, ended={"rc2": "SIGSEGV"}
    )
    text = say(folder)
    assert "No reference solver has been run" not in text
    assert "no answer & no solver gave a valid one & 2 \\\\" in text
    first, *rest = manifest.read(folder.manifest)
    manifest.write([replace(first, ended={"rc2": "not run: weights"}), *rest], folder.manifest)
    text = say(folder)
    assert "1 reference solver ran on 1 of 2 instances" in text
    assert "no answer & no solver gave a valid one & 1 \\\\" in text and "not tried & & 1 \\\\" in text
    rewritten(folder, ended={"rc2": "not run: weights"})
    assert "No reference solver has been run" in say(folder)


def test_an_older_folder_is_to_be_built_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = bundles.small(tmp_path / "f")
    for module in ("plots.write", "description.compile", "pack.pack"):
        monkeypatch.setattr(f"wcnfgen.bundle.{module}", lambda _: None)
    finish(folder)
    assert caplog.messages == []
    rewritten(folder, source="")
    finish(folder)
    (message,) = caplog.messages
    assert "2 instances" in message and "older version" in message and "wcnfgen family" in message


def test_costs_with_different_constants(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    for name, constant in (("weather-ub15", 3), ("lenses-ub21", 11)):
        (folder.instances / f"{name}.wcnf.xz").write_bytes(
            b"c wcnfgen\nc cost: errors = cost + %d\n" % constant
        )
    text = say(folder)
    assert "A cost means: \\texttt{errors = cost + constant}. The constant stands in the header" in text


def test_reasons_are_counted_by_kind(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    rows = [*manifest.read(folder.manifest), bundles.too_large("mux20", 99999)]
    missing = "{0}: no file uci/{0}.csv; published at https://example.org/{0}/7"
    rows += [
        Row(name=each, status="left out", data=each, why=missing.format(each)) for each in ("zoo", "car")
    ]
    manifest.write([*rows, Row(name="x", status="left out", why="the optimum is 0")], folder.manifest)
    text = say(folder)
    assert "\\item 2 instances: for example, about 4095 MB, more than -{}-max-mb 500" in text
    assert "\\item 2 instances: for example, zoo: no file uci/zoo.csv" in text
    assert "\\item 1 instance: the optimum is 0" in text


def test_solutions_that_are_missing_and_optima_that_are_open(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    rewritten(folder, nonzero="open")
    (folder.models / "weather-ub15.sol").unlink()
    text = say(folder)
    assert "has the best solution known of 1 of 2 instances" in text
    assert "Found by: wcnfgen (1)." in text
    assert "That the optimum is not 0 is shown by nothing yet (2)." in text
    (folder.models / "lenses-ub21.sol").unlink()
    assert "No solutions are given." in say(folder)


def test_weights(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    assert "weight" not in say(folder)
    rewritten(folder, weight_min=1, weight_max=1)
    assert "All soft clauses have weight 1." in say(folder)
    first, *rest = manifest.read(folder.manifest)
    manifest.write([replace(first, weight_min=3, weight_max=953), *rest], folder.manifest)
    assert "Soft clauses of 1 of 2 instances are weighted, from 1 to 953." in say(folder)


def test_text_speaks_of_the_plots_that_there_are(tmp_path: Path) -> None:
    folder = bundles.small(tmp_path / "f")
    bundles.calibrated(folder)
    assert "Fig" not in say(folder)
    folder.plots.mkdir()
    for name in ("size", "difficulty", "proofs"):
        (folder.plots / f"{name}.pdf").write_bytes(b"")
    text = say(folder)
    assert "Fig.~\\ref{size-plot} shows all instances." in text
    assert "Fig.~\\ref{difficulty-plot} and Fig.~\\ref{proofs-plot} show all instances." in text
    assert text.count("\\includegraphics") == 3
    assert "hollow" not in text
    bundles.calibrated(folder, ["weather-ub15"])
    assert "those with hollow marks are not submitted" in say(folder)


def test_seeds_and_chains(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 1, 6)
    folder.chains.mkdir()
    (folder.chains / "zoo.json").write_text("{}")
    text = say(folder)
    assert "Seeds: 0 to 5." in text
    assert "\\texttt{chains} holds them (1 file)" in text


@pytest.mark.parametrize(
    ("authors", "missing"),
    [
        ((), 3),
        (("Ada",), 2),
        (("Ada; ; ada@example.org",), 1),
        (("Ada; Engines; a@b; c",), 0),
        (("A;B;C", "D;E"), 1),
    ],
)
def test_what_authors_lack_has_a_placeholder(tmp_path: Path, authors: tuple[str, ...], missing: int) -> None:
    folder = bundles.many(tmp_path / "f", 1, 1, replace(bundles.ABOUT, authors=authors))
    assert say(folder).count(description.PLACEHOLDER) == missing


def test_not_a_family(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no family\.json"):
        description.write(Folder(tmp_path))
    folder = bundles.many(tmp_path / "f", 1, 1)
    folder.selection.write_text("instance,chosen\nx,yes\n")
    with pytest.raises(FormatError, match=r"selection\.csv:2: .*'name'"):
        description.write(folder)


def test_groups_are_by_what_varies_and_in_natural_order(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 12, 1)
    found = facts.read(folder)
    assert [value for value, _ in found.groups(found.rows)][:3] == [f"data-set-number-{n}" for n in range(3)]
    one = facts.read(bundles.many(tmp_path / "g", 1, 3))
    assert one.key == "percent"
    assert [value for value, _ in one.groups(one.rows)] == ["40", "41", "42"]


# -- references


def test_entries_are_taken_over_as_they_stand() -> None:
    text = (
        "@comment{x, y}\n@Book{a,\n title = {A \\} {B}}\n}\nrubbish\n @misc { b-2 ,note={x}}\n@misc{open, {"
    )
    found = references.entries(text)
    assert list(found) == ["a", "b-2", "open"]
    assert found["a"] == "@Book{a,\n title = {A \\} {B}}\n}"
    assert references.cited(["b-2", "nobody", "b-2"], found) == "@misc { b-2 ,note={x}}\n"


def test_only_what_is_cited_is_there(tmp_path: Path) -> None:
    assert "narodytska2018" in references.known()
    family = replace(bundles.FAMILY, papers=("narodytska2018", "nobody1900"))
    folder = bundles.many(tmp_path / "f", 1, 1, replace(bundles.ABOUT, family=family))
    assert "\\cite{narodytska2018}" in say(folder)
    assert list(references.entries((folder.path / "references.bib").read_text())) == ["narodytska2018"]
    description.write(
        bundles.many(tmp_path / "g", 1, 1, replace(bundles.ABOUT, family=replace(family, papers=())))
    )
    assert "bibliography" not in (tmp_path / "g" / "description.tex").read_text()


# -- pages


def test_the_same_bytes_twice(tmp_path: Path) -> None:
    needs(latex.engine(), "LaTeX with bibtex")
    made = []
    for name in ("one", "two"):
        folder = bundles.small(tmp_path / name)
        bundles.calibrated(folder)
        plots.write(folder)
        description.write(folder)
        (folder.path / "description.log").write_text("of an error before")
        target = description.compile(folder)
        assert target == folder.path / "description.pdf"
        assert not (folder.path / "description.log").exists()
        made.append(target.read_bytes())
    assert made[0] == made[1]
    assert made[0].startswith(b"%PDF")
    assert b"/CreationDate" not in made[0]
    assert b"\\citation{narodytska2018}" not in made[0]


@pytest.mark.parametrize("sets", [0, 1, 22, 130])
def test_pages_have_no_boxes_that_stick_out(tmp_path: Path, sets: int) -> None:
    folder = bundles.many(tmp_path / "f", sets, 3)
    plots.write(folder)
    text = written(folder)
    log = fits(text, folder.path)
    if sets == 130:  # with tables over several pages, and all plots
        assert "LaTeX Warning: Reference" in log, "the first pass knows no place yet"
        assert "LaTeX Warning: Reference" not in fits(text, folder.path)


def test_papers_data_sets_fit_the_page(tmp_path: Path) -> None:
    names = datasets.names()
    folder = bundles.many(tmp_path / "f", len(names), 1)
    rows = [
        replace(
            row,
            data=name,
            source=f"paper:{name}",
            data_sha256=datasets.get(name).sha256,
            parameters={"data": name},
        )
        for row, name in zip(manifest.read(folder.manifest), names, strict=True)
    ]
    manifest.write(rows, folder.manifest)
    fits(written(folder), folder.path)


def of_family(path: Path, name: str) -> Folder:
    family = instances.get(name).family
    return bundles.many(path, 2, 2, replace(bundles.ABOUT, name=name, family=family))


@pytest.mark.parametrize("name", instances.names())
def test_every_family_has_a_description(tmp_path: Path, name: str) -> None:
    family = instances.get(name).family
    text = say(of_family(tmp_path / "f", name))
    assert set(family.papers) <= set(references.known())
    assert all(f"\\texttt{{{tex.escape(each)}}}, " in text for each in family.parameters)


def test_the_texts_of_all_families_fit_the_page(tmp_path: Path) -> None:
    """One document, and so one run of LaTeX, has them one after the other; there is one title in it."""
    texts = [written(of_family(tmp_path / name, name)) for name in instances.names()]
    bodies = [re.findall(r"\\maketitle\n(.*)\\bibliographystyle", text, re.DOTALL) for text in texts]
    fits(description.document("\n\\clearpage\n".join(body for (body,) in bodies)), tmp_path)


def test_without_latex_there_is_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    folder = bundles.many(tmp_path / "f", 1, 1)
    description.write(folder)
    monkeypatch.setenv("PATH", str(tmp_path))
    with caplog.at_level(logging.INFO, "wcnfgen"):
        assert description.compile(folder) is None
    assert "no LaTeX" in caplog.text
    with pytest.raises(WcnfgenError, match="is installed"):
        latex.pdf("", {}, tmp_path / "log")


def test_an_error_of_latex_is_named_and_its_output_kept(tmp_path: Path) -> None:
    needs(latex.engine(), "LaTeX with bibtex")
    folder = bundles.many(tmp_path / "f", 1, 1)
    description.write(folder)
    source, old = folder.path / "description.tex", folder.path / "description.pdf"
    old.write_bytes(b"old")
    source.write_text(source.read_text().replace("\\maketitle", "\\maketitle\n\\nonsense"))
    with pytest.raises(
        WcnfgenError, match=r"pdflatex: Undefined control sequence\. l\.\d+ \\nonsense; .*description.log"
    ):
        description.compile(folder)
    assert "\\nonsense" in (folder.path / "description.log").read_text()
    assert old.read_bytes() == b"old"
    source.unlink()
    with pytest.raises(WcnfgenError, match=r"description\.tex: cannot read"):
        description.compile(folder)


def test_a_text_runs_no_programs_and_writes_nowhere_else(tmp_path: Path) -> None:
    needs(latex.engine(), "LaTeX with bibtex")
    outside, log = tmp_path / "outside.txt", tmp_path / "log"
    shell = f"\\immediate\\write18{{touch {outside}}}"
    latex.pdf(description.document(f"x{shell}"), {}, log)
    write = (
        f"\\newwrite\\w\\immediate\\openout\\w={outside} \\immediate\\write\\w{{x}}\\immediate\\closeout\\w"
    )
    with pytest.raises(WcnfgenError):
        latex.pdf(description.document(f"x{write}"), {}, log)
    assert not outside.exists()


def test_the_clock_stands_still(tmp_path: Path) -> None:
    needs(latex.engine(), "LaTeX with bibtex")
    latex.pdf(description.document("x\\ifnum\\year=1970 \\else\\nonsense\\fi"), {}, tmp_path / "log")


def fake(place: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Another LaTeX comes first in PATH."""
    for name in ("pdflatex", "bibtex"):
        program = place / name
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("trap 'exit 0' TERM\nsleep 60 &\nwait", r"pdflatex: not done within 0\.5 s; its output"),
        ("head -c 3000000 /dev/zero; sleep 60", "pdflatex: more than 1 MiB of output; its output"),
        ("true", "makes no PDF"),
        ("exit 1", "pdflatex: it failed; its output"),
    ],
)
def test_a_latex_that_does_no_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, said: str
) -> None:
    fake(tmp_path, monkeypatch, script)
    monkeypatch.setattr(latex, "WALL_S", 0.5 if "trap" in script else 60.0)
    monkeypatch.setattr(latex, "OUTPUT_MIB", 1.0)
    with pytest.raises(WcnfgenError, match=said) as error:
        latex.pdf("", {}, tmp_path / "log")
    assert not isinstance(error.value, SolverError), "LaTeX is none"


def test_a_latex_that_cannot_start_is_no_solver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, "")
    (tmp_path / "pdflatex").write_text("#!/nowhere\n")
    with pytest.raises(WcnfgenError, match="pdflatex") as error:
        latex.pdf("", {}, tmp_path / "log")
    assert not isinstance(error.value, SolverError)


def test_ctrl_c_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, f"kill -INT {os.getpid()}; sleep 60")
    with pytest.raises(KeyboardInterrupt):
        latex.pdf("", {}, tmp_path / "log")


def test_a_pdf_of_an_older_text_goes(tmp_path: Path) -> None:
    folder = bundles.many(tmp_path / "f", 1, 1)
    description.write(folder)
    pdf = folder.path / "description.pdf"
    pdf.write_bytes(b"made elsewhere")
    description.write(folder)
    assert pdf.exists()
    rewritten(folder, best_by="somebody else", proved=False)
    description.write(folder)
    assert not pdf.exists()
