"""How the site bears many people at once, and what it keeps when things go wrong.

Plays participants against `rejudge serve` with the load generator of ../shared/bench (or
$REJUDGE_SHARED/bench): load, faults, lapse and crash, on SQLite and PostgreSQL, with one and
several processes; beside it the ceiling server that comes with the generator, and Potato from PyPI.
Writes results/load.json. Without the generator there is nothing to do.

    python benchmarks/bench_load.py [--quick] [--only sqlite-1-one,…]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from load.folder import PEOPLE, Load, make_folder
from load.postgres import cluster, create_database, find_binaries
from load.potato import make_potato
from load.start import measure_start

HERE = Path(__file__).parent
BENCH = Path(os.environ.get("REJUDGE_SHARED", HERE.parents[1] / "shared")) / "bench"
RESULT = HERE / "results" / "load.json"
REJUDGE = Path(sys.executable).with_name("rejudge")
_HELD_MINUTES = 0.15  # for scenarios in which work lapses
_LAPSE_SECONDS = 12
_RUNS = 3  # of what takes a second: the machine is shared


@dataclass(frozen=True, slots=True)
class Place:
    """Where everything is kept while it is measured."""

    folder: Path
    python: Path  # with what the load generator needs
    postgres: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """One run: a database, so many processes, a layout, a scenario."""

    database: str
    workers: int
    show: str
    scenario: str
    participants: int
    concurrency: int = 100

    @property
    def name(self) -> str:
        """Such as sqlite-1-one-load-100."""
        return "-".join(
            map(str, (self.database, self.workers, self.show, self.scenario, self.concurrency))
        )


def main() -> None:
    """Run everything and write what came of it."""
    wanted = _arguments()
    if not (BENCH / "loadgen.py").exists():
        print(f"There is no load generator in {BENCH}; set REJUDGE_SHARED.")
        return
    with tempfile.TemporaryDirectory(prefix="rejudge-load-", dir=wanted.temporary) as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL runs as somebody else
        server = cluster(folder / "postgres") if find_binaries() else nullcontext(None)
        with server as postgres:
            place = Place(folder, wanted.python or _python(folder, "load", "aiohttp"), postgres)
            rows = list(_measured(place, wanted))
    _write(rows, is_partial=bool(wanted.only))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the people")
    parser.add_argument("--only", default="", help="names, or how names begin, up to a dash")
    parser.add_argument("--python", type=Path, help="a Python that has aiohttp")
    parser.add_argument("--potato", type=Path, help="a Python that has potato-annotation")
    parser.add_argument("--temporary", help="where to keep databases; on the disk to be measured")
    return parser.parse_args()


def _cases(postgres: str | None) -> Iterator[Case]:
    for database in ("sqlite", *(("postgres",) if postgres else ())):
        for workers in (1, 2):
            yield Case(database, workers, "one", "load", 300)
            yield Case(database, workers, "list", "load", 600)
            yield Case(database, workers, "one", "faults", 60)
            yield Case(database, workers, "one", "lapse", 30)
            yield Case(database, workers, "list", "lapse", 30)
            yield Case(database, workers, "one", "crash", 150)
        yield Case(database, 1, "one", "load", 20, concurrency=1)
        yield Case(database, 1, "list", "load", 40, concurrency=1)


def _measured(place: Place, wanted: argparse.Namespace) -> Iterator[dict[str, Any]]:
    chosen = tuple(filter(None, wanted.only.split(",")))
    scale = 10 if wanted.quick else 1

    def is_wanted(name: str) -> bool:
        return not chosen or any(f"{name}-".startswith(f"{each}-") for each in chosen)

    for case in _cases(place.postgres):
        if is_wanted(case.name):
            yield _said({"case": case.name, **_measure(place, case, scale)})
    if is_wanted("bare"):
        yield _said({"case": "bare-load-100", **_bare(place, 600 // scale)})
    if is_wanted("potato"):
        python = wanted.potato or _python(place.folder, "potato", "potato-annotation")
        yield _said({"case": "potato-one-load-10", **_potato(place, python, 40 // scale)})
    if is_wanted("start"):
        study = make_folder(place.folder / "start", Load(50))
        yield _said({"case": "start", **measure_start(REJUDGE, study)})
    if is_wanted("probes"):
        yield _said({"case": "probes", **_probes(place)})


def _measure(place: Place, case: Case, scale: int) -> dict[str, Any]:
    """One run; of those with one person at a time, which take a second, the quickest of some."""
    if case.concurrency > 1:
        return _run(place, case, scale)
    runs = [_run(place, case, scale, again=number) for number in range(_RUNS)]
    best = min(runs, key=_median_open)
    return {**best, "open_p50_ms_all": [_median_open(run) for run in runs]}


def _median_open(run: dict[str, Any]) -> float:
    found: float = run["ops"]["open"]["p50_ms"]
    return found


def _run(place: Place, case: Case, scale: int, *, again: int = 0) -> dict[str, Any]:
    is_short = case.scenario in {"lapse", "faults"}
    people = case.participants if is_short else max(case.participants // scale, 10)
    if case.scenario == "faults":
        batches = 60
    else:  # every place is wanted, and none is left when the work lapses
        batches = -(-people // PEOPLE) if case.scenario == "lapse" else -(-people // PEOPLE) + 5
    load = Load(batches, case.show, _HELD_MINUTES if is_short else 60.0)  # type: ignore[arg-type]  # of _cases
    name = f"{case.name}-{again}" if again else case.name
    folder = make_folder(place.folder / name, load)
    database = str(folder / "study.db")
    if case.database == "postgres" and place.postgres is not None:
        database = create_database(place.postgres, name)
    port = _free_port()
    command = (
        f"{REJUDGE} serve {folder} --port {port} --workers {case.workers} --database {database}"
    )
    return _loadgen(
        place,
        ("load.site", f"http://127.0.0.1:{port}", "--scenario", case.scenario),
        ("-n", people, "-c", min(case.concurrency, max(people // 2, 1))),
        ("--opt", f"folder={folder}", "--opt", f"database={database}"),
        ("--opt", f"python={sys.executable}", "--opt", f"expire_s={_LAPSE_SECONDS}"),
        ("--opt", f"show={case.show}", "--kill-after", max(people // 3, 3), "--warmup", 3),
        ("--server-cmd", command, "--cwd", folder, "--server-log", folder / "server.log"),
    )


def _bare(place: Place, people: int) -> dict[str, Any]:
    folder = place.folder / "bare"
    port = _free_port()
    uvicorn = Path(sys.executable).with_name("uvicorn")
    command = f"{uvicorn} bare_asgi:app --port {port} --no-access-log --app-dir {BENCH}"
    return _loadgen(
        place,
        ("bare", f"http://127.0.0.1:{port}", "-n", people, "-c", 100, "--warmup", 3),
        ("--server-cmd", command, "--cwd", folder, "--env", "BARE_DB=bare.db"),
        ("--env", "BARE_GROUP=1", "--env", f"BARE_BATCHES={people // PEOPLE + 5}"),
        ("--server-log", folder / "server.log"),
    )


def _potato(place: Place, python: Path, people: int) -> dict[str, Any]:
    folder = place.folder / "potato-study"
    config = make_potato(folder, people // PEOPLE + 3)
    port = _free_port()
    command = f"{python.with_name('potato')} start {config.name} -p {port}"
    return _loadgen(
        place,
        ("potato", f"http://127.0.0.1:{port}", "-n", people, "-c", min(10, people)),
        ("--opt", f"out={folder / 'annotation_output'}", "--seconds", 400),
        ("--server-cmd", command, "--cwd", folder, "--server-log", folder / "server.log"),
    )


def _probes(place: Place) -> dict[str, Any]:
    """The security probes that come with the generator; what they find is listed by verdict."""
    folder = make_folder(place.folder / "probes", Load(20, recruitment="open: true"))
    port = _free_port()
    command = [str(REJUDGE), "serve", str(folder), "--port", str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        _wait_for(port)
        asked = [place.python, BENCH / "probes.py", f"http://127.0.0.1:{port}", "--kind", "generic"]
        asked += ["--open", "/?who={pid}", "--submit", "/save"]
        said = _output(*asked)
    finally:
        server.terminate()
        server.wait(20)
    found: dict[str, list[str]] = {}
    for line in said.splitlines():
        verdict, _, rest = line.partition(" ")
        found.setdefault(verdict, []).append(" ".join(rest.split()))
    return {
        "vulnerable": found.get("VULN", []),
        "ok": found.get("ok", []),
        "notes": found.get("note", []),
    }


def _loadgen(place: Place, *words: tuple[object, ...]) -> dict[str, Any]:
    command = [place.python, BENCH / "loadgen.py", *(word for some in words for word in some)]
    found: dict[str, Any] = json.loads(_output(*command))
    return found


def _output(*words: object) -> str:
    source = os.pathsep.join((str(HERE), str(HERE.parent / "src")))  # this very tree is measured
    environment = {**os.environ, "PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [*map(str, words)], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{words[1]} failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def _python(folder: Path, name: str, package: str) -> Path:
    """A Python of its own with a package that this project does not need."""
    print(f"installing {package} …", flush=True)
    home = folder / f"venv-{name}"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    subprocess.run([str(python), "-m", "pip", "install", "-q", package], check=True)
    return python


def _said(row: dict[str, Any]) -> dict[str, Any]:
    ops, check = row.get("ops", {}), row.get("check", {})
    words = [f"{row['case']:<26}"]
    for key, unit in (
        ("participants_per_s", "/s"),
        ("server_cpu_ms_per_participant", "ms CPU each"),
        ("server_rss_mib", "MiB"),
    ):
        if key in row:
            words.append(f"{row[key]} {unit}")
    if "open" in ops:
        words.append(f"open p50 {ops['open']['p50_ms']} p95 {ops['open']['p95_ms']} ms")
    words += [f"{key} {value}" for key, value in check.items() if key in _WATCHED and value]
    words += [f"{key} {row[key]}" for key in ("vulnerable", "ready_s", "rss_mib") if key in row]
    print("; ".join(words), flush=True)
    return row


_WATCHED = (
    "lost_acked", "stored_but_different", "batches_over_k", "same_participant_twice_in_batch",
    "refused_submits", "errors",
)  # fmt: skip


def _write(rows: list[dict[str, Any]], *, is_partial: bool) -> None:
    known = json.loads(RESULT.read_text("utf-8"))["rows"] if is_partial and RESULT.exists() else []
    fresh = {row["case"] for row in rows}
    result = {
        "what": "participants against the site: 32 pairwise tasks each, new connection per request",
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "rows": [*(row for row in known if row["case"] not in fresh), *rows],
    }
    RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"Written: {RESULT}")


def _free_port() -> int:
    import socket

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _wait_for(port: int) -> None:
    import socket
    import time

    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return


if __name__ == "__main__":
    main()
