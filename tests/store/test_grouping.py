"""Group commit: one write to the disk for all who wait, and to each their own outcome."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest

from rejudge.errors import DataError, StoreUnavailable
from rejudge.store.grouping import Writer


class Disk:
    """Transactions as lists of what was written in them; committed ones stay."""

    def __init__(self) -> None:
        self.committed = []
        self.fails = 0

    @contextmanager
    def begin(self):
        written = []
        yield written
        if self.fails:
            self.fails -= 1
            raise StoreUnavailable("the disk is full.")
        self.committed.append(written)


@pytest.fixture
def disk():
    return Disk()


def together(disk, *pieces: Callable[[list[str]], object]):
    """Let one piece hold the lead until all the others wait; then what each of them gave."""
    writer = Writer(disk.begin)
    goes_on = Event()
    is_leading = Event()

    def first(transaction) -> None:
        is_leading.set()
        goes_on.wait(30)
        transaction.append("first")

    with ThreadPoolExecutor(len(pieces) + 1) as pool:
        lead = pool.submit(writer.do, first)
        is_leading.wait(30)
        waiting = [pool.submit(writer.do, piece) for piece in pieces]
        while len(writer._waiting) < len(pieces):
            pass
        goes_on.set()
        lead.result(30)
        return [each.exception(30) or each.result() for each in waiting]


def writes(word):
    def work(transaction) -> str:
        transaction.append(word)
        return word.upper()

    return work


def refuses(transaction):
    raise DataError("no.")


def breaks(transaction):
    transaction.append("broken")
    raise ZeroDivisionError


def test_what_waits_together_is_committed_together(disk):
    assert sorted(together(disk, *map(writes, "abc"))) == ["A", "B", "C"]
    assert [sorted(each) for each in disk.committed] == [["first"], ["a", "b", "c"]]


def test_a_refusal_is_told_to_whoever_asked_and_the_others_stay_together(disk):
    given = together(disk, writes("a"), refuses, writes("b"))
    assert (given[0], type(given[1]), given[2]) == ("A", DataError, "B")
    assert [sorted(each) for each in disk.committed] == [["first"], ["a", "b"]]


def test_a_bad_piece_does_not_sink_the_others(disk):
    given = together(disk, writes("a"), breaks, writes("b"))
    assert (given[0], type(given[1]), given[2]) == ("A", ZeroDivisionError, "B")
    assert sorted(disk.committed) == [["a"], ["b"], ["first"]]


def test_when_the_commit_fails_nobody_hears_of_success(disk):
    writer = Writer(disk.begin)
    disk.fails = 1
    with pytest.raises(StoreUnavailable, match="full"):
        writer.do(writes("a"))
    assert writer.do(writes("b")) == "B"
    assert disk.committed == [["b"]]


def test_an_interrupt_lets_nobody_wait_for_ever(disk):
    def interrupted(transaction) -> None:
        raise KeyboardInterrupt

    writer = Writer(disk.begin)
    with pytest.raises(KeyboardInterrupt):
        writer.do(interrupted)
    assert writer.do(writes("a")) == "A"


def test_many_threads_get_each_their_own_outcome(disk):
    writer = Writer(disk.begin)
    with ThreadPoolExecutor(20) as pool:
        given = list(pool.map(lambda n: writer.do(writes(f"n{n}")), range(500)))
    assert given == [f"N{n}" for n in range(500)]
    assert sum(map(len, disk.committed)) == 500


def test_acts_that_are_brought_together_are_one_transaction(disk):
    writer = Writer(disk.begin)
    acts = [lambda word=word: writer.do(writes(word)) for word in "abc"]
    assert writer.together(acts) == ["A", "B", "C"]
    assert disk.committed == [["a", "b", "c"]]
    assert writer.inside is None


def test_a_refused_act_keeps_nobody_else_from_theirs(disk):
    writer = Writer(disk.begin)
    acts = [lambda piece=piece: writer.do(piece) for piece in (writes("a"), refuses, writes("b"))]
    first, refusal, last = writer.together(acts)
    assert (first, type(refusal), last) == ("A", DataError, "B")
    assert disk.committed == [["a", "b"]]


def test_an_act_that_breaks_is_undone_and_the_others_are_done_for_themselves(disk):
    writer = Writer(disk.begin)
    acts = [lambda piece=piece: writer.do(piece) for piece in (writes("a"), breaks, writes("b"))]
    first, broken, last = writer.together(acts)
    assert (first, type(broken), last) == ("A", ZeroDivisionError, "B")
    assert disk.committed == [["a"], ["b"]]


def test_without_a_disk_every_act_is_told_at_once_and_can_say_what_that_means(disk):
    writer = Writer(disk.begin)
    disk.fails = 1

    def explained() -> str:
        try:
            return writer.do(writes("a"))
        except StoreUnavailable:
            return "keep this page open"

    explanation, unexplained = writer.together([explained, lambda: writer.do(writes("b"))])
    assert explanation == "keep this page open"
    assert isinstance(unexplained, StoreUnavailable)
    assert disk.committed == []
    assert disk.fails == 0  # asked once, not once for each
