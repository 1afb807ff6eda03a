"""Studies with a payment and a contact: what they cost, and what their pages say."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from rejudge.design.draw import draw
from rejudge.design.pages import page_values
from rejudge.design.pay import quote_price
from rejudge.study.conduct import Contact, Payment, Recruitment
from rejudge.study.model import Study

WINTER_2023 = date(2023, 12, 1)  # the British living wage was £12.00
ADA = Contact(name="Ada  Lovelace", email="ada@lab.edu")


def paid(study: Study, *, platform: Any = "link", **payment: Any) -> Study:
    """The same study with a payment."""
    changed = {"payment": Payment(**payment), "recruitment": Recruitment(platform=platform)}
    return replace(study, spec=study.spec.model_copy(update=changed))


def priced(study: Study, on: date = WINTER_2023) -> Any:
    """What a study costs, as drawn."""
    return quote_price(study, draw(study), on=on)


def changed(study: Study, **parts: Any) -> Study:
    """The same study with other parts; a payment may be given as a mapping."""
    if isinstance(parts.get("payment"), dict):
        parts["payment"] = Payment(**parts["payment"])
    return replace(study, spec=study.spec.model_copy(update=parts))


def values(study: Study, on: date = WINTER_2023, **known: Any) -> Any:
    """What the placeholders of its pages stand for."""
    return page_values(study, draw(study), on=on, **known)
