"""A paper.yaml: read into a paper, or into everything that is wrong with it; and one to start from.

A file of conditions has the same keys, and describes results that have no study. Some papers come
with rejudge: facts from published tables, each with its place.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from typing import Any, get_args

from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import Problem, StudyError, UsageError
from rejudge.fingerprint import Json
from rejudge.paper.conditions import PROPERTIES, Property
from rejudge.paper.consistency import inconsistencies
from rejudge.paper.model import (
    FORMAT,
    NamedSystem,
    Paper,
    PaperCriterion,
    PaperScale,
    PropertyValue,
)
from rejudge.paper.printed import PrintedNumber, PrintedProbability
from rejudge.study.draft import sound_part
from rejudge.study.schema import field_at, line_of_yaml
from rejudge.study.yaml_file import Path, YamlFile, in_order, read_yaml, refuse_other_format

_STAND_INS: dict[str, Json] = {
    "id": "paper",
    "reference": {"authors": "?", "year": 2000, "title": "?"},
    "systems": [{"id": "system"}],
    "criteria": [{"id": "criterion", "scale": {"kind": "unbounded"}}],
}
UNSTATED = (
    "unstated"  # placeholder for what a file of conditions may omit, because the results have it
)
_UNSTATED_PARTS: dict[str, Json] = {
    "id": UNSTATED,
    "reference": {"authors": UNSTATED, "year": 2000, "title": UNSTATED},
    "systems": [{"id": UNSTATED}],
    "criteria": [{"id": UNSTATED, "scale": {"kind": "unbounded"}}],
}
_CONDITIONS_REMEDY = (
    "Write what is known about how the judgments were collected, such as `conditions: {platform: "
    "Prolific, participants-per-item: 3}`; docs/reference/paper-yaml.md lists the keys."
)


def parse(text: str, *, file: str = "paper.yaml") -> Paper:
    """The paper that a text describes.

    Raises one `StudyError` with every problem of the text, in the order of lines.
    """
    written = read_yaml(
        text.removeprefix("\ufeff"),
        file=file,
        beginning="`rejudge paper new FILE` writes one to start from.",
    )
    refuse_other_format(written, FORMAT, file=file)
    written = as_printed(written)
    understood = sound_part(written, Paper, _STAND_INS, file=file)
    problems = [
        *written.problems,
        *understood.problems,
        *inconsistencies(understood, written, file=file),
    ]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec


def as_printed(written: YamlFile) -> YamlFile:
    """The same, with printed numbers as written in the file: 0.50 keeps its two decimals."""
    values = copy.deepcopy(written.values)
    for path, word in written.words.items():
        if _is_printed(tuple(part for part in path if isinstance(part, str))):
            _put(values, path, word)
    return replace(written, values=values)


@cache
def _is_printed(names: tuple[str, ...]) -> bool:
    declared = field_at(names, Paper)
    return declared is not None and any(
        part in {PrintedNumber, PrintedProbability} for part in _types_in(declared.annotation)
    )


def _types_in(annotation: Any) -> Iterator[Any]:  # a type expression
    yield annotation
    for inner in get_args(annotation):
        yield from _types_in(inner)


def _put(values: Json, path: Path, word: str) -> None:
    """Replace a number by the text it was read from; other values stay."""
    around = values
    for part in path[:-1]:
        around = _inside(around, part)
    last = path[-1]
    if not _is_number(_inside(around, last)):
        return
    if isinstance(around, dict):
        around[str(last)] = word
    elif isinstance(around, list):
        around[int(last)] = word


def _inside(around: Json, part: str | int) -> Json:
    if isinstance(around, dict):
        return around.get(str(part))
    if isinstance(around, list) and isinstance(part, int) and part < len(around):
        return around[part]
    return None  # of a duplicate key the first counts, and it may be shorter


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def parse_conditions(text: str, *, file: str = "conditions.yaml") -> Paper:
    """A file with the keys of paper.yaml, of which only `conditions` is required.

    Raises one `StudyError` with every problem of the text, in the order of lines.
    """
    return _described_paper(
        read_yaml(text.removeprefix("\ufeff"), file=file, beginning=_CONDITIONS_REMEDY), file=file
    )


def parse_run_conditions(
    text: str, *, file: str = "conditions.yaml"
) -> Mapping[str, Paper] | Paper:
    """The same for one run, or for several: then every key is the id of a run, with its section.

    Raises one `StudyError` with every problem of the text.
    """
    written = read_yaml(text.removeprefix("\ufeff"), file=file, beginning=_CONDITIONS_REMEDY)
    values = written.values
    is_one = any(name in Paper.model_fields for name in values)
    if is_one or not all(isinstance(section, dict) for section in values.values()):
        return _described_paper(written, file=file)
    if written.problems:
        raise StudyError(*in_order(written.problems, first=file))
    found: dict[str, Paper] = {}
    problems: list[Problem] = []
    for name in values:
        try:
            found[name] = _described_paper(
                _section(written, name), file=file, of=f" in the section '{name}'"
            )
        except StudyError as error:
            problems.extend(error.problems)
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return found


def unstated_conditions() -> Paper:
    """The description of a run for which no conditions are given."""
    return Paper.model_validate(_UNSTATED_PARTS)


def _section(written: YamlFile, name: str) -> YamlFile:
    """The content of one key, with its lines."""
    inside = written.values[name]
    return YamlFile(
        inside if isinstance(inside, dict) else {},
        {path[1:]: line for path, line in written.lines.items() if path[:1] == (name,)},
        {path[1:]: word for path, word in written.words.items() if path[:1] == (name,)},
    )


def _described_paper(written: YamlFile, *, file: str, of: str = "") -> Paper:
    values = written.values
    if not values.get("conditions"):
        line = written.line(()) if of else None
        raise StudyError(
            Problem(f"there are no conditions{of}.", _CONDITIONS_REMEDY, file=file, line=line)
        )
    written = as_printed(replace(written, values={**_UNSTATED_PARTS, **values}))
    understood = sound_part(written, Paper, _UNSTATED_PARTS, file=file)
    problems = [
        *written.problems,
        *understood.problems,
        *inconsistencies(understood, written, file=file),
    ]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec


_ENDING = ".yaml"


def shipped_ids() -> tuple[str, ...]:
    """Their ids, in order of names."""
    names = (entry.name for entry in _folder().iterdir())
    return tuple(sorted(name.removesuffix(_ENDING) for name in names if name.endswith(_ENDING)))


def open_shipped(name: str) -> Paper:
    """One of them."""
    return parse(shipped_text(name), file=f"{name}{_ENDING}")


def shipped_text(name: str) -> str:
    """The text of one of them, to read or to start from."""
    known = shipped_ids()
    if name not in known:
        raise UsageError(
            Problem(
                f"there is no paper '{name}'.",
                did_you_mean(name, known)
                or f"The papers that come with rejudge are {join_quoted(known)}.",
            )
        )
    return _folder().joinpath(f"{name}{_ENDING}").read_text("utf-8")


def _folder() -> resources.abc.Traversable:
    return resources.files("rejudge.paper").joinpath("shipped")


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
        _yaml_list("systems", systems, "as in the original" if original else "as printed"),
        _yaml_list("criteria", criteria, "remove what was not asked" if original else "all asked"),
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


def _yaml_list(
    section: str, parts: tuple[NamedSystem, ...] | tuple[PaperCriterion, ...], words: str
) -> list[str]:
    heading = f"{section}:"
    known = (part.model_dump(mode="json", exclude_defaults=True) for part in parts)
    return [
        f"{heading:<22}# {words}",
        *(f"  - {line_of_yaml(_plain_number(part))}" for part in known),
    ]


def _plain_number(part: dict[str, Any]) -> dict[str, Any]:
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
