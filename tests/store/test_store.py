"""What the store promises beside the stories."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from threading import Event
from typing import NoReturn

import pytest
from promises import broken
from walking import (
    LEASE,
    MINUTE,
    NOW,
    answer,
    begin,
    come,
    complete,
    counts,
    finish,
    in_hand,
    opened,
    page,
    person,
    plan_of,
    study_of,
)

from rejudge.collect import EXIT, PRACTICE, Arrival
from rejudge.errors import DataError, FileError, Unfinished, UsageError
from rejudge.store import (
    PageAnswers,
    StoreUnavailable,
    judgments_of,
    open_existing,
    open_store,
    restore,
)
from rejudge.store.database import Database

SECOND = MINUTE / 60


def test_pseudonyms_count_up_and_do_not_come_back(store):
    names = [store.arrive(person(n), now=NOW).participant for n in (1, 2)]
    store.withdraw("p0002", who="me", now=NOW)
    assert names == ["p0001", "p0002"]
    assert store.arrive(person(3), now=NOW).participant == "p0003"


def test_the_number_of_a_withdrawn_visit_does_not_come_back_to_somebody_else(store):
    """A cookie names a visit by its number."""
    old = store.arrive(person(1), now=NOW)
    store.withdraw("p0001", who="me", now=NOW)
    assert store.arrive(person(2), now=NOW).id != old.id
    assert store.visit(old.id) is None


def test_arriving_again_is_the_same_visit(store):
    first = store.arrive(person(1), now=NOW, device="phone")
    assert store.arrive(person(1), now=NOW + MINUTE) == first


def test_the_same_id_from_two_recruiters_is_two_people(store):
    names = {
        store.arrive(Arrival("prolific", "x", "x"), now=NOW).participant,
        store.arrive(Arrival("mturk", "x", "x"), now=NOW).participant,
        store.arrive(Arrival("link", "x", "x"), now=NOW).participant,
    }
    assert len(names) == 3


def test_consent_is_kept_with_its_time_and_counts_once(store):
    visit = store.arrive(person(1), now=NOW)
    version = store.consent_version
    agreed = store.consent(visit, agreed=True, version=version, now=NOW)
    again = store.consent(visit, agreed=False, version=version, now=NOW + MINUTE)
    assert (agreed.consented_at, again.consented_at, again.declined_at) == (NOW, NOW, None)


def test_whoever_declined_gets_no_batch_and_leaves_no_answer(store):
    visit = store.arrive(person(1), now=NOW)
    declined = store.consent(visit, agreed=False, version="v", now=NOW)
    assert declined.declined_at == NOW
    assert store.claim(declined, now=NOW).assignments == ()
    said = PageAnswers(visit.id, None, EXIT, 1, {"@comment": "hm"}, "k", NOW)
    assert store.record(said, now=NOW).outcome == "closed"


def test_a_step_is_passed_once(store):
    visit = store.arrive(person(1), now=NOW)
    store.consent(visit, agreed=True, version="v", now=NOW)
    first = store.pass_step(visit, "instructions", now=NOW)
    assert store.pass_step(visit, "instructions", now=NOW + MINUTE) == first
    assert store.pass_step(visit, "practice", now=NOW).practised_at == NOW
    assert store.pass_step(visit, "exit", now=NOW).left_at == NOW


def test_practice_and_exit_answers_are_kept_beside_the_batch(store):
    mine = begin(store, 1)
    for task, question in ((f"{PRACTICE}1", "meaning"), (EXIT, "@comment")):
        said = PageAnswers(mine.visit, None, task, 1, {question: "so"}, task, NOW)
        assert store.record(said, now=NOW).outcome == "saved"
    visit = store.visit(mine.visit)
    assert set(store.answers(visit)) == {(f"{PRACTICE}1", "meaning"), (EXIT, "@comment")}
    assert store.answers(mine) == {}
    assert list(store.all_answers()) == []
    assert [row.batch for row in store.answer_rows()] == [None, None]


def test_after_leaving_nothing_more_is_stored(store):
    done = complete(store, 1)
    visit = store.pass_step(store.visit(done.visit), "exit", now=NOW)
    late = PageAnswers(visit.id, None, EXIT, 1, {"@comment": "late"}, "k9", NOW)
    assert store.record(late, now=NOW).outcome == "closed"


def test_an_answer_to_somebody_elses_batch_is_not_stored(store):
    mine, theirs = begin(store, 1), begin(store, 2)
    forged = PageAnswers(mine.visit, theirs.id, "b1-1", 1, {"meaning": "a"}, "k", NOW)
    assert store.record(forged, now=NOW).outcome == "closed"
    assert store.answers(theirs) == {}


def test_handing_in_with_an_answer_missing_is_refused(store):
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "a"), now=NOW)
    with pytest.raises(Unfinished, match="task 2"):
        store.submit(mine, now=NOW)
    assert store.assignment(mine.id).status == "held"


def test_nobody_passes_a_step_before_they_have_agreed(store):
    visit = store.arrive(person(1), now=NOW)
    assert store.pass_step(visit, "instructions", now=NOW) == visit
    assert store.visit(visit.id) == visit


def test_several_pages_are_stored_in_one_go(store):
    mine = begin(store, 1)
    pages = [page(mine, task.id, "a") for task in store.order(mine)]
    assert store.record_all(pages, now=NOW).outcome == "saved"
    assert store.record_all(pages, now=NOW).outcome == "repeated"
    assert store.submit(mine, now=NOW).status == "submitted"
    assert store.record_all(pages[:1], now=NOW).outcome == "repeated"
    assert store.record_all([page(mine, "b1-1", "b")], now=NOW).outcome == "closed"


def test_agreeing_and_claiming_is_one_go(store):
    visit = store.arrive(person(1), now=NOW)
    assert store.claim(visit, now=NOW).assignments == ()  # nobody is given work before they agree
    agreed = store.agree(visit, version=store.consent_version, now=NOW)
    assert agreed.consented_at == NOW
    assert in_hand(agreed).batch == "b1"


def test_the_last_pages_and_handing_in_are_one_go_and_are_kept_when_one_is_missing(store):
    mine = begin(store, 1)
    pages = [page(mine, task.id, "a") for task in store.order(mine)]
    with pytest.raises(Unfinished, match="task 3"):
        store.hand_in(mine.visit, mine.id, pages[:2], now=NOW)
    assert len(store.answers(mine)) == 2
    handed_in = store.hand_in(mine.visit, mine.id, pages, now=NOW)
    assert [each.status for each in handed_in.assignments] == ["submitted"]
    assert store.hand_in(mine.visit, mine.id, pages, now=NOW) == handed_in
    assert len(list(store.answer_rows())) == 3


def test_nothing_is_stored_before_somebody_has_agreed(store):
    visit = store.arrive(person(1), now=NOW)
    early = PageAnswers(visit.id, None, f"{PRACTICE}1", 1, {"meaning": "a"}, "k", NOW)
    assert store.record(early, now=NOW).outcome == "closed"


def test_whoever_has_left_gets_no_further_batch(open_one):
    store = open_one(1, 1, cap=2)
    done = complete(store, 1)
    left = store.pass_step(store.visit(done.visit), "exit", now=NOW)
    assert not store.has_next_batch(left, now=NOW)
    assert store.claim(left, now=NOW) == left


@pytest.mark.parametrize("raw", ["nul \0 inside", "half \ud800 a character", "日本語 🙂 عربى", ""])
def test_any_text_can_be_kept(store, raw):
    mine = begin(store, 1)
    said = PageAnswers(mine.visit, None, EXIT, 1, {"@comment": raw}, "k", NOW)
    assert store.record(said, now=NOW).outcome == "saved"
    kept = store.answers(store.visit(mine.visit))[EXIT, "@comment"]
    assert kept == raw.replace("\0", "�").replace("\ud800", "?")


def test_times_come_back_as_they_went_in(store):
    odd = NOW + timedelta(microseconds=123457)
    visit = store.arrive(person(1), now=odd)
    assert visit.arrived_at == odd
    assert visit.arrived_at.utcoffset() == timedelta(0)


def test_calibration_comes_first_for_as_many_as_find_a_place_afterwards(open_one):
    store = open_one(1, 1, calibration=True)
    for number in (1, 2):
        mine = begin(store, number)
        assert mine.batch == "calibration"
        finish(store, mine)
    third = store.claim(come(store, 3), now=NOW)
    assert (third.current, third.is_turned_away) == (None, True)
    batches = [in_hand(store.claim(store.visit(number), now=NOW)).batch for number in (1, 2)]
    assert batches == ["b1", "b2"]
    assert broken(store) == []


def test_who_returns_or_leaves_calibration_keeps_no_place(open_one):
    store = open_one(1, calibration=True)
    mine = begin(store, 1)
    assert store.claim(come(store, 2), now=NOW).current is None
    store.change(mine.id, "return", who="me", reason="", now=NOW)
    second = in_hand(store.claim(store.visit(2), now=NOW))
    assert second.batch == "calibration"
    late = NOW + 16 * MINUTE  # the second has not begun
    third = in_hand(store.claim(come(store, 3, now=late), now=late))
    assert third.batch == "calibration"
    back = store.claim(store.visit(2), now=late)
    assert (back.current.status, back.current.batch) == ("expired", "calibration")
    assert broken(store) == []


def test_the_batch_nearest_to_completion_goes_first(open_one):
    store = open_one(2, 2)
    mine = begin(store, 1)
    store.change(mine.id, "return", who="me", reason="", now=NOW)
    batches = []
    for number in (2, 3, 4, 5):
        done = complete(store, number)
        batches.append(done.batch)
    assert batches == ["b1", "b1", "b2", "b2"]


def test_a_pause_hands_out_nothing_but_lets_people_finish(store):
    mine = begin(store, 1)
    store.set_state("paused", who="me", reason="lunch", now=NOW)
    assert (store.state, store.is_open) == ("paused", False)
    other = come(store, 2)
    assert not store.has_next_batch(other, now=NOW)
    assert store.claim(other, now=NOW).assignments == ()
    assert finish(store, mine).status == "submitted"
    store.set_state("open", who="me", now=NOW)
    assert in_hand(store.claim(other, now=NOW))


def test_whether_there_is_a_next_batch_is_told_without_writing(open_one):
    store = open_one(1)
    first, other = come(store, 1), come(store, 2)
    assert store.has_next_batch(first, now=NOW)
    store.claim(first, now=NOW)
    events = store.events()
    assert store.has_next_batch(first, now=NOW)
    assert not store.has_next_batch(other, now=NOW)
    assert store.has_next_batch(other, now=NOW + LEASE)  # lapsed by then
    assert store.events() == events


def test_people_are_told_with_their_place_and_time(store):
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "a"), now=NOW + MINUTE)
    store.arrive(person(2), now=NOW)
    first, second = store.people(now=NOW + 2 * MINUTE)
    assert (first.participant, first.step, first.batch) == ("p0001", "task", "b1")
    assert (first.answered, first.tasks, first.wall_minutes) == (1, 3, 1.0)
    assert first.active_minutes == pytest.approx(4 / 60)
    assert first.statuses == {"b1": "held"}
    assert first.is_now
    assert (second.step, second.batch, second.answered) == ("consent", None, 0)
    assert not store.people(now=NOW + 60 * MINUTE)[0].is_now


def test_what_others_do_with_somebodys_work_is_no_sign_of_life_of_theirs(open_one):
    store = open_one(2)
    mine, slow = begin(store, 1), begin(store, 2)
    finish(store, mine, now=NOW + 6 * MINUTE)
    tomorrow = NOW + 1440 * MINUTE
    store.expire(now=tomorrow)
    store.change(mine.id, "exclude", who="me", reason="a slip", now=tomorrow)
    store.change(mine.id, "accept", who="me", reason="no slip", now=tomorrow)
    first, second = store.people(now=tomorrow)
    assert (first.last_seen_at, first.wall_minutes) == (NOW + 6 * MINUTE, 6.0)
    assert (second.participant, second.wall_minutes, second.is_now) == (slow.participant, 0, False)


def test_the_time_between_two_sessions_is_nobodys_work(open_one):
    store = open_one(2)
    mine = begin(store, 1)
    finish(store, mine, now=NOW + 6 * MINUTE)
    later = NOW + 1440 * MINUTE
    store.arrive(replace(person(1), session="another"), now=later)
    [told] = store.people(now=later)
    assert (told.last_seen_at, told.wall_minutes) == (later, 6.0)
    assert "second-session" in told.flags


def test_time_on_a_page_grows_while_it_is_open_and_adds_up_over_showings(store):
    """Shown once, saved after 5 and 9 s; shown again for 3 s: 9 + 3 = 12."""
    mine = begin(store, 1)
    for shown, seconds in ((NOW, 5.0), (NOW, 9.0), (NOW + MINUTE, 3.0)):
        said = PageAnswers(
            mine.visit, mine.id, "b1-1", 1, {"meaning": "a"}, f"{seconds}", shown, seconds, 1, 2
        )
        store.record(said, now=shown + seconds * SECOND)
    [given] = store.all_answers()
    assert given.seconds == 12.0
    [told] = store.people(now=NOW)
    assert (told.active_minutes, told.changes, told.blurs) == (12 / 60, 2, 4)


@pytest.mark.parametrize(
    ("told", "passed", "seconds"),
    [
        (None, 7.0, 7.0),  # no script: our own clock
        (None, 4000.0, 300.0),  # a pause is cut
        (5.0, 7.0, 5.0),  # the rest was a pause
        (30.0, 0.2, 0.2),  # a script that claims to have read
    ],
)
def test_nobody_is_longer_on_a_page_than_our_own_clock_says(open_one, told, passed, seconds):
    store = open_one(2)
    mine = begin(store, 1)
    page = PageAnswers(mine.visit, mine.id, "b1-1", 1, {"meaning": "a"}, "k", NOW, told)
    store.record(page, now=NOW + passed * SECOND)
    [given] = store.all_answers()
    assert given.seconds == pytest.approx(seconds)


def test_tasks_on_one_page_share_its_time(open_one):
    """As with a list and without a script: both were shown at once and came after 8 seconds."""
    store = open_one(2)
    mine = begin(store, 1)
    for task in (1, 2):
        page = PageAnswers(
            mine.visit, mine.id, f"b1-{task}", task, {"meaning": "a"}, f"k{task}", NOW, None
        )
        store.record(page, now=NOW + 8 * SECOND)
    assert [given.seconds for given in store.all_answers()] == [4.0, 4.0]


def test_progress_adds_up(open_one):
    store = open_one(2, 1)
    complete(store, 1)
    complete(store, 2, right=False)
    begin(store, 3)
    store.arrive(person(4), now=NOW)
    store.withdraw("p0004", who="me", now=NOW)
    told = store.progress(now=NOW)
    assert (told.batches, told.places, told.done, told.held) == (2, 3, 1, 1)
    assert told.assignments == {"submitted": 1, "excluded": 1, "held": 1}
    assert (told.participants, told.withdrawn) == (3, 1)
    assert told.share == pytest.approx(1 / 3)
    assert told.last_submission_at == NOW


def test_paces_tell_how_long_finished_work_took(store):
    mine = begin(store, 1)
    finish(store, mine, now=NOW + 6 * MINUTE)
    [pace] = store.paces()
    assert (pace.participant, pace.batch, pace.wall_minutes) == ("p0001", "b1", 6.0)
    assert pace.active_minutes == pytest.approx(3 * 4 / 60)  # three pages of 4 s


def test_judgments_come_from_the_last_answers(store):
    mine = begin(store, 1)
    store.record(page(mine, "b1-1", "b"), now=NOW)
    finish(store, mine)
    table = judgments_of(store)
    assert len(table) == 3
    assert [each.raw for each in store.all_answers()] == ["a", "a", "a"]
    assert len(list(store.answer_rows())) == 4


def test_what_happened_is_told_in_order(store):
    done = complete(store, 1)
    store.change(done.id, "accept", who="Ada", reason="good", now=NOW)
    assert [each.what for each in store.events()] == [
        "arrived", "consented", "instructed", "claimed", "submitted", "accepted",
    ]  # fmt: skip
    [entry] = store.log()
    assert (entry.who, entry.what, entry.participant, entry.reason) == (
        "Ada", "accept", "p0001", "good",
    )  # fmt: skip


def test_platform_ids_are_told_only_where_they_are_asked_for(store):
    done = complete(store, 1)
    [who] = store.identities()
    assert (who.participant, who.person) == ("p0001", "person-1")
    assert store.pseudonym_of("person-1") == "p0001"
    assert store.pseudonym_of("person-2") is None
    told = [store, done, store.people(now=NOW), store.events(), store.log(), who]
    assert not any("person-" in f"{each!r}" for each in told)


def test_codes_are_made_once_and_given_ones_are_taken(open_one):
    first = open_one(1, name="one").codes
    assert len({first.completed, first.declined, first.full}) == 3
    assert open_one(1, name="one").codes == first
    given = open_one(1, name="two", codes={"completed": "C1A2B3"}).codes
    assert given.completed == "C1A2B3"
    assert given.full


def test_a_site_keeps_its_secret(open_one):
    assert len(open_one(1, name="one").secret) == 32
    assert open_one(1, name="one").secret == open_one(1, name="one").secret
    assert open_one(1, name="one").secret != open_one(1, name="two").secret


def test_several_studies_live_in_one_database_apart(open_one):
    one, two = open_one(1, name="one"), open_one(1, name="two")
    complete(one, 1)
    mine = begin(two, 1)
    assert (counts(one), counts(two)) == ({"b1": (1, 1, 0)}, {"b1": (1, 0, 1)})
    assert one.assignment(mine.id) is None
    assert one.visit(mine.visit) is None
    assert [each.participant for each in two.people(now=NOW)] == ["p0001"]


def test_another_plan_is_refused_once_somebody_has_begun(database, open_one):
    store = open_one(2)
    open_one(3)  # nobody has begun: taken
    assert store.occupancies()[0].places == 3
    begin(open_one(3), 1)
    with pytest.raises(DataError, match="different plan of the study 'small'"):
        opened(database, 2)


def test_a_changed_wording_is_noted(database, open_one):
    store = open_one(2)
    begin(store, 1)
    study = study_of()
    changed = type(study)(study.spec, study.items, {**study.pages, "consent": "Agree?"})
    open_store(database, changed, plan_of(changed, 2), now=NOW).close()
    assert [entry.what for entry in store.log()] == ["wording changed"]


def test_a_rehearsal_and_people_do_not_share_a_study(database, open_one):
    open_one(2)
    study = study_of()
    with pytest.raises(DataError, match="work of people"):
        open_store(database, study, plan_of(study, 2), now=NOW, is_rehearsal=True)


def test_an_unknown_study_is_not_made_by_those_who_only_look(database):
    study = study_of()
    with pytest.raises(DataError, match="does not contain the study 'small'"):
        open_existing(database, study, plan_of(study, 2))


def test_a_missing_file_is_not_made_by_those_who_only_look(tmp_path):
    study = study_of()
    with pytest.raises(DataError, match="no study is kept here"):
        open_existing(str(tmp_path / "none.db"), study, plan_of(study, 2))
    assert not (tmp_path / "none.db").exists()


@pytest.mark.parametrize(
    "address", ["mysql://host/x", "sqlite://", "post gres://%%%", "sqlite://:memory:"]
)
def test_an_address_we_cannot_use_is_answered_with_one_we_can(address):
    study = study_of()
    with pytest.raises(UsageError, match=r"study\.db or postgresql"):
        open_store(address, study, plan_of(study, 2), now=NOW)


def test_an_unreachable_server_is_told_without_its_password():
    study = study_of()
    address = "postgresql://ada:verysecret@127.0.0.1:1/none"
    with pytest.raises(StoreUnavailable) as told:
        open_store(address, study, plan_of(study, 2), now=NOW)
    assert "127.0.0.1" in str(told.value)
    assert "verysecret" not in str(told.value)


def test_a_file_that_is_no_database_is_told(tmp_path):
    file = tmp_path / "study.db"
    file.write_text("Dear diary, " * 100)
    study = study_of()
    with pytest.raises(StoreUnavailable, match=r"study\.db"):
        open_store(str(file), study, plan_of(study, 2), now=NOW)


def test_tokens_open_the_door_until_they_are_revoked(store):
    secret = store.grant("viewer", now=NOW)
    token = store.login(secret, now=NOW)
    session = store.begin_session(token, now=NOW)
    assert (token.role, token.state(NOW)) == ("viewer", "holds")
    assert store.session(session, now=NOW).id == token.id
    assert store.login(secret, now=NOW).id == token.id
    assert store.login("guessed", now=NOW) is None
    store.revoke(token.id, who="me", now=NOW)
    assert store.login(secret, now=NOW) is None
    assert store.session(session, now=NOW) is None
    assert [each.state(NOW) for each in store.tokens()] == ["revoked"]


def test_a_session_ends_when_somebody_logs_out_and_after_half_a_day(store):
    token = store.login(store.grant("owner", now=NOW), now=NOW)
    here, there = (store.begin_session(token, now=NOW) for _ in range(2))
    store.end_session(here)
    assert store.session(here, now=NOW) is None
    assert store.session(there, now=NOW + timedelta(hours=11)).id == token.id
    assert store.session(there, now=NOW + timedelta(hours=12)) is None
    assert store.session("guessed", now=NOW) is None


@pytest.mark.parametrize(
    ("one_time", "lasts"), [(True, timedelta(hours=24)), (False, timedelta(days=90))]
)
def test_a_secret_that_nobody_uses_ends_by_itself(store, one_time, lasts):
    secret = store.grant("owner", now=NOW, one_time=one_time)
    assert store.login(secret, now=NOW + lasts) is None
    assert store.tokens()[0].state(NOW + lasts) == "expired"
    assert store.login(secret, now=NOW + lasts - MINUTE) is not None


def test_a_one_time_token_opens_once_and_the_session_goes_on(store):
    secret = store.grant("owner", now=NOW, one_time=True)
    session = store.begin_session(store.login(secret, now=NOW), now=NOW)
    assert store.login(secret, now=NOW) is None
    assert store.session(session, now=NOW) is not None
    assert store.tokens()[0].state(NOW) == "used"


def test_a_token_of_one_study_does_not_open_another(open_one):
    secret = open_one(1, name="one").grant("owner", now=NOW)
    assert open_one(1, name="two").login(secret, now=NOW) is None


def test_a_backup_is_restored_with_everything_in_it(store, tmp_path):
    complete(store, 1)
    mine = begin(store, 2)
    answer(store, mine)
    secret = store.grant("owner", now=NOW)
    copy = store.backup(tmp_path / "copy.db")
    assert sorted(file.name for file in tmp_path.glob("copy*")) == ["copy.db"]
    fresh = str(tmp_path / "fresh.db")
    assert restore(copy, fresh) == "small"
    again = open_store(fresh, store.study, store.plan, now=NOW)
    assert list(again.answer_rows()) == list(store.answer_rows())
    assert again.assignments() == store.assignments()
    assert again.events() == store.events()
    assert again.identities() == store.identities()
    assert (again.codes, again.secret) == (store.codes, store.secret)
    assert again.login(secret, now=NOW)
    assert again.arrive(person(2), now=NOW).id == mine.visit
    assert begin(again, 3).id > mine.id
    assert broken(again) == []
    again.close()


def test_a_backup_is_made_however_often_the_site_was_started(store, tmp_path):
    for _ in range(3):
        store.grant("owner", now=NOW, one_time=True)
    copy = store.backup(tmp_path / "copy.db")
    assert [file.name for file in tmp_path.glob("copy*")] == [copy.name]


def test_after_a_restore_no_number_that_a_browser_may_keep_becomes_somebody_elses(store, tmp_path):
    begin(store, 1)
    copy = store.backup(tmp_path / "copy.db")
    lost = begin(store, 2)
    restore(copy, str(tmp_path / "restored.db"))
    restored = open_store(str(tmp_path / "restored.db"), store.study, store.plan, now=NOW)
    new = begin(restored, 3)
    restored.close()
    assert new.visit > lost.visit
    assert new.id > lost.id


def test_a_backup_that_nobody_may_write_is_restored_and_stays_as_it_is(
    store, tmp_path, monkeypatch
):
    """Root may write everything, so the system is asked in its place."""
    complete(store, 1)
    copy = store.backup(tmp_path / "copy.db")
    before, may = copy.read_bytes(), os.access
    monkeypatch.setattr(os, "access", lambda file, mode: file != copy and may(file, mode))
    restore(copy, str(tmp_path / "restored.db"))
    assert copy.read_bytes() == before
    assert [file.name for file in tmp_path.glob("copy*")] == [copy.name]


def test_a_backup_that_fails_leaves_nothing_behind(store, tmp_path, monkeypatch):
    def fail(_) -> NoReturn:
        raise OSError("no space left on device")

    monkeypatch.setattr(Database, "make_single_file", fail)
    with pytest.raises(OSError, match="no space"):
        store.backup(tmp_path / "copy.db")
    assert list(tmp_path.glob("copy*")) == []


def test_a_backup_made_while_people_work_is_of_one_moment(open_one, tmp_path):
    """People claim, answer and hand in all the time; the copy must agree with itself."""
    store = open_one(*(3,) * 20)
    has_enough = Event()

    def work(first: int) -> None:
        for number in range(first, first + 12):
            complete(store, number)
            if number == first + 3:
                has_enough.set()

    with ThreadPoolExecutor(3) as pool:
        running = [pool.submit(work, 100 * n) for n in range(3)]
        has_enough.wait(60)
        told = {(each.participant, each.task) for each in store.answer_rows()}
        copy = store.backup(tmp_path / "copy.db")
        [each.result() for each in running]
    fresh = str(tmp_path / "fresh.db")
    restore(copy, fresh)
    again = open_existing(fresh, store.study, store.plan)
    assert broken(again) == []
    assert told <= {(each.participant, each.task) for each in again.answer_rows()}
    done = [each for each in again.assignments() if each.status == "submitted"]
    assert all(len(again.answers(each)) == 3 for each in done)
    again.close()


def test_a_backup_goes_into_the_other_kind_of_database(store, tmp_path, postgres_server):
    complete(store, 1)
    copy = store.backup(tmp_path / "copy.db")
    address = postgres_server.new_database()
    restore(copy, address)
    again = open_store(address, store.study, store.plan, now=NOW)
    assert list(again.answer_rows()) == list(store.answer_rows())
    assert complete(again, 2).id > 1
    assert broken(again) == []
    again.close()


def test_a_backup_overwrites_nothing_and_is_not_restored_over_a_study(store, database, tmp_path):
    copy = store.backup(tmp_path / "copy.db")
    with pytest.raises(FileError, match="already exists"):
        store.backup(copy)
    with pytest.raises(DataError, match="already contains the study 'small'"):
        restore(copy, database)


def test_a_study_is_restored_beside_others_of_the_same_database(open_one, database, tmp_path):
    one, two = open_one(1, name="one"), open_one(2, name="two")
    complete(one, 1)
    done = complete(two, 1)
    copy = two.backup(tmp_path / "copy.db")
    fresh = str(tmp_path / "fresh.db")
    restore(one.backup(tmp_path / "one.db"), fresh)
    restore(copy, fresh)
    again = open_existing(fresh, two.study, two.plan)
    assert again.states() == {("p0001", done.batch): "submitted"}
    assert len(list(again.answer_rows())) == 3
    again.close()


def test_a_backup_of_another_database_is_not_mixed_in(open_one, tmp_path):
    one = open_one(1, name="one")
    opened(str(tmp_path / "other.db"), 1, name="two").close()
    with pytest.raises(DataError, match="new database"):
        restore(one.backup(tmp_path / "one.db"), str(tmp_path / "other.db"))
