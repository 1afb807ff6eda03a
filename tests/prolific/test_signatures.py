"""Only what Prolific has signed is believed: webhooks by HMAC, links by JSON Web Tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest
from fake_account import START, Account, study_body
from hypothesis import given
from hypothesis import strategies as st

from rejudge.errors import UsageError
from rejudge.prolific import signatures
from rejudge.prolific.fake.link_signer import LinkSigner
from rejudge.prolific.fake.routes import FAKE_URL
from rejudge.prolific.signatures import SignatureError, StudyKeys, verify_arrival, verify_event

SECRET = "a secret of a workspace"  # noqa: S105 - of these tests
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BODY = b'{"resource_id": "r1",  "status":"RETURNED"}'  # spaced as no library would


def headers(body: bytes = BODY, *, stamp: str | None = None, secret: str = SECRET):
    stamp = stamp if stamp is not None else str(int(NOW.timestamp()))
    digest = hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
    return {
        "x-prolific-request-signature": base64.b64encode(digest).decode(),
        "X-Prolific-Request-Timestamp": stamp,
        "x-event-id": "e1",
    }


def test_a_signed_event_is_read():
    event = verify_event(headers(), BODY, secrets=[SECRET], now=NOW)
    assert (event.id, event.sent_at, event.is_late) == ("e1", NOW, False)
    assert event.payload["status"] == "RETURNED"


def test_while_secrets_change_both_are_accepted():
    assert verify_event(headers(), BODY, secrets=["new", SECRET], now=NOW).id == "e1"


@given(place=st.integers(0, len(BODY) - 1), bit=st.integers(0, 7))
def test_any_changed_bit_is_noticed(place, bit):
    changed = bytearray(BODY)
    changed[place] ^= 1 << bit
    with pytest.raises(SignatureError):
        verify_event(headers(), bytes(changed), secrets=[SECRET], now=NOW)


FORGED = {
    "another secret": headers(secret="guess"),  # noqa: S106 - of these tests
    "no signature": {"X-Prolific-Request-Timestamp": "1"},
    "nothing": {},
    "odd letters": headers() | {"x-prolific-request-signature": "日本"},
    "another time": headers() | {"X-Prolific-Request-Timestamp": "1770000000"},
}


@pytest.mark.parametrize("given_headers", FORGED.values(), ids=FORGED)
def test_forged_events_are_rejected(given_headers):
    with pytest.raises(SignatureError):
        verify_event(given_headers, BODY, secrets=[SECRET], now=NOW)


def test_without_a_secret_nothing_is_believed():
    with pytest.raises(SignatureError):
        verify_event(headers(), BODY, secrets=[], now=NOW)


@pytest.mark.parametrize(
    ("age", "is_accepted", "is_late"),
    [
        (timedelta(minutes=5), True, False),
        (timedelta(minutes=6), True, True),
        (timedelta(hours=24), True, True),
        (timedelta(hours=25), False, True),
        (timedelta(minutes=-5), True, False),
        (timedelta(minutes=-6), False, False),
    ],
)
def test_old_events_are_only_taken_as_deliveries_that_are_tried_again(age, is_accepted, is_late):
    stamp = str(int((NOW - age).timestamp()))
    if not is_accepted:
        with pytest.raises(SignatureError, match="too far"):
            verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW)
        return
    event = verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW)
    assert event.is_late == is_late


def test_events_are_ordered_by_their_own_time_not_by_that_of_the_attempt():
    """A delivery that is tried again has a new, signed timestamp, and the event's own as before."""
    earlier = int(NOW.timestamp()) - 3600
    again = headers() | {"X-Timestamp": str(earlier)}
    event = verify_event(again, BODY, secrets=[SECRET], now=NOW)
    assert (event.sent_at, event.is_late) == (NOW - timedelta(hours=1), False)


def test_an_events_own_time_is_not_signed_and_cannot_make_it_newer():
    later = headers() | {"X-Timestamp": str(int(NOW.timestamp()) + 3600)}
    assert verify_event(later, BODY, secrets=[SECRET], now=NOW).sent_at == NOW


