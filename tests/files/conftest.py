"""A small study folder, as a person would have written it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rejudge.design.draw import draw
from rejudge.files.step_files import open_study

STUDY = """\
id: colours
title: Which sentence says it better?
systems: [elm, fir]
questions:
  - {id: meaning, kind: pairwise, prompt: "Which keeps the meaning?"}
design: {seed: 1, batch: {inputs: 2}}
analysis: {tests: [{question: meaning, test: sign-flip}]}
"""
ITEMS = "id,input,elm,fir\n" + "".join(
    f"i{n},Input {n},Elm wrote {n},Fir wrote {n}\n" for n in range(4)
)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "study.yaml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "items.csv").write_text(ITEMS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def own(folder):
    """A study and the plan drawn from it."""
    study = open_study(folder)
    return draw(study), study
