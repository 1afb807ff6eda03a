"""What only a study's authors can say: what it reproduces, and what venues and archives ask.

Nothing of it is shown to participants or enters the design, so it can be completed after the study
was frozen and analysed: it is not part of the study's fingerprint.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from rejudge.study.parts import Part, Text

Impact: TypeAlias = Literal["none", "low", "medium", "high", "unknown"]
Correction: TypeAlias = str | bool | int | float | tuple[str, ...]
ORCID = r"^\d{4}-\d{4}-\d{4}-\d{3}[\dX]$"


class Author(Part):
    """A person who is named as a creator of the published data."""

    name: Text = Field(description="Family name, given names.", examples=["Example, Ada"])
    affiliation: str = Field("", description="The institution.", examples=["Example University"])
    orcid: Annotated[str, Field(pattern=ORCID)] | None = Field(
        None, description="The ORCID iD.", examples=["0000-0002-1825-0097"]
    )


class Reproduces(Part):
    """Which study this one repeats."""

    original: Text = Field(
        description="The name of a paper that comes with rejudge; or the path of a paper file, "
        "of a bundle or of a study's folder, from the folder of study.yaml.",
        examples=["original.zip"],
    )
    lab: str = Field("", description="Who repeats it.", examples=["Our Lab"])


class DeviationNote(Part):
    """Why something is not as in the original, and how much it matters."""

    reason: str = Field("", description="Why.", examples=["Nobody would come by a link."])
    impact: Impact = Field(
        "unknown", description="How much it matters for the numbers, in your opinion."
    )
    original: Correction | None = Field(
        None,
        description="The condition of the original, where the computed one is wrong.",
        examples=["a form in Qualtrics"],
    )
    here: Correction | None = Field(
        None,
        description="The condition of this study, where the computed one is wrong.",
        examples=["a form in Qualtrics"],
    )


class Publication(Part):
    """What a paper, a checklist or an archive says about the study and its data."""

    authors: tuple[Author, ...] = Field(
        (),
        description="Who is named as creators of the published data.",
        examples=[[{"name": "Example, Ada", "affiliation": "Example University"}]],
    )
    licence: str = Field(
        "",
        description="The licence of the published data, as `rejudge bundle --licence` takes it.",
        examples=["CC-BY-4.0"],
    )
    item_terms: str = Field(
        "",
        description="Under which terms the inputs and outputs may be used, by source.",
        examples=["Inputs are from QQP, for non-commercial use; outputs are our own."],
    )
    intended_use: str = Field(
        "",
        description="What the published data are meant for, and what not.",
        examples=["Research on the evaluation of paraphrases."],
    )
    personal_information: str = Field(
        "",
        description="Whether items name people or are offensive, how this was checked, and what "
        "was done about it.",
        examples=["All inputs were read by an author; none names a private person."],
    )
    risks: str = Field(
        "",
        description="Risks to participants, and how they were warned of them.",
        examples=["Texts were screened; no risks beyond those of reading news."],
    )
    adequate_pay: str = Field(
        "",
        description="Why the pay is adequate for where participants live.",
        examples=["It is above the living wage of the United Kingdom."],
    )
    demographics: str = Field(
        "",
        description="Who the participants were, as far as the data do not show it, and whether "
        "they said so themselves.",
        examples=["Five native speakers of English, students of linguistics, self-reported."],
    )
    biases: str = Field(
        "",
        description="Known biases of items, participants or judgments.",
        examples=["Only speakers from the United Kingdom took part."],
    )
    social_impact: str = Field(
        "",
        description="Possible effects of the published data, good or bad.",
        examples=["The judgments can be used to train metrics."],
    )
    maintenance: str = Field(
        "",
        description="Who keeps the published data, and how errors are corrected.",
        examples=["Errors are corrected in new versions of the deposit."],
    )
