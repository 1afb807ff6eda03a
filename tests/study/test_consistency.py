"""Parts of a study that do not fit together."""

from __future__ import annotations

import pytest

from small_study import FILES, changed, problems_of

ONE_SYSTEM = {
    **FILES,
    "study.yaml": """\
id: one
title: One
systems: [only]
questions:
  - {kind: KIND, id: q, prompt: Which}
design: {seed: 1, batch: {inputs: 1}}
""",
    "items.csv": "id,input,only\n1,Hi,x\n",
}


def one_system(kind: str) -> dict[str, str]:
    return {**ONE_SYSTEM, "study.yaml": ONE_SYSTEM["study.yaml"].replace("KIND", kind)}


@pytest.mark.parametrize("kind", ["pairwise", "ranking"])
def test_a_comparison_needs_two_systems(kind):
    (problem,) = problems_of(one_system(kind))
    assert (problem.line, problem.field) == (5, "questions[0]")
    assert "has only 1" in problem.what


def test_best_worst_needs_as_many_systems_as_it_shows():
    (problem,) = problems_of(one_system("best-worst"))
    assert problem.field == "questions[0].of"
    assert "choose another kind" in problem.remedy


def test_a_rating_needs_one_system():
    assert problems_of(one_system("rating")) == ()


def test_a_ranking_of_more_than_there_are_is_refused():
    files = changed("tie: true\n  - kind: rating", "tie: true\n  - {kind: ranking, id: r, "
                    "prompt: R, of: 4}\n  - kind: rating")  # fmt: skip
    (problem,) = problems_of(files)
    assert "'r' shows 4 systems, but the study has 3" in problem.what
    assert "of: 3" in problem.remedy


def test_a_ranking_of_all_of_many_systems_is_refused():
    text = one_system("ranking")["study.yaml"].replace("only", "a, b, c, d, e, f, g, h, i")
    items = "id,input,a,b,c,d,e,f,g,h,i\n1,Hi,1,2,3,4,5,6,7,8,9\n"
    (problem,) = problems_of({"study.yaml": text, "items.csv": items})
    assert "all 9 systems side by side" in problem.what


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        ("id: fluency", "id: meaning", "questions[1]"),
        ("id: shuffled", "id: other", "checks[1]"),
        ("id: order", "id: best", "claims[1]"),
        ("  - lbow\n", "  - lbow\n  - dips\n", "systems[3]"),
    ],
)
def test_ids_are_used_once(old, new, field):
    found = [p for p in problems_of(changed(old, new)) if p.field == field]
    assert len(found) == 1
    assert "is used twice, on lines" in found[0].what


def test_two_systems_cannot_have_one_column():
    files = changed("name: DiPS", "column: vae")
    assert any("have the same column 'vae'" in p.what for p in problems_of(files))


def test_a_system_cannot_be_read_from_the_column_of_ids():
    files = changed("name: DiPS", "column: id")
    (problem,) = problems_of(files)
    assert "the column of the ids" in problem.what


@pytest.mark.parametrize(
    ("says", "words"),
    [
        ("vae > vae on meaning", "compares a system with itself"),
        ("order vae > dips > vae on meaning", "compares a system with itself"),
        ("vae > other on meaning", "no system 'other'"),
        ("icc >= 0.5 on meaing", "no question 'meaing'"),
    ],
)
def test_a_claim_speaks_of_what_the_study_has(says, words):
    (problem,) = problems_of(changed("vae > dips on meaning", says))
    assert problem.field == "claims[1].says"
    assert words in problem.what


@pytest.mark.parametrize(
    ("at_most", "words"),
    [
        ("0", "0 lies outside the scale"),
        ("5.5", "5.5 lies outside the scale"),
        ("5", "nobody could fail"),
    ],
)
def test_a_bound_lies_on_the_scale_below_its_end(at_most, words):
    (problem,) = problems_of(changed("at_most: 2", f"at_most: {at_most}"))
    assert problem.field == "checks[1].at_most"
    assert words in problem.what


def test_a_bound_needs_a_scale():
    files = changed("    question: meaning\n  - kind", "    question: meaning\n    at_most: 1\n"
                    "  - kind")  # fmt: skip
    (problem,) = problems_of(files)
    assert "'meaning' has no scale" in problem.what


