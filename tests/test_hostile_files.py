"""Files that are none: devices without an end, links in a circle, folders, pipes, names that no system takes.

Where a command reads or writes one it fails in one line, with exit code 1 or 2, and leaves nothing behind.  A
pipe is as good as a file wherever one pass is enough.  The names of files are in `test_hostile`.
"""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

import wcnfgen
from tests.optional import needs
from wcnfgen import cli
from wcnfgen.bundle.description import latex
from wcnfgen.errors import WcnfgenError
from wcnfgen.files import atomic, check_read, open_log, open_raw, open_read, sha256
from wcnfgen.words import printable_lines

CAPTURE = pytest.CaptureFixture[str]
GOOD = "a,b,class\n0,0,no\n0,1,no\n1,0,no\n1,1,yes\n"
NONE = {
    "device without end": "/dev/zero",
    "another": "/dev/full",
    "circle": "circle",
    "link to nothing": "nothing",
    "folder": "folder",
    "below a file": "x.csv/x",
    "long": "x" * 300,
    "deep": "x/" * 2100,
    "empty": "",
    "holes": "/proc/self/mem",
}
READ = {
    "encode": "encode {}",
    "encode --weights": "encode x.csv --encoding boost --depth 1 --weights {}",
    "learn": "learn {}",
    "learn --test": "learn x.csv --test {}",
    "search": "search {}",
    "search --test": "search x.csv --test {}",
    "mpdt": "mpdt {}",
    "mpdt --test": "mpdt x.csv --test {}",
    "boost": "boost {} --depth 1 --rounds 2",
    "bag": "bag {} --depth 1 --bags 2",
    "split": "split {} --folds 2 -o parts",
    "columns": "columns {} --best 1",
    "peer": "peer {} --method cart --depth 1",
    "solve": "solve {}",
    "solve --binary": "solve x.wcnf --solver clasp --binary {}",
    "decode": "decode {} x.log",
    "decode, log": "decode x.wcnf {}",
    "decode --map": "decode x.wcnf x.log --map {}",
    "verify": "verify {} x.log",
    "verify, log": "verify x.wcnf {}",
    "verify --data": "verify x.wcnf x.log --data {}",
    "verify --train": "verify x.wcnf x.log --train {}",
    "predict": "predict {} x.log x.csv",
    "predict, log": "predict x.wcnf {} x.csv",
    "predict, data": "predict x.wcnf x.log {}",
    "family --config": "family --config {} -o family",
    "compare": "compare {} --solver rc2 -o race",
    "campaign": "campaign run {}",
    "report": "report {}",
    "calibrate": "calibrate {}",
}
WRITE = {
    "encode": "encode x.csv -o {}",
    "encode --map": "encode x.csv -o /dev/null --map {}",
    "solve --log": "solve x.wcnf --record x.json --log {}",
    "solve --record": "solve x.wcnf --log /dev/null --record {}",
    "decode": "decode x.wcnf x.log -o {}",
    "predict": "predict x.wcnf x.log x.csv -o {}",
    "data": "data iris -o {}",
    "columns": "columns x.csv --best 1 -o {}",
    "learn --keep": "learn x.csv --keep {}",
    "search --keep": "search x.csv --keep {}",
    "mpdt --keep": "mpdt x.csv --keep {}",
    "boost --keep": "boost x.csv --depth 1 --rounds 2 --keep {}",
    "bag --keep": "bag x.csv --depth 1 --bags 2 --keep {}",
    "split": "split x.csv --folds 2 -o {}",
    "compare": "compare x.wcnf --solver rc2 -o {}",
    "family": "family mux -o {}",
}
FOLDERS = {"folder", "empty"}  # where those that write a folder may write


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Data, an instance of it, and a solver's log."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "x.csv").write_text(GOOD)
    names = [str(folder / f"x.{ending}") for ending in ("csv", "wcnf", "log", "json")]
    wcnfgen.encode(names[0], output=names[1])
    wcnfgen.solve(names[1], log=names[2], record=names[3])
    Path(names[3]).unlink()
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same in the folder where we are, beside files that are none."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "nothing").symlink_to("elsewhere/nowhere")
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents() -> dict[str, str]:
    """What there is in the folder where we are."""
    return {str(path): os.readlink(path) if path.is_symlink() else "" for path in Path().rglob("*")}  # noqa: PTH115


