"""What a lab answers once for all its datasheets."""

from __future__ import annotations

import re

import pytest

from rejudge.errors import RejudgeError
from rejudge.heds.facts import SheetProfile, profile_template, read_profile


def write(folder, text):
    path = folder / "datasheet.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_fresh_template_says_nothing(tmp_path):
    assert read_profile(write(tmp_path, profile_template())) == SheetProfile()


def test_every_line_of_the_template_can_be_used(tmp_path):
    written = (line for line in profile_template().splitlines()[2:] if "# Names" not in line)
    lines = [line for line in written if not line.startswith("#   ") or ":" in line]
    lines = [line for line in lines if not line.startswith("#   Text")]
    text = "\n".join(re.sub(r"^# ?", "", line) for line in lines)
    profile = read_profile(write(tmp_path, text))
    assert all(getattr(profile, name) for name in SheetProfile.model_fields)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("tasks: [a\n", "datasheet.yaml"),
        ("colour: red\n", "colour"),
        ("completed_by: {name: Ada, email: nobody}\n", "email"),
        ("reference: {kind: poster, url: https://x.org}\n", "kind"),
        ("reference: {kind: paper}\n", "url"),
        ("tasks: [Sumarisation]\n", "Did you mean 'Summarisation (text-to-text)'?"),
        ("input_types: [Text]\n", "Text: sentence; Text: multiple sentences"),
        ("[1, 2]\n", "datasheet.yaml"),
        ("power: {method: guess}\n", "value"),
    ],
)
def test_faults_are_named(tmp_path, text, says):
    with pytest.raises(RejudgeError) as caught:
        read_profile(write(tmp_path, text))
    assert says in str(caught.value)


def test_a_profile_that_is_not_there_is_a_clear_message(tmp_path):
    with pytest.raises(RejudgeError, match=r"datasheet\.yaml"):
        read_profile(tmp_path / "datasheet.yaml")
