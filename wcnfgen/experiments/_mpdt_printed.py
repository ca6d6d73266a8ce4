"""The figures that Alòs et al. 2023 print: Tables 4, 5 and 6 of the paper on MPDT, and what its text adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Shape(NamedTuple):
    """A line of Table 4; columns count the class, too."""

    binary: int
    ohe: int
    labels: int
    total: int
    train: int
    select: int
    test: int


class Accuracy(NamedTuple):
    """A line of Table 6: test accuracy in per cent, nodes, and numbers of smallest trees."""

    psk: float
    psk_size: int
    lsk: float
    ask: float
    ask_size: int
    opt: int
    nd_sols: int
    nd: float
    lay_nd_sols: int
    lay_nd: float
    one: float
    mpdt_sols: int
    mpdt: float
    lay_sols: int
    lay: float


def _lines(text: str) -> Iterator[Any]:
    """A name and its numbers from each line."""
    for name, *figures in map(str.split, text.strip().splitlines()):
        yield name, *(float(each) if "." in each else int(each) for each in figures)


SHAPES = {
    name: Shape(*figures)
    for name, *figures in _lines("""
append 22 56 2 105 67 17 21
audio 146 146 2 216 137 35 44
back 50 89 2 180 115 29 36
corral 7 7 2 160 102 26 32
haber 11 28 2 266 169 43 54
hayes-r 9 16 3 120 76 20 24
hepa 58 321 2 155 99 25 31
h-votes 17 17 2 435 278 70 87
iris 13 32 3 150 96 24 30
irish 16 53 2 500 320 80 100
lympho 30 51 4 148 94 24 30
monks-1 11 16 2 556 355 89 112
monks-3 11 16 2 548 350 88 110
mushr 112 112 2 8124 5199 1300 1625
mux6 7 7 2 128 81 21 26
new-thy 16 39 3 212 135 34 43
spect 23 23 2 251 160 40 51
wine 47 263 3 178 113 29 36
zoo 26 122 7 101 64 16 21
""")
}

ACCURACIES = {
    name: Accuracy(*figures)
    for name, *figures in _lines("""
append 70.48 27 66.29 65.43 13 21 984 70.00 1167 70.00 70.00 592 71.05 984 70.00
audio 92.45 17 92.45 93.35 7 17 30000 93.95 30000 92.77 94.27 48 93.50 4685 93.36
back 69.67 33 74.28 74.44 3 25 5714 70.50 880 70.44 69.83 8 72.00 39 71.61
corral 100 27 87.38 100 27 13 20 99.25 20 99.25 100 20 99.25 20 99.25
haber 80.26 73 77.33 79.51 25 47 624 79.00 1173 79.00 80.74 216 79.00 624 79.00
hayes-r 79.33 41 77.00 77.08 31 35 1195 83.25 1722 83.25 78.08 349 82.92 1195 83.25
hepa 60.84 27 60.84 64.83 17 23 1695 67.16 86 65.87 62.32 7 64.77 18 62.77
h-votes 93.31 41 94.00 93.98 15 33 11522 94.34 21007 94.34 94.25 370 93.56 11085 94.34
iris 94.53 27 94.53 91.46 19 25 30000 94.53 30000 94.53 92.80 436 94.53 28280 94.53
irish 100 15 97.94 99.28 13 9 6 100 6 100 100 6 100 6 100
lympho 72.93 37 70.87 71.07 37 27 4214 71.73 5213 71.73 70.07 455 71.80 4214 71.73
monks-1 100 29 100 100 29 29 2368 100 2496 100 100 423 100 2368 100
monks-3 98.25 45 98.22 99.45 15 41 29952 99.11 30000 99.11 97.44 296 99.11 9050 99.11
mushr 100 23 99.97 99.97 23 15 444 100 477 100 100 444 100 444 100
mux6 90.85 37 58.69 88.53 37 15 2 100 2 100 100 2 100 2 100
new-thy 92.60 33 92.60 92.14 31 29 30000 91.35 30000 91.35 89.58 423 91.35 18584 91.35
spect 77.37 57 76.98 71.06 3 35 288 87.53 369 87.53 87.53 288 87.53 288 87.53
wine 90.28 31 95.33 92.78 27 23 32 92.44 32 92.44 92.67 32 92.44 32 92.44
zoo 91.24 17 91.24 91.24 17 17 9364 91.24 9885 91.24 89.76 740 94.76 9364 91.24
""")
}

MEANS = {
    "psk": 87.07,
    "lsk": 84.15,
    "ask": 86.61,
    "nd": 88.70,
    "lay_nd": 88.57,
    "one": 87.86,
    "mpdt": 88.82,
    "lay": 88.50,
}
MEDIANS = {
    "psk": 91.24,
    "lsk": 91.24,
    "ask": 91.46,
    "nd": 92.44,
    "lay_nd": 92.44,
    "one": 92.67,
    "mpdt": 93.50,
    "lay": 92.44,
}
GAINS = {"psk": 1.75, "lsk": 4.7, "ask": 2.2}  # of mpdt, in points
SEEN = {"mpdt": 91.31, "psk": 89.31, "lsk": 86.65, "ask": 90.51}  # best on the test rows
DEPTHS = {2: 7.86, 3: 4.37, 4: 1.69}  # gains of mpdt over DT(max) within a depth, in points

INSTANCES = 580  # of each size: 29 sets, of which 19 are published, 20 samples each
BEST_UB = {  # (per cent of the rows, hours): solver: instances on which it had the best bound
    (40, 1): {
        "satlike-ck": 528,
        "MPDT": 505,
        "satlike-c": 504,
        "TT-Open-WBO-Inc-21": 489,
        "MinDT": 469,
    },
    (60, 1): {
        "satlike-ck": 491,
        "satlike-c": 426,
        "MPDT": 421,
        "TT-Open-WBO-Inc-21": 417,
        "MinDT": 404,
    },
    (80, 1): {
        "satlike-ck": 422,
        "satlike-c": 383,
        "MPDT": 404,
        "TT-Open-WBO-Inc-21": 382,
        "MinDT": 374,
    },
    (80, 10): {
        "satlike-ck": 510,
        "satlike-c": 405,
        "MPDT": 425,
        "TT-Open-WBO-Inc-21": 406,
        "MinDT": 400,
    },
}
