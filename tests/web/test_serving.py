"""Running the site: the port it takes, and that it answers until it is stopped."""

from __future__ import annotations

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from rejudge.errors import UsageError
from rejudge.web.serving import bind_socket, run_site


def test_a_port_that_is_taken_is_refused_with_its_number():
    with bind_socket("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(UsageError, match=str(port)):
            bind_socket("127.0.0.1", port)


def test_a_site_answers_until_it_is_stopped():
    app = Starlette(routes=[Route("/", lambda _: PlainTextResponse("here"))])
    with run_site(app) as address:
        assert httpx.get(address).text == "here"
    with pytest.raises(httpx.ConnectError):
        httpx.get(address)
