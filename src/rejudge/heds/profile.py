"""What a lab answers once for all its datasheets, in a file of its own.

`datasheet.yaml` in the folder of a study, or the file that `REJUDGE_DATASHEET` names, holds what no
study can know: who completes the sheet, where the paper is, what the systems take and give.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from rejudge import incoming
from rejudge.errors import StudyError
from rejudge.incoming import decode
from rejudge.study.conduct import EMAIL
from rejudge.study.draft import sound_part
from rejudge.study.parts import Part, Text
from rejudge.study.yaml_file import in_order, read_yaml

PROFILE: Final = "datasheet.yaml"
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
    url: Text = Field(description="The link.")


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


def read_profile(path: Path) -> SheetProfile:
    """The profile in a file, or everything that is wrong with it."""
    remedy = "Write one with `rejudge heds profile STUDY`."
    content = incoming.read_bytes(path, remedy=remedy, limit=1 << 20)
    file = str(path)
    text = decode(content, file=file)
    if not _has_values(text):
        return SheetProfile()
    written = read_yaml(text, file=file, beginning=remedy)
    understood = sound_part(written, SheetProfile, {}, file=file)
    problems = [*written.problems, *understood.problems]
    if problems:
        raise StudyError(*in_order(problems, first=file))
    return understood.spec


def _has_values(text: str) -> bool:
    """Whether anything is said; a fresh template has comments only."""
    return any(line.strip() and not line.lstrip().startswith("#") for line in text.splitlines())


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
#   url: https://…

# resources: [https://…]        # data, code, pages; or: none
# preregistration: https://…
# interface: https://…          # a copy or pictures of the pages that participants saw

# input_types: ["Text: sentence"]     # names as in the datasheet's question 2.1
# output_types: ["Text: sentence"]    # question 2.2
# tasks: ["Paraphrasing/lossless simplification"]   # question 2.3

# power:
#   method: simulation of the planned test (rejudge)
#   value: 0.85 (alpha 0.05, difference of 0.3 points, 40 participants, 100 items)
#   script: https://…

# ethics: Ethics committee of Example University, no. 123   # by default `ethics` of study.yaml
"""
