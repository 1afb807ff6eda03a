"""How long an analysis may take, and how far it has come."""

from __future__ import annotations

from rejudge import Judgments, analyse
from rejudge.judgments.table import Judgment


def table():
    return Judgments.from_rows(
        Judgment(f"p{p}", f"i{i}", q, float((p * i + k) % 5), system=system)
        for q in ("fluency", "meaning")
        for p in range(6)
        for i in range(5)
        for k, system in enumerate(("ash", "beech"))
    )


def test_a_watch_sees_every_step_by_its_name_and_an_end():
    seen = []
    analyse(table(), watch=lambda step, share: seen.append((step, share)))
    shares = [share for _, share in seen]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.85 < shares[-1] <= 1
    steps = list(dict.fromkeys(step for step, _ in seen))
    assert steps[:3] == [
        "fluency: means and differences",
        "fluency: tests and models",
        "fluency: repeated judgments and order effects",
    ]
    assert "fluency: agreement" in steps
    assert "meaning: precision and reliability" in steps


def test_a_watch_changes_no_number():
    assert analyse(table(), watch=lambda *_: None) == analyse(table())
