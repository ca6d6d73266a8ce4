"""Files appear whole or not at all."""

from __future__ import annotations

import gzip
import lzma
import os
import random
import threading
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wcnfgen.errors import WcnfgenError
from wcnfgen.files import atomic, open_log, open_read


def test_a_file_appears_when_all_is_well(tmp_path: Path) -> None:
    with atomic(tmp_path / "x") as out:
        out.write(b"one")
        assert not (tmp_path / "x").exists()
    assert (tmp_path / "x").read_bytes() == b"one"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_after_any_exception_the_old_file_is_there_and_no_other(
    tmp_path: Path, error: type[BaseException]
) -> None:
    (tmp_path / "x").write_bytes(b"old")
    with pytest.raises(error), atomic(tmp_path / "x") as out:
        out.write(b"new")
        raise error
    assert [path.name for path in tmp_path.iterdir()] == ["x"]
    assert (tmp_path / "x").read_bytes() == b"old"


@pytest.mark.parametrize(("ending", "expand"), [("gz", gzip.decompress), ("xz", lzma.decompress)])
def test_compressed_by_name_and_the_same_bytes_each_time(tmp_path: Path, ending: str, expand) -> None:  # type: ignore[no-untyped-def]
    made = []
    for name in ("a", "b"):
        with atomic(tmp_path / f"{name}.{ending}") as out:
            out.write(b"content " * 100)
        made.append((tmp_path / f"{name}.{ending}").read_bytes())
    assert made[0] == made[1]
    assert expand(made[0]) == b"content " * 100
    with open_read(tmp_path / f"a.{ending}") as stream:
        assert stream.read() == b"content " * 100


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(WcnfgenError, match="cannot write"), atomic(tmp_path / "no" / "x"):
        pass


def test_a_device_is_written_and_not_replaced() -> None:
    with atomic("/dev/null") as out:
        out.write(b"gone")
    assert not Path("/dev/null").is_file()


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=(b"h 1 0\n",))
    writer.start()
    with open_read(tmp_path / "pipe") as stream:
        assert stream.read() == b"h 1 0\n"
    writer.join()


@given(size=st.integers(0, 3000), lost=st.integers(0, 400), seed=st.integers(0, 9))
def test_a_log_that_lost_its_end_is_read_to_there(
    size: int, lost: int, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Nothing of it is lost but what came after the last flush; a whole one is whole, of two members too."""
    text = random.Random(seed).randbytes(size // 2).hex().encode()
    packer = zlib.compressobj(wbits=31)
    flushed = packer.compress(text) + packer.flush(zlib.Z_SYNC_FLUSH)
    whole = flushed + packer.compress(b"more") + packer.flush()
    path = tmp_path_factory.getbasetemp() / "torn.gz"
    path.write_bytes(whole[: max(len(flushed), len(whole) - lost)])
    with open_log(path) as stream:
        found = stream.read()
    assert found.startswith(text) and (text + b"more").startswith(found) and (lost or len(found) > len(text))
    path.write_bytes(whole + gzip.compress(b"again"))
    with open_log(path) as stream:
        assert stream.read() == text + b"moreagain"
    path.write_bytes(whole[: len(whole) // 2])
    with open_log(path) as stream:
        assert (text + b"more").startswith(stream.read())
