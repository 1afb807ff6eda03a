"""rejudge deposit: drafts on fakes of both archives, interrupted, taken up, published."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bundled
from archives import TOKEN, FakeHub, FakeZenodo
from rejudge.bundle.archive import unpack
from rejudge.web.serving import run_site
from served import run, said

AUTHORS = '\npublication: {authors: [{name: "Example, Ada"}]}\n'


@pytest.fixture(scope="module")
def bundle_once(tmp_path_factory) -> bytes:
    folder = bundled.finish(tmp_path_factory.mktemp("deposit") / "trees")
    with (folder / "study.yaml").open("a", encoding="utf-8") as text:
        text.write(AUTHORS)
    return bundled.bundled(folder, with_croissant=True)


@pytest.fixture
def bundle(bundle_once, tmp_path) -> Path:
    path = tmp_path / "trees.zip"
    path.write_bytes(bundle_once)
    return path


@pytest.fixture
def tokens(monkeypatch) -> None:
    monkeypatch.setenv("ZENODO_TOKEN", TOKEN)
    monkeypatch.setenv("HF_TOKEN", TOKEN)


@pytest.fixture
def zenodo(tokens):
    fake = FakeZenodo()
    with run_site(fake.app) as fake.address:
        yield fake


@pytest.fixture
def hub(tokens):
    fake = FakeHub()
    with run_site(fake.app) as fake.address:
        yield fake


def to_zenodo(bundle, fake, *words: str):
    return ("deposit", "zenodo", bundle, "--server", fake.address, "--yes", *words)


def to_hub(bundle, fake, *words: str):
    where = ("--repository", "our-lab/trees", "--server", fake.address)
    return ("deposit", "huggingface", bundle, *where, "--yes", *words)


# ── Zenodo ───────────────────────────────────────────────────────────────────────────────────────


def test_a_draft_on_zenodo_has_the_bundle_and_its_description(bundle, zenodo):
    found = said(*to_zenodo(bundle, zenodo))
    draft = zenodo.depositions[1000]

    assert (found["place"], found["published"]) == ("1000", False)
    docs = Path(__file__).parents[3] / "docs/reference/commands.md"
    page = docs.read_text("utf-8").split("\n## deposit\n")[1].split("\n## ")[0]
    assert not [key for key in found if f"`{key}`" not in page]
    assert found["page"] == f"{zenodo.address}/deposit/1000"
    assert draft["submitted"] is False
    assert [each["filename"] for each in draft["files"]] == ["trees.zip"]
    described = unpack(bundle.read_bytes(), file="x")[".zenodo.json"]
    assert draft["metadata"] == json.loads(described)
    assert TOKEN not in Path(found["record"]).read_text("utf-8")


def test_it_is_published_only_when_asked_and_once(bundle, zenodo):
    said(*to_zenodo(bundle, zenodo))
    found = said(*to_zenodo(bundle, zenodo, "--publish"))
    again = said(*to_zenodo(bundle, zenodo, "--publish"))

    assert len(zenodo.depositions) == 1
    assert found["published"] is again["published"] is True
    assert found["page"] == again["page"] == f"{zenodo.address}/record/1000"
    assert [path for _, path in zenodo.seen].count("/api/files/bucket-1000/trees.zip") == 1
    assert sum("publish" in path for _, path in zenodo.seen) == 1


def test_another_bundle_does_not_replace_a_published_one(bundle, zenodo, tmp_path):
    said(*to_zenodo(bundle, zenodo, "--publish"))
    folder = bundled.finish(tmp_path / "other", study=bundled.STUDY + AUTHORS)
    bundle.write_bytes(bundled.bundled(folder, licence="CC0-1.0", with_croissant=True))
    result = run(*to_zenodo(bundle, zenodo))

    assert result.exit_code == 2
    assert "is published, with a different bundle" in result.output


@pytest.mark.parametrize("fails_at", ["/api/files/", "/depositions/1000", "/actions/publish"])
def test_an_interrupted_deposit_is_taken_up_again(bundle, zenodo, fails_at):
    zenodo.fails_at = fails_at
    broken = run(*to_zenodo(bundle, zenodo, "--publish"))
    assert broken.exit_code == 2
    assert "continues where it stopped" in " ".join(broken.output.split())
    zenodo.fails_at = ""
    found = said(*to_zenodo(bundle, zenodo, "--publish"))

    assert found["published"] is True
    assert len(zenodo.depositions) == 1


def test_a_discarded_draft_is_made_again(bundle, zenodo):
    said(*to_zenodo(bundle, zenodo))
    zenodo.depositions[1000] = {}
    found = said(*to_zenodo(bundle, zenodo))

    assert found["place"] == "1001"


def test_a_reply_that_leads_elsewhere_gets_no_token(bundle, zenodo):
    zenodo.bucket_address = "https://elsewhere.example"
    result = run(*to_zenodo(bundle, zenodo))

    assert result.exit_code == 2
    assert "another host" in result.output


# ── Hugging Face ─────────────────────────────────────────────────────────────────────────────────


def test_a_private_dataset_has_every_file_and_the_bundle(bundle, hub):
    found = said(*to_hub(bundle, hub))
    repository = hub.repositories["our-lab/trees"]

    assert found["published"] is False
    assert found["page"] == f"{hub.address}/datasets/our-lab/trees"
    assert repository["private"] is True
    files = unpack(bundle.read_bytes(), file="x")
    assert repository["files"] == {**files, "trees.zip": bundle.read_bytes()}
    assert len(hub.objects) == len(hub.verified) == 1  # the bundle alone is binary


def test_a_second_run_uploads_no_large_file_again_and_can_publish(bundle, hub):
    said(*to_hub(bundle, hub))
    found = said(*to_hub(bundle, hub, "--publish"))

    assert found["published"] is True
    assert hub.repositories["our-lab/trees"]["private"] is False
    assert sum(path.startswith("/store/") for _, path in hub.seen) == 1
    assert sum("create" in path for _, path in hub.seen) == 1


@pytest.mark.parametrize("fails_at", ["/preupload/", "/objects/batch", "/verify", "/commit/"])
def test_an_interrupted_upload_is_taken_up_again(bundle, hub, fails_at):
    hub.fails_at = fails_at
    assert run(*to_hub(bundle, hub)).exit_code == 2
    assert hub.repositories["our-lab/trees"]["files"] == {}
    hub.fails_at = ""
    said(*to_hub(bundle, hub))

    assert "trees.zip" in hub.repositories["our-lab/trees"]["files"]


def test_somebody_elses_dataset_is_not_written_over(bundle, hub):
    hub.repositories["our-lab/trees"] = {"private": False, "files": {"x": b""}, "commits": 3}
    result = run(*to_hub(bundle, hub))

    assert result.exit_code == 2
    assert "exists already" in result.output
    assert hub.repositories["our-lab/trees"]["commits"] == 3


@pytest.mark.parametrize("name", ["trees", "a/b/c", "/x", "x/", "a b/c", "../x", "a/..", "ä/b"])
def test_an_impossible_name_is_refused_before_anything_is_sent(bundle, hub, name):
    words = ("deposit", "huggingface", bundle, "--repository", name, "--server", hub.address)
    assert run(*words, "--yes").exit_code == 2
    assert hub.seen == []


# ── both ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_dry_run_prints_what_is_then_sent(bundle, zenodo, hub):
    for words, fake in ((to_zenodo(bundle, zenodo, "--publish"), zenodo),
                        (to_hub(bundle, hub, "--publish"), hub)):  # fmt: skip
        planned = said(*words, "--dry-run")
        assert (planned["sent"], fake.seen) == (False, [])
        assert TOKEN not in json.dumps(planned)
        said(*words)
        own = [each for each in planned["requests"] if "{address" not in each["url"]]
        shown = [(each["method"], each["url"].removeprefix(fake.address)) for each in own]
        filled = [
            (method, path.replace("{deposition}", "1000").replace("{bucket}", "bucket-1000"))
            for method, path in shown
        ]
        sent = [each for each in fake.seen if not each[1].startswith(("/store/", "/verify"))]
        assert filled == sent


def test_a_dry_run_needs_no_token_and_shows_the_metadata(bundle, monkeypatch):
    monkeypatch.delenv("ZENODO_TOKEN", raising=False)
    result = run("deposit", "zenodo", bundle, "--dry-run")

    assert result.exit_code == 0, result.output
    assert "Authorization: Bearer $ZENODO_TOKEN" in result.output
    assert '"upload_type": "dataset"' in " ".join(result.output.split())
    assert "publish" not in result.output


def test_without_a_token_or_with_a_wrong_one_nothing_is_made(bundle, zenodo, monkeypatch):
    monkeypatch.setenv("ZENODO_TOKEN", "wrong")
    wrong = run(*to_zenodo(bundle, zenodo))
    monkeypatch.delenv("ZENODO_TOKEN")
    none = run(*to_zenodo(bundle, zenodo))

    assert (wrong.exit_code, none.exit_code) == (2, 2)
    assert "Check the token" in wrong.output
    assert "ZENODO_TOKEN" in none.output
    assert zenodo.depositions == {}


def test_without_a_terminal_it_asks_for_yes(bundle, zenodo):
    result = run("deposit", "zenodo", bundle, "--server", zenodo.address)

    assert result.exit_code == 2
    assert "Add --yes" in result.output
    assert zenodo.seen == []


def test_a_bundle_without_a_description_or_that_was_changed_is_refused(bundle, tmp_path, zenodo):
    plain = tmp_path / "plain.zip"
    plain.write_bytes(bundled.bundled(bundled.finish(tmp_path / "plain")))
    changed = tmp_path / "changed.zip"
    changed.write_bytes(
        bundled.with_file(bundle.read_bytes(), "judgments.csv", lambda text: text + b"x")
    )
    assert "rejudge bundle --croissant" in run(*to_zenodo(plain, zenodo)).output
    assert run(*to_zenodo(changed, zenodo)).exit_code == 2
    assert run(*to_zenodo(tmp_path / "none.zip", zenodo)).exit_code == 2
    assert zenodo.seen == []


@pytest.mark.parametrize("address", ["http://zenodo.org", "zenodo.org", "ftp://x", "", "https://"])
def test_a_token_is_sent_over_https_alone(bundle, tokens, address):
    words = ("deposit", "zenodo", bundle, "--yes", "--dry-run", "--server", address or " ")
    assert run(*words).exit_code == 2


def test_an_unreachable_server_is_named(bundle, tokens):
    result = run("deposit", "zenodo", bundle, "--yes", "--server", "http://127.0.0.1:9")

    assert result.exit_code == 2
    assert "127.0.0.1 cannot be reached" in result.output


def test_a_record_of_another_server_is_not_followed(bundle, zenodo):
    said(*to_zenodo(bundle, zenodo))
    result = run("deposit", "zenodo", bundle, "--dry-run")

    assert result.exit_code == 2
    assert "was begun at" in result.output
