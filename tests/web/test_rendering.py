"""What pages are made of: the study's own texts with placeholders filled, scripts and styles."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pytest

from participants import PAGES, PAIRWISE, OpenSite, made_study
from rejudge.web.rendering import asset_path, assets, markdown
from rejudge.web.wording import LANGUAGES, catalogue

_IMPORT = re.compile(rb'from "\./([a-z]+\.js)"')


def test_every_module_of_the_script_is_named_by_the_page(tmp_path):
    """Otherwise a browser learns of one from another, and asks one after another."""
    site = OpenSite(made_study(), tmp_path)
    page = site.person().arrive().text
    site.close()
    told = set(re.findall(r'modulepreload" href="([^"]+)"', page))
    wanted = {
        name.decode() for asset in assets().values() for name in _IMPORT.findall(asset.content)
    }
    assert told == {asset_path(name) for name in wanted}
    assert len(wanted) == 6


def test_modules_stand_beside_each_other():
    folders = {asset_path(name).rpartition("/")[0] for name in assets()}
    assert len(folders) == 1


PAID = {"minutes": 8, "reward": 2.4}


FILLED = {
    "information": "# {title}\n\nAbout {minutes} minutes, {tasks} tasks, {reward}. {payment}",
    "consent": "I agree. Questions: [{email}](mailto:{email})",
    "instructions": "Judge.\n\n{practice}\n\n{ties}",
    "thanks": "Write to {contact}.",
}


def test_pages_are_filled_from_the_study(opened):
    site = opened(made_study(pages=FILLED, payment=PAID))
    person = site.person()
    shown = person.arrive().text
    assert "<h1>Which sentence is better?</h1>" in shown
    assert "About 8 minutes, 3 tasks, GBP 2.40. You are paid GBP 2.40 for taking part." in shown
    assert '<a href="mailto:ada@example.org">ada@example.org</a>' in shown
    person.send(agree="yes")
    assert "{" not in person.get("/instructions").text.partition("<main")[2].partition("</main")[0]


def test_what_was_agreed_to_is_kept_as_it_was_read(opened):
    site = opened(made_study(pages=FILLED, payment=PAID))
    with closing(sqlite3.connect(site.database)) as database:
        (body,) = database.execute("SELECT body FROM consent_text").fetchone()
    assert "About 8 minutes, 3 tasks, GBP 2.40." in body
    assert "{" not in body


def test_a_changed_reward_is_another_consent(opened):
    one = opened(made_study(pages=FILLED, payment=PAID))
    two = opened(made_study(pages=FILLED, payment={**PAID, "reward": 3}))
    assert one.store.consent_version != two.store.consent_version


def test_the_tie_is_called_as_its_button_is(opened):
    study = made_study({**PAIRWISE, "tie": True}, pages=FILLED, payment=PAID)
    person = opened(study, interface={"about_same": "no difference"}).person()
    person.arrive()
    person.send(agree="yes")
    assert "choose “no difference”" in person.get("/instructions").text


def test_values_are_shown_as_they_are_never_as_markup():
    values = {"title": "*b* <script>x</script> [y](z) & # 1. |", "email": 'a"b@c.edu'}
    page = str(markdown("# {title}\n\n- {title}\n\n`{title}`\n\n[w](mailto:{email})", values))
    escaped = "*b* &lt;script&gt;x&lt;/script&gt; [y](z) &amp; # 1. |"
    assert page.count(escaped) == 3
    assert "<script" not in page
    assert 'href="mailto:a%22b@c.edu"' in page


def test_braces_can_be_shown_also_in_code():
    page = str(markdown("{{a}} `{{title}}`\n\n```\n{{title}} { x } {}\n```", {"title": "T"}))
    assert "<p>{a} <code>{title}</code></p>" in page
    assert "<code>{title} { x } {}\n</code>" in page


def test_a_title_is_no_script_in_a_link():
    values = {"title": "javascript:alert(1)"}
    assert "javascript:" not in str(markdown("[x]({title})", values))


def test_a_sentence_that_is_not_needed_leaves_no_empty_paragraph():
    assert str(markdown("a\n\n{ties}\n\nb", {"ties": ""})) == "<p>a</p>\n<p>b</p>\n"


@pytest.mark.parametrize("language", LANGUAGES)
def test_everybody_has_their_own_number_on_the_last_page_and_under_about(opened, language):
    """In every language; the code beside it is the same for all."""
    site = opened(made_study(pages=PAGES, language=language, design={"batch": {"inputs": 3}}))
    word = catalogue(language)["study_number"]
    one, two = site.finished(), site.finished()
    numbers = [each.participant for each in site.store.people(now=site.clock())]
    told = [f'{word}: <strong dir="ltr">{number}</strong>' for number in sorted(numbers)]
    assert [told[0] in one.page.text, told[1] in two.page.text] == [True, True]
    assert [told[0] in two.page.text, told[1] in one.page.text] == [False, False]
    assert told[0] in one.get("/about").text
    codes = [site.store.receipt(number) for number in sorted(numbers)]
    for page, own, other in ((one, *codes), (two, *codes[::-1])):
        assert f'id="receipt" aria-labelledby="receipt-label" dir="ltr">{own}<' in page.page.text
        assert other not in page.page.text
    assert codes[0] in one.get("/about").text


def test_a_stranger_reads_about_the_study_without_a_number(opened):
    page = opened().person().get("/about")
    assert page.status_code == 200
    assert catalogue("en")["study_number"] not in page.text
