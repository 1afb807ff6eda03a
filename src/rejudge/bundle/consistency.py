"""Whether the parts of a bundle belong together: what it says of itself against its files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, TypeAlias

from rejudge.bundle.making import pages_as_shown, prints
from rejudge.bundle.manifest import MANIFEST
from rejudge.files import RESULTS
from rejudge.version import __version__

if TYPE_CHECKING:
    from rejudge.bundle.opening import Bundle

Leaf: TypeAlias = Any  # a number, a word, a truth value or None, as JSON has them

SIGNED = ("study", "plan", "judgments")  # fingerprints that results carry in their signature


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that a bundle says and that its files contradict."""

    file: str
    place: str
    stored: Leaf
    computed: Leaf


def contradictions(bundle: Bundle) -> Iterator[Difference]:
    """Every place where a bundle's files do not belong together.

    Checksums alone do not show it: whoever edits a file can write the list of checksums again.
    """
    yield from _edited(bundle)
    now = prints(bundle.study, bundle.plan, bundle.judgments)
    for name, computed in now.items():
        stored = bundle.made_from.get(name)
        if stored != computed:
            yield Difference(MANIFEST, f"made_from.{name}", stored, computed)
    for name in SIGNED:
        stored = getattr(bundle.results.signature, name)
        if stored != now[name]:
            yield Difference(RESULTS, f"signature.{name}", stored, now[name])
    yield from _description(bundle)
    yield from _pages(bundle)


def _pages(bundle: Bundle) -> Iterator[Difference]:
    """Pages as people read them that the study does not give; other versions fill differently."""
    if bundle.manifest.interface.rejudge != __version__:
        return
    day = (
        bundle.frozen.at.date() if bundle.frozen else date.fromisoformat(bundle.manifest.published)
    )
    for name, text in pages_as_shown(bundle.study, bundle.plan, on=day).items():
        if bundle.files.get(name, text) != text:
            yield Difference(name, "text", "as people read it", "not what the study's page gives")


def _edited(bundle: Bundle) -> Iterator[Difference]:
    for name in bundle.edited:
        yield Difference(name, "checksum", "as rejudge wrote it", "edited since")


def _description(bundle: Bundle) -> Iterator[Difference]:
    """What the manifest says about the study, where its files say something else."""
    spec, manifest = bundle.study.spec, bundle.manifest
    actual = {
        "study": spec.id,
        "title": spec.title,
        "is_simulated": bundle.judgments.simulated > 0,
        "reproduces": bundle.reproduces.study if bundle.reproduces else None,
    }
    for name, computed in actual.items():
        if getattr(manifest, name) != computed:
            yield Difference(MANIFEST, name, getattr(manifest, name), computed)