def test_a_replayed_event_with_another_id_has_the_same_key():
    """The id is not signed, so an attacker can change it."""
    one = verify_event(headers(), BODY, secrets=[SECRET], now=NOW)
    other = verify_event(headers() | {"x-event-id": "e2"}, BODY, secrets=[SECRET], now=NOW)
    assert one.id != other.id
    assert one.key == other.key


@pytest.mark.parametrize(
    "stamp",
    [
        "2026-03-02T09:00:00Z",
        "2026-03-02T10:00:00+01:00",
        "2026-03-02T09:00:00",
        str(int(NOW.timestamp() * 1000)),
        str(NOW.timestamp()),
    ],
)
def test_timestamps_are_read_in_any_usual_form(stamp):
    assert verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW).sent_at == NOW


@pytest.mark.parametrize("stamp", ["", "soon", "nan", "1e400", "-1e30"])
def test_a_timestamp_that_is_none_is_rejected(stamp):
    with pytest.raises(SignatureError):
        verify_event(headers(stamp=stamp), BODY, secrets=[SECRET], now=NOW)


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff\xfe", b"[" * 100_000])
def test_signed_nonsense_is_rejected_too(body):
    with pytest.raises(SignatureError, match="JSON"):
        verify_event(headers(body), body, secrets=[SECRET], now=NOW)


# ── links ────────────────────────────────────────────────────────────────────────────────────────

HOST = "study.example.org"


@pytest.fixture(scope="module")
def signer() -> LinkSigner:
    pytest.importorskip("jwt", reason="needs PyJWT: pip install 'rejudge[prolific]'")
    pytest.importorskip("cryptography", reason="needs PyJWT: pip install 'rejudge[prolific]'")
    return LinkSigner()


@pytest.fixture
def account(signer) -> Account:
    return Account(signer=signer)


def keys_of(account: Account) -> StudyKeys:
    address = f"{FAKE_URL}/.well-known/study/jwks.json"
    return StudyKeys(lambda: account.http.get(address).json())


def arrive(account: Account) -> tuple[dict[str, str], object]:
    """The query of a signed link, and the submission it belongs to."""
    study = account.published(is_external_study_url_secure=True)
    submission = account.come(study)
    return dict(parse_qsl(urlsplit(account.world.link(submission)).query)), submission


def test_a_signed_link_says_who_arrives(account):
    query, submission = arrive(account)
    found = verify_arrival(query, keys=keys_of(account), host="Study.Example.org", now=START)
    assert (found.participant, found.study, found.session) == (
        submission.participant,
        submission.study,
        submission.id,
    )


@pytest.mark.parametrize("name", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
@pytest.mark.parametrize("value", ["0" * 24, "", None])
def test_a_changed_or_missing_parameter_is_rejected(account, name, value):
    query, _ = arrive(account)
    changed = {**query, name: value}
    kept = {key: each for key, each in changed.items() if each is not None}
    with pytest.raises(SignatureError):
        verify_arrival(kept, keys=keys_of(account), host=HOST, now=START)


def test_an_added_parameter_is_rejected(account):
    query, _ = arrive(account)
    with pytest.raises(SignatureError, match="changed"):
        verify_arrival({**query, "BATCH": "b7"}, keys=keys_of(account), host=HOST, now=START)


@pytest.mark.parametrize(
    ("wait", "words"), [(timedelta(minutes=3), "expired"), (-timedelta(minutes=1), "not valid yet")]
)
def test_a_link_holds_for_two_minutes(account, wait, words):
    query, _ = arrive(account)
    with pytest.raises(SignatureError, match=words):
        verify_arrival(query, keys=keys_of(account), host=HOST, now=START + wait)


def test_a_link_to_another_site_is_rejected(account):
    query, _ = arrive(account)
    with pytest.raises(SignatureError, match="another site"):
        verify_arrival(query, keys=keys_of(account), host="evil.example", now=START)


def claims(**changes: object) -> dict[str, object]:
    ids = {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "x"}
    moments = {"iat": int(START.timestamp()), "exp": int(START.timestamp()) + 120}
    whole = {
        "iss": "https://www.prolific.com",
        "aud": f"https://{HOST}/",
        "sub": "x",
        "prolific": ids,
        **moments,
        **changes,
    }
    return {name: value for name, value in whole.items() if value is not None}


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "https://www.evil.example"},
        {"iss": None},
        {"exp": None},
        {"aud": None},
        {"sub": "another"},
        {"prolific": None},
        {"prolific": {"PROLIFIC_PID": "p"}},
        {"exp": "tomorrow"},
        {"aud": "https://[broken"},
        {"aud": []},
    ],
)
def test_tokens_with_wrong_claims_are_rejected(account, signer, changes):
    query = {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "x"}
    query["prolific_token"] = signer.token(claims(**changes))
    with pytest.raises(SignatureError):
        verify_arrival(query, keys=keys_of(account), host=HOST, now=START)


