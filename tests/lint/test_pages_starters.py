"""Pages of one starter left in a study of another, as somebody who copies folders leaves them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from rejudge.design.draw import draw
from rejudge.design.pay import quote_price
from rejudge.files.step_files import open_study
from rejudge.lint.rules import PAGE_RULES, check
from rejudge.starters.folders import folder_files, starter_names, templates

DAY = date(2026, 6, 1)
ROLES = ("information", "instructions")


@pytest.mark.slow
@pytest.mark.parametrize("name", starter_names())
def test_every_page_of_another_starter_is_refused(name, tmp_path):
    for path, content in folder_files(name).items():
        file = tmp_path / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(content)
    study = open_study(tmp_path)
    plan = draw(study)
    price = quote_price(study, plan, on=DAY)
    known = templates()

    def refused(role: str, text: str) -> bool:
        pages = {**study.pages, role: text}
        found = check(
            replace(study, pages=pages),
            plan,
            quote=price,
            duration=price.work.duration,
            templates=known,
        )
        return any(each.code in PAGE_RULES and each.severity == "error" for each in found)

    own = {role: study.pages[role] for role in ROLES}
    others = {
        (each.role, each.text) for each in known if each.text.split() != own[each.role].split()
    }
    assert len(others) >= 11
    assert [(role, text) for role, text in others if not refused(role, text)] == []
    assert [role for role in ROLES if refused(role, own[role])] == []
