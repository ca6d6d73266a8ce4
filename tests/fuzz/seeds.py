"""Where fuzzing begins: small files of our own, and changes that leave a map a map."""

from __future__ import annotations

import base64
import binascii
import json
import random
import zlib
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
TABLE = "size,colour,weight,class\n1,red,0.5,yes\n2,blue,1.5,no\n3,red,,yes\n2,green,2.5,maybe\n1,blue,9,no\n"
OPTIONS: list[tuple[str, dict[str, Any], bool]] = [  # encoding, options, whether the rows are in the map
    ("size", {"ub": 7}, True),
    ("size", {"ub": 5, "lb": 3, "form": "paper"}, True),
    ("size", {"ub": 7, "soft_rows": True}, False),
    ("size", {"ub": 7, "lb": 3, "layout_depth": 2, "layout": 2}, True),
    ("exact", {"nodes": 7}, True),
    ("depth", {"depth": 2}, True),
    ("accuracy", {"ub": 5}, True),
    ("boost", {"depth": 2, "round": 2}, True),
    ("mixed", {"ub": 7, "depth_weight": 1}, True),
    ("complete", {"depth": 2, "soft_rows": True}, True),
    ("complete", {"depth": 3, "min_size": True}, False),
    ("fixed", {}, True),
    ("paths", {"ub": 7}, True),
    ("size", {"ub": 7, "binarise": "thresholds"}, True),
    ("size", {"ub": 7, "binarise": "binary", "reduce": False}, True),
    ("exact", {"nodes": 7, "binarise": "onehot-full", "reduce": False}, False),
]
ODD: list[Any] = [None, True, False, 0, 1, -1, 2, 3, 10**6, 10**12, 2**31, 2**63, 10**40]
ODD += [0.5, 1e308, float("nan"), "", "0", "1" * 70, "\ud800", "x\n\x1b[2J", "core", "paper", "text"]
ODD += [[], [[]], [0, 0], [-1], [1, -1, -2], {}, {"x": 1}]
MOST = 1 << 20  # bytes of packed numbers that are changed: the fuzzer itself is to stay small
MEMBERS = ["text", "numbers", "bins", "thresholds", "used", "missing", "n"]


@cache
def maps() -> list[bytes]:
    """The maps of formulas in every encoding."""
    from wcnfgen.data import read
    from wcnfgen.delimited import Delimited
    from wcnfgen.making import make

    header, *rows = (line.split(",") for line in TABLE.splitlines())
    table = read(Delimited("x.csv", "0" * 64, tuple(header), rows, TABLE, ","))
    instances = [
        make(table, name, {**more, "missing": "category"}, embed_rows=r) for name, more, r in OPTIONS
    ]
    return [json.dumps(instance.map, separators=(",", ":")).encode() for instance in instances]


def sown(law: str, folder: Path) -> None:
    """Write our own seeds for a law to a folder."""
    if law == "header":
        files = dict(enumerate(maps()))
    else:
        where = {"csv": "instances/data/*.csv", "wcnf": "tests/golden/*.wcnf", "output": "tests/golden/*.log"}
        files = dict(enumerate(path.read_bytes()[:4096] for path in sorted(ROOT.glob(where[law]))))
    for number, raw in files.items():
        (folder / f"seed-{number}").write_bytes(raw)


def mutated(raw: bytes, most: int, seed: int) -> bytes:
    """A map with something else in some place or, now and then, its text changed as libFuzzer does it."""
    import atheris

    choose = random.Random(seed)
    try:
        fields = json.loads(raw)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, (dict, list)) or not fields or choose.random() < 0.2:
        return bytes(atheris.Mutate(raw, most))
    for _ in range(choose.choice([1, 1, 1, 2, 4])):
        _change(fields, choose)
    return json.dumps(fields, separators=(",", ":")).encode()[:most]


def _change(fields: Any, choose: random.Random) -> None:
    places = list(_places(fields))
    if not places:
        return
    inside, key = choose.choice(places)
    kind = choose.randrange(6)
    value = inside[key]
    if kind == 0 or isinstance(value, bool) or value is None:
        inside[key] = deepcopy(choose.choice(ODD))
    elif kind == 1:
        other, at = choose.choice(places)
        inside[key] = deepcopy(other[at])
    elif isinstance(value, (int, float)):
        numbers = [value + 1, value - 1, -value, value * 2, value * 1000, str(value)]
        inside[key] = choose.choice(numbers)
    elif isinstance(value, str):
        inside[key] = _text(value, choose)
    elif isinstance(value, list):
        inside[key] = choose.choice([value * 2, value[1:], value[::-1], value[:-1], [*value, 0]])
    elif kind == 2:
        value[choose.choice(MEMBERS)] = deepcopy(choose.choice(ODD))
    elif value:
        value.pop(choose.choice(sorted(value)))


def _places(value: Any) -> Any:
    for key, each in list(value.items() if isinstance(value, dict) else enumerate(value)):
        yield value, key
        if isinstance(each, (dict, list)):
            yield from _places(each)


def _text(text: str, choose: random.Random) -> str:
    """Packed numbers stay packed."""
    try:
        raw = bytearray(zlib.decompressobj().decompress(base64.b64decode(text, validate=True), MOST))
    except (ValueError, binascii.Error, zlib.error):
        return choose.choice([text * 2, text[1:], text[::-1], text + "x", text.upper()])
    if raw and choose.random() < 0.7:
        raw[choose.randrange(len(raw))] = choose.choice([0, 1, 127, 128, 255])
    else:
        raw = choose.choice([raw * 2, raw[1:], raw[:0], raw[:1000] * 1000, raw + bytes(10**6)])
    return base64.b64encode(zlib.compress(bytes(raw), 9)).decode()
