"""Study folders to start from: one per kind of question, and four shaped like published studies.

Their files come with the package and are written into a new folder as they are.
"""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rejudge.errors import Problem, UsageError
from rejudge.incoming import follow_links

if TYPE_CHECKING:
    from rejudge.lint.evidence import Template


KINDS: Final = ("pairwise", "rating", "slider", "best-worst", "ranking", "segments")
LIKES: Final = (
    "paraphrase-pairs",
    "question-paraphrases",
    "dialogue-summaries",
    "definitions",
)

_LONGEST_ID = 64
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ]*")  # what YAML cannot take for anything but words
_NOT_WORDS = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


def starter_names() -> tuple[str, ...]:
    """Every starter: the kinds of question first, then the published studies."""
    return (*KINDS, *LIKES)


def folder_files(name: str) -> dict[str, bytes]:
    """The files of a starter by their path in the study folder, study.yaml first."""
    if name not in starter_names():
        raise UsageError(
            Problem(
                f"There is no starter '{name}'.", f"The starters are {', '.join(starter_names())}."
            )
        )
    # Later folders add to earlier ones and take precedence, so that a text stands in one place.
    folders = (
        "common",
        *(("kinds/common", f"kinds/{name}") if name in KINDS else (f"like/{name}",)),
    )
    found: dict[str, bytes] = {}
    for folder in folders:
        found |= _read(files(__package__).joinpath(folder))
    order = sorted(found, key=lambda path: (path != "study.yaml", "/" in path, path))
    return {path: found[path] for path in order}


def templates() -> tuple[Template, ...]:
    """The pages of all starters with the inputs they are about, to find pages left unchanged."""
    from rejudge.lint.evidence import Template

    found = []
    for name in starter_names():
        content = folder_files(name)
        rows = csv.DictReader(io.StringIO(content["items.csv"].decode("utf-8"), newline=""))
        inputs = frozenset(row["input"] for row in rows)
        for role in ("information", "instructions"):
            text = content[f"pages/{role}.md"].decode("utf-8")
            found.append(Template(name, role, text, inputs))
    return tuple(found)


def rename_study(folder: Path, starter: dict[str, bytes]) -> dict[str, bytes]:
    """The same files, with the study's id and title taken from the name of its folder."""
    if "study.yaml" not in starter:
        what = "these files have no study.yaml, so they are not a starter."
        raise UsageError(
            Problem(what, f"Give `folder_files(name)`; the names are {', '.join(starter_names())}.")
        )
    name = follow_links(folder).name
    text = starter["study.yaml"].decode("utf-8")
    text = _replace_value(text, "id", _as_id(name))
    text = _replace_value(text, "title", _as_title(name))
    return starter | {"study.yaml": text.encode("utf-8")}


def _read(folder: Traversable, inside: str = "") -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for entry in folder.iterdir():
        path = f"{inside}{entry.name}"
        found |= _read(entry, f"{path}/") if entry.is_dir() else {path: entry.read_bytes()}
    return found


def _replace_value(text: str, key: str, value: str) -> str:
    """The text with another value for a key at its top; the comment stays in its column."""
    line = next(line for line in text.splitlines() if line.startswith(f"{key}: "))
    column = line.index("#")
    written = f"{key}: {_as_yaml(value)}".ljust(column - 1)
    return text.replace(line, f"{written} {line[column:]}", 1)


def _as_id(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9_.-]+", "-", plain).strip("-_.")
    return words[:_LONGEST_ID].rstrip("-_.") or "my-study"


def _as_title(name: str) -> str:
    # A name that is no text (bytes of another encoding) loses the letters that cannot be shown.
    shown = "".join(letter if letter.isprintable() else " " for letter in name)
    words = " ".join(re.sub(r"[-_]+", " ", shown).split())
    return words[:1].upper() + words[1:] or "My study"


def _as_yaml(value: str) -> str:
    """Words as they are; whatever YAML might read as something else, in quotes."""
    is_plain = _PLAIN.fullmatch(value.replace("-", "x")) and value.lower() not in _NOT_WORDS
    return value if is_plain else json.dumps(value, ensure_ascii=False)
