"""Checks of the tree that no linter makes: versions agree, locks name no host, no machine path.

Run by `make check`; prints what is wrong and ends with 1.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|tmp)/\w")
MAY_NAME_PATHS = {"tools/check_tree.py", ".ci/run", "Dockerfile"}


def main() -> int:
    """Print every fault and say whether there was one."""
    faults = [*_versions(), *_locks(), *_paths()]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def _versions() -> list[str]:
    source = (ROOT / "src/rejudge/version.py").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "([^"]+)"', source)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[?([0-9][^\]\s]*)", changelog, flags=re.MULTILINE)
    if version is None or newest is None or version[1] != newest[1]:
        return ["CHANGELOG.md and src/rejudge/version.py do not name the same newest version."]
    return []


def _locks() -> list[str]:
    locks = [ROOT / name for name in _tracked() if name.endswith((".lock", "lock.json"))]
    return [
        f"{path.name}: names an address; lock without hosts (make lock)."
        for path in locks
        if "://" in path.read_text(encoding="utf-8")
    ]


def _paths() -> list[str]:
    faults = []
    for name in _tracked():
        path = ROOT / name
        if name in MAY_NAME_PATHS or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        faults += [
            f"{name}:{number}: names a path of one machine."
            for number, line in enumerate(text.splitlines(), start=1)
            if MACHINE_PATH.search(line)
        ]
    return faults


def _tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"],  # noqa: S607 - whatever git the person has
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return listed.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
