"""Latin squares for orders: everything in every place equally often, and after everything else."""

from __future__ import annotations


def williams_row(n: int, row: int) -> tuple[int, ...]:
    """One order out of a set balanced for place and for what comes just before (Williams 1949).

    There are n different rows when n is even and 2n when it is odd (a square and its mirror
    image); later rows begin again. Rows are made one at a time: n may be hundreds of tasks.
    """
    rows = n if n % 2 == 0 or n == 1 else 2 * n
    place = row % rows
    zigzag = (step // 2 + 1 if step % 2 else -(step // 2) for step in range(n))  # 0, 1, −1, 2, −2 …
    order = tuple((place + step) % n for step in zigzag)
    return order if place < n else tuple(reversed(order))
