"""A PostgreSQL of one's own, on loopback, for as long as it is needed; durable as in real use."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def find_binaries() -> Path | None:
    """Where the server's programs are; None when it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name)
    return found[-1] if found else None


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A cluster in a folder; the address to which a database's name can be added."""
    binaries = find_binaries()
    if binaries is None:
        raise SystemExit("PostgreSQL is not installed: apt-get install postgresql")
    folder.mkdir(parents=True)
    port = _free_port()
    if os.geteuid() == 0:  # the server refuses to run as root
        shutil.chown(folder, "postgres")
    _run(
        binaries / "initdb", "-D", folder / "data", "-A", "trust", "-U", "rejudge",
        "-E", "UTF8", "--locale=C.UTF-8",
    )  # fmt: skip
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    control = (binaries / "pg_ctl", "-D", folder / "data", "-w")
    _run(*control, "-l", folder / "log", "-o", options, "start")
    try:
        yield f"postgresql://rejudge@127.0.0.1:{port}/"
    finally:
        _run(*control, "-m", "immediate", "stop")


def create_database(server: str, name: str) -> str:
    """A fresh database; its address."""
    import psycopg

    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server}{name}"


def _run(*words: str | Path) -> None:
    as_server = ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()
    command = [*as_server, *map(str, words)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