def words(command: str, name: str) -> list[str]:
    """The words of a command with a name in its place."""
    return [name if word == "{}" else word for word in command.split()]


def refused(capsys: CAPTURE, command: list[str]) -> str:
    """The one line in which a command fails; it left nothing behind."""
    before = contents()
    code = cli.main(command)
    captured = capsys.readouterr()
    errors = [line for line in captured.err.splitlines() if line.startswith("wcnfgen: error: ")]
    assert (code in (1, 2), len(errors)) == (True, 1), (code, captured)
    assert all(line.isprintable() for line in captured.err.split("\n"))
    assert contents() == before
    return errors[0]


def some(kinds: list[str], command: str, full: bool) -> list[str]:
    """All kinds, or every fourth, others for the next command."""
    return kinds if full else kinds[[*READ, *WRITE].index(command) % 4 :: 4]


@pytest.mark.parametrize("command", READ)
def test_what_is_no_file_is_not_read(here: Path, capsys: CAPTURE, command: str, full: bool) -> None:
    needs(command != "columns" or find_spec("sklearn"), "scikit-learn")
    for kind in some(list(NONE), command, full):
        if (command, kind) == ("solve --binary", "empty"):
            continue  # no name is the descriptor's own
        error = refused(capsys, words(READ[command], NONE[kind]))
        if kind == "device without end" and command not in ("campaign", "report", "calibrate"):
            assert "/dev/zero" in error


@pytest.mark.parametrize("command", WRITE)
def test_what_is_no_file_is_not_written(here: Path, capsys: CAPTURE, command: str, full: bool) -> None:
    makes_folder = command in ("split", "compare", "family") or command.endswith("--keep")
    unfit = {"device without end", "link to nothing"} | (FOLDERS if makes_folder else set())
    for kind in some([kind for kind in NONE if kind not in unfit], command, full):
        refused(capsys, words(WRITE[command], NONE[kind]))


# ---------------------------------------------------------------------------- pipes


@contextmanager
def pipe(content: bytes) -> Iterator[str]:
    """The name of a pipe that will hold this, as a shell's <(...)."""
    source, sink = os.pipe()

    def write() -> None:
        with os.fdopen(sink, "wb") as out:
            out.write(content)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield f"/dev/fd/{source}"
    finally:
        os.close(source)
        writer.join()


PACKED: list[Callable[[bytes], bytes]] = [bytes, gzip.compress, lzma.compress]


OTHER = ("solve", "solve --binary", "family --config", "compare", "campaign", "report", "calibrate")
NAMED = ("columns", "peer", "split")  # their output is named after the file


@pytest.mark.parametrize("command", [each for each in READ if each not in (*OTHER, *NAMED)])
def test_a_pipe_is_read_as_the_file_is(here: Path, capsys: CAPTURE, command: str, full: bool) -> None:
    """What is said is the same but for the name, and whatever is written as well."""
    file = {"log": "x.log", "map": "x.map", "weights": "x.weights"}.get(command.split()[-1].lstrip("-"), "")
    if not file:
        file = "x.wcnf" if command in ("decode", "verify", "predict") else "x.csv"
    wcnfgen.encode("x.csv", map="x.map", output="/dev/null")
    Path("x.weights").write_text("1\n2\n3\n4\n")

    def said(name: str) -> tuple[int, str]:
        code = cli.main(words(READ[command], name))
        found = capsys.readouterr()
        return code, "\n".join(line for line in found.out.splitlines() if not line.startswith("c "))

    expected = said(file)
    for pack in PACKED if full else PACKED[list(READ).index(command) % 3 :][:1]:
        with pipe(pack(Path(file).read_bytes())) as name:
            assert said(name) == expected
    assert expected[0] == 0


def test_a_pipe_is_written(here: Path) -> None:
    source, sink = os.pipe()
    wcnfgen.encode("x.csv", output=f"/dev/fd/{sink}")
    os.close(sink)
    with os.fdopen(source, "rb") as stream:
        assert stream.read() == Path("x.wcnf").read_bytes()


def test_a_solver_takes_no_pipe(here: Path, capsys: CAPTURE) -> None:
    with pipe(b"h 1 0\n") as name:
        assert "write the instance to one first" in refused(capsys, ["solve", name])
    os.mkfifo("pipe")
    assert "write the instance to one first" in refused(capsys, ["solve", "pipe"])


