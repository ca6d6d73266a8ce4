"""Drawing: the look that all plots share, and files whose bytes follow from what they show.

Plots are one column of a paper wide and are written as PDF and as SVG, without times and with identifiers
from a fixed salt, whatever the user's style.  No plot needs its colours: lines and marks differ too.  Names
stand for themselves: nothing in them is markup, and what the font lacks is named by its number in Unicode.

matplotlib (extra: plots) is imported where something is drawn, and `installed` says whether it is there.
"""

from __future__ import annotations

import importlib.util
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wcnfgen.files import atomic
from wcnfgen.svg import PALETTE
from wcnfgen.words import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

WIDTH = 3.5  # inches: one column of IEEE's two
LABEL = 18  # characters of a name
COLUMN, HANDLE = 72, 9  # characters of a line of a legend, and those that a line's picture takes
LATIN = 0x250  # letters below it are in the font that comes with matplotlib
COLOURS = tuple(f"#{PALETTE[place]}" for place in (6, 5, 2, 4, 0, 1))  # without yellow and grey
MARKS = "os^DvP"
LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 3)))
ENDINGS = {"pdf": "CreationDate", "svg": "Date"}  # and what must not be in such a file
STYLE: Any = {
    "axes.linewidth": 0.5,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 7,
    "legend.fontsize": 6.5,
    "legend.frameon": False,
    "legend.title_fontsize": 6.5,
    "lines.linewidth": 1,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "wcnfgen",
    "text.parse_math": False,  # a name may hold anything
    "xtick.major.width": 0.5,
    "ytick.major.width": 0.5,
}


def installed() -> bool:
    """Whether matplotlib is there."""
    return importlib.util.find_spec("matplotlib") is not None


@contextmanager
def style() -> Iterator[None]:
    """Our look, whatever the user prefers; theirs is back afterwards."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(STYLE)
        yield


def new(height: float) -> tuple[Figure, Axes]:
    """A figure so many inches high, without any window behind it, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots()


def save(figure: Figure, stem: Path) -> Iterator[Path]:
    """Write stem.pdf and stem.svg, each whole or not at all."""
    stem.parent.mkdir(parents=True, exist_ok=True)
    for ending in ENDINGS:
        path = stem.parent / f"{stem.name}.{ending}"
        with atomic(path) as target:
            target.write(drawn(figure, ending))
        yield path


def drawn(figure: Figure, ending: str) -> bytes:
    """The file with this ending."""
    out = io.BytesIO()
    figure.savefig(out, format=ending, metadata={ENDINGS[ending]: None})
    return out.getvalue()


def shown(name: str) -> str:
    """A name in the letters that the font has; one that began with _ would be missing from a legend."""
    letters = "".join(c if c.isprintable() and ord(c) < LATIN else f"U+{ord(c):04X}" for c in name)
    return shorten(f" {letters}" if name.startswith("_") else letters, LABEL)


def look(place: int) -> dict[str, Any]:
    """How the curve of the so-manieth of a dozen is drawn: each mark comes twice, filled and hollow."""
    turn, kind = divmod(place, len(MARKS))
    colour = COLOURS[(kind + turn // 2) % len(COLOURS)]
    return {
        "color": colour,
        "linestyle": LINES[kind],
        "marker": MARKS[kind],
        "markeredgewidth": 0.6,
        "markerfacecolor": "white" if turn % 2 else colour,
        "markersize": 3,
    }


def legend(figure: Figure, axes: Axes) -> int:
    """Names below the plot, in as many columns as there is room for; how many lines they take."""
    handles, names = axes.get_legend_handles_labels()
    rows = math.ceil(len(names) / max(1, COLUMN // (max(map(len, names)) + HANDLE)))
    columns = math.ceil(len(names) / rows)
    figure.legend(handles, names, loc="outside lower center", ncols=columns, columnspacing=1.2, borderpad=0)
    return rows


def logarithmic(axis: Axis, values: Sequence[float], show: Callable[[float], str] | None = None) -> None:
    """Ticks of a logarithmic axis: at powers of ten, and between them where these are too few.

    Counts are shown as 1k, 20M; show: another way.
    """
    from matplotlib.ticker import EngFormatter, FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=_steps(min(values), max(values)), numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: show(value)) if show else EngFormatter(sep=""))
    axis.set_minor_formatter(NullFormatter())


def _steps(low: float, high: float) -> tuple[float, ...]:
    """Ticks within a power of ten."""
    decades = math.log10(high / low)
    return (1.0,) if decades > 2 else (1.0, 2.0, 5.0) if decades > 1 else (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


def whole(axis: Axis) -> None:
    """Ticks at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(5, integer=True))


def fixed(axis: Axis, ticks: Mapping[float, float], show: Callable[[float], str] | None = None) -> None:
    """Ticks at these places and nowhere else, and the values that they stand for; show as above."""
    from matplotlib.ticker import EngFormatter, NullLocator

    axis.set_ticks(list(ticks), list(map(show or EngFormatter(sep=""), ticks.values())))
    axis.set_minor_locator(NullLocator())


def round_values(low: float, high: float) -> list[float]:
    """Round numbers between two, for a logarithmic axis: some seven.

    >>> round_values(3, 40), round_values(1, 20_000), round_values(1, 1.1)
    ([5.0, 10.0, 20.0], [1.0, 10.0, 100.0, 1000.0, 10000.0], [1.0, 1.05, 1.1])
    """
    from matplotlib.ticker import LogLocator, MaxNLocator

    locator = (
        LogLocator(subs=_steps(low, high), numticks=8)
        if high > 2 * low
        else MaxNLocator(5, steps=[1, 2, 5, 10])
    )
    return [round(float(value), 9) for value in locator.tick_values(low, high) if low <= value <= high]
