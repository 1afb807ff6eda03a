"""Signed links of the fake: valid for two minutes, for one address and one submission."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from fake_account import LINK, START

from rejudge.prolific.fake.link_signer import LinkSigner
from rejudge.prolific.fake.records import FakeSubmission
from rejudge.prolific.signatures import ISSUER, TOKEN_PARAMETER

jwt = pytest.importorskip("jwt", reason="needs PyJWT: pip install 'rejudge[prolific]'")


@pytest.fixture(scope="module")
def signer() -> LinkSigner:
    return LinkSigner("key-7")


def claims_of(signer: LinkSigner, link: str):
    """What the token of a link says, read with the published key."""
    (token,) = parse_qs(urlsplit(link).query)[TOKEN_PARAMETER]
    key = jwt.PyJWK(signer.keys()["keys"][0])
    options = {"verify_exp": False, "verify_aud": False, "verify_iat": False}
    return jwt.decode(token, key, algorithms=["RS256"], options=options)


def submission() -> FakeSubmission:
    return FakeSubmission("s1", "p1", "study1", "ACTIVE", START, LINK)


@pytest.mark.parametrize("link", ["https://e.org/?PROLIFIC_PID=p1&STUDY_ID=x", "https://e.org/"])
def test_a_link_keeps_its_query_and_gets_a_token(signer, link):
    signed = signer.sign(link, submission(), now=START, workspace="w1")
    assert signed.startswith(link)
    assert claims_of(signer, signed) == {
        "iss": ISSUER,
        "iat": int(START.timestamp()),
        "exp": int((START + timedelta(minutes=2)).timestamp()),
        "aud": LINK,
        "sub": "s1",
        "prolific": {
            **{name: values[0] for name, values in parse_qs(urlsplit(link).query).items()},
            "workspace_id": "w1",
        },
    }


def test_the_published_key_is_public_and_named(signer):
    (key,) = signer.keys()["keys"]
    assert (key["kid"], key["kty"], key["use"]) == ("key-7", "RSA", "sig")
    assert not {"d", "p", "q"} & set(key)


def test_another_key_does_not_verify_a_token(signer):
    signed = LinkSigner("key-7").sign("https://e.org/", submission(), now=START, workspace="w")
    with pytest.raises(jwt.InvalidSignatureError):
        claims_of(signer, signed)
