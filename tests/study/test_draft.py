"""The sound part of a file that has faults."""

from __future__ import annotations

from small_study import FILES, ITEMS, STUDY, changed, line_of, problems_of


def test_a_fault_in_one_entry_does_not_hide_those_of_its_neighbours():
    """Lines are those of the file although the first, broken entries are left out on the way."""
    text = STUDY.replace("    - [vae, dips]\n", "    - [vae]\n").replace("[vae, lbow]", "[vae, x]")
    text = text.replace("  - id: best\n    says: vae best on fluency\n", "  - id: best\n")
    text = text.replace("says: vae > dips", "says: vae > dops")
    found = problems_of({**FILES, "study.yaml": text})
    assert [(p.field, p.line) for p in found] == [
        ("design.pairs[0]", line_of("[vae]", text)),
        ("design.pairs[2]", line_of("[vae, x]", text)),
        ("claims[0].says", line_of("- id: best", text)),
        ("claims[1].says", line_of("vae > dops", text)),
    ]


def test_an_unknown_key_does_not_hide_what_is_wrong_beside_it():
    text = STUDY.replace("5: perfectly}", "9: perfectly}\n    colour: red")
    found = problems_of({**FILES, "study.yaml": text})
    assert [p.field for p in found] == ["questions[1].labels", "questions[1].colour"]


def test_items_are_looked_at_although_the_design_is_broken():
    files = {**changed("seed: 7", "seed: x"), "items.csv": ITEMS.replace("Who eats frogs?", "")}
    assert [p.file for p in problems_of(files)] == ["study.yaml", "items.csv"]


def test_a_duplicate_key_does_not_hide_the_rest():
    text = STUDY.replace("language: en", "language: en\nid: again").replace("seed: 7", "seed: x")
    assert [p.field for p in problems_of({**FILES, "study.yaml": text})] == ["id", "design.seed"]


def test_a_name_with_a_fault_is_not_also_unknown_where_it_is_used():
    text = STUDY.replace("lbow", "2024")
    found = problems_of({**FILES, "study.yaml": text})
    assert [p.field for p in found] == ["systems[2]", "design.pairs[1][1]", "design.pairs[2][1]"]
    assert all("quotes" in p.remedy for p in found)


def test_of_very_many_unknown_keys_the_first_are_named_and_the_rest_counted():
    unknown = "".join(f"k{number}: 1\n" for number in range(1_000))
    *named, rest = problems_of({**FILES, "study.yaml": STUDY + unknown})
    assert len(named) == 100
    assert named[0].field == "k0"
    assert rest.what == "900 more problems were found."


def test_of_very_many_repeated_keys_the_first_are_named_and_the_rest_counted():
    *named, rest = problems_of({**FILES, "study.yaml": STUDY + "k: 1\n" * 1_000})
    assert len(named) == 100
    assert rest.what == "900 more problems were found."
