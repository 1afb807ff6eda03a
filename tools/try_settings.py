"""Run `make test` of the last commit in ten settings, and print how each of them ended.

    python tools/try_settings.py            # about an hour and a half, as root on Debian
    python tools/try_settings.py idle user  # only these

All must be green, with the same number of tests wherever the same things are installed. Each run
is a clean clone in a temporary folder; the output of each is kept there, and the folder is printed.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_SYSTEM = "ca-certificates,git,make,python3,python3-venv"
_FROM_HERE = ("/etc/resolv.conf", "/etc/pip.conf", "/etc/ssl/certs/ca-certificates.crt")


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to run the tests: in a clone at `folder`, by a shell command."""

    command: str = "make test"
    folder: str = "rejudge"


# The tests get a third of the processor beside four busy processes, and a sixth at nice 19.
SETTINGS = {
    "idle": Setting(),
    "busy": Setting(".ci/busy 4 make test"),
    "nice": Setting("nice -n 15 .ci/busy 4 nice -n 4 make test"),
    "one worker": Setting("make test WORKERS=1"),
    "four workers": Setting("make test WORKERS=4"),
    "zone": Setting("TZ=Pacific/Kiritimati LANG=C COLUMNS=43 make test"),
    "hash 1": Setting("PYTHONHASHSEED=1 make test"),
    "hash 2": Setting("PYTHONHASHSEED=2 make test"),
    "hash 3": Setting("PYTHONHASHSEED=3 make test"),
    "user": Setting(
        "chown -hR nobody .. && runuser -u nobody -- env HOME=$PWD/.. PATH=/usr/bin:/bin make test",
        folder="nobody/rejudge",
    ),
    "path": Setting(folder="a path with spaces and an ü/rejudge"),
    "bare": Setting(
        "unshare --mount sh -c 'mount -t proc proc ../../proc && "
        "exec chroot ../.. env HOME=/root PATH=/usr/bin:/bin make -C /opt/rejudge test'",
        folder="bare/opt/rejudge",
    ),
}


def main() -> int:
    chosen = sys.argv[1:] or list(SETTINGS)
    work = Path(tempfile.mkdtemp(prefix="rejudge-settings-"))
    work.chmod(0o755)
    print(f"Output in {work}", flush=True)
    codes = [_run(name, SETTINGS[name], work) for name in chosen]
    return max(codes)


def _run(name: str, setting: Setting, work: Path) -> int:
    folder = work / setting.folder
    if name == "bare":
        _make_system(work / "bare")
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["git", "clone", "-q", str(_ROOT), str(folder)], check=True)
        shared = _ROOT.parent / "shared"
        if shared.is_dir() and name != "bare":
            (folder.parent / "shared").symlink_to(shared)
    log = work / f"{name}.log"
    start = time.monotonic()
    with log.open("w", encoding="utf-8") as out:
        done = subprocess.run(
            ["bash", "-c", setting.command], cwd=folder, stdout=out, stderr=out,
            env={**_environment(), "PYTHON": _python(name)}, check=False,
        )  # fmt: skip
    minutes = (time.monotonic() - start) / 60
    words = re.findall(r"^\d+ (?:passed|failed).*?(?= in )", log.read_text("utf-8"), re.MULTILINE)
    result = words[-1] if words else "no tests"
    print(f"{name:<13} exit {done.returncode}  {minutes:5.1f} min  {result}", flush=True)
    return done.returncode


def _environment() -> dict[str, str]:
    return {key: value for key, value in os.environ.items() if not key.startswith("REJUDGE")}


def _python(name: str) -> str:
    return "/usr/bin/python3" if name in {"user", "bare"} else "python3"


def _make_system(target: Path) -> None:
    """Debian with Python, git and make, and with this machine's way to the package registries."""
    command = ["debootstrap", "--variant=minbase", f"--include={_SYSTEM}", "bookworm", str(target)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    for file in map(Path, _FROM_HERE):
        if file.exists():
            (target / file.relative_to("/")).write_bytes(file.read_bytes())


if __name__ == "__main__":
    sys.exit(main())
