"""Old and new format say the same; what is written reads back; same input, same bytes."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tests import solving
from tests.conformance.test_encodings import random_problem
from wcnfgen import reader, writer
from wcnfgen.encodings.size import Size


def clauses(whole: reader.Whole) -> list[tuple[int, tuple[int, ...]]]:
    hard = [(0, tuple(block[0].tolist())) for block in whole.hard()]
    return sorted(hard + [(weight, tuple(block[0].tolist())) for weight, block in whole.soft()])


@pytest.mark.parametrize("seed", range(8))
def test_old_and_new_format_hold_the_same_clauses(seed: int) -> None:
    encoding = Size(random_problem(np.random.default_rng(seed)), ub=9, form="paper" if seed % 2 else "core")
    new, old, cnf = (solving.through(encoding, format) for format in ("wcnf", "wcnf-old", "cnf"))
    assert clauses(new) == clauses(old)
    assert clauses(cnf) == [each for each in clauses(new) if each[0] == 0]
    assert new.variables == old.variables == cnf.variables == encoding.variables


@pytest.mark.parametrize("format", ["wcnf", "wcnf-old", "cnf"])
def test_what_is_read_writes_the_same_bytes(format: writer.Format) -> None:
    encoding = Size(random_problem(np.random.default_rng(5)), ub=9)
    out = io.BytesIO()
    writer.write(encoding, out, format=format, comments=("one", "two"))
    whole = reader.read(io.BytesIO(out.getvalue()))
    again = io.BytesIO()
    writer.write(whole, again, format=format, comments=whole.comments)
    assert again.getvalue() == out.getvalue()
