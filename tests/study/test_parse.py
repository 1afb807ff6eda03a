"""study.yaml with its files becomes a study, or everything that is wrong is told at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from property_settings import examples
from rejudge.errors import StudyError
from rejudge.study.kinds.best_worst import BestWorst
from rejudge.study.kinds.pairwise import Pairwise
from rejudge.study.kinds.rating import Rating
from rejudge.study.parse import parse
from rejudge.study.procedure import Gold, Nonsense
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


@pytest.mark.parametrize("number", [0, 7])
def test_another_format_is_the_only_thing_told(number):
    files = changed("format: 1", f"format: {number}\nnew_key: 1")
    (problem,) = problems_of(files)
    assert (problem.line, problem.field) == (1, "format")


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


@pytest.mark.parametrize(
    ("page", "told"),
    [("x" * 100_001, "100,001 characters"), ("[" * 501, "501 opening brackets")],
    ids=["long", "brackets"],
)
def test_a_page_that_would_take_very_long_to_show_is_refused(page, told):
    (problem,) = problems_of({**FILES, "pages/consent.md": page})
    assert told in problem.what
    assert problem.file == "pages/consent.md"


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
