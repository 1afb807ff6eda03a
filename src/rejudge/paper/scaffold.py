"""A paper.yaml to start from: required fields are empty, everything else is a comment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rejudge.paper.conditions import PROPERTIES, Property
from rejudge.paper.model import NamedSystem, Paper, PaperCriterion, PaperScale, PropertyValue
from rejudge.study.schema import line_of_yaml

_GROUPS = {
    "object": "what was judged",
    "method": "what was asked, and what was made of the answers",
    "procedure": "how it was carried out",
    "participants": "who judged",
}
_SYSTEMS = (NamedSystem(id="baseline"), NamedSystem(id="ours"))
_FIRST = "system-outputs"  # to be filled in, so that there are conditions
_CRITERIA = (
    PaperCriterion(id="fluency", scale=PaperScale(kind="rating", low=1, high=5, points=5)),
)


def scaffold(name: str, original: Paper | None = None) -> str:
    """The text of a file for a paper; a reproduction takes over the names of its original."""
    systems = original.systems if original else _SYSTEMS
    criteria = original.criteria if original else _CRITERIA
    parts = (
        _head(name, original),
        _listed("systems", systems, "as in the original" if original else "as printed"),
        _listed("criteria", criteria, "remove what was not asked" if original else "all asked"),
        _case(systems, criteria, original),
        _claims(systems, criteria[0], original),
        _conditions(original),
        _demographics(),
        _of_a_reproduction(original, systems, criteria[0]) if original else (),
        _arithmetic(),
    )
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _head(name: str, original: Paper | None) -> list[str]:
    return [
        "# A published human evaluation as data. `rejudge paper check` reports what is wrong.",
        "# Write numbers as they are printed (0.50 is not 0.5), each with its place; an empty",
        '# cell is "–". Enter numbers as printed even if they cannot be right.',
        f"id: {line_of_yaml(name)}",
        *([f"reproduces: {line_of_yaml(original.id)}"] if original else []),
        "reference:",
        "  authors:            # as cited, such as Steen and Markert",
        "  year:",
        "  title:",
        "  # venue:",
        "  # url:",
        "# lab:                # if several labs are shown side by side",
    ]


def _listed(
    section: str, parts: tuple[NamedSystem, ...] | tuple[PaperCriterion, ...], words: str
) -> list[str]:
    heading = f"{section}:"
    known = (part.model_dump(mode="json", exclude_defaults=True) for part in parts)
    return [f"{heading:<22}# {words}", *(f"  - {line_of_yaml(_tidy(part))}" for part in known)]


def _tidy(part: dict[str, Any]) -> dict[str, Any]:
    """Whole numbers without a point, as somebody would write them."""
    scale = part.get("scale")
    if scale is None:
        return part
    ends = {key: int(end) if end == int(end) else end for key, end in _ends(scale)}
    return {**part, "scale": {**scale, **ends}}


def _ends(scale: dict[str, Any]) -> Iterator[tuple[str, float]]:
    return ((key, scale[key]) for key in ("low", "high") if key in scale)


def _case(
    systems: tuple[NamedSystem, ...], criteria: tuple[PaperCriterion, ...], original: Paper | None
) -> list[str]:
    on = criteria[0].id
    return [
        "cases:                # several, if the paper has several analyses",
        "  - # says:           # how judgments became scores",
        "    scores:           # sd, median and n if printed; is_median for medians",
        *_scores(systems, criteria, original),
        "    # agreement:",
        f"    #   - {{criterion: {on}, coefficient: percent, value: 81.3, place: Table 1}}",
        "    # tests:",
        f"    #   - criterion: {on}",
        f"    #     systems: [{', '.join(system.id for system in systems[:2])}]",
        "    #     test: independent t-test",
        "    #     is_significant: true",
        "    #     statistic: {name: t, value: 5.157, df: [398]}",
        '    #     p: "< 0.001"',
        "    #     effect: {name: d, value: 0.516}",
        "    #     correction: holm",
        "    #     place: section 3.1",
    ]


def _scores(
    systems: tuple[NamedSystem, ...], criteria: tuple[PaperCriterion, ...], original: Paper | None
) -> Iterator[str]:
    cases = original.cases[:1] if original else ()
    printed = {(s.criterion, s.system): s.number.text for case in cases for s in case.known}
    for criterion in criteria:
        for system in systems:
            there = printed.get((criterion.id, system.id))
            if original is not None and there is None:
                continue  # the original prints no score to compare with
            beside = f"  # original: {there}" if there else ""
            yield (
                f"      - {{criterion: {criterion.id}, system: {system.id}, value: , "
                f'place: ""}}{beside}'
            )


def _claims(
    systems: tuple[NamedSystem, ...], criterion: PaperCriterion, original: Paper | None
) -> list[str]:
    if original is not None:
        return ["# The claims to be tested again are those of the original."]
    last = systems[-1].id
    return [
        "# What the paper concludes from its numbers, in a form that can be tested again.",
        "# claims:",
        f"#   - {{id: {last}-best, says: {last} best on {criterion.id}, place: abstract}}",
    ]


def _conditions(original: Paper | None) -> list[str]:
    stated = original.conditions if original else {}
    lines = [
        "# Omit what is not known; unknown is not equal. Your own keys begin with x-.",
        "conditions:",
    ]
    for group, heading in _GROUPS.items():
        lines.append(f"  # {heading}")
        here = (known for known in PROPERTIES if known.group == group)
        lines += [_condition(known, stated.get(known.key)) for known in here]
    return lines


def _condition(known: Property, there: PropertyValue | None) -> str:
    start = f"  {known.key}:" if known.key == _FIRST else f"  # {known.key}:"
    words = known.says if there is None else f"original: {line_of_yaml(there)}"
    return f"{start:<34}# {words}"


def _of_a_reproduction(
    original: Paper, systems: tuple[NamedSystem, ...], criterion: PaperCriterion
) -> list[str]:
    on, first = criterion.id, systems[0].id
    return [
        "# What was done differently and why; differences are found from the conditions.",
        "# deviations:",
        "#   - {property: platform, reason: Why., impact: unknown, place: section 3}",
        "",
        f"# Reproducibility figures that the paper prints, against {original.id}.",
        "# reproducibility:",
        f"#   - {{measure: cv-star, criterion: {on}, system: {first}, value: 0.5, place: Table 2}}",
        f"#   - {{measure: pearson, criterion: {on}, value: 0.99, p: 0.01, place: Table 2}}",
    ]


def _demographics() -> list[str]:
    return [
        "# Who the participants were.",
        "# demographics:",
        "#   - {what: gender, counts: {women: 12, men: 10}, place: section 3}",
        "#   - {what: age, mean: 34.2, sd: 9.1, low: 18, high: 65, place: section 3}",
    ]


def _arithmetic() -> list[str]:
    return [
        "# Further printed numbers that must be consistent; `rejudge audit` checks them.",
        "# arithmetic:",
        "#   - {kind: sum, what: items by dataset, parts: [98, 102], total: 200, place: Table 1}",
    ]
