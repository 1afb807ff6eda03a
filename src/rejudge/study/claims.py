"""Claims: what the numbers of a study will show, in a form that can be tested again.

separator best on meaning
order vae > separator > lbow on meaning
vae > dips on fluency
separator > lbow, dips on meaning
vae > dips on fluency with p < 0.05
vae ~ separator on fluency within 0.2
krippendorff-alpha >= 0.6 on meaning
"""

from __future__ import annotations

import re
from typing import Literal, TypeAlias, get_args

from pydantic import Field, field_validator

from rejudge.study.methods import Coefficient
from rejudge.study.parts import Part, Slug

ClaimKind: TypeAlias = Literal["best", "worst", "order", "better", "equivalent", "agreement"]
# Claims are data: what a study says its numbers show, in a form that can be tested again.
_NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]*"
_NUMBER = r"[0-9]*\.?[0-9]+"
_TESTED = rf"(?: with p < (?P<p_below>{_NUMBER}))?"  # a claim about significance
_FORMS: tuple[tuple[ClaimKind, re.Pattern[str]], ...] = (
    ("best", re.compile(rf"^(?P<systems>{_NAME}) best on (?P<question>{_NAME}){_TESTED}$")),
    ("worst", re.compile(rf"^(?P<systems>{_NAME}) worst on (?P<question>{_NAME}){_TESTED}$")),
    (
        "order",
        re.compile(
            rf"^order (?P<systems>{_NAME}(?: > {_NAME}){{1,}}) on (?P<question>{_NAME}){_TESTED}$"
        ),
    ),
    (
        "equivalent",
        re.compile(
            rf"^(?P<systems>{_NAME} ~ {_NAME}) on (?P<question>{_NAME}) "
            rf"within (?P<bound>{_NUMBER})$"
        ),
    ),
    (
        "better",
        re.compile(
            rf"^(?P<systems>{_NAME} > {_NAME}(?:, {_NAME})*) on (?P<question>{_NAME}){_TESTED}$"
        ),
    ),
    (
        "agreement",
        re.compile(
            rf"^(?P<systems>{'|'.join(get_args(Coefficient))}) >= "
            rf"(?P<bound>{_NUMBER}) on (?P<question>{_NAME})$"
        ),
    ),
)


class Claim(Part):
    """One sentence that the results will uphold or not."""

    id: Slug = Field(description="Short name of the claim.", examples=["ours-is-best"])
    says: str = Field(
        description="The claim, such as `vae > dips on fluency`.",
        examples=["ours best on fluency"],
    )

    @field_validator("says")
    @classmethod
    def _has_a_known_form(cls, says: str) -> str:
        words = " ".join(says.replace("≈", "~").replace("≥", ">=").split())
        words = re.sub("^(alpha|α) >= ", "krippendorff-alpha >= ", words)
        if not any(pattern.match(words) for _, pattern in _FORMS):
            raise ValueError(
                f"'{says}' is not a form of claim. Write one of: `a best on q`, `a worst on q`, "
                "`a > b on q`, `a > b, c on q`, `order a > b > c on q`, "
                "`a ~ b on q within 0.2`, `krippendorff-alpha >= 0.6 on q`; the first five may "
                "end in `with p < 0.05`."
            )
        return words

    @property
    def kind(self) -> ClaimKind:
        """Which of the forms the claim has."""
        return self._parsed[0]

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems it speaks of; none for a claim about agreement.

        “a > b, c” says that the first is better than each of the others.
        """
        if self.kind == "agreement":
            return ()
        return tuple(re.findall(_NAME, self._parsed[1]["systems"]))

    @property
    def statistic(self) -> str | None:
        """The measure of agreement it speaks of, if it does."""
        return self._parsed[1]["systems"] if self.kind == "agreement" else None

    @property
    def question(self) -> str:
        """The criterion it speaks of."""
        return self._parsed[1]["question"]

    @property
    def bound(self) -> float | None:
        """The margin of equivalence or the least agreement claimed."""
        text = self._parsed[1].get("bound")
        return None if text is None else float(text)

    @property
    def p_below(self) -> float | None:
        """The level that the claimed differences are significant at; None: it says nothing of p."""
        text = self._parsed[1].get("p_below")
        return None if text is None else float(text)

    @property
    def _parsed(self) -> tuple[ClaimKind, dict[str, str]]:
        for kind, pattern in _FORMS:
            found = pattern.match(self.says)
            if found:
                return kind, found.groupdict()
        raise AssertionError(self.says)  # the validator has seen to it
