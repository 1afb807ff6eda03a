"""Checks that no linter makes: versions, lock files, machine-specific paths, banned phrases.

Run by `make check`. Prints every problem and exits with 1 if there is one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:work|root|home|tmp)/\w")
MAY_NAME_PATHS = {"tools/check_tree.py", ".ci/run", "Dockerfile"}

# Phrases that are always wrong here (see STYLE.md), each with what to write instead.
BANNED_PHRASES = {
    r"found wanting": "N problems found",
    r"\bshall\b": "must, will or should",
    r"\bwhat of an? ": "which parts of a",
    r"(?<!there )\bis no (?:zip|number|folder|table|study|bundle|CSV|JSON|TOML)": "is not a",
    r"(?<!there )\bis no (?:comparison|archive)\b": "is not a",
    r"\bat hand\b": "available",
    r"\bnone too often\b": "has too many false positives",
    r"\bspoken for\b": "generalise to",
    r"\b(?:done|called|named|written) otherwise\b": "differently",
    r"\bstands? empty\b": "is empty",
    r"\bmend(?:s|ed|ing)?\b": "fix or handle",
    r"\bto the byte\b": "byte for byte",
    r"\bwho declines\b": "people who decline",
    r"\bcalled saved\b": "marked as saved",
    r"\bbefore people\b": "to participants",
    r"\bmade anew\b": "created or recomputed",
    r"\bheld against\b": "compared with",
    r"\bnothing fills\b": "there is no value for",
    r"\bin no time\b": "within seconds",
    r"\btaken home\b": "downloaded",
    r"\bin place of\b": "instead of",
    r"\b(?:put|written|drawn|computed|numbered|converted|export it) anew\b": "again",
    r"\bin silence\b": "silently",
    r"\bhidden line\b": "latent scale",
    r"\bas ever\b": "as usual",
    r"\bnone of them (?:is )?the verdict\b": "no single one is the verdict",
    r"\brests on (?:few|\{)": "is based on",
    r"\btak(?:e|es|en) (?:\w+ ){0,3}as independent\b": "treat as independent",
    r"\bdo(?:es)? not do justice\b": "is not accurate for",
    r"\bnothing says (?:how|what|which|whether)\b": "it is not known, or X does not say",
    r"\"\"\"So (?:many|few)\b": "This many",
    r"\bnot to be had\b": "not available",
    r"\b(?:is|are) not told\b(?! (?:how|that|whom|which))": "is not stated",
    r"«\w": "use English quotation marks",
}
CHECKED_TEXTS = (".py", ".md", ".html", ".yaml", ".json")
MAY_HOLD_PHRASES = re.compile(
    r"CHANGELOG\.md|STYLE\.md|tools/check_tree\.py|docs/decisions/.*|benchmarks/results/.*"
    r"|src/rejudge/web/catalogue/(?!en\b).*|src/rejudge/design/phrases\.py"
    r"|src/rejudge/paper/shipped/.*"  # quotations from papers
)


def main() -> int:
    """Print every fault and say whether there was one."""
    faults = [*_versions(), *_locks(), *_paths(), *_phrases()]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def _versions() -> list[str]:
    source = (ROOT / "src/rejudge/version.py").read_text(encoding="utf-8")
    version = re.search(r'__version__ = "([^"]+)"', source)
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[?([0-9][^\]\s]*)", changelog, flags=re.MULTILINE)
    if version is None or newest is None or version[1] != newest[1]:
        return ["CHANGELOG.md and src/rejudge/version.py give different versions."]
    return []


def _locks() -> list[str]:
    locks = [ROOT / name for name in _tracked() if name.endswith((".lock", "lock.json"))]
    return [
        f"{path.name}: contains a host name; run `make lock`."
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
            f"{name}:{number}: contains a path that exists on one machine only."
            for number, line in enumerate(text.splitlines(), start=1)
            if MACHINE_PATH.search(line)
        ]
    return faults


def _phrases() -> list[str]:
    banned = {re.compile(pattern, re.IGNORECASE): hint for pattern, hint in BANNED_PHRASES.items()}
    return [
        f'{name}:{number}: "{found[0].strip()}": write {hint}.'
        for name in _tracked()
        if name.endswith(CHECKED_TEXTS) and not MAY_HOLD_PHRASES.fullmatch(name)
        for number, line in _lines(ROOT / name)
        for pattern, hint in banned.items()
        if (found := pattern.search(line))
    ]


def _lines(path: Path) -> list[tuple[int, str]]:
    if not path.is_file():  # deleted, but not yet in a commit
        return []
    return list(enumerate(path.read_text(encoding="utf-8").splitlines(), start=1))


def _tracked() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return listed.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
