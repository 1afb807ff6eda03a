"""Receipt codes: told apart, typed by people, and worth nothing when guessed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.collect.receipts import LETTERS, is_like_receipt, read_receipt, receipt_code

SECRET = bytes(range(32))
CODES = st.integers(1, 99_999).map(lambda number: receipt_code(SECRET, f"p{number:04}"))


def test_a_code_follows_from_the_secret_of_the_study_and_the_participant_alone():
    code = receipt_code(SECRET, "p0001")
    assert code == receipt_code(SECRET, "p0001")
    assert len(code) == 14
    assert code.count("-") == 2
    assert code != receipt_code(SECRET, "p0002")
    assert code != receipt_code(SECRET[::-1], "p0001")
    assert "0001" not in code


def test_ten_thousand_people_have_codes_of_their_own():
    assert len({receipt_code(SECRET, f"p{number:04}") for number in range(10_000)}) == 10_000


@given(CODES)
def test_however_people_type_it_it_is_read(code):
    plain = code.replace("-", "")
    spaced = " ".join(plain).lower()
    wide = "".join(chr(ord(letter) + 0xFEE0) for letter in plain)
    for typed in (code, plain, code.lower(), spaced, f" {code}\n", code.replace("-", " – "), wide):
        assert read_receipt(typed) == code


@given(CODES, st.data())
def test_one_wrong_letter_is_noticed(code, data):
    plain = code.replace("-", "")
    at = data.draw(st.integers(0, len(plain) - 1))
    wrong = data.draw(st.sampled_from([each for each in LETTERS if each != plain[at]]))
    typed = plain[:at] + wrong + plain[at + 1 :]
    assert is_like_receipt(typed)
    assert read_receipt(typed) is None


@given(CODES, st.data())
def test_two_exchanged_letters_are_noticed(code, data):
    plain = list(code.replace("-", ""))
    one, two = data.draw(st.lists(st.integers(0, 11), min_size=2, max_size=2, unique=True))
    if plain[one] == plain[two]:
        return
    plain[one], plain[two] = plain[two], plain[one]
    assert read_receipt("".join(plain)) is None


@pytest.mark.parametrize(
    "typed",
    ["", " ", "p0001", "-" * 14, "ACDE-FGHJ-KMN", "ACDE-FGHJ-KMNPR", "OOOO-IIII-0000", "كود"],
)
def test_what_is_no_code_is_none(typed):
    assert read_receipt(typed) is None
    assert not is_like_receipt(typed)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(typed):
    assert read_receipt(typed) is None or is_like_receipt(typed)
