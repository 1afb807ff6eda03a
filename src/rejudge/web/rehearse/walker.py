"""One person of a rehearsal, walking through the real pages from the link to the code.

A walk is a generator: it does one thing, then says how many seconds pass before the next.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from rejudge.simulate import Looked, Person
from rejudge.study import Question
from rejudge.web.forms import field_name
from rejudge.web.rehearse.browser import Browser, Form, Page
from rejudge.web.rehearse.characters import Character
from rejudge.web.rehearse.ledger import End, Told
from rejudge.web.rehearse.script import Script

if TYPE_CHECKING:
    from rejudge.design import Plan, Task
    from rejudge.study import Study

Walk: TypeAlias = Generator[float, None, Page]

_CODE = re.compile(r'id="code"[^>]*>([^<]*)<')
_CONTROL = re.compile(r"(\d+):([^:]+)")
_ENDS: Mapping[str, End] = {"thanks": "thanks", "declined": "declined", "full": "full"}
_MOST_PAGES = 2000  # whoever has seen so many is going round in circles


@dataclass(frozen=True, slots=True)
class Way:
    """What somebody needs to walk: the study as they will meet it, their link, new browsers."""

    study: Study
    plan: Plan
    link: str
    new_browser: Callable[[], Browser]


class Walker:
    """Somebody with a character and opinions; `told` is filled while they walk."""

    def __init__(self, way: Way, character: Character, person: Person, told: Told) -> None:
        self.told = told
        self._way, self._character, self._person = way, character, person
        self._browser = way.new_browser()
        self._before = 0  # requests of browsers they had before
        self._tried: set[str] = set()  # practice examples
        self._has_left = False
        self._seen = 0
        self._acts: dict[str, Callable[[Page], Walk]] = {
            "consent": self._consent,
            "instructions": self._instructions,
            "practice": self._practice,
            "task": self._task,
            "break": self._rest,
            "more": self._more,
            "exit": self._exit,
        }

    @property
    def requests(self) -> int:
        """How often they asked the site for something."""
        return self._before + self._browser.requests

    def walk(self) -> Iterator[float]:
        """The whole way, as far as this character goes."""
        page = self._arrive()
        while page.step in self._acts and self._seen < _MOST_PAGES:
            self._seen += 1
            if self._is_leaving(page):
                self._has_left = True
                if self._character.back_after is None:
                    return
                yield self._character.back_after
                self._before += self._browser.requests
                self._browser = self._way.new_browser()
                page = self._arrive()
                continue
            page = yield from self._acts[page.step](page)
        self._come_to_an_end(page)
        if self._character.refreshes:
            yield 60.0
            self._come_to_an_end(self._browser.open(self._way.link))

    def _arrive(self) -> Page:
        if not self._character.has_two_tabs:
            return self._browser.open(self._way.link)
        with ThreadPoolExecutor(2) as at_once:
            pages = list(at_once.map(self._browser.open, [self._way.link] * 2))
        if pages[0].path != pages[1].path:
            self._complain(pages[1], "two tabs show two different pages")
        return pages[0]

    def _come_to_an_end(self, page: Page) -> None:
        self.told.end = _ENDS.get(page.step, "stuck")
        if self.told.end == "stuck":
            self._complain(page, "leads nowhere")
        self.told.codes += _CODE.findall(page.source)

    def _complain(self, page: Page, what: str) -> None:
        self.told.complaints.append(f"{page.path} ({page.status}): {what}")

    def _is_leaving(self, page: Page) -> bool:
        share = self._character.leaves_after
        if share is None or self._has_left or page.step != "task":
            return False
        batch = _batch_of(page)
        if batch is None or page.path.endswith("/all"):
            return batch is not None
        number = int(page.path.rpartition("/")[2])
        return number > share * len(self._way.plan.batch[batch].tasks)

    # ── pages before and after the tasks ─────────────────────────────────────────────────────────

    def _consent(self, page: Page) -> Walk:
        yield 40 * self._character.pace
        agree = "no" if self._character.declines else "yes"
        return self._send(page, {"agree": agree})

    def _instructions(self, page: Page) -> Walk:
        yield 60 * self._character.pace
        return self._send(page, {})

    def _practice(self, page: Page) -> Walk:
        """Careless people get it wrong first; everybody gets it right in the end."""
        yield 20 * self._character.pace
        form = page.forms[0]
        if "on" in form.offers("go"):
            return self._send(page, {"go": "on"})
        return self._send(page, {"go": "check", **self._practised(page, form)})

    def _practised(self, page: Page, form: Form) -> dict[str, str]:
        practice = self._way.study.spec.practice
        examples = practice.examples if practice else ()
        shown = next((e for e in examples if " ".join(e.input.split()) in page.text), examples[0])
        prefix = next(name for name in form.names if ":" in name).partition(":")[0]
        questions = {q.id: q for q in self._way.study.spec.questions}
        is_first = shown.input not in self._tried
        self._tried.add(shown.input)
        given: dict[str, str] = {}
        for question, answer in shown.answers.items():
            raw = str(answer)
            if self._character.is_careless and is_first:
                raw = questions[question].other_answer(raw)
            given |= questions[question].controls(field_name(prefix, question), raw)
        return given

    def _rest(self, page: Page) -> Walk:
        yield 90 * self._character.pace
        return self._browser.open(next(link for link in page.links if "/task/" in link))

    def _more(self, page: Page) -> Walk:
        yield 10 * self._character.pace
        return self._send(page, {"go": "more"})

    def _exit(self, page: Page) -> Walk:
        yield 30 * self._character.pace
        given = {"comment": f"I am {self._character.name}: «{{{{ 7 * 7 }}}}» <b>&amp;"}
        for question in self._way.study.spec.site.exit_questions:
            by_kind = {"choice": question.options[:1] or ("",), "text": ("words",)}
            given[field_name("exit", question.id)] = by_kind.get(question.kind, ("42",))[0]
        return self._send(page, given)

    # ── tasks ────────────────────────────────────────────────────────────────────────────────────

    def _task(self, page: Page) -> Walk:
        batch = _batch_of(page)
        if batch is None:
            self._complain(page, "shows no batch")
            return self._browser.open("/nowhere")
        if self._character.is_scripted:
            return (yield from self._by_script(page, batch))
        if self._character.refreshes:
            yield 2.0
            page = self._browser.open(page.path)
        tasks = self._shown(page, batch)
        looked = {number: self._look(task) for number, task in tasks.items()}
        yield sum(each.seconds for each in looked.values()) * self._character.pace
        after = self._answer(page, batch, looked)
        if self._character.has_two_tabs:
            yield 3.0
            after = self._answer_in_another_tab(page, batch, after)
        if self._character.refreshes:
            yield 2.0
            after = self._send_again(page, batch, looked, after)
        return after

    def _answer(self, page: Page, batch: str, looked: Mapping[int, Looked]) -> Page:
        """Fill in the controls and send them; if the site goes on, it has said that all is kept."""
        given = {"go": "next"}
        for number, each in looked.items():
            for question, raw in each.answers.items():
                name = field_name(number, question)
                given |= self._question(question).controls(name, raw)
        after = self._send(page, given)
        if after.status < 400 and after.path != page.path:  # noqa: PLR2004 - no refusal
            self._note_saved(batch, looked, after)
        else:
            self._complain(after, "a whole answer was not taken")
        return after

    def _note_saved(self, batch: str, looked: Mapping[int, Looked], after: Page) -> None:
        tasks = self._way.plan.batch[batch].tasks
        for number, each in looked.items():
            self.told.saved |= {
                (tasks[number].id, question): raw for question, raw in each.answers.items()
            }
        if after.step not in {"task", "break"} and batch not in self.told.submitted:
            self.told.submitted.append(batch)

    def _answer_in_another_tab(self, page: Page, batch: str, after: Page) -> Page:
        """The other window still shows the earlier page: what is sent from it last counts."""
        if batch in self.told.submitted:
            return after
        other = self._browser.open(page.path)
        if other.step != "task":
            return other
        looked = {n: self._look(task) for n, task in self._shown(other, batch).items()}
        return self._answer(other, batch, looked)

    def _send_again(
        self, page: Page, batch: str, looked: Mapping[int, Looked], after: Page
    ) -> Page:
        """The button is pressed twice: the same page arrives again, and changes nothing."""
        given = {"go": "next"}
        for number, each in looked.items():
            for question, raw in each.answers.items():
                given |= self._question(question).controls(field_name(number, question), raw)
        again = self._send(page, given)
        if again.status >= 500:  # noqa: PLR2004 - the site's own fault
            self._complain(again, "the same page sent twice")
        return again if batch not in self.told.submitted else after

    def _by_script(self, page: Page, batch: str) -> Walk:
        """As the pages' script does it: all tasks at once, each answer saved as it is given."""
        script = Script(self._browser, page)
        tasks = self._way.plan.batch[batch].tasks
        for number in script.tasks():
            looked = self._look(tasks[number])
            yield looked.seconds * self._character.pace
            for question, raw in looked.answers.items():
                said = script.save(number, question, raw, looked.seconds)
                if said == "saved":
                    self.told.saved[tasks[number].id, question] = raw
                else:
                    self._complain(page, f"the script was told '{said}'")
        after = script.hand_in()
        self.told.submitted.append(batch)
        return after

    def _shown(self, page: Page, batch: str) -> dict[int, Task]:
        """The tasks on a page, by their place in the batch as planned."""
        form = page.form("stamp", "go")
        names = form.names if form is not None else ()
        numbers = {int(found[1]) for name in names if (found := _CONTROL.match(name))}
        tasks = self._way.plan.batch[batch].tasks
        if not numbers:
            self._complain(page, "there is nothing to answer")
        return {number: tasks[number] for number in sorted(numbers)}

    def _look(self, task: Task) -> Looked:
        looked = self._person.look(task)
        if not self._character.is_one_sided:
            return looked
        same = {
            q: self._question(q).first_answer(raw.count(",") + 1)
            for q, raw in looked.answers.items()
        }
        return Looked(same, looked.seconds)

    def _question(self, name: str) -> Question:
        return next(q for q in self._way.study.spec.questions if q.id == name)

    def _send(self, page: Page, values: Mapping[str, str]) -> Page:
        return self._browser.send(page.forms[0], values)


def _batch_of(page: Page) -> str | None:
    """Which batch a page is about, as its stamp says."""
    form = page.form("stamp")
    if form is None:
        return None
    content = form.filled()["stamp"].rpartition(".")[0]
    return content.split("~", 6)[-1] or None
