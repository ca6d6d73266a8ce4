"""The car evaluation model."""

from __future__ import annotations

from itertools import product

from wcnfgen.instances.rules import Dataset

_VALUES = {
    "buying": ("vhigh", "high", "med", "low"),
    "maint": ("vhigh", "high", "med", "low"),
    "doors": ("2", "3", "4", "5more"),
    "persons": ("2", "4", "more"),
    "lug_boot": ("small", "med", "big"),
    "safety": ("low", "med", "high"),
}
_BAD = {("vhigh", "vhigh"), ("vhigh", "high"), ("high", "vhigh")}
_GOOD = {("med", "med"), ("low", "high")}
_BEST = {("med", "low"), ("low", "med"), ("low", "low")}
_CLASS = {
    "mid": ("unacc", "acc", "acc"),  # of a car whose technical value is 1, 2, 3
    "good": ("acc", "acc", "vgood"),
    "best": ("acc", "good", "vgood"),
}


def generate() -> Dataset:
    """Car evaluation: how acceptable a car is (Bohanec and Rajkovic 1988; UCI).

    The hierarchical model DEX written out: comfort (0 to 2) from doors, persons and boot; technical value
    (0 to 3) from comfort and safety; price from buying and maint; the class from the last two.
    1728 inputs in the order of UCI's file.
    """
    cars = product(*_VALUES.values())
    return Dataset([*_VALUES, "class"], ([*car, _label(*car)] for car in cars))


def _label(buying: str, maint: str, doors: str, persons: str, boot: str, safety: str) -> str:
    technical = _technical(_comfort(doors, persons, boot), safety)
    price = (buying, maint)
    if technical == 0 or price in _BAD:
        return "unacc"
    group = "good" if price in _GOOD else "best" if price in _BEST else "mid"
    return _CLASS[group][technical - 1]


def _comfort(doors: str, persons: str, boot: str) -> int:
    if persons == "2" or (doors, persons, boot) == ("2", "more", "small"):
        return 0
    roomy = doors in ("4", "5more") or (doors, persons) == ("3", "more")
    return 2 if boot == "big" or (boot == "med" and roomy) else 1


def _technical(comfort: int, safety: str) -> int:
    if comfort == 0 or safety == "low":
        return 0
    return comfort + (safety == "high")
