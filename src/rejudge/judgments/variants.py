"""Names that may be the same, but for capitals and spaces."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

_SHOWN = 3  # groups of names that a note lists


def trimmed(names: Iterable[str]) -> Mapping[str, str]:
    """Names without the spaces around them, as far as no two become the same."""
    listed = set(names)
    taken = Counter(name.strip() for name in listed)
    return {
        name: name.strip()
        for name in listed
        if name != name.strip() and name.strip() and taken[name.strip()] == 1
    }


def variant_notes(role: str, names: Sequence[str]) -> Iterator[str]:
    """What to say about names that differ in capitals and spaces only; they are never merged."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_key(name), []).append(name)
    alike = [group for group in groups.values() if len(group) > 1]
    if alike:
        shown = "; ".join(" and ".join(f"'{n}'" for n in group) for group in alike[:_SHOWN])
        more = f" and {len(alike) - _SHOWN:,} more" if len(alike) > _SHOWN else ""
        yield (
            f"Spelt alike, but counted as different {role}s: {shown}{more}. Correct the file if "
            "they are the same."
        )


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\s_-]+", " ", folded).strip()
