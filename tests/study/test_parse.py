"""study.yaml with its files becomes a study, or everything that is wrong is told at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.errors import StudyError
from rejudge.study import BestWorst, Gold, Nonsense, Pairwise, Rating, parse
from small_study import FILES, ITEMS, STUDY, changed, line_of, parse_files, problems_of


def test_a_sound_study_is_read_with_all_its_parts():
    study = parse_files(FILES)
    assert study.system_ids == ("vae", "dips", "lbow")
    assert study.spec.systems[1].label == "DiPS"
    assert [type(question) for question in study.spec.questions] == [Pairwise, Rating]
    assert [type(check) for check in study.spec.checks] == [Gold, Nonsense]
    assert study.spec.design.pairs == (("vae", "dips"), ("dips", "lbow"), ("vae", "lbow"))
    assert study.spec.practice.examples[1].answers == {"fluency": "2"}
    assert study.output("two", "dips") == "Who eats frogs?"
    assert [item.line for item in study.items] == [2, 3, 4, 5, 6, 7]


def test_a_byte_order_mark_and_windows_line_ends_do_not_matter():
    windows = {name: "\ufeff" + text.replace("\n", "\r\n") for name, text in FILES.items()}
    assert parse_files(windows) == parse_files(FILES)


def test_all_problems_are_told_at_once_in_the_order_of_files_and_lines():
    text = (
        STUDY.replace("id: paraphrases", "id: two words")
        .replace("title: Which sentence is better?\n", "")
        .replace("points: 5", "points: 50\n    colour: red")
        .replace("[vae, lbow]", "[vae, lbo]")
        .replace("test: sign-flip", "test: guess")
        .replace("dips on meaning", "dips on clarity")
    )
    items = ITEMS.replace("Who eats frogs?", "").replace("three,", "one,")
    found = problems_of({**FILES, "study.yaml": text, "items.csv": items})
    assert [(p.file, p.field) for p in found] == [
        ("study.yaml", "title"),
        ("study.yaml", "id"),
        ("study.yaml", "questions[1].points"),
        ("study.yaml", "questions[1].colour"),
        ("study.yaml", "design.pairs[2]"),
        ("study.yaml", "analysis.tests[0].test"),
        ("study.yaml", "claims[1].says"),
        ("items.csv", None),
        ("items.csv", None),
    ]
    lines = [p.line for p in found if p.file == "study.yaml"]
    assert lines == sorted(lines)


def test_every_problem_has_a_file_a_line_and_a_remedy():
    text = STUDY.replace("points: 5", "points: five").replace("seed: 7", "seed:")
    found = problems_of({**FILES, "study.yaml": text})
    assert [(p.file, p.line) for p in found] == [
        ("study.yaml", line_of("points: five", text)),
        ("study.yaml", line_of("seed:", text)),
    ]
    assert all(p.remedy for p in found)


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


@pytest.mark.parametrize(
    ("old", "new", "field", "what", "remedy"),
    [
        ("seed: 7", "seed: true", "design.seed", "true is not a whole", "`seed: 2024`"),
        ("seed: 7", "seed: 7.5", "design.seed", "7.5 is not a whole number", "`seed: 2024`"),
        ("tie: true", "tie: maybe", "questions[0].tie", "'maybe' is neither", "`tie: true`"),
        ("tie: true", "tie: 1", "questions[0].tie", "1 is neither", "`tie: false`"),
        ("tie: true", "beside: input", "questions[0].beside", "where a list", "beside: [input]"),
        ("tie: true", "beside: [inputs]", "questions[0].beside[0]", "'inputs'", "mean 'input'?"),
        ("tie: true", "definition: [x]", "questions[0].definition", "a list was found", "Write"),
        ("    labels: {1: not at all, 5: perfectly}", "    labels: {low: bad}",
         "questions[1].labels.low", "'low' is not a number", "labels: {1: bad, 5: good}"),
        ("    labels: {1: not at all, 5: perfectly}", "    labels: bad",
         "questions[1].labels", "keys and values", "labels: {1: bad, 5: good}"),
        ("1: not at all", "1: ''", "questions[1].labels.1", "is empty", "Write a text"),
        ("    inputs: 2", "    inputs: 0", "design.batch.inputs", "is 0", "at least 1"),
        ("    inputs: 2", "    inputs: 2\n    tasks: 3", "design.batch", "both are", "tasks: 30"),
        ("  batch:\n    inputs: 2", "  batch:", "design.batch", "is empty", "batch: {inputs: 5}"),
        ("  batch:\n    inputs: 2", "  batch: 5", "design.batch", "5 was found", "{inputs: 5}"),
        ("language: en", "language: English", "language", "not a language code", "en, zh"),
        ("language: en", "payment: {currency: gbp}", "payment.currency", "'gbp'", "GBP"),
        ("language: en", "payment: {exchange: {usd: 1}}", "payment.exchange.usd", "'usd'", "USD"),
        ("language: en", "payment: {exchange: {USD: 0}}", "payment.exchange.USD", "is 0", "than 0"),
        ("language: en", "payment: {living_wage: uk}", "payment.living_wage", "'uk'", "UK"),
        ("language: en", "payment: {hourly: .inf}", "payment.hourly", ".inf", "hourly: 15"),
        ("language: en", "contact: {name: A, email: a.b}", "contact.email", "'a.b'", "@example"),
        ("language: en", "contact: {name: A}", "contact.email", "'email' is missing", "ada@"),
        ("language: en", "contact: Ada", "contact", "'Ada' was found", "{name: Ada Example"),
        ("language: en", "ethics: 12", "ethics", "12 is read as a number", '`ethics: "12"`'),
        ("language: en", "recruitment: {platform: prolifik}", "recruitment.platform",
         "'prolifik'", "Did you mean 'prolific'?"),
        ("language: en", "recruitment: {approval_percent: 101}", "recruitment.approval_percent",
         "is 101", "at most 100"),
        ("language: en", "recruitment: {regions: [gb]}", "recruitment.regions[0]", "'gb'", "GB"),
        ("  pairs:\n    - [vae, dips]\n    - [dips, lbow]\n    - [vae, lbow]", "  pairs: al",
         "design.pairs", "neither `all`", "pairs: all"),
        ("  pairs:\n    - [vae, dips]\n    - [dips, lbow]\n    - [vae, lbow]", "  pairs: []",
         "design.pairs", "no pairs", "pairs: all"),
        ("- [vae, dips]", "- [vae, dips, lbow]", "design.pairs[0]", "exactly two", "[baseline,"),
        ("- [vae, dips]", "- vae", "design.pairs[0]", "exactly two", "[baseline,"),
        ("kind: gold", "kind: 3", "checks[0].kind", "'3' is not a kind of check", "'gold'"),
        ("kind: rating", "kind: likert", "questions[1].kind", "'likert'", "mean 'rating'?"),
        ("    question: meaning\n  - kind", "    question: meaning\n    per_batch: 0\n  - kind",
         "checks[0].per_batch", "is 0", "at least 1"),
        ("kind: nonsense\n", "kind: instruction\n    text: Hello\n", "checks[1].at_most",
         "no key 'at_most'", "The keys are"),
        ("    - question: meaning\n      test: sign-flip", "    []", "analysis.tests",
         "no entries", "test: cluster-robust"),
        ("says: vae best on fluency", "say: vae best on fluency", "claims[0].say",
         "no key 'say'", "Did you mean 'says'?"),
        ("answers: {meaning: a}", "answers: {}", "practice.examples[0].answers",
         "no entries", "answers: {meaning: a}"),
        ("answers: {meaning: a}", "answers: {meaning: no}", "practice.examples[0].answers.meaning",
         "no is read as a truth value", 'meaning: "no"'),
        ("answers: {meaning: a}", "answers: {my q: a}", "practice.examples[0].answers.my q",
         "'my q' is not a short name", "my-q"),
    ],
)  # fmt: skip
def test_a_fault_is_told_with_its_field_its_value_and_what_to_write(old, new, field, what, remedy):
    told = [p for p in problems_of(changed(old, new)) if p.field == field]
    assert len(told) == 1
    assert what in told[0].what
    assert remedy in told[0].remedy


def test_a_fault_of_a_whole_section_of_entries_is_told_once():
    """An entry that is refused does not also make its list too short."""
    files = changed("kind: pairwise", "kind: x")
    files["study.yaml"] = files["study.yaml"].replace("kind: rating", "kind: y")
    assert [p.field for p in problems_of(files)] == ["questions[0].kind", "questions[1].kind"]


def test_words_of_several_lines_are_told_on_one():
    files = changed("says: vae best on fluency", "says: |\n      vae is\n      best")
    (problem,) = problems_of(files)
    assert "'vae is best' is not a form of claim" in problem.what


def test_a_later_format_is_the_only_thing_told():
    files = changed("format: 1", "format: 7\nnew_key: 1")
    (problem,) = problems_of(files)
    assert (problem.line, problem.field, problem.remedy) == (1, "format", "Update rejudge.")


def test_a_check_of_a_criterion_that_is_not_asked_is_left_to_the_lint():
    files = changed("    question: meaning\n  - kind", "    question: adequacy\n  - kind")
    assert problems_of(files) == ()


# ── pages and files ──────────────────────────────────────────────────────────────────────────────


def test_pages_are_read_where_they_are_and_left_out_where_not():
    pages = {"pages/consent.md": "\ufeff# Consent\n", "pages/thanks.md": "Danke, 谢谢"}
    study = parse_files({**FILES, **pages})
    assert study.pages == {"consent": "# Consent\n", "thanks": "Danke, 谢谢"}


def test_a_page_that_is_asked_for_by_name_must_be_there():
    (problem,) = problems_of(changed("language: en", "pages:\n  thanks: pages/thanks.md"))
    assert (problem.field, problem.line) == ("pages.thanks", 5)
    assert "no file 'pages/thanks.md'" in problem.what


def test_a_page_in_another_encoding_is_told_with_its_line():
    page = "# Consent\n\nIch bin einverstanden, für immer".encode("latin-1")
    (problem,) = problems_of({**FILES, "pages/consent.md": page})
    assert (problem.file, problem.line) == ("pages/consent.md", 3)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../items.csv", "a/../../b.csv", "C:\\items.csv", "a\\b.csv", "//x/y"]
)
def test_files_outside_the_folder_are_never_read(name):
    read = []
    text = STUDY.replace("file: items.csv", f"file: '{name}'")

    def note(name: str) -> bytes:
        read.append(name)
        raise FileNotFoundError

    with pytest.raises(StudyError, match="not a file in the study's folder"):
        parse(text, note)
    assert name not in read


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (IsADirectoryError(21, "Is a directory"), "Is a directory"),
        (OSError(), "OSError"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_the_reason(error, words):
    def refuse(name: str) -> bytes:
        raise error if name == "items.csv" else FileNotFoundError

    with pytest.raises(StudyError) as caught:
        parse(STUDY, refuse)
    (problem,) = caught.value.problems
    assert words in problem.what
    assert problem.line == line_of("file: items.csv", STUDY)


def test_another_name_of_the_study_file_is_used_in_messages():
    with pytest.raises(StudyError, match=r"^other\.yaml: the file is empty"):
        parse("", lambda _: b"", file="other.yaml")


# ── properties ───────────────────────────────────────────────────────────────────────────────────


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["cut", "swap", "double", "word", "sign"]))
def test_a_study_file_spoilt_at_random_is_a_study_or_a_study_error(seed, way):
    """Nothing that a slip of the hand makes of study.yaml ends in another kind of error."""
    text = _spoilt(STUDY, random.Random(seed), way)  # noqa: S311 - no secret
    found = problems_of({**FILES, "study.yaml": text})
    assert all(p.remedy and p.file for p in found)
    assert len(set(found)) == len(found)


def _spoilt(text: str, chance: random.Random, way: str) -> str:
    lines = text.splitlines(keepends=True)
    place, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    words = ("no", "1.5", "[]", "{}", "~", "-3", "'x y'", "[1, [2]]", "{a: b}", "1e999", "\u2028")
    if way == "cut":
        del lines[place : place + 1 + other % 4]
    elif way == "swap":
        lines[place], lines[other] = lines[other], lines[place]
    elif way == "double":
        lines.insert(place, lines[other])
    elif way == "word":
        key = lines[place].partition(":")[0]
        lines[place] = f"{key}: {chance.choice(words)}\n"
    else:
        at = chance.randrange(len(text))
        return text[:at] + chance.choice("\t\"'[]{}:,#&*!|>%@\\\0 -\n") + text[at + 1 :]
    return "".join(lines)


def test_a_kind_is_a_class_of_its_own():
    files = changed("  - kind: pairwise", "  - {kind: best-worst, id: b, prompt: B, of: 3}\n"
                    "  - kind: pairwise")  # fmt: skip
    assert isinstance(parse_files(files).spec.questions[0], BestWorst)


@pytest.mark.parametrize("value", ["''", "' '"])
def test_an_empty_name_is_told_as_empty(value):
    (problem,) = problems_of(changed("id: paraphrases", f"id: {value}"))
    assert "empty" in problem.what


def test_more_outputs_than_a_page_can_show_are_told():
    files = changed('["Where cats the sleep?"]', "[a, b, c, d, e, f, g, h, i]")
    (problem,) = problems_of(files)
    assert "has 9 entries" in problem.what
    assert "At most 8" in problem.remedy
