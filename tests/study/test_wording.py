"""Faults of a study file in words."""

from __future__ import annotations

import pytest

from rejudge.study.schema import schema
from rejudge.study.wording import explain_pattern
from small_study import changed, problems_of


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
        ("language: en",
         "publication: {authors: [{name: A, orcid: orcid.org/0000-0002-1825-0097}]}",
         "publication.authors[0].orcid", "not an ORCID", "instance 0000-0002-1825-0097"),
        ("      test: sign-flip\n", "      test: sign-flip\n  cases: [{id: m, multiple: Mean}]\n",
         "analysis.cases[0].multiple", "'Mean' is no way", "for instance mean"),
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


@pytest.mark.parametrize("value", ["''", "' '"])
def test_an_empty_name_is_told_as_empty(value):
    (problem,) = problems_of(changed("id: paraphrases", f"id: {value}"))
    assert "empty" in problem.what


def test_more_outputs_than_a_page_can_show_are_told():
    files = changed('["Where cats the sleep?"]', "[a, b, c, d, e, f, g, h, i]")
    (problem,) = problems_of(files)
    assert "has 9 entries" in problem.what
    assert "At most 8" in problem.remedy


def patterns(part: object) -> set[str]:
    """Every pattern of a schema."""
    parts = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    own = (
        {part["pattern"]}
        if isinstance(part, dict) and isinstance(part.get("pattern"), str)
        else set()
    )
    return own.union(*map(patterns, parts))


@pytest.mark.parametrize("pattern", sorted(patterns(schema())))
def test_each_pattern_is_explained(pattern):
    what, remedy = explain_pattern(pattern, "?")
    assert what.startswith("'?' is no")
    assert remedy
