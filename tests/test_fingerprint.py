"""Fingerprints of files and values."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from rejudge.fingerprint import canonical, of_bytes, of_json


def test_a_fingerprint_is_the_beginning_of_the_sha256_sum():
    assert of_bytes(b"abc") == hashlib.sha256(b"abc").hexdigest()[:16]


def test_the_order_of_keys_does_not_matter_but_that_of_lists_does():
    assert of_json({"a": 1, "b": [1, 2]}) == of_json({"b": [1, 2], "a": 1})
    assert of_json([1, 2]) != of_json([2, 1])


@pytest.mark.parametrize(("one", "other"), [(1, "1"), (1, 1.0), (None, False), ("é", "e\u0301")])
def test_values_that_are_written_differently_have_other_fingerprints(one, other):
    assert of_json(one) != of_json(other)


def test_canonical_json_is_compact_utf_8_and_has_no_nan():
    assert canonical({"b": "é", "a": [1, None]}) == '{"a":[1,null],"b":"é"}'.encode()
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


def test_a_fingerprint_is_the_same_in_every_process():
    script = "from rejudge.fingerprint import of_json; print(of_json({'a': ['x', 1.5]}))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == of_json({"a": ["x", 1.5]})
