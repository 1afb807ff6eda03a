"""Tasks as pieces of pages: texts are shown as they are, and nothing gives the systems away."""

from __future__ import annotations

import re

from participants import (
    BEST_WORST,
    PAGES,
    PAIRWISE,
    RANKING,
    RATING,
    SEGMENTS,
    SLIDER,
    TIE,
    made_study,
)

NASTY = "<script>alert(1)</script>{{7*7}}\"'><img src=x onerror=y>&amp;"


def test_texts_of_the_study_are_shown_as_they_are_never_as_markup(opened):
    study = made_study(
        {**TIE, "prompt": NASTY, "definition": NASTY},
        {**RATING, "prompt": NASTY, "labels": {1: NASTY, 5: NASTY}},
        {**SLIDER, "prompt": NASTY, "low": NASTY, "high": NASTY},
        {**BEST_WORST, "prompt": NASTY},
        {**RANKING, "prompt": NASTY},
        {**SEGMENTS, "prompt": NASTY},
        texts=lambda number, name: f"{NASTY} {number} {name}. And more.",
        title=NASTY,
        contact={"name": NASTY, "email": "a@b.org"},
        pages=dict.fromkeys(PAGES, f"# {NASTY}\n\n{NASTY}\n\n![x](http://other.example/p.png)"),
        practice={
            "examples": [
                {
                    "input": NASTY,
                    "outputs": [NASTY, NASTY],
                    "answers": {"meaning": "a"},
                    "explanation": NASTY,
                }
            ]
        },
        site={"exit_questions": [{"id": "q", "prompt": NASTY, "options": [NASTY, "no"]}]},
    )
    site = opened(study)
    person = site.person()
    seen = [person.arrive().text, person.send(agree="yes").text, person.send().text]
    person.send(**{"0:meaning": "a"})
    seen.append(person.page.text)
    seen.append(person.send(go="on").text)
    seen += [person.get(f"/task/{n}").text for n in range(1, len(site.plan.batches[0].tasks) + 1)]
    assert len(seen) > 10
    for page in seen:
        assert "<script>alert" not in page
        assert "<img" not in page
        without_hashes = re.sub(r"/static/\w+/|[\w~.-]{30,}", "", page)
        assert "49" not in without_hashes
        assert "{{7*7}}" in page


def test_no_page_tells_systems_checks_or_platform_ids(opened):
    checks = [{"kind": "instruction", "id": "watchful", "question": "meaning"}]
    site = opened(made_study(PAIRWISE, checks=checks, texts=lambda number, _: f"Text {number}."))
    person = site.person("a-platform-id")
    person.to_tasks()
    for number in range(1, len(site.plan.batches[0].tasks) + 1):
        page = person.get(f"/task/{number}").text
        assert not re.search(r"ash|beech|cedar|watchful|a-platform-id", page)
