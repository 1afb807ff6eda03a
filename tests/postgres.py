"""A PostgreSQL server of the tests' own: under a temporary folder, on a socket, gone at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

ABSENT = (
    "needs PostgreSQL: apt-get install postgresql (the server need not run), "
    "or set REJUDGE_TEST_POSTGRES to the address of a server where databases can be made"
)


class Server:
    """Where databases can be made."""

    def __init__(self, address: str) -> None:
        self._address = address  # with {} instead of a database's name
        self._numbers = count(1)

    def new_database(self) -> str:
        """The address of a new, empty database."""
        name = f"rejudge_{os.getpid()}_{next(self._numbers)}"
        self.drop(name)
        run(self._address.format("postgres"), f"CREATE DATABASE {name} TEMPLATE template0")
        return self._address.format(name)

    def disconnect(self, address: str) -> None:
        """Close all connections to a database, as a server does that starts anew."""
        run(
            self._address.format("postgres"),
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "  # noqa: S608 - our own name
            f"WHERE datname = '{_name_in(address)}'",
        )

    def drop(self, database: str) -> None:
        """Remove a database, whoever uses it; by its name or its address."""
        name = _name_in(database) or database
        run(self._address.format("postgres"), f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def _name_in(address: str) -> str:
    return address.partition("///")[2].partition("?")[0]


def run(address: str, sql: str) -> None:
    """Run one statement in a database."""
    import psycopg

    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(sql)


def find_binaries() -> Path | None:
    """The newest server on this machine."""
    found = [
        folder.parent
        for folder in Path("/usr/lib/postgresql").glob("*/bin/initdb")
        if folder.parent.parent.name.isdigit()
    ]
    on_path = shutil.which("postgres")
    if not found and on_path:
        return Path(on_path).resolve().parent
    return max(found, key=lambda folder: int(folder.parent.name), default=None)


class OwnServer(Server):
    """A server that can be stopped and started again, with what it has kept."""

    def __init__(self, binaries: Path, folder: str, account: str | None) -> None:
        super().__init__(f"postgresql:///{{}}?host={folder}&user=rejudge")
        self._program = [
            binaries / "postgres", "-D", f"{folder}/cluster", "-c", "listen_addresses=",
            "-c", f"unix_socket_directories={folder}", "-c", "max_connections=200",
            "-c", "autovacuum=off", "-c", "fsync=off", "-c", "full_page_writes=off",
        ]  # fmt: skip
        self._folder = folder
        self._account = account
        self._running: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Until it answers."""
        self._running = subprocess.Popen(
            self._program, cwd=self._folder, user=self._account,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _wait_for(self._running, self._address.format("postgres"))

    def stop(self) -> None:
        """At once, as when it crashes."""
        running, self._running = self._running, None
        if running is None:
            return
        running.send_signal(signal.SIGQUIT)
        try:
            running.wait(timeout=20)
        except subprocess.TimeoutExpired:
            running.kill()
            running.wait()


@contextmanager
def server() -> Iterator[Server]:
    """A running server; without one to run, FileNotFoundError."""
    given = os.environ.get("REJUDGE_TEST_POSTGRES")
    if given:
        yield Server(given)
        return
    with own_server() as running:
        yield running


@contextmanager
def own_server() -> Iterator[OwnServer]:
    """A running server of nobody else's; without a program to run, FileNotFoundError."""
    binaries = find_binaries()
    if binaries is None:
        raise FileNotFoundError(ABSENT)
    # the path of a socket must be short and plain, whatever TMPDIR is
    with tempfile.TemporaryDirectory(
        prefix="rejudge-pg-",
        dir="/tmp",
        ignore_cleanup_errors=True,
    ) as folder:
        account = _unprivileged(folder)
        _run(
            [binaries / "initdb", "-D", f"{folder}/cluster", "-A", "trust", "-U", "rejudge",
             "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
            folder, account,
        )  # fmt: skip
        running = OwnServer(binaries, folder, account)
        try:
            running.start()
            yield running
        finally:
            running.stop()


def _unprivileged(folder: str) -> str | None:
    """PostgreSQL does not run as root: then the account that its package made."""
    if os.geteuid() != 0:
        return None
    account = pwd.getpwnam("postgres")
    os.chown(folder, account.pw_uid, account.pw_gid)
    return account.pw_name


def _run(command: list[Path | str], folder: str, account: str | None) -> None:
    done = subprocess.run(
        command, cwd=folder, user=account, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed: {done.stdout}{done.stderr}")


def _wait_for(running: subprocess.Popen[bytes], address: str) -> None:
    import psycopg

    while running.poll() is None:
        try:
            psycopg.connect(address).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"PostgreSQL did not start: exit code {running.returncode}.")
