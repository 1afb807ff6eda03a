"""The standard conditions of measurement, by which two studies are compared besides their scores.

Two studies match in a condition when their values are equal, so values are short labels: write the
same words for the same thing in every paper of a family. What is not known is left out; unknown is
not equal. Keys that begin with `x-` are free.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Group: TypeAlias = Literal["object", "method", "procedure", "participants", "other"]
Holds: TypeAlias = Literal["text", "number", "truth", "list", "number or text"]

FREE = "x-"


@dataclass(frozen=True, slots=True)
class Property:
    """One condition of measurement: its key in paper.yaml and what it says."""

    key: str
    title: str
    group: Group
    holds: Holds
    says: str


def property_of(key: str) -> Property | None:
    """The property of a key; None for an unknown key."""
    if key.startswith(FREE) and len(key) > len(FREE):
        title = key.removeprefix(FREE).replace("-", " ")
        return Property(key, title[0].upper() + title[1:], "other", "number or text", "")
    return _BY_KEY.get(key)


PROPERTIES: tuple[Property, ...] = (
    # object: what was judged
    Property("system-outputs", "System outputs", "object", "text", "Whose outputs were judged."),
    Property("datasets", "Datasets", "object", "list", "Where the inputs come from."),
    Property("language", "Language", "object", "text", "The language of the outputs."),
    Property("items", "Items", "object", "number", "How many different inputs."),
    Property(
        "units", "Units judged", "object", "number", "How many outputs, pairs or sets were judged."
    ),
    Property("sampling", "Sampling of items", "object", "text", "How the inputs were drawn."),
    # method: what was asked and what was made of the answers
    Property(
        "criteria",
        "Criteria",
        "method",
        "list",
        "All criteria that were asked, including those not listed here.",
    ),
    Property(
        "criteria-asked-together",
        "Criteria asked together",
        "method",
        "truth",
        "Whether one person answered several criteria about one output at a time.",
    ),
    Property(
        "definitions",
        "Definitions shown",
        "method",
        "text",
        "What participants read about a criterion.",
    ),
    Property(
        "elicitation",
        "Form of answers",
        "method",
        "text",
        "Choice of one of two, rating, ranking …",
    ),
    Property("scale", "Scale", "method", "text", "The answers that could be given."),
    Property(
        "tie-allowed", "Ties allowed", "method", "truth", "Whether “equally good” was offered."
    ),
    Property("scoring", "Scoring", "method", "text", "How answers became scores."),
    Property("analysis", "Analysis code", "method", "text", "Whose code computed the numbers."),
    Property("test", "Test", "method", "text", "Which test decided on differences."),
    Property("test-unit", "Unit of the test", "method", "text", "What counted as one observation."),
    Property(
        "correction",
        "Correction of p values",
        "method",
        "text",
        "For multiple tests.",
    ),
    # procedure: how it was carried out
    Property("platform", "Platform", "procedure", "text", "Where people were recruited or worked."),
    Property("interface", "Interface", "procedure", "text", "The pages or forms people worked in."),
    Property(
        "information", "Information page", "procedure", "text", "What people read about the study."
    ),
    Property("consent", "Consent page", "procedure", "text", "What people agreed to."),
    Property("instructions", "Instructions", "procedure", "text", "What people were told to do."),
    Property(
        "training",
        "Training",
        "procedure",
        "text",
        "Practice, examples or briefing.",
    ),
    Property("order", "Order of units", "procedure", "text", "Fixed, random, balanced …"),
    Property("batches", "Batches", "procedure", "number", "How many different batches."),
    Property("batch-size", "Units per batch", "procedure", "number", "Without checks."),
    Property(
        "max-batches-per-participant",
        "Maximum batches per participant",
        "procedure",
        "number or text",
        "A number, or `no limit`.",
    ),
    Property("sittings", "Sittings", "procedure", "text", "In one session, or with breaks."),
    Property("checks", "Attention checks", "procedure", "text", "Which kinds, or `none`."),
    Property("checks-per-batch", "Checks per batch", "procedure", "number", "How many."),
    Property(
        "failed-check",
        "What a failed check does",
        "procedure",
        "text",
        "Rejected, asked again, kept …",
    ),
    Property("blind", "Systems hidden", "procedure", "truth", "Whether systems were not named."),
    Property("expected-minutes", "Expected minutes per batch", "procedure", "number", "As stated."),
    Property("pay-per-batch", "Pay per batch", "procedure", "number", "In the currency below."),
    Property(
        "pay-per-hour", "Pay per hour", "procedure", "number", "As promised; 0 if nobody was paid."
    ),
    Property("currency", "Currency of pay", "procedure", "text", "Such as GBP."),
    Property("ethics-review", "Ethics review", "procedure", "truth", "Whether a board approved."),
    Property("dates", "Dates", "procedure", "text", "When judgments were collected."),
    # participants: who judged
    Property("participants", "Participants", "participants", "number", "How many people judged."),
    Property(
        "participants-per-item",
        "Participants per unit",
        "participants",
        "number",
        "How many people judged one unit.",
    ),
    Property("recruitment", "Recruitment", "participants", "text", "How people were invited."),
    Property("countries", "Countries", "participants", "list", "Two-letter codes, A to Z."),
    Property("native-language", "Native language", "participants", "text", "Which was required."),
    Property("approval", "Minimum approval rate", "participants", "number", "In percent."),
    Property(
        "previous-tasks",
        "Minimum number of earlier tasks",
        "participants",
        "number",
        "On the platform.",
    ),
    Property(
        "expertise", "Expertise", "participants", "text", "What people knew about the subject."
    ),
    Property(
        "includes-authors",
        "Authors among participants",
        "participants",
        "truth",
        "Whether any author judged.",
    ),
)

_BY_KEY = {known.key: known for known in PROPERTIES}
