"""How long a mixed model with free slopes will take, before it is fitted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rejudge.stats.clusters import Codes
from rejudge.stats.numbering import how_many, numbered
from rejudge.stats.slopes_sums import form_of

# Measured by benchmarks/bench_slopes_seconds.py, which writes the estimate beside each measurement.
_STEPS = 12  # looks of the search, about
_PER_LOOK = 0.8e-3
_PER_PAIR = 30e-6  # of columns, each look
_PER_BLOCK = 2e-6  # a level of the larger grouping, each look: its small matrices
_PER_CELL_OF_BLOCK = 0.12e-6
_PER_CUBE = 0.11e-9  # of the dense side, each look
_PER_SQUARE = 10e-9  # 〃
_PER_PRODUCT = 0.9e-9  # 〃 of two counts
_DENSE = 11  # cells for each judgment; up to this many a table is kept in full
_QUICKER = 8.0  # how much a product of full tables is


def estimated_slopes_seconds(system: Codes, groups: Mapping[str, Codes]) -> float:
    """About how many seconds of one processor `free_slopes_model` takes, mostly within a factor of
    two.

    The estimate is that of the machine of the benchmark. It grows with the third power of the
    levels of the smaller grouping times the systems, and with the square of the systems by
    themselves, as so many covariances are searched for.
    """
    if not len(system):
        return 0.0
    sizes = [_size(numbered(system)[1], codes) for codes in groups.values()]
    larger, *others = sorted(sizes, key=lambda size: -size.columns)
    width = max(size.width for size in sizes)
    seconds = _PER_LOOK + _PER_PAIR * width**2
    seconds += larger.levels * (_PER_BLOCK + _PER_CELL_OF_BLOCK * larger.width**2)
    for other in others:
        products = _products(len(system) / width, larger.levels, other.levels)
        seconds += _PER_CUBE * other.columns**3 + _PER_SQUARE * width * other.columns**2
        seconds += _PER_PRODUCT * width**2 * products
    elements = sum(size.width * (size.width + 1) / 2 for size in sizes)
    return seconds * (_STEPS + 2 * elements)


@dataclass(frozen=True, slots=True)
class _Size:
    levels: int
    width: int

    @property
    def columns(self) -> int:
        return self.levels * self.width


def _size(system: Codes, codes: Codes) -> _Size:
    width = 1 if form_of(system, codes) == "offset" else how_many(system)
    return _Size(how_many(codes), width)


def _products(judgments: float, large: int, small: int) -> float:
    """How many products two tables of counts take, in full or sparse, of so many judgments."""
    cells = float(large * small)
    return cells * small / _QUICKER if cells <= _DENSE * judgments else judgments * small
