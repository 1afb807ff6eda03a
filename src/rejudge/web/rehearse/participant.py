"""Simulated participants: their characters, what they do on each page, and what they saw."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from rejudge.collect.qualification import attempt_order
from rejudge.simulate.people import SimulatedPerson, TaskReply
from rejudge.study.kinds.question import Question
from rejudge.web.forms import field_name
from rejudge.web.rehearse.browser import Browser, Form, Page, Script

if TYPE_CHECKING:
    from rejudge.design.plan import Plan, Task
    from rejudge.study.model import Study


_HOUR = 3600.0


@dataclass(frozen=True, slots=True)
class Character:
    """How a simulated participant behaves, independent of their opinion of the texts."""

    name: str
    means: str  # in a few words, for the table at the end
    share: int  # so many of a round of twenty
    is_careless: bool = False  # answers without looking
    is_one_sided: bool = False  # answers always the same
    is_scripted: bool = False  # with JavaScript: saves each answer as the pages' script does
    pace: float = 1.0  # seconds taken, relative to others
    leaves_after: float | None = None  # this share of the first batch
    back_after: float | None = None  # seconds; None: never
    refreshes: bool = False  # reloads, goes back, sends twice
    has_two_tabs: bool = False
    declines: bool = False
    is_screened_out: bool = False  # gives answers with which nobody may take part


CHARACTERS: tuple[Character, ...] = (
    Character("careful", "reads the texts and decides", share=4),
    Character("scripted", "the same, with JavaScript", share=4, is_scripted=True),
    Character("careless", "answers at random", share=2, is_careless=True),
    Character("fast", "answers within seconds", share=1, pace=0.15),
    Character("one-sided", "always gives the same answer", share=1, is_one_sided=True),
    Character(
        "returning",
        "continues later on another device",
        share=2,
        leaves_after=0.5,
        back_after=0.3 * _HOUR,
    ),
    Character("two tabs", "works in two tabs at once", share=1, has_two_tabs=True),
    Character("leaving", "leaves and never comes back", share=1, leaves_after=0.4),
    Character("refreshing", "reloads, goes back, submits twice", share=2, refreshes=True),
    Character(
        "late", "comes back a day too late", share=1, leaves_after=0.7, back_after=26 * _HOUR
    ),
    Character("declining", "does not consent", share=1, declines=True),
)


def assign_characters(people: int) -> tuple[Character, ...]:
    """The characters of this many people, in rounds of twenty, each spread as evenly as possible.

    People who leave come early in a round, so that someone can take their place.
    """
    once = _spread(CHARACTERS)
    rounds = -(-people // len(once))
    return (once * rounds)[:people]


def _spread(characters: tuple[Character, ...]) -> tuple[Character, ...]:
    """Each character at even distances: the j-th of n is at (j + ½) / n of the round."""
    placed = [
        ((turn + 0.5) / character.share, number, character)
        for number, character in enumerate(characters)
        for turn in range(character.share)
    ]
    return tuple(character for _, _, character in sorted(placed, key=lambda each: each[:2]))


End: TypeAlias = Literal[
    "thanks", "declined", "screened-out", "full", "not-qualified", "left", "stuck"
]


@dataclass(slots=True)
class ParticipantRecord:
    """What the pages showed one simulated participant; filled in as they go on."""

    person: str  # the id in their link
    character: str
    saved: dict[tuple[str, str], str] = field(default_factory=dict)  # by task and question
    submitted: list[str] = field(default_factory=list)  # batches the pages said were handed in
    codes: list[str] = field(default_factory=list)  # as they read them
    end: End = "left"
    complaints: list[str] = field(default_factory=list)  # pages that made no sense


Steps: TypeAlias = Generator[float, None, Page]

_CODE = re.compile(r'id="code"[^>]*>([^<]*)<')
_CONTROL = re.compile(r"(\d+):([^:]+)")
_FRAME = re.compile(r'<iframe[^>]* data-src="([^"]+)"')
_NAMES = re.compile(r' name="([^"]+)"')
_ENDS: Mapping[str, End] = {
    "thanks": "thanks",
    "declined": "declined",
    "screened-out": "screened-out",
    "full": "full",
    "not-qualified": "not-qualified",
}
_STEP, _BATCH = 5, 6  # places in a stamp
_MOST_PAGES = 2000  # a participant who has seen more is going in circles


@dataclass(frozen=True, slots=True)
class ParticipantSetup:
    """What a simulated participant needs: the study, their link, new browsers."""

    study: Study
    plan: Plan
    link: str
    new_browser: Callable[[], Browser]


class SimulatedParticipant:
    """A participant with a character and opinions; `record` is filled in as they go on."""

    def __init__(
        self,
        setup: ParticipantSetup,
        character: Character,
        person: SimulatedPerson,
        record: ParticipantRecord,
    ) -> None:
        self.record = record
        self._setup, self._character, self._person = setup, character, person
        self._browser = setup.new_browser()
        self._before = 0  # requests of browsers they had before
        self._tried: set[str] = set()  # practice examples
        self._has_left = False
        self._seen = 0
        self._acts: dict[str, Callable[[Page], Steps]] = {
            "consent": self._consent,
            "screening": self._screening,
            "instructions": self._instructions,
            "practice": self._practice,
            "qualification": self._qualify,
            "qualified": self._go_on,
            "task": self._task,
            "break": self._rest,
            "more": self._more,
            "exit": self._exit,
        }

    @property
    def requests(self) -> int:
        """How many requests they sent."""
        return self._before + self._browser.requests

    def walk(self) -> Iterator[float]:
        """Go through the whole study, as far as this character goes."""
        page = self._arrive()
        while page.step in self._acts and self._seen < _MOST_PAGES:
            self._seen += 1
            if self._is_leaving(page):
                self._has_left = True
                if self._character.back_after is None:
                    return
                yield self._character.back_after
                self._before += self._browser.requests
                self._browser = self._setup.new_browser()
                page = self._arrive()
                continue
            page = yield from self._acts[page.step](page)
        self._record_end(page)
        if self._character.refreshes:
            yield 60.0
            self._record_end(self._browser.open(self._setup.link))

    def _arrive(self) -> Page:
        if not self._character.has_two_tabs:
            return self._browser.open(self._setup.link)
        with ThreadPoolExecutor(2) as at_once:
            pages = list(at_once.map(self._browser.open, [self._setup.link] * 2))
        if pages[0].path != pages[1].path:
            self._complain(pages[1], "two tabs show two different pages")
        return pages[0]

    def _record_end(self, page: Page) -> None:
        self.record.end = _ENDS.get(page.step, "stuck")
        if self.record.end == "stuck":
            self._complain(page, "is a dead end")
        self.record.codes += _CODE.findall(page.source)

    def _complain(self, page: Page, what: str) -> None:
        self.record.complaints.append(f"{page.path} ({page.status}): {what}")

    def _is_leaving(self, page: Page) -> bool:
        share = self._character.leaves_after
        if share is None or self._has_left or page.step != "task":
            return False
        batch = _batch_of(page)
        if batch is None or page.path.endswith("/all"):
            return batch is not None
        number = int(page.path.rpartition("/")[2])
        return number > share * len(self._setup.plan.batch[batch].tasks)

    # ── pages before and after the tasks ─────────────────────────────────────────────────────────

    def _consent(self, page: Page) -> Steps:
        yield 40 * self._character.pace
        agree = "no" if self._character.declines else "yes"
        statements = self._setup.study.spec.site.consent_statements
        ticks = {field_name("statement", each.id): "yes" for each in statements if each.required}
        return self._send(page, {"agree": agree, **ticks})

    def _screening(self, page: Page) -> Steps:
        """Answer so that they may take part; some characters answer otherwise."""
        yield 15 * self._character.pace
        screening = self._setup.study.spec.recruitment.screening
        given = {}
        for question in () if screening is None else screening.questions:
            others = [each for each in question.options if each not in question.admit]
            chosen = others if self._character.is_screened_out else question.admit
            given[field_name("screening", question.id)] = chosen[0]
        return self._send(page, given)

    def _instructions(self, page: Page) -> Steps:
        yield 60 * self._character.pace
        return self._send(page, {})

    def _practice(self, page: Page) -> Steps:
        """Answer practice: careless people are wrong first, and everyone is right in the end."""
        yield 20 * self._character.pace
        form = page.forms[0]
        if "on" in form.offers("go"):
            return self._send(page, {"go": "on"})
        return self._send(page, {"go": "check", **self._practice_answers(page, form)})

    def _practice_answers(self, page: Page, form: Form) -> dict[str, str]:
        practice = self._setup.study.spec.practice
        examples = practice.examples if practice else ()
        shown = next((e for e in examples if " ".join(e.input.split()) in page.text), examples[0])
        prefix = next(name for name in form.names if ":" in name).partition(":")[0]
        questions = {q.id: q for q in self._setup.study.spec.questions}
        is_first = shown.input not in self._tried
        self._tried.add(shown.input)
        given: dict[str, str] = {}
        for question, answer in shown.answers.items():
            raw = str(answer)
            if self._character.is_careless and is_first:
                raw = questions[question].other_answer(raw)
            given |= questions[question].controls(field_name(prefix, question), raw)
        return given

    def _qualify(self, page: Page) -> Steps:
        """Do the gold batch: careless people fail it, people who reload pass at the second try."""
        yield 15 * self._character.pace
        form, asked = page.form("stamp", "go"), self._setup.study.spec.qualification
        if form is None or asked is None:  # the page before an attempt
            start = next(link for link in page.links if "/qualification/" in link)
            return self._browser.open(start)
        attempt, position = (int(part) for part in _stamped(form, _STEP).split("."))
        place = attempt_order(self._setup.study, asked, attempt)[position - 1]
        given = {"go": "next"}
        for name, right in asked.tasks[place].answers.items():
            raw = self._gold_answer(self._question(name), str(right), attempt)
            given |= self._question(name).controls(field_name("0", name), raw)
        return self._send(page, given)

    def _gold_answer(self, question: Question, right: str, attempt: int) -> str:
        if self._character.is_one_sided:
            return question.first_answer(right.count(",") + 1)
        is_wrong = self._character.is_careless or (self._character.refreshes and attempt == 1)
        return question.other_answer(right) if is_wrong else right

    def _go_on(self, page: Page) -> Steps:
        yield 3 * self._character.pace
        return self._browser.open(next(link for link in page.links if link.endswith("/")))

    def _rest(self, page: Page) -> Steps:
        yield 90 * self._character.pace
        return self._browser.open(next(link for link in page.links if "/task/" in link))

    def _more(self, page: Page) -> Steps:
        yield 10 * self._character.pace
        return self._send(page, {"go": "more"})

    def _exit(self, page: Page) -> Steps:
        yield 30 * self._character.pace
        given = {}
        if self._setup.study.spec.site.comment:
            given["comment"] = f"I am {self._character.name}: «{{{{ 7 * 7 }}}}» <b>&amp;"
        for question in self._setup.study.spec.site.exit_questions:
            by_kind = {"choice": question.options[:1] or ("",), "text": ("words",)}
            given[field_name("exit", question.id)] = by_kind.get(question.kind, ("42",))[0]
        return self._send(page, given)

    # ── tasks ────────────────────────────────────────────────────────────────────────────────────

    def _task(self, page: Page) -> Steps:
        batch = _batch_of(page)
        if batch is None:
            self._complain(page, "shows no batch")
            return self._browser.open("/nowhere")
        if self._character.is_scripted:
            return (yield from self._by_script(page, batch))
        if self._character.refreshes:
            yield 2.0
            page = self._browser.open(page.path)
        tasks = self._tasks_on(page, batch)
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

    def _answer(self, page: Page, batch: str, looked: Mapping[int, TaskReply]) -> Page:
        """Fill in the form and send it; if the site goes on, the answers count as saved."""
        given = {"go": "next"}
        for number, each in looked.items():
            for question, raw in each.answers.items():
                name = field_name(number, question)
                given |= self._question(question).controls(name, raw)
        after = self._send(page, given)
        if after.status < 400 and after.path != page.path:
            self._note_saved(batch, looked, after)
        else:
            self._complain(after, "a complete answer was not accepted")
        return after

    def _note_saved(self, batch: str, looked: Mapping[int, TaskReply], after: Page) -> None:
        tasks = self._setup.plan.batch[batch].tasks
        for number, each in looked.items():
            self.record.saved |= {
                (tasks[number].id, question): raw for question, raw in each.answers.items()
            }
        if after.step not in {"task", "break"} and batch not in self.record.submitted:
            self.record.submitted.append(batch)

    def _answer_in_another_tab(self, page: Page, batch: str, after: Page) -> Page:
        """Answer again in another tab that still shows the earlier page: the last answer counts."""
        if batch in self.record.submitted:
            return after
        other = self._browser.open(page.path)
        if other.step != "task":
            return other
        looked = {n: self._look(task) for n, task in self._tasks_on(other, batch).items()}
        return self._answer(other, batch, looked)

    def _send_again(
        self, page: Page, batch: str, looked: Mapping[int, TaskReply], after: Page
    ) -> Page:
        """Send the same form twice: the second one must change nothing."""
        given = {"go": "next"}
        for number, each in looked.items():
            for question, raw in each.answers.items():
                given |= self._question(question).controls(field_name(number, question), raw)
        again = self._send(page, given)
        if again.status >= 500:
            self._complain(again, "the same page sent twice")
        return again if batch not in self.record.submitted else after

    def _by_script(self, page: Page, batch: str) -> Steps:
        """Work as the page's script does: all tasks at once, each answer saved as it is given."""
        script = Script(self._browser, page)
        self._look_at_layout(page)
        tasks = self._setup.plan.batch[batch].tasks
        for number in script.tasks():
            looked = self._look(tasks[number])
            yield looked.seconds * self._character.pace
            for question, raw in looked.answers.items():
                said = script.save(number, question, raw, looked.seconds)
                if said == "saved":
                    self.record.saved[tasks[number].id, question] = raw
                else:
                    self._complain(page, f"the script got the outcome '{said}'")
        after = script.hand_in()
        self.record.submitted.append(batch)
        return after

    def _look_at_layout(self, page: Page) -> None:
        """Open the page of an original study, if there is one: it must have every field."""
        frame = _FRAME.search(page.source)
        if frame is None:
            return
        shown = set(_NAMES.findall(self._browser.fetch(frame[1])))
        form = page.form("stamp", "go")
        asked = [name for name in form.names if ":" in name] if form is not None else []
        lacking = [name for name in asked if name not in shown]
        if lacking:
            self._complain(page, f"the layout has no field for {lacking[0]}")

    def _tasks_on(self, page: Page, batch: str) -> dict[int, Task]:
        """The tasks on a page, by their position in the planned batch."""
        form = page.form("stamp", "go")
        names = form.names if form is not None else ()
        numbers = {int(found[1]) for name in names if (found := _CONTROL.match(name))}
        tasks = self._setup.plan.batch[batch].tasks
        if not numbers:
            self._complain(page, "there is nothing to answer")
        return {number: tasks[number] for number in sorted(numbers)}

    def _look(self, task: Task) -> TaskReply:
        looked = self._person.look(task)
        if not self._character.is_one_sided:
            return looked
        same = {
            q: self._question(q).first_answer(raw.count(",") + 1)
            for q, raw in looked.answers.items()
        }
        return TaskReply(same, looked.seconds)

    def _question(self, name: str) -> Question:
        return next(q for q in self._setup.study.spec.questions if q.id == name)

    def _send(self, page: Page, values: Mapping[str, str]) -> Page:
        return self._browser.send(page.forms[0], values)


def _batch_of(page: Page) -> str | None:
    """The batch of a page, read from its stamp."""
    form = page.form("stamp")
    if form is None:
        return None
    return _stamped(form, _BATCH) or None


def _stamped(form: Form, part: int) -> str:
    """A part of what the site signed into a form."""
    return form.values()["stamp"].rpartition(".")[0].split("~", 6)[part]
