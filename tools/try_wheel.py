"""Install the built wheel into a fresh environment and take a study through it.

Run by `make release`: what works only in the editable install is found here.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path


def main(dist: Path) -> None:
    """Make an environment, install the wheel with its pinned libraries, and run a study."""
    (wheel,) = dist.resolve().glob("*.whl")
    lock = Path(__file__).resolve().parent.parent / "requirements.lock"
    with tempfile.TemporaryDirectory() as folder:
        env = Path(folder) / "venv"
        python = env / "bin" / "python"
        _run(sys.executable, "-m", "venv", str(env))
        uv = Path(sys.executable).parent / "uv"
        _run(str(uv), "pip", "install", "-q", "--python", str(python), "-c", str(lock), str(wheel))
        study = str(Path(folder) / "study")
        for words in (["new", study], ["check", study], ["plan", study], ["freeze", study]):
            _run(str(env / "bin" / "rejudge"), *words)
        _run(str(env / "bin" / "rejudge"), "paper", "list")
    print(f"{wheel.name} works.")


def _run(*words: str) -> None:
    subprocess.run(words, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
