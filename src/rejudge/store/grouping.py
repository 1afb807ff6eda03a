"""Group commit: what waits at the same moment is made durable by one write to the disk.

Whoever comes while nobody writes leads: takes all the work that waits, does it in one transaction,
and hands on to the first of those who came meanwhile. Nobody hears of success before the commit.

A thread that serves several people at once can also bring them together itself: then no thread
has to wake another for each of them, which costs more than the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from threading import Lock, local
from typing import Any, Generic, TypeAlias, TypeVar

from rejudge.errors import RejudgeError, StoreUnavailable
from rejudge.store.statement import Transaction

T = TypeVar("T")
Outcome: TypeAlias = T | Exception
Ahead: TypeAlias = Callable[[Transaction], AbstractContextManager[object]]


class Writer:
    """Does pieces of work in transactions, as many in one as are waiting."""

    def __init__(self, begin: Callable[[], AbstractContextManager[Transaction]]) -> None:
        self._begin = begin
        self._mutex = Lock()
        self._waiting: list[_Piece[Any]] = []
        self._is_led = False
        self._here = local()

    @property
    def inside(self) -> Inside | None:
        """Where this thread is, while it serves several together."""
        return getattr(self._here, "inside", None)

    def together(
        self, acts: Sequence[Callable[[], T]], ahead: Ahead = nullcontext
    ) -> list[Outcome[T]]:
        """What each of these gives or raises, once it is durable; all `do` is one transaction.

        `ahead` is around them. When anything but a refusal goes wrong, all is undone and each
        is done for itself; without a database each is told so at once, and can say what that means.
        """

        return self._served(acts, ahead, self.do)

    def beside(
        self,
        begin: Callable[[], AbstractContextManager[Transaction]],
        acts: Sequence[Callable[[], T]],
        ahead: Ahead,
    ) -> list[Outcome[T]]:
        """The same for acts that only read, beside whoever writes."""

        def read(look: Callable[[Transaction], list[Outcome[T]]]) -> list[Outcome[T]]:
            with begin() as transaction:
                return look(transaction)

        return self._served(acts, ahead, read)

    def _served(
        self,
        acts: Sequence[Callable[[], T]],
        ahead: Ahead,
        within: Callable[[Callable[[Transaction], list[Outcome[T]]]], list[Outcome[T]]],
    ) -> list[Outcome[T]]:
        def serve(transaction: Transaction) -> list[Outcome[T]]:
            with ahead(transaction), self._being(Inside(transaction)):
                return [_refused_or_given(act) for act in acts]

        try:
            return within(serve)
        except StoreUnavailable as gone:
            with self._being(Inside(None, gone)):
                return [_raised_or_given(act) for act in acts]
        except Exception:  # noqa: BLE001 - it is raised again by the act that it belongs to
            return [_raised_or_given(act) for act in acts]

    @contextmanager
    def _being(self, inside: Inside) -> Iterator[None]:
        self._here.inside = inside
        try:
            yield
        finally:
            self._here.inside = None

    def do(self, work: Callable[[Transaction], T]) -> T:
        """Give what the work gives once that is durable; raise what it raises.

        The work may be done twice when something fails beside it: the first time is undone. When
        it refuses (a RejudgeError), what it wrote before that stays, and nobody else is undone.
        """
        if self.inside is not None:
            return self.inside.do(work)
        piece = _Piece(work)
        with self._mutex:
            self._waiting.append(piece)
            leads = not self._is_led
            self._is_led = True
        if not leads:
            piece.wait()
        if not piece.is_done:
            self._lead()
        return piece.outcome()

    def _lead(self) -> None:
        with self._mutex:
            group, self._waiting = self._waiting, []
        try:
            self._commit(group)
        except BaseException as error:  # an interrupt: nobody may wait for ever
            for piece in group:
                piece.fail(StoreUnavailable(f"writing was interrupted ({type(error).__name__})."))
            raise
        finally:
            with self._mutex:
                successor = self._waiting[0] if self._waiting else None
                self._is_led = successor is not None
            for piece in group:
                piece.wake()
            if successor is not None:
                successor.wake()

    def _commit(self, group: list[_Piece[Any]]) -> None:
        try:
            with self._begin() as transaction:
                for piece in group:
                    piece.attempt(transaction)
        except StoreUnavailable as gone:
            for piece in group:
                piece.fail(gone)
        except Exception as error:  # noqa: BLE001 - handed to whoever brought it
            if len(group) == 1:
                group[0].fail(error)
            else:  # one of them is bad and all are undone: each for itself
                for piece in group:
                    self._commit([piece])


@dataclass(frozen=True, slots=True)
class Inside:
    """A transaction that is shared by several, or the reason why there is none."""

    transaction: Transaction | None
    gone: StoreUnavailable | None = None

    def do(self, work: Callable[[Transaction], T]) -> T:
        """Read or write in it."""
        if self.transaction is None:
            raise self.gone or StoreUnavailable("the database cannot be used now.")
        return work(self.transaction)


def _refused_or_given(act: Callable[[], T]) -> Outcome[T]:
    try:
        return act()
    except RejudgeError as refusal:
        return refusal


def _raised_or_given(act: Callable[[], T]) -> Outcome[T]:
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - handed to whoever brought it
        return error


class _Piece(Generic[T]):
    """One piece of work, and whoever waits for it."""

    def __init__(self, work: Callable[[Transaction], T]) -> None:
        self._work = work
        self._gate = Lock()
        self._gate.acquire()
        self._given: list[T] = []
        self._error: Exception | None = None
        self.is_done = False

    def wait(self) -> None:
        """Until it is done, or until it is this one's turn to lead."""
        self._gate.acquire()

    def wake(self) -> None:
        """Let the waiting one go on."""
        if self._gate.locked():
            self._gate.release()

    def attempt(self, transaction: Transaction) -> None:
        """Do the work; a refusal is its outcome."""
        self._given, self._error = [], None
        self.is_done = True
        try:
            self._given = [self._work(transaction)]
        except RejudgeError as refusal:
            self._error = refusal

    def fail(self, error: Exception) -> None:
        """It was not done, or is undone."""
        self._error = error
        self.is_done = True

    def outcome(self) -> T:
        """What the work gave, or why not."""
        if self._error is not None:
            raise self._error
        return self._given[0]
