"""The end positions of a game."""

from __future__ import annotations

from collections.abc import Iterator

from wcnfgen.instances.rules import Dataset

_COLUMNS = [f"{v}-{h}-square" for v in ("top", "middle", "bottom") for h in ("left", "middle", "right")]
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
_BLANK = "b"


def generate() -> Dataset:
    """Tic-tac-toe: whether x has a line at the end of a game (Aha 1991; UCI).

    All boards at which a legal game ends: x moves first, and the game stops at a line or on a full
    board.  958 boards, 626 positive, in the order of UCI's file.
    """
    boards = sorted(_ends(), key=_order)
    return Dataset([*_COLUMNS, "class"], ([*board, _label(board)] for board in boards))


def _ends() -> Iterator[str]:
    """The boards at which a game ends, each once."""
    boards = {_BLANK * 9}
    for mover in "xoxoxoxox":
        boards = {after for board in boards for after in _moves(board, mover)}
        won = {board for board in boards if _has_line(board, mover)}
        yield from won
        boards -= won
    yield from boards


def _moves(board: str, mover: str) -> Iterator[str]:
    for square in range(9):
        if board[square] == _BLANK:
            yield board[:square] + mover + board[square + 1 :]


def _has_line(board: str, player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in _LINES)


def _label(board: str) -> str:
    return "positive" if _has_line(board, "x") else "negative"


def _order(board: str) -> tuple[bool, bool, list[int]]:
    return not _has_line(board, "x"), not _has_line(board, "o"), ["xob".index(mark) for mark in board]
