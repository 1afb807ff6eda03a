"""What a datasheet is filled in from: a study, and what a lab answers once for all its sheets.

`datasheet.yaml` in the folder of a study, or the file that `REJUDGE_DATASHEET` names, holds what no
study can know: who completes the sheet, where the paper is, what the systems take and give.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal

import numpy as np
from pydantic import Field, field_validator, model_validator

from rejudge import incoming
from rejudge.analysis.results import Results
from rejudge.channels import Channel, planned_channel
from rejudge.design.pay import Earnings, Quote
from rejudge.design.plan import Plan
from rejudge.errors import StudyError
from rejudge.findings.model import Finding
from rejudge.heds.check import StudyFacts
from rejudge.heds.schema import SheetQuestion, schema
from rejudge.incoming import decode
from rejudge.judgments.exclusions import rules_of, stated_rules
from rejudge.judgments.table import Judgments
from rejudge.power.results import PlannedPower
from rejudge.study.conduct import EMAIL
from rejudge.study.draft import sound_part
from rejudge.study.model import Item, Study
from rejudge.study.parts import Part, Text
from rejudge.study.yaml_file import in_order, read_yaml

PROFILE: Final = "datasheet.yaml"
_OTHER: Final = "Other"
Email = Annotated[str, Field(pattern=EMAIL)]


class Contributor(Part):
    """A person who can be asked about the sheet or the study."""

    name: Text = Field(description="The name.")
    affiliation: str = Field("", description="Where the person works.")
    email: Email | None = Field(None, description="An e-mail address that is read regularly.")


class MainReference(Part):
    """Where the study is described."""

    kind: Literal["paper", "unpublished", "preregistration"] = Field(
        "paper", description="What the link leads to."
    )
    url: str = Field("", description="The link; an unpublished study may have none.")

    @model_validator(mode="after")
    def _leads_somewhere(self) -> MainReference:
        if self.kind != "unpublished" and not self.url.strip():
            raise ValueError(f"a {self.kind} needs its `url`. Add the link.")
        return self


class PowerStatement(Part):
    """A power analysis that was made before the study."""

    method: Text = Field(description="The method, with its source.")
    value: Text = Field(description="The power, with alpha, effect and sample size.")
    script: str = Field("", description="A link to the code.")


class SheetProfile(Part):
    """All that `datasheet.yaml` can say; every part can be left out."""

    completed_by: Contributor | None = Field(None, description="Who completes the sheet.")
    contact: Contributor | None = Field(
        None, description="The contact author; the study's contact when left out."
    )
    reference: MainReference | None = Field(None, description="Where the study is described.")
    resources: tuple[Text, ...] | Literal["none"] | None = Field(
        None, description="Links to data, code and pages; `none` if nothing is shared."
    )
    preregistration: str = Field("", description="A link to the preregistration.")
    interface: str = Field("", description="A link to a copy or pictures of the pages.")
    input_types: tuple[Text, ...] = Field((), description="What the systems take.")
    output_types: tuple[Text, ...] = Field((), description="What the systems produce.")
    tasks: tuple[Text, ...] = Field((), description="What the systems do.")
    power: PowerStatement | None = Field(None, description="A power analysis, if there was one.")
    ethics: str = Field(
        "", description="Who approved the study; `ethics` of study.yaml when left out."
    )

    @field_validator("input_types", "output_types", "tasks")
    @classmethod
    def _names_of_the_form(cls, names: tuple[str, ...], info: object) -> tuple[str, ...]:
        numbers = {"input_types": "2.1", "output_types": "2.2", "tasks": "2.3"}
        named_options(schema("3.0").question(numbers[getattr(info, "field_name", "")]), names)
        return names


def named_options(question: SheetQuestion, names: Sequence[str]) -> tuple[tuple[int, ...], str]:
    """The options that names mean, and the words after "Other: "; a ValueError lists the names.

    A name is the form's own, or the beginning of just one.
    """
    keys: list[int] = []
    others: list[str] = []
    other = next(each for each in question.options if each.name.startswith(_OTHER))
    for name in names:
        head, colon, rest = name.partition(":")
        if colon and head.strip() == _OTHER and rest.strip():
            keys.append(other.key)
            others.append(rest.strip())
            continue
        keys.append(_named_option(question, name))
    return tuple(dict.fromkeys(keys)), "; ".join(others)


def _named_option(question: SheetQuestion, name: str) -> int:
    said = name.strip().casefold()
    exact = [each.key for each in question.options if each.name.casefold() == said]
    alike = [each.key for each in question.options if each.name.casefold().startswith(said)]
    for found in (exact, alike):
        if len(found) == 1:
            return found[0]
    listed = [each.name for each in question.options if not each.takes_text]
    by_start = {each.casefold()[: len(said)]: each for each in listed}
    close = difflib.get_close_matches(said, by_start, n=1)
    hint = f" Did you mean '{by_start[close[0]]}'?" if close else ""
    raise ValueError(
        f"the datasheet has no '{name}'.{hint} Write one of: {'; '.join(listed)}; "
        f"or '{_OTHER}: {name}'."
    )


def read_profile(path: Path) -> SheetProfile:
    """The profile in a file, or everything that is wrong with it."""
    remedy = "Write one with `rejudge heds profile STUDY`."
    content = incoming.read_bytes(path, remedy=remedy, limit=1 << 20)
    file = str(path)
    text = decode(content, file=file)
    if not any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines()):
        return SheetProfile()  # a fresh template has comments only
    written = read_yaml(text, file=file, beginning=remedy)
    understood = sound_part(written, SheetProfile, {}, file=file)
    problems = [*written.problems, *understood.problems]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec


PROFILE_TEMPLATE: Final = """\
# What a datasheet (HEDS) asks and the study cannot know. Remove the # where you know the answer,
# then run `rejudge heds fill`. Copy this file to your other studies.

