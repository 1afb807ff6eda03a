"""How long the site takes until it answers, and how much memory it then has."""

from __future__ import annotations

import os
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

_RUNS = 5


def measure_start(rejudge: Path, folder: Path) -> dict[str, Any]:
    """Start and stop it some times; the quickest counts, as the machine is shared."""
    ready, resident = [], []
    # as it is installed for users: with compiled files beside the sources
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(folder / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    _once(rejudge, folder, 17999, environment)
    for run in range(_RUNS):
        seconds, mib = _once(rejudge, folder, 18000 + run, environment)
        ready.append(round(seconds, 2))
        resident.append(mib)
    return {"ready_s": min(ready), "ready_s_all": ready, "rss_mib": max(resident)}


def _once(rejudge: Path, folder: Path, port: int, environment: dict[str, str]) -> tuple[float, int]:
    began = time.perf_counter()
    server = subprocess.Popen(
        [str(rejudge), "serve", str(folder), "--port", str(port)],
        stdout=subprocess.DEVNULL,
        env=environment,
    )
    try:
        while not _answers(port):
            time.sleep(0.005)
        seconds = time.perf_counter() - began
        return seconds, _resident_mib(server.pid)
    finally:
        server.terminate()
        server.wait(20)


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=5) as answer:
            return bool(answer.status < 500)
    except (urllib.error.URLError, OSError):
        return False


def _resident_mib(process: int) -> int:
    for line in Path(f"/proc/{process}/status").read_text("utf-8").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) >> 10
    return 0
