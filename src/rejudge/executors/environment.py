"""What decides the numbers of a chunk besides its arguments: code, libraries and threads."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

from rejudge.version import __version__

_LIBRARIES: Final = ("numpy", "scipy")  # the ones that compute


@cache
def environment() -> dict[str, str]:
    """The versions of everything that computes, and a fingerprint of rejudge's own code.

    The fingerprint distinguishes two installations with the same version, such as two states of a
    working copy.
    """
    python = ".".join(map(str, sys.version_info[:2]))
    libraries = {name: _version(name) for name in _LIBRARIES}
    return {"rejudge": __version__, "code": _code(), "python": python, **libraries}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # pragma: no cover - they are required
        return "not installed"


def _code() -> str:
    home = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(home.rglob("*.py")):
        name = path.relative_to(home).as_posix().encode("utf-8", "surrogateescape")
        digest.update(name + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@contextmanager
def use_one_thread() -> Iterator[None]:
    """Let linear algebra use one thread.

    Sums depend on how many threads share them, in the last digits; and many processes with many
    threads each are slower than with one.
    """
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield
