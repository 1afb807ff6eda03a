"""Small dense matrices on one thread of the linear algebra library."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep BLAS to one thread meanwhile: for matrices of some hundred rows threads cost more than
    they bring, and on a busy machine they wait for each other (decision 11)."""
    with _libraries().limit(limits=1, user_api="blas"):
        yield


@cache
def _libraries() -> Any:  # threadpoolctl has no types
    import scipy.linalg  # noqa: F401 - SciPy brings a library of its own, found only once loaded
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
