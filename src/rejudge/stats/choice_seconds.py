"""How long a mixed model of choices will take, before it is fitted."""

from __future__ import annotations

import math

import numpy as np

from rejudge.stats.clusters import Codes
from rejudge.stats.mixed import EXACT_UP_TO
from rejudge.stats.mixed_probes import probe_columns
from rejudge.stats.signed_fit import MOST_EXACT_WORK
from rejudge.stats.signed_sums import product_work

# Measured by benchmarks/bench_choice_seconds.py, which writes the estimate beside each measurement.
_START = 0.05
_PER_CELL = 0.6e-6  # two systems of one judgment: adding up
_PER_BLOCK = 10e-6  # a level of the larger grouping: its eigenvectors
_PER_CUBE_OF_BLOCK = 10e-9
_PER_CUBE = 1.5e-9  # of the places that are solved exactly: all looks
_PER_PRODUCT = 90e-9  # 〃 their products
_PER_STEP = 0.045e-6  # a cell and a column: all iterations of all looks
_OVERHEAD = 30  # columns
_CACHED = 1_000_000  # cells; beyond, memory is the limit and each costs more
_PER_TUKEY = 0.02  # a contrast


def estimated_choice_seconds(
    sizes: Codes, *, systems: int, items: int, participants: int, is_tukey: bool = False
) -> float:
    """About how many seconds of one processor `choice_model` and `set_model` take, mostly within a
    factor of two; sets of very many systems take a quarter of it.

    `sizes`: how many systems each judgment has. The estimate is that of the machine of the
    benchmark. Tukey's intervals of very many systems take time of their own.
    """
    entries, cells = float(np.sum(sizes)), float(np.sum(sizes.astype(np.float64) ** 2))
    smaller, larger = sorted((items, participants))
    width = min(systems, entries / larger)  # systems at a level of the larger grouping, about
    places = min(smaller * systems, entries)
    seconds = _START + _PER_CELL * cells + larger * (_PER_BLOCK + _PER_CUBE_OF_BLOCK * width**3)
    if is_tukey and systems > 2:  # noqa: PLR2004 - one contrast needs no adjustment
        seconds += _PER_TUKEY * systems * (systems - 1) / 2
    if smaller == 1:
        return seconds
    work = product_work(larger * width, places, entries / larger)
    if places <= EXACT_UP_TO and work <= MOST_EXACT_WORK:
        return seconds + _PER_CUBE * places**3 + _PER_PRODUCT * work
    columns = sum(probe_columns(levels, systems) for levels in (smaller, larger)) + systems
    steps = (cells + larger * width**2) * (columns + _OVERHEAD)
    return seconds + _PER_STEP * steps * math.sqrt(max(1.0, cells / _CACHED))
