"""The multiplexer."""

from __future__ import annotations

from wcnfgen.instances.rules import Dataset
from wcnfgen.instances.rules._tables import Bits, boolean, check, inputs

NAMES = {f"mux{k + 2**k}": {"address": k} for k in range(1, 7)}


def generate(*, address: int = 2, rows: int = 0, seed: int = 0) -> Dataset:
    """Multiplexer: the data bit that the address bits select (Wilson 1987; Quinlan 1988).

    class = d[a], where a is the number that the address bits a0, a1, ... spell, a0 first.
    With k address bits a tree that tests the address first has 2^(k+2) - 1 nodes.

    address: number k of address bits, 1 to 10; there are 2^k data bits
    rows: 0 lists all inputs (up to 20 bits); otherwise so many are drawn
    seed: of the drawing
    """
    check("address", address, 1, 10)
    data = 2**address
    columns = [*(f"a{i}" for i in range(address)), *(f"d{i}" for i in range(data))]

    def selected(x: Bits) -> bool:
        chosen = int("".join(map(str, x[:address])), 2)
        return x[address + chosen] == 1

    return boolean(columns, inputs(address + data, rows, seed), selected)