def test_a_pipe_that_is_to_be_read_later_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    check_read(tmp_path / "pipe")
    with pytest.raises(WcnfgenError, match="cannot read"):
        check_read(tmp_path / "nothing")


# ---------------------------------------------------------------------------- in a folder of instances


def test_what_is_none_in_a_folder_is_passed_over(here: Path, capsys: CAPTURE) -> None:
    shutil.move("x.wcnf", "folder/x.wcnf")
    os.mkfifo("folder/pipe.wcnf")
    Path("folder/circle.wcnf").symlink_to("circle.wcnf")
    Path("folder/zero.wcnf").symlink_to("/dev/zero")
    Path("folder/nothing.wcnf").symlink_to("nowhere")
    Path("folder/folder.wcnf").mkdir()
    Path("folder/itself").symlink_to(".")
    assert cli.main(["lint", "folder"]) == 0
    assert capsys.readouterr().out.startswith("1 file")
    assert cli.main(["compare", "folder", "--solver", "rc2", "--wall", "5", "--jobs", "1", "-o", "race"]) == 0
    rows = Path("race/results.csv").read_text().splitlines()
    assert len(rows) == 2 and "x.wcnf" in Path("race/results.csv").read_text() + "".join(
        path.read_text() for path in Path("race").rglob("*.csv")
    )


# ---------------------------------------------------------------------------- the functions


@pytest.mark.parametrize("opened", [open_read, open_log, open_raw])
def test_a_device_with_an_end_is_read(opened: Callable[[str], object]) -> None:
    with opened(os.devnull) as stream:  # type: ignore[attr-defined] # all are files
        assert stream.read() == b""
    for name in ("/dev/zero", "/dev/full", "/dev/urandom"):
        with pytest.raises(WcnfgenError, match=f"{name}: cannot read: it is a device; name a file"):
            opened(name)
    with pytest.raises(WcnfgenError, match="holds a NUL"):
        opened("a\0b")


def test_a_digest_of_a_device() -> None:
    with pytest.raises(WcnfgenError, match="it is a device"):
        sha256(Path("/dev/zero"))


@pytest.mark.parametrize("ending", ["gz", "xz"])
def test_what_was_compressed_is_closed(tmp_path: Path, ending: str) -> None:
    """An open file is a warning, and so a failure."""
    path = tmp_path / f"x.{ending}"
    with atomic(path) as out:
        out.write(b"line\n" * 1000)
    for opened in (open_read, open_log):
        with opened(path) as stream:
            assert list(stream) == [b"line\n"] * 1000
        assert stream.closed


def test_a_link_in_a_circle_stays(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    with (
        pytest.raises(WcnfgenError, match="cannot write: Too many levels of symbolic links"),
        atomic(tmp_path / "circle"),
    ):
        pass
    assert (tmp_path / "circle").is_symlink()


def test_what_a_solver_complains_of_does_not_speak_to_the_terminal(here: Path, capsys: CAPTURE) -> None:
    Path("solver").write_text(
        "#!/bin/sh\nprintf 'a\\tb\\033[2Jc\\007\\rd\\n\\302\\233e\\n' >&2\necho s UNKNOWN\n"
    )
    Path("solver").chmod(0o755)
    assert cli.main(["solve", "x.wcnf", "--solver", "./solver", "--log", "y.log", "--quiet"]) == 0
    assert "a       b\\x1b[2Jc\\x07\\rd\n\\x9be\n" in capsys.readouterr().err


def test_lines_stay_lines() -> None:
    assert printable_lines("a\n\x1b\n") == "a\n\\x1b\n"
    assert printable_lines("") == ""


@pytest.mark.parametrize(
    "what", ["\\input{/etc/passwd}", "\\input{../secret}", "\\openin0=/etc/passwd \\ifeof0 \\nonsense\\fi"]
)
def test_a_text_reads_nothing_else(tmp_path: Path, what: str) -> None:
    needs(latex.engine(), "LaTeX with bibtex")
    text = f"\\documentclass{{article}}\\begin{{document}}x{what}\\end{{document}}"
    with pytest.raises(WcnfgenError, match=r"not found|nonsense|Undefined"):
        latex.pdf(text, {}, tmp_path / "log")