# ── practice ─────────────────────────────────────────────────────────────────────────────────────

SEGMENTS = """
  - {kind: segments, id: covered, prompt: Covered, points: 2, lowest: 0, unit: UNIT}
"""


def with_segments(unit: str, answers: str, reference: str = "") -> dict[str, str]:
    """The second example answers about each sentence of its output or of its reference."""
    given = f"\n      reference: {reference}" if reference else ""
    files = changed("{fluency: 2}", answers + given)
    text = files["study.yaml"].replace('"Where cats the sleep?"', '"Here. There!"')
    text = text.replace("\ndesign:", SEGMENTS.replace("UNIT", unit).rstrip() + "\ndesign:")
    return {**files, "study.yaml": text}


@pytest.mark.parametrize(
    ("unit", "answers", "reference"),
    [
        ("output", "{covered: '1,0'}", ""),
        ("output", "{covered: [1, 0], fluency: 3}", ""),
        ("reference", "{covered: 1}", "One sentence."),
    ],
)
def test_a_right_answer_may_have_one_number_per_sentence(unit, answers, reference):
    assert problems_of(with_segments(unit, answers, reference)) == ()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (with_segments("output", "{covered: 1}"), "'1' is not an answer to 'covered'"),
        (with_segments("reference", "{covered: 1}"), "the example has none"),
        (changed("{meaning: a}", "{meaning: c}"), "'c' is not an answer to 'meaning'"),
        (changed("{meaning: a}", "{meaning: a, fluency: 3}"), "shows 1 outputs, the example 2"),
        (changed("{meaning: a}", "{meanin: a}"), "no question 'meanin'"),
    ],
)
def test_a_right_answer_is_one_that_could_be_given(files, words):
    (problem,) = problems_of(files)
    assert str(problem.field).startswith("practice.examples[")
    assert words in problem.what


def test_an_example_has_as_many_outputs_as_a_question_shows():
    (problem,) = problems_of(changed('["Where cats the sleep?"]', "[A, B, C, D]"))
    assert problem.field == "practice.examples[1].outputs"
    assert "there are 4 outputs in the example, but the questions show 1 or 2" in problem.what


def with_pairs(pairs: str, test: str = "sign-flip") -> dict[str, str]:
    return changed("      test: sign-flip\n", f"      test: {test}\n      pairs: {pairs}\n")


@pytest.mark.parametrize(
    ("pairs", "what"),
    [
        ("[[vae, dips], [vae, lbo]]", "there is no system 'lbo'"),
        ("[[vae, vae]]", "'vae' is paired with itself"),
        ("[[vae, dips], [dips, vae]]", "the pair of 'dips' and 'vae' is already on line"),
    ],
)
def test_the_pairs_of_a_planned_test_must_be_two_systems_named_once(pairs, what):
    (problem,) = problems_of(with_pairs(pairs))
    assert what in problem.what
    assert problem.field.startswith("analysis.tests[0].pairs")
    assert problem.remedy


def test_a_planned_test_may_be_limited_to_pairs_in_any_order():
    assert problems_of(with_pairs("[[lbow, vae], [dips, vae]]")) == ()


def test_a_test_of_all_systems_at_once_has_no_pairs():
    (problem,) = problems_of(with_pairs("[[vae, dips]]", test="friedman"))
    assert "friedman compares all systems at once and cannot be limited to pairs" in problem.what


@pytest.mark.parametrize("pairs", ["[vae, dips]", "[[vae]]", "[[vae, dips, lbow]]", "all"])
def test_pairs_of_another_shape_are_refused_with_the_right_one(pairs):
    problems = problems_of(with_pairs(pairs))
    assert problems
    assert all("[" in problem.remedy for problem in problems)


def test_a_test_in_two_parts_is_one_test_with_all_its_pairs():
    files = changed(
        "      test: sign-flip\n",
        "      test: sign-flip\n      pairs: [[vae, dips]]\n"
        "    - {question: meaning, test: sign-flip, pairs: [[vae, lbow]]}\n",
    )
    (problem,) = problems_of(files)
    assert "sign-flip is planned twice on 'meaning'" in problem.what