# completed_by:
#   name: Ada Example
#   affiliation: Example University
#   email: ada@example.org

# contact:                      # the contact author; by default the contact of study.yaml
#   name: Ada Example
#   affiliation: Example University
#   email: ada@example.org

# reference:
#   kind: paper                 # paper, unpublished or preregistration
#   url: https://…              # not needed where it is unpublished

# resources: [https://…]        # data, code, pages; or: none
# preregistration: https://…
# interface: https://…          # a copy or pictures of the pages that participants saw

# Names as in the datasheet; anything else as "Other: …".
# input_types: ["Text: sentence"]
{input_types}
# output_types: ["Text: sentence"]
{output_types}
# tasks: [Summarisation]
{tasks}

# power:
#   method: simulation of the planned test (rejudge)
#   value: 0.85 (alpha 0.05, difference of 0.3 points, 40 participants, 100 items)
#   script: https://…

# ethics: Ethics committee of Example University, no. 123   # by default `ethics` of study.yaml
"""


def profile_template() -> str:
    """A file to complete, with the names that questions 2.1 to 2.3 know."""
    numbers = {"input_types": "2.1", "output_types": "2.2", "tasks": "2.3"}
    return PROFILE_TEMPLATE.format(
        **{
            key: "\n".join(f"#   {each.name}" for each in schema("3.0").question(number).options)
            for key, number in numbers.items()
        }
    )


@dataclass(frozen=True)
class KnownStudy:
    """A study, its plan and, once there are any, its results."""

    study: Study
    plan: Plan
    profile: SheetProfile = field(default_factory=SheetProfile)
    results: Results | None = None  # None: before data collection
    kept: Judgments | None = None  # the judgments that count; None: before data collection
    quote: Quote | None = None  # what was promised to participants
    earned: Earnings | None = None
    period: tuple[date, date] | None = None  # first and last day on which somebody answered
    frozen_on: date | None = None
    power: PlannedPower | None = None  # a fresh power analysis, where there is one

    @cached_property
    def channel(self) -> Channel:
        """By which channel most people answered, or are to answer."""
        used = self.kept.channels if self.kept is not None else ()
        return used[0] if used else planned_channel(self.study.spec.recruitment.platform)

    @property
    def channel_source(self) -> str:
        """Where it is known from."""
        is_used = self.kept is not None and bool(self.kept.channels)
        return "judgments" if is_used else "study.yaml, recruitment, platform"

    @property
    def analysis_source(self) -> str:
        """Where the analysis is known from."""
        return "results" if self.results is not None else "study.yaml, analysis"

    @property
    def contact(self) -> tuple[Contributor | None, str]:
        """Whom to ask, and where that is stated."""
        stated = self.study.spec.contact
        if self.profile.contact is not None or stated is None:
            return self.profile.contact, f"{PROFILE}, contact"
        return Contributor(name=stated.name, email=stated.email), "study.yaml, contact"

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """The items that are judged."""
        used = {task.item for task in self.plan.tasks() if task.is_real}
        return tuple(item for item in self.study.items if item.id in used)

    @cached_property
    def items_by_system(self) -> Mapping[str, int]:
        """How many items each system was judged on, or is to be judged on."""
        if self.kept is not None:
            return _judged_items(self.kept, self.study.system_ids)
        planned: dict[str, set[str]] = {system: set() for system in self.study.system_ids}
        for task in self.plan.tasks():
            for option in task.options if task.is_real else ():
                planned[option].add(task.item)
        return {system: len(items) for system, items in planned.items()}

    def findings(self, question: str) -> tuple[Finding, ...]:
        """What was found on one question; nothing before data collection."""
        found = self.results.select() if self.results else ()
        return tuple(each for each in found if each.question == question)


def countable_facts(known: KnownStudy) -> StudyFacts:
    """The numbers of a study that a sheet must not contradict."""
    spec, results = known.study.spec, known.results
    counts = set(known.items_by_system.values())
    stated = stated_rules(rules_of(known.study))
    is_strict = any(rule.by in {"checks", "answers"} or rule.id == "named" for rule in stated)
    return StudyFacts(
        evaluators=results.flow.participants_kept if results else None,
        outputs_per_system=counts.pop() if len(counts) == 1 else None,
        excluded_participants=None if is_strict else 0,
        has_attention_checks=bool(spec.checks),
        scale_sizes={each.id: len(each.values) for each in spec.questions if each.values},
    )


def _judged_items(kept: Judgments, systems: tuple[str, ...]) -> dict[str, int]:
    real = kept.is_of_kind("real")
    counts = {}
    for system in systems:
        is_about = np.zeros(len(kept), dtype=bool)
        for column in (kept.system, kept.system_a, kept.system_b):
            is_about |= (column.codes >= 0) & (column.codes == column.code(system))
        counts[system] = len(np.unique(kept.item.codes[real & is_about]))
    return counts
