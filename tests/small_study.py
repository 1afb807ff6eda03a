"""A small sound study as files, and what `parse` says of it when something is changed."""

from __future__ import annotations

from collections.abc import Mapping

from rejudge.errors import Problem, StudyError
from rejudge.study.model import Spec, Study
from rejudge.study.parse import parse

STUDY = """\
format: 1
id: paraphrases
title: Which sentence is better?
language: en
systems:
  - vae
  - id: dips
    name: DiPS
  - lbow
items:
  file: items.csv
  sample: {inputs: 2}
questions:
  - kind: pairwise
    id: meaning
    prompt: Which sentence keeps the meaning?
    tie: true
  - kind: rating
    id: fluency
    prompt: How fluent is the sentence?
    points: 5
    labels: {1: not at all, 5: perfectly}
design:
  seed: 7
  pairs:
    - [vae, dips]
    - [dips, lbow]
    - [vae, lbow]
  batch:
    inputs: 2
checks:
  - kind: gold
    id: other
    question: meaning
  - kind: nonsense
    id: shuffled
    question: fluency
    at_most: 2
practice:
  examples:
    - input: Where do cats sleep?
      outputs: ["Where do cats rest?", "Where do dogs sleep?"]
      answers: {meaning: a}
      explanation: B is about dogs.
    - input: Where do cats sleep?
      outputs: ["Where cats the sleep?"]
      answers: {fluency: 2}
      explanation: The words are in a wrong order.
analysis:
  tests:
    - question: meaning
      test: sign-flip
claims:
  - id: best
    says: vae best on fluency
  - id: order
    says: vae > dips on meaning
"""

ITEMS = """\
id,input,reference,dataset,vae,dips,lbow
one,How do birds fly?,How can birds fly?,birds,How fly birds?,Why do birds fly?,Birds fly how?
two,What do frogs eat?,What is it that frogs eat?,frogs,What eat frogs?,Who eats frogs?,Frogs eat?
three,Why do bees hum?,Why is it that bees hum?,bees,Why hum bees?,How do bees hum?,Bees hum why?
four,When do owls hunt?,At what time do owls hunt?,owls,When hunt owls?,Do owls hunt?,Owls when?
five,Do ants sleep?,Is it true that ants sleep?,ants,Sleep ants?,Do ants rest?,Ants sleep do?
six,Can crabs swim?,Are crabs able to swim?,crabs,Swim can crabs?,Can crabs run?,Crabs swim?
"""

FILES: Mapping[str, str] = {"study.yaml": STUDY, "items.csv": ITEMS}


def parse_files(files: Mapping[str, str | bytes]) -> Study:
    """The study in a folder of these files."""
    content = {n: t.encode() if isinstance(t, str) else t for n, t in files.items()}

    def read(name: str) -> bytes:
        if name not in content:
            raise FileNotFoundError(name)
        return content[name]

    return parse(content["study.yaml"].decode(), read)


def changed(old: str, new: str, *, file: str = "study.yaml") -> dict[str, str]:
    """The files with one passage of one of them replaced."""
    assert FILES[file].count(old) == 1, f"{old!r} must stand once in {file}"
    return {**FILES, file: FILES[file].replace(old, new)}


def problems_of(files: Mapping[str, str | bytes]) -> tuple[Problem, ...]:
    """Everything that is wrong with these files; nothing if they are a study."""
    try:
        parse_files(files)
    except StudyError as error:
        return error.problems
    return ()


def line_of(part: str, text: str) -> int:
    """The line on which a passage begins."""
    assert part in text, f"{part!r} is not in the text"
    return text[: text.index(part)].count("\n") + 1


def minimal(**sections: object) -> Spec:
    """A spec with as little as a study can have, and the sections given."""
    return Spec.model_validate(
        {
            "id": "small",
            "title": "Small",
            "systems": ["a", "b"],
            "questions": [{"kind": "rating", "id": "fluency", "prompt": "How fluent?"}],
            "design": {"seed": 1, "batch": {"inputs": 2}},
            **sections,
        }
    )
