"""Platform ids become pseudonyms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import UsageError
from rejudge.exchange.pseudonyms import is_assigned_number, pseudonym_key, pseudonyms


def test_without_a_key_people_are_numbered_in_the_order_given() -> None:
    assert pseudonyms(["x", "y", "x", "z"], key=None) == {"x": "p001", "y": "p002", "z": "p003"}


def test_with_a_key_the_order_does_not_matter() -> None:
    one = pseudonyms(["x", "y"], key=b"k")
    assert one == pseudonyms(["y", "x"], key=b"k")
    assert one != pseudonyms(["x", "y"], key=b"other")


@given(st.lists(st.text(min_size=1), max_size=50), st.one_of(st.none(), st.binary(min_size=1)))
def test_different_people_have_different_pseudonyms(ids: list[str], key: bytes | None) -> None:
    given_names = pseudonyms(ids, key=key)
    assert len(set(given_names.values())) == len(set(ids))
    assert all(name.startswith("p") and name.isalnum() for name in given_names.values())


@pytest.mark.parametrize("name", ["001", "7", "P12", "rater-3"])
def test_numbers_that_were_given_out_identify_nobody(name: str) -> None:
    assert is_assigned_number(name)


@pytest.mark.parametrize(
    "name",
    ["", "ada@example.org", "Ada Lovelace", "5f3a" * 6, "A2XYZ0000001Q", "12345678", "anna7"],
)
def test_everything_else_may_identify_somebody(name: str) -> None:
    assert not is_assigned_number(name)


def test_a_key_that_can_be_guessed_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", "short")
    with pytest.raises(UsageError, match="shorter than 16"):
        pseudonym_key()
    monkeypatch.setenv("REJUDGE_PSEUDONYM_KEY", " \n")
    assert pseudonym_key() is None