def test_the_claims_of_these_tests_are_accepted_unchanged(account, signer):
    query = {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "x"}
    query["prolific_token"] = signer.token(claims())
    assert verify_arrival(query, keys=keys_of(account), host=HOST, now=START).session == "x"


def _part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


def forged(alg: str, kid: str = "key-1") -> str:
    """A token without a signature, or with one made from the public key."""
    head = f"{_part({'alg': alg, 'kid': kid, 'typ': 'JWT'})}.{_part(claims())}"
    digest = hmac.new(b"public key", head.encode(), hashlib.sha256).digest()
    signature = base64.urlsafe_b64encode(digest).rstrip(b"=").decode() if alg != "none" else ""
    return f"{head}.{signature}"


@pytest.mark.parametrize(
    "token",
    ["", "x", "a.b.c", forged("none"), forged("HS256"), forged("RS256"), forged("RS512"), "é.é.é"],
)
def test_forged_tokens_are_rejected(account, token):
    query = {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "x", "prolific_token": token}
    with pytest.raises(SignatureError):
        verify_arrival(query, keys=keys_of(account), host=HOST, now=START)


def test_a_token_of_another_key_with_a_known_name_is_rejected(account):
    query = {"PROLIFIC_PID": "p", "STUDY_ID": "s", "SESSION_ID": "x"}
    query["prolific_token"] = LinkSigner().token(claims())
    with pytest.raises(SignatureError, match="not valid"):
        verify_arrival(query, keys=keys_of(account), host=HOST, now=START)


class Published:
    """Keys as they are read; counts how often."""

    def __init__(self, *kids: str) -> None:
        self.kids = list(kids)
        self.reads = 0

    def __call__(self) -> dict[str, object]:
        self.reads += 1
        return {"keys": [{"kid": kid, "kty": "RSA"} for kid in self.kids] + [{"kid": "e"}, 7]}


def test_keys_are_kept_and_read_again_when_a_new_one_is_used():
    published = Published("a")
    keys = StudyKeys(published)
    for _ in range(5):
        keys.find("a", now=NOW)
    assert published.reads == 1
    published.kids = ["a", "b"]
    keys.find("b", now=NOW + timedelta(minutes=2))
    assert published.reads == 2


def test_keys_are_read_again_after_half_a_day_and_withdrawn_ones_are_gone():
    published = Published("a")
    keys = StudyKeys(published)
    keys.find("a", now=NOW)
    published.kids = ["b"]
    with pytest.raises(SignatureError):
        keys.find("a", now=NOW + timedelta(hours=12))


def test_made_up_keys_do_not_lead_to_a_flood_of_requests():
    published = Published("a")
    keys = StudyKeys(published)
    for number in range(100):
        with pytest.raises(SignatureError):
            keys.find(f"made-up-{number}", now=NOW + timedelta(milliseconds=number))
    assert published.reads == 1


def test_only_rsa_keys_count():
    with pytest.raises(SignatureError):
        StudyKeys(Published("a")).find("e", now=NOW)


def test_without_the_library_a_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jwt", None)
    with pytest.raises(UsageError, match="rejudge\\[prolific\\]"):
        signatures.load_jwt()


def test_an_unsigned_study_has_plain_links():
    account = Account()
    submission = account.come(account.published(**study_body()))
    assert "prolific_token" not in account.world.link(submission)
    with pytest.raises(httpx.HTTPStatusError):
        account.http.get(f"{FAKE_URL}/.well-known/study/jwks.json").raise_for_status()
