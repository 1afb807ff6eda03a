"""Signs links into a study as Prolific does where secure URLs are switched on.

Needs PyJWT and cryptography (`pip install 'rejudge[prolific]'`).
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from rejudge.prolific.fake.records import FakeSubmission
from rejudge.prolific.signatures import ISSUER, TOKEN_PARAMETER

_VALID_FOR = timedelta(minutes=2)
_BITS = 2048


class LinkSigner:
    """A key, and the tokens made with it."""

    def __init__(self, kid: str = "key-1") -> None:
        from cryptography.hazmat.primitives.asymmetric import rsa

        self.kid = kid
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)

    def keys(self) -> dict[str, Any]:
        """The public key, as JSON Web Key Set."""
        import jwt

        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return {"keys": [{**public, "kid": self.kid, "use": "sig", "alg": "RS256"}]}

    def sign(self, link: str, submission: FakeSubmission, *, now: datetime, workspace: str) -> str:
        """The link with a token that is valid for two minutes."""
        query = dict(parse_qsl(urlsplit(link).query))
        claims = {
            "iss": ISSUER,
            "iat": int(now.timestamp()),
            "exp": int((now + _VALID_FOR).timestamp()),
            "aud": submission.url,
            "sub": submission.id,
            "prolific": {**query, "workspace_id": workspace},
        }
        return f"{link}{'&' if query else '?'}{TOKEN_PARAMETER}={self.token(claims)}"

    def token(self, claims: dict[str, Any], **header: str) -> str:
        """Any claims, signed; for tests of what must be rejected."""
        import jwt

        signed: str = jwt.encode(claims, self._key, "RS256", headers={"kid": self.kid, **header})
        return signed
