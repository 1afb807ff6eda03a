"""Fakes of Zenodo and of Hugging Face over HTTP, as far as deposits use them.

They follow https://developers.zenodo.org and the hub's API as `huggingface_hub` calls it: what the
real ones refuse, they refuse with the same status.
"""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

TOKEN = "a-token-of-the-tests"  # noqa: S105 - of nobody
_LARGE = 10 * 1024 * 1024


@dataclass
class FakeArchive:
    """What both have: a token, requests that were made, and faults that can be switched on."""

    seen: list[tuple[str, str]] = field(default_factory=list)
    fails_at: str = ""  # a part of a path that is answered with 503
    address: str = ""

    def refusal(self, request: Request) -> Response | None:
        self.seen.append((request.method, request.url.path))
        if self.fails_at and self.fails_at in request.url.path:
            return Response("upstream is away", 503)
        if request.headers.get("authorization") != f"Bearer {TOKEN}":
            return JSONResponse({"status": 401, "message": "Unauthorized"}, 401)
        return None


@dataclass
class FakeZenodo(FakeArchive):
    """Depositions with a bucket of files each."""

    depositions: dict[int, dict[str, Any]] = field(default_factory=dict)
    bucket_address: str = ""  # where files go; empty: here

    @property
    def app(self) -> Starlette:
        base = "/api/deposit/depositions"
        return Starlette(
            routes=[
                Route(base, self.create, methods=["POST"]),
                Route(base + "/{id:int}", self.show, methods=["GET"]),
                Route(base + "/{id:int}", self.describe, methods=["PUT"]),
                Route(base + "/{id:int}/actions/publish", self.publish, methods=["POST"]),
                Route("/api/files/{bucket}/{name}", self.upload, methods=["PUT"]),
            ]
        )

    async def create(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        if request.headers.get("content-type") != "application/json":
            return JSONResponse({"status": 415, "message": "Invalid Content-Type"}, 415)
        await request.json()
        number = 1000 + len(self.depositions)
        self.depositions[number] = {
            "id": number,
            "links": {
                "bucket": f"{self.bucket_address or self.address}/api/files/bucket-{number}",
                "html": f"{self.address}/deposit/{number}",
            },
            "metadata": {},
            "files": [],
            "submitted": False,
            "state": "unsubmitted",
        }
        return JSONResponse(self.depositions[number], 201)

    async def show(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        found = self.depositions.get(request.path_params["id"])
        return JSONResponse(found) if found else JSONResponse({"message": "gone"}, 404)

    async def describe(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        found = self.depositions[request.path_params["id"]]
        metadata = (await request.json())["metadata"]
        wanted = {"title", "upload_type", "description", "creators"}
        missing = sorted(name for name in wanted if not metadata.get(name))
        if missing:
            errors = [{"field": f"metadata.{name}", "message": "Missing data"} for name in missing]
            return JSONResponse({"status": 400, "errors": errors}, 400)
        if found["submitted"]:
            return JSONResponse({"message": "Deposition is not editable"}, 403)
        found["metadata"] = metadata
        return JSONResponse(found)

    async def upload(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        number = int(request.path_params["bucket"].removeprefix("bucket-"))
        found, name = self.depositions[number], request.path_params["name"]
        body = await request.body()
        checksum = hashlib.md5(body, usedforsecurity=False).hexdigest()
        found["files"] = [each for each in found["files"] if each["filename"] != name]
        found["files"].append({"filename": name, "checksum": checksum, "filesize": len(body)})
        return JSONResponse({"key": name, "checksum": f"md5:{checksum}", "size": len(body)}, 201)

    async def publish(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        found = self.depositions[request.path_params["id"]]
        if not found["files"] or not found["metadata"]:
            return JSONResponse({"message": "Validation error."}, 400)
        found |= {"submitted": True, "state": "done"}
        found["links"]["record_html"] = f"{self.address}/record/{found['id']}"
        return JSONResponse(found, 202)


@dataclass
class FakeHub(FakeArchive):
    """Dataset repositories, and objects of Git LFS."""

    repositories: dict[str, dict[str, Any]] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    verified: set[str] = field(default_factory=set)

    @property
    def app(self) -> Starlette:
        api = "/api/datasets/{owner}/{name}"
        return Starlette(
            routes=[
                Route("/api/repos/create", self.create, methods=["POST"]),
                Route(api + "/preupload/main", self.preupload, methods=["POST"]),
                Route(api + "/commit/main", self.commit, methods=["POST"]),
                Route(api + "/settings", self.settings, methods=["PUT"]),
                Route(
                    "/datasets/{owner}/{name}.git/info/lfs/objects/batch",
                    self.batch,
                    methods=["POST"],
                ),
                Route("/store/{oid}", self.store, methods=["PUT"]),
                Route("/verify", self.verify, methods=["POST"]),
            ]
        )

    def _repository(self, request: Request) -> dict[str, Any]:
        return self.repositories["{owner}/{name}".format(**request.path_params)]

    async def create(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        wanted = await request.json()
        name = f"{wanted['organization']}/{wanted['name']}"
        if name in self.repositories:
            return JSONResponse({"error": "You already created this dataset repo"}, 409)
        assert wanted["type"] == "dataset"
        self.repositories[name] = {"private": wanted["private"], "files": {}, "commits": 0}
        return JSONResponse({"url": f"{self.address}/datasets/{name}"})

    async def preupload(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        asked = (await request.json())["files"]
        told = []
        for each in asked:
            is_binary = b"\0" in base64.b64decode(each["sample"])
            mode = "lfs" if is_binary or each["size"] > _LARGE else "regular"
            told.append({"path": each["path"], "uploadMode": mode, "shouldIgnore": False})
        return JSONResponse({"files": told})

    async def batch(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        if request.headers.get("accept") != "application/vnd.git-lfs+json":
            return JSONResponse({"message": "not acceptable"}, 406)
        wanted = await request.json()
        assert (wanted["operation"], wanted["hash_algo"]) == ("upload", "sha256")
        told = []
        for each in wanted["objects"]:
            if each["oid"] in self.objects:  # it is there: nothing is to be done
                told.append(each)
                continue
            upload = {
                "href": f"{self.address}/store/{each['oid']}?sign=x",
                "header": {"X-Own": "1"},
            }
            verify = {"href": f"{self.address}/verify"}
            told.append({**each, "actions": {"upload": upload, "verify": verify}})
        return JSONResponse({"transfer": "basic", "objects": told})

    async def store(self, request: Request) -> Response:
        """Elsewhere than the hub itself: signed addresses take no token."""
        self.seen.append((request.method, request.url.path))
        if "authorization" in request.headers or request.headers.get("x-own") != "1":
            return Response("only one way of signing is allowed", 400)
        body = await request.body()
        oid = request.path_params["oid"]
        if hashlib.sha256(body).hexdigest() != oid:
            return Response("another checksum", 400)
        self.objects[oid] = body
        return Response("", 200)

    async def verify(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        wanted = await request.json()
        if len(self.objects.get(wanted["oid"], b"")) != wanted["size"]:
            return JSONResponse({"error": "not there"}, 404)
        self.verified.add(wanted["oid"])
        return JSONResponse({})

    async def commit(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        if request.headers["content-type"] != "application/x-ndjson":
            return JSONResponse({"error": "content type"}, 415)
        header, *lines = [json.loads(line) for line in (await request.body()).splitlines()]
        if header["key"] != "header" or not header["value"]["summary"]:
            return JSONResponse({"error": "a commit needs a summary"}, 400)
        files = {}
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif value["oid"] not in self.objects:
                return JSONResponse({"error": "LFS pointer to a missing object"}, 400)
            else:
                files[value["path"]] = self.objects[value["oid"]]
        repository = self._repository(request)
        repository["files"] |= files
        repository["commits"] += 1
        return JSONResponse({"commitUrl": "…", "commitOid": "0" * 40})

    async def settings(self, request: Request) -> Response:
        if refused := self.refusal(request):
            return refused
        self._repository(request).update(await request.json())
        return JSONResponse({})
