"""A study in the database: how it is registered, and what is known of it while it is served."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property, lru_cache

from sqlalchemy import bindparam, delete, func, select, update

from rejudge import fingerprint
from rejudge.collect.assignment import first_lease, lease
from rejudge.collect.panels import Panels
from rejudge.collect.submissions import can_screen_out, rejecting_checks
from rejudge.design.order import order_for
from rejudge.design.pages import page_values
from rejudge.design.plan import Plan, Task
from rejudge.design.stages import stages_of
from rejudge.errors import DataError, Problem
from rejudge.judgments.answers import Answer, check_results, tabulate
from rejudge.store import tables
from rejudge.store.statement import Row, SqlStatement, Transaction, insert_into
from rejudge.store.tables import moment, stamp
from rejudge.study.model import Study, fill_placeholders
from rejudge.study.site import Codes

_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # nothing that can be misread
_CODE_LENGTH = 8

_NAMED = select(tables.study).where(tables.study.c.name == bindparam("name"))
_FIND = SqlStatement(_NAMED)
_LOCK = SqlStatement(_NAMED.with_for_update(key_share=True))  # as everybody who writes takes it
_BATCHES = SqlStatement(
    select(tables.batch.c.id, tables.batch.c.name)
    .where(tables.batch.c.study == bindparam("study"))
    .order_by(tables.batch.c.id)
)
_CLAIMS = SqlStatement(
    select(func.count())
    .select_from(tables.assignment)
    .where(tables.assignment.c.study == bindparam("study"))
)
_SETTING = SqlStatement(select(tables.setting.c.value).where(tables.setting.c.name == "salt"))
_ADD_SETTING = insert_into(tables.setting)
_ADD_STUDY = insert_into(tables.study, gives_id=True)
_ADD_BATCH = insert_into(tables.batch)
_ADD_TEXT = insert_into(tables.consent_text)
_FIND_TEXT = SqlStatement(
    select(tables.consent_text.c.version).where(
        tables.consent_text.c.study == bindparam("study"),
        tables.consent_text.c.version == bindparam("version"),
    )
)
_ADD_LOG = insert_into(tables.log)
_DROP_BATCHES = SqlStatement(delete(tables.batch).where(tables.batch.c.study == bindparam("of")))
_DROP_MENTIONS = SqlStatement(
    update(tables.event).where(tables.event.c.study == bindparam("of")).values(batch=None)
)
_UPDATE = SqlStatement(
    update(tables.study)
    .where(tables.study.c.id == bindparam("of"))
    .values(
        plan=bindparam("new_plan"),
        wording=bindparam("new_wording"),
        code_completed=bindparam("completed"),
        code_declined=bindparam("declined"),
        code_full=bindparam("full"),
        code_not_qualified=bindparam("not_qualified"),
        code_screened_out=bindparam("screened_out"),
        code_failed_checks=bindparam("failed_checks"),
        stop_rule=bindparam("new_stop_rule"),
    )
)


@dataclass(frozen=True, slots=True)
class ConsentText:
    """Information and consent as people read them, with every placeholder filled."""

    version: str  # a fingerprint of the text
    body: str


@dataclass(frozen=True)
class RegisteredStudy:
    """A study that a database knows: its number there, and those of its batches."""

    id: int
    study: Study
    plan: Plan
    is_rehearsal: bool
    batch_ids: Mapping[str, int]
    codes: Codes
    registered_on: date  # the day whose rates of pay are promised, however long it takes
    salt: str = field(repr=False)
    secret: bytes = field(repr=False)
    panels: Panels | None = None  # lists of people who may not or who alone may take part

    @cached_property
    def consent_text(self) -> Callable[[tuple[str, ...] | None], ConsentText]:
        """What people read before they decide, by their own list if they have one."""
        return lru_cache(maxsize=4096)(self._consent_text)

    def _consent_text(self, own: tuple[str, ...] | None) -> ConsentText:
        values = page_values(self.study, self.plan, on=self.registered_on, own=own)
        body = fill_placeholders(consent_text(self.study), values)
        return ConsentText(fingerprint.of_bytes(body.encode()), body)

    @cached_property
    def batch_names(self) -> Mapping[int, str]:
        """Batches by number."""
        return _BatchNames((number, name) for name, number in self.batch_ids.items())

    @cached_property
    def calibration(self) -> tuple[int, ...]:
        """The numbers of the batches that everybody does first."""
        return tuple(self.batch_ids[b.id] for b in self.plan.batches if b.is_calibration)

    @cached_property
    def lease(self) -> timedelta:
        """How long a batch is kept for somebody of whom nothing is heard."""
        return lease(self.study, self.plan)

    @cached_property
    def first_lease(self) -> timedelta:
        """How long a batch is kept for somebody who has not answered anything yet."""
        return first_lease(self.study, self.plan)

    @cached_property
    def order(self) -> Callable[[str, int], tuple[Task, ...]]:
        """The tasks of a batch in the order of a seat."""
        return lru_cache(maxsize=4096)(
            lambda batch, seat: order_for(self.plan, self.plan.batch[batch], seat)
        )

    @cached_property
    def lists(self) -> Mapping[str, tuple[str, ...]]:
        """The batches of participants who have a list of their own, by their mark."""
        named = (self.plan.lists or {}).items()
        return {self.mark("link", person): batches for person, batches in named}

    def mark(self, recruiter: str, person: str) -> str:
        """What stands for a platform id outside `identity`: told apart, but not read back."""
        named = f"{recruiter}:{person}".encode()
        return hmac.new(self.salt.encode(), named, "sha256").hexdigest()


def consent_text(study: Study) -> str:
    """The information and consent pages with their statements, as they were written."""
    pages = study.shown_pages
    return "\n\n".join(pages.get(role, "") for role in ("information", "consent")).strip()


def register(
    transaction: Transaction, study: Study, plan: Plan, *, now: datetime, is_rehearsal: bool
) -> RegisteredStudy:
    """Make the study known, or take up what is known of it."""
    row = transaction.row(_LOCK, name=study.spec.id)
    if row is None:
        _add(transaction, study, plan, now=now, is_rehearsal=is_rehearsal)
    else:
        _refuse_confusion(row, is_rehearsal=is_rehearsal)
        _take_up(transaction, row, study, plan, now=now)
    found = find_registered(transaction, study, plan)
    keep_consent_text(transaction, found, found.consent_text(None))
    return found


def keep_consent_text(transaction: Transaction, known: RegisteredStudy, text: ConsentText) -> None:
    """Add a text that people decide on, unless it is there already."""
    if transaction.row(_FIND_TEXT, study=known.id, version=text.version) is None:
        transaction.do(_ADD_TEXT, study=known.id, version=text.version, body=text.body)


def find_registered(transaction: Transaction, study: Study, plan: Plan) -> RegisteredStudy:
    """What the database knows of the study; DataError where that is nothing, or another plan."""
    row = transaction.row(_FIND, name=study.spec.id)
    if row is None:
        raise DataError(
            Problem(
                f"the database does not contain the study '{study.spec.id}'.",
                "Check the address, or serve the study first.",
            )
        )
    if row.plan != plan.fingerprint:
        raise _another_plan(study)
    if row.stop_rule != _stop_rule(study):
        raise _another_rule()
    salt = transaction.row(_SETTING)
    batch_ids = {each.name: each.id for each in transaction.rows(_BATCHES, study=row.id)}
    if batch_ids.keys() != plan.batch.keys():
        raise _damaged_batches()
    return RegisteredStudy(
        id=row.id,
        study=study,
        plan=plan,
        is_rehearsal=bool(row.is_rehearsal),
        batch_ids=batch_ids,
        codes=Codes(
            completed=row.code_completed,
            declined=row.code_declined,
            full=row.code_full,
            not_qualified=row.code_not_qualified,
            screened_out=row.code_screened_out,
            failed_checks=row.code_failed_checks,
        ),
        registered_on=moment(row.registered_at).date(),
        salt="" if salt is None else salt.value,
        secret=bytes.fromhex(row.secret),
    )


def _add(
    transaction: Transaction, study: Study, plan: Plan, *, now: datetime, is_rehearsal: bool
) -> None:
    if transaction.row(_SETTING) is None:
        transaction.do(_ADD_SETTING, name="salt", value=secrets.token_hex(32))
    given = study.spec.site.codes
    number = transaction.number(
        _ADD_STUDY,
        name=study.spec.id,
        plan=plan.fingerprint,
        wording=study.fingerprint,
        state="open",
        is_rehearsal=is_rehearsal,
        people=0,
        code_completed=given.completed or _code(),
        code_declined=given.declined or _code(),
        code_full=given.full or _code(),
        **{f"code_{name}": code for name, code in _other_codes(study).items()},
        secret=secrets.token_hex(32),
        registered_at=stamp(now),
        stop_rule=_stop_rule(study),
    )
    _add_batches(transaction, number, study, plan)


def _add_batches(transaction: Transaction, number: int, study: Study, plan: Plan) -> None:
    """All batches; where looks are planned, with the places that are open before the first."""
    stages = stages_of(study, plan)
    first = {} if stages is None else stages.open_places[0]
    transaction.do_all(
        _ADD_BATCH,
        [
            {
                "study": number,
                "name": batch.id,
                "places": first.get(batch.id, batch.participants),
                "held": 0,
                "done": 0,
            }
            for batch in plan.batches
        ],
    )


def _stop_rule(study: Study) -> str | None:
    stop = study.spec.stop
    return None if stop is None else stop.model_dump_json()


def _take_up(
    transaction: Transaction, row: Row, study: Study, plan: Plan, *, now: datetime
) -> None:
    """Another plan is taken as long as nobody has begun; another wording is noted."""
    is_new_plan, is_new_rule = row.plan != plan.fingerprint, row.stop_rule != _stop_rule(study)
    if is_new_plan or is_new_rule:
        if transaction.number(_CLAIMS, study=row.id):
            raise _another_plan(study) if is_new_plan else _another_rule()
        transaction.do(_DROP_MENTIONS, of=row.id)
        transaction.do(_DROP_BATCHES, of=row.id)
        _add_batches(transaction, row.id, study, plan)
        change = f"{row.plan} → {plan.fingerprint}"
        what = "plan changed" if is_new_plan else "planned looks changed"
        _note(transaction, row.id, what, reason=change if is_new_plan else "", now=now)
    if row.wording != study.fingerprint:
        change = f"{row.wording} → {study.fingerprint}"
        _note(transaction, row.id, "wording changed", reason=change, now=now)
    given = study.spec.site.codes
    transaction.do(
        _UPDATE,
        of=row.id,
        new_plan=plan.fingerprint,
        new_wording=study.fingerprint,
        new_stop_rule=_stop_rule(study),
        completed=given.completed or row.code_completed,
        declined=given.declined or row.code_declined,
        full=given.full or row.code_full,
        **_other_codes(
            study,
            Codes(
                screened_out=row.code_screened_out,
                failed_checks=row.code_failed_checks,
                not_qualified=row.code_not_qualified,
            ),
        ),
    )


def _other_codes(study: Study, before: Codes | None = None) -> dict[str, str | None]:
    """The codes that only some studies need: as given, as before, or made where needed."""
    given = study.spec.site.codes
    before = before or Codes()
    needed = {
        "screened_out": can_screen_out(study),
        "failed_checks": bool(rejecting_checks(study)),
        "not_qualified": study.spec.qualification is not None,
    }
    return {
        name: getattr(given, name) or getattr(before, name) or (_code() if is_needed else None)
        for name, is_needed in needed.items()
    }


def _note(transaction: Transaction, study: int, what: str, *, reason: str, now: datetime) -> None:
    transaction.do(
        _ADD_LOG,
        study=study,
        at=stamp(now),
        who="rejudge",
        what=what,
        participant=None,
        batch=None,
        reason=reason,
    )


def _refuse_confusion(row: Row, *, is_rehearsal: bool) -> None:
    if bool(row.is_rehearsal) != is_rehearsal:
        kept, given = ("a rehearsal", "people") if row.is_rehearsal else ("people", "a rehearsal")
        raise DataError(
            Problem(
                f"the database contains the work of {kept}; this would add the work of {given}.",
                "Give another database.",
            )
        )


class _BatchNames(dict[int, str]):
    """Names of batches; rows that name a batch that is not there were damaged."""

    def __missing__(self, number: int) -> str:
        raise _damaged_batches()


def _damaged_batches() -> DataError:
    return DataError(
        Problem(
            "the batches in the database are not those of the plan: it was damaged or edited.",
            "Restore a backup with `rejudge restore`.",
        )
    )


def _another_plan(study: Study) -> DataError:
    return DataError(
        Problem(
            f"the database contains answers to a different plan of the study '{study.spec.id}'.",
            "Restore the old plan.json, use a new database, or give the study another id.",
        )
    )


def _another_rule() -> DataError:
    return DataError(
        Problem(
            "participants started under a different stopping rule from the one in study.yaml.",
            "Restore `stop` as it was: looks planned after people have started have no "
            "guarantee. For a new study, use a new database or another id.",
            file="study.yaml",
            field="stop",
        )
    )


def _code() -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(_CODE_LENGTH))


class Checks:
    """The checks of a plan. Most people give the same right answer, which is read once."""

    def __init__(self, study: Study, plan: Plan) -> None:
        self._study = study
        self._plan = plan
        self._only_flag = {check.id for check in study.spec.checks if check.on_fail == "flag"}
        self._rejecting = rejecting_checks(study)
        self._tasks = {
            batch.id: [task for task in batch.tasks if task.expected is not None]
            for batch in plan.batches
        }
        self._right: dict[tuple[str, str, str], bool] = {}

    @property
    def limit(self) -> int | None:
        """How many wrong checks exclude somebody; None when no number does."""
        analysis = self._study.spec.analysis
        return None if analysis is None else analysis.exclude.failed_checks

    def count_failed(self, batch: str, given: Mapping[tuple[str, str], str]) -> tuple[int, int]:
        """How many checks of a batch were wrong, and how many of those do more than flag."""
        wrong = self._wrong(batch, given)
        return len(wrong), sum(task.check not in self._only_flag for task in wrong)

    def count_rejecting(self, batch: str, given: Mapping[tuple[str, str], str]) -> int:
        """How many wrong checks of a batch count towards a rejection."""
        return sum(task.check in self._rejecting for task in self._wrong(batch, given))

    def _wrong(self, batch: str, given: Mapping[tuple[str, str], str]) -> list[Task]:
        return [
            task
            for task in self._tasks[batch]
            if task.expected is not None
            and (raw := given.get((task.id, task.expected.question))) is not None
            and not self._is_right(batch, task, raw)
        ]

    def _is_right(self, batch: str, task: Task, raw: str) -> bool:
        key = (batch, task.id, raw)
        if key not in self._right:
            self._right[key] = self._read(batch, task, raw)
        return self._right[key]

    def _read(self, batch: str, task: Task, raw: str) -> bool:
        if task.expected is None:
            return True
        only = replace(self._plan.batch[batch], tasks=(task,))
        plan = replace(self._plan, batches=(only,))
        answer = Answer("", batch, task.id, task.expected.question, raw, position=1)
        try:
            judgments = tabulate(self._study, plan, [answer])
        except DataError:  # what cannot be read cannot be right
            return False
        return all(result.is_right for result in check_results(plan, judgments))
