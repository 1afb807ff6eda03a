"""Run the property tests with random examples until the time is over: `make fuzz`.

Each round has a seed of its own, which is printed, and is always finished. Exit code 1 where a
property failed; pytest has then printed the example, to be pinned with `@example`.

    python tools/fuzz.py [--minutes 10] [--examples random|thorough]
"""

from __future__ import annotations

import argparse
import os
import secrets
import subprocess
import sys
import time

_PYTEST = "-m pytest -n 2 --dist loadfile --no-loadscope-reorder"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--examples", choices=["random", "thorough"], default="random")
    chosen = parser.parse_args()
    end = time.monotonic() + 60 * chosen.minutes
    failed: list[int] = []
    rounds = 0
    while rounds == 0 or time.monotonic() < end:
        seed = secrets.randbits(32)
        rounds += 1
        print(f"Round {rounds}: {chosen.examples} examples, --hypothesis-seed={seed}", flush=True)
        failed += [seed] if _run_round(seed, chosen.examples) else []
    print(f"{rounds} rounds, {len(failed)} with failures", *failed)
    return 1 if failed else 0


def _run_round(seed: int, examples: str) -> int:
    # Hypothesis marks the tests that it runs
    command = [sys.executable, *_PYTEST.split(), "-m", "hypothesis", f"--hypothesis-seed={seed}"]
    return subprocess.run(
        command, env={**os.environ, "REJUDGE_HYPOTHESIS": examples}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main())
