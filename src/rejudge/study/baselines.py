"""What study.yaml says about baselines: rules that answer the questions without judging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from pydantic import Field

from rejudge.study.parts import Part, Slug

RuleName: TypeAlias = Literal[
    "copy-wins", "copy-loses", "unknown-loses", "unknown-wins", "longer-wins", "shorter-wins",
    "input-overlap-wins", "input-overlap-loses", "reference-overlap-wins",
    "reference-overlap-loses", "first-shown", "last-shown", "top", "middle", "bottom", "random",
]  # fmt: skip

# What each rule does; the guide lists them.
BASELINE_RULES: Final[Mapping[RuleName, str]] = {
    "copy-wins": "the output that repeats the input is best; in ratings it gets the top",
    "copy-loses": "the opposite",
    "unknown-loses": "an output with an unknown word (unk, <unk>, [UNK]) is worst; in ratings it "
    "gets the bottom",
    "unknown-wins": "the opposite",
    "longer-wins": "the longer output is better, in characters; in ratings the longest of the "
    "study gets the top and the shortest the bottom",
    "shorter-wins": "the opposite",
    "input-overlap-wins": "the output with more words of the input is better (F1 of words); in "
    "ratings all words in common get the top and none the bottom",
    "input-overlap-loses": "the opposite",
    "reference-overlap-wins": "the same with the reference",
    "reference-overlap-loses": "the opposite",
    "first-shown": "the output shown first is best (A); decides comparisons only",
    "last-shown": "the output shown last is best; decides comparisons only",
    "top": "always the highest score; decides ratings only",
    "middle": "always the middle of the scale; decides ratings only",
    "bottom": "always the lowest score; decides ratings only",
    "random": "any answer, all equally likely",
}
_PAIRS: tuple[tuple[RuleName, RuleName], ...] = (
    ("copy-wins", "copy-loses"),
    ("unknown-loses", "unknown-wins"),
    ("longer-wins", "shorter-wins"),
    ("input-overlap-wins", "input-overlap-loses"),
    ("reference-overlap-wins", "reference-overlap-loses"),
)
# Rules that look at texts, and what they become on a question that asks for the opposite.
OPPOSITES: Final[Mapping[RuleName, RuleName]] = {
    **dict(_PAIRS),
    **{second: first for first, second in _PAIRS},
}


class Baseline(Part):
    """Rules that answer every question without judging; the first one that decides counts."""

    id: Slug = Field(description="Short name, used in tables and figures.", examples=["copy-unk"])
    rules: tuple[RuleName, ...] = Field(
        min_length=1,
        description="Rules in order. What no rule decides is a tie, the middle of the scale "
        "or, where a choice must be made, random.",
        examples=[["copy-wins", "unknown-loses"]],
    )
    reversed: tuple[Slug, ...] | None = Field(
        None,
        description="Questions that ask for the opposite, such as “which differs more from the "
        "input?”: rules about texts are reversed for these. When left out, the questions with a "
        "gold check in which the input must lose.",
        examples=[["dissimilarity"]],
    )
    seed: int = Field(1, description="Seed for random answers.")
