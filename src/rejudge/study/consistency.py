"""Whether the parts of a study fit together: names that are used exist, numbers fit the systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rejudge.english import did_you_mean, join_quoted
from rejudge.errors import DataError, Problem
from rejudge.study.draft import Draft
from rejudge.study.kinds.question import Question
from rejudge.study.model import Spec
from rejudge.study.procedure import Gold, Instruction, Nonsense
from rejudge.study.qualification import GoldTask
from rejudge.study.yaml_file import Path, YamlFile, field_name

_MOST_SIDE_BY_SIDE = 8


def inconsistencies(draft: Draft[Spec], written: YamlFile, *, file: str) -> list[Problem]:
    """Every place where two parts of the study do not fit, as far as they could be understood."""
    look = _ConsistencyCheck(draft, written, file)
    return [
        *look.duplicate_ids(),
        *look.pairs(),
        *look.columns(),
        *look.sizes(),
        *look.checks(),
        *look.analysis(),
        *look.claims(),
        *look.size_rule(),
        *look.practice(),
        *look.qualification(),
        *look.baselines(),
        *look.stop(),
    ]


@dataclass(frozen=True, slots=True)
class _ConsistencyCheck:
    """One look over a draft; each method is one rule."""

    draft: Draft[Spec]
    written: YamlFile
    file: str

    def duplicate_ids(self) -> Iterator[Problem]:
        for section in ("systems", "questions", "checks", "claims", "baselines"):
            first: dict[str, int] = {}
            for place, name in self._ids(section):
                line = self.written.line((section, place))
                before = first.get(name)
                first.setdefault(name, line)
                if before is not None:
                    where = f"on lines {before} and {line}" if before != line else "on this line"
                    yield self._problem(
                        (section, place),
                        f"the id '{name}' is used twice, {where}.",
                        "Give each its own id.",
                    )

    def pairs(self) -> Iterator[Problem]:
        pairs = self.draft.spec.design.pairs
        if pairs == "all":
            return
        if not pairs:
            yield self._problem(
                ("design", "pairs"), "there are no pairs.", "Write `pairs: all`, or name some."
            )
        balanced = "Remove one of them; sides are balanced in any case."
        yield from self._pair_faults(pairs, ("design", "pairs"), twice=balanced)

    def _pair_faults(
        self, pairs: Iterable[tuple[str, str]], section: Path, *, twice: str
    ) -> Iterator[Problem]:
        """Pairs that name an unknown system, one system twice, or the same two systems again."""
        seen: dict[frozenset[str], Path] = {}
        for place, pair in enumerate(pairs):
            path = self.draft.written_path(*section, place)
            yield from self._unknown("systems", pair, path)
            if pair[0] == pair[1]:
                yield self._problem(
                    path, f"'{pair[0]}' is paired with itself.", "Name two systems."
                )
            elif frozenset(pair) in seen:
                before = self.written.line(seen[frozenset(pair)])
                yield self._problem(
                    path,
                    f"the pair of '{pair[0]}' and '{pair[1]}' is already on line {before}.",
                    twice,
                )
            seen.setdefault(frozenset(pair), path)

    def columns(self) -> Iterator[Problem]:
        names = self.draft.spec.items.columns
        taken = {names.id: "ids", names.dataset: "datasets", names.group: "groups"}
        first: dict[str, str] = {}
        for place, system in enumerate(self.draft.spec.systems):
            path = self.draft.written_path("systems", place)
            column = system.output_column
            if column in taken and "items" not in self.draft.broken:
                yield self._problem(
                    path,
                    f"the outputs of '{system.id}' are looked for in the column of the "
                    f"{taken[column]}, '{column}'.",
                    "Rename the system, or give it a `column`.",
                )
            other = first.setdefault(column, system.id)
            if other != system.id:
                yield self._problem(
                    path,
                    f"'{other}' and '{system.id}' have the same column '{column}'.",
                    "Give each system its own `column`.",
                )

    def sizes(self) -> Iterator[Problem]:
        """Whether there are as many systems as the questions put side by side."""
        if "systems" in self.draft.broken | self.draft.gone:
            return
        systems = len(self.draft.spec.systems)
        for place, question in enumerate(self.draft.spec.questions):
            path = self.draft.written_path("questions", place)
            shown = question.shows(systems)
            if question.stated_outputs and shown > systems:
                yield self._problem(
                    (*path, "of"),
                    f"'{question.id}' shows {shown} systems, but the study has {systems}.",
                    f"Write `of: {systems}`, or add systems."
                    if systems >= question.least_outputs
                    else "Add systems, or choose another kind of question.",
                )
            elif systems < question.least_outputs:
                yield self._problem(
                    path,
                    f"'{question.id}' compares systems, but the study has only {systems}.",
                    "Add a system, or choose a kind that asks about one output, such as rating.",
                )
            elif shown > _MOST_SIDE_BY_SIDE:
                yield self._problem(
                    path,
                    f"'{question.id}' would show all {shown} systems side by side.",
                    f"Write for instance `of: 4`; at most {_MOST_SIDE_BY_SIDE} are possible.",
                )

    def checks(self) -> Iterator[Problem]:
        """Bounds only: a check of a criterion that is not asked is a finding, not a fault."""
        if "questions" in self.draft.gone:
            return
        asked = {question.id: question for question in self.draft.spec.questions}
        for place, check in enumerate(self.draft.spec.checks):
            if isinstance(check, Instruction) or check.at_most is None:
                continue
            question = asked.get(check.question)
            path = (*self.draft.written_path("checks", place), "at_most")
            if question is not None:
                yield from self._bound(check, question, path)

    def _bound(self, check: Gold | Nonsense, question: Question, path: Path) -> Iterator[Problem]:
        if question.bounds is None:
            yield self._problem(
                path,
                f"'{check.question}' has no scale, so `at_most: {check.at_most:g}` has no meaning.",
                "Remove `at_most`; the right answer follows from the check.",
            )
            return
        at_most = check.at_most or 0.0
        lowest, highest = question.bounds
        if not lowest <= at_most <= highest:
            what = f"{at_most:g} lies outside the scale of '{question.id}'."
        elif at_most == highest:
            what = f"no answer to '{question.id}' is above {at_most:g}, so nobody could fail."
        else:
            return
        yield self._problem(
            path,
            what,
            f"Write a number from {lowest:g} to below {highest:g}.",
        )

    def analysis(self) -> Iterator[Problem]:
        if self.draft.spec.analysis is None:
            return
        yield from self._derived_scores()
        for place, test in enumerate(self.draft.spec.analysis.tests):
            path = (*self.draft.written_path("analysis", "tests", place), "question")
            yield from self._unknown(
                "questions", self._question_unless_derived(test.question), path
            )
            yield from self._pair_faults(
                test.pairs, ("analysis", "tests", place, "pairs"), twice="Remove one of them."
            )
        yield from self._tests_in_parts()

    def _question_unless_derived(self, name: str) -> tuple[str, ...]:
        """The question of a test or a claim, unless it is a derived score."""
        analysis = self.draft.spec.analysis
        derived = {each.id for each in analysis.derived} if analysis else set()
        return () if name in derived else (name,)

    def _derived_scores(self) -> Iterator[Problem]:
        """Derived scores whose id is taken, or whose parts are not questions with scores."""
        derived = self.draft.spec.analysis.derived if self.draft.spec.analysis else ()
        taken = {name for _, name in self._ids("questions")}
        asked = {question.id: question for question in self.draft.spec.questions}
        for place, each in enumerate(derived):
            path = self.draft.written_path("analysis", "derived", place)
            if each.id in taken:
                remedy = "Give each its own id."
                yield self._problem(path, f"the id '{each.id}' is used twice.", remedy)
            taken.add(each.id)
            parts = each.parsed.parts
            yield from self._unknown("questions", parts, (*path, "formula"))
            for name in parts:
                if name in asked and asked[name].has_unordered_labels:
                    yield self._problem(
                        (*path, "formula"),
                        f"'{name}' has labels without order (`measured: nominal`), so no score can "
                        "be computed from it.",
                        "Remove it from the formula, or correct `measured`.",
                    )
                if name in asked and asked[name].is_comparison:
                    yield self._problem(
                        (*path, "formula"),
                        f"'{name}' compares systems, so it has no score of an output.",
                        "Remove it from the formula.",
                    )

    def _tests_in_parts(self) -> Iterator[Problem]:
        """A test that is planned twice on a question, each time on some pairs."""
        planned = self.draft.spec.analysis.tests if self.draft.spec.analysis else ()
        first: dict[tuple[str, str], bool] = {}
        for place, test in enumerate(planned):
            key = test.question, test.test
            if key in first and (first[key] or test.pairs):
                yield self._problem(
                    self.draft.written_path("analysis", "tests", place),
                    f"{test.test} is planned twice on '{test.question}', and once for some pairs "
                    "only.",
                    "Put all pairs into the `pairs` of one test.",
                )
            first.setdefault(key, bool(test.pairs))

    def claims(self) -> Iterator[Problem]:
        for place, claim in enumerate(self.draft.spec.claims):
            path = (*self.draft.written_path("claims", place), "says")
            yield from self._unknown("systems", dict.fromkeys(claim.systems), path)
            yield from self._unknown(
                "questions", self._question_unless_derived(claim.question), path
            )
            if len(set(claim.systems)) < len(claim.systems):
                yield self._problem(
                    path,
                    f"'{claim.says}' compares a system with itself.",
                    "Name different systems.",
                )

    def size_rule(self) -> Iterator[Problem]:
        rule = self.draft.spec.sample_size
        if rule is None:
            return
        yield from self._unknown("questions", rule.effect, ("sample_size", "effect"))
        yield from self._unknown("systems", rule.pair or (), ("sample_size", "pair"))
        sample = self.draft.spec.items.sample
        if sample is not None and sample.method == "listed":
            yield self._problem(
                ("sample_size",),
                "inputs that are listed one by one have no size to fill in.",
                "Draw them (`items.sample.method: random`), or remove the rule.",
            )
        if rule.most_cost is not None and self.draft.spec.payment is None:
            yield self._problem(
                ("sample_size", "most_cost"),
                "the cost is limited, but the study does not say what people are paid.",
                "Add `payment:`, or limit `most_participants` instead.",
            )

    def stop(self) -> Iterator[Problem]:
        stop = self.draft.spec.stop
        if stop is None:
            return
        asked = self._question_unless_derived(stop.question)
        yield from self._unknown("questions", asked, ("stop", "question"))
        if any(q.id in asked and q.has_unordered_labels for q in self.draft.spec.questions):
            yield self._problem(
                ("stop", "question"),
                f"'{stop.question}' has labels without order (`measured: nominal`), so no single "
                "comparison of two systems can decide.",
                "Name another question.",
            )
        yield from self._unknown("systems", stop.systems, ("stop", "systems"))

    def practice(self) -> Iterator[Problem]:
        practice = self.draft.spec.practice
        if practice is not None:
            yield from self._gold_tasks(practice.examples, "practice", "examples")

    def qualification(self) -> Iterator[Problem]:
        spec = self.draft.spec
        qualification = spec.qualification
        if qualification is None:
            return
        yield from self._gold_tasks(qualification.tasks, "qualification", "tasks")
        path = ("qualification", "pass_mark")
        attempts = range(1, qualification.attempts + 1)
        answers = [qualification.gold_answers(attempt) for attempt in attempts]
        if min(answers) < qualification.pass_mark:
            what = (
                f"nobody can pass: {qualification.pass_mark} answers must be right, but an attempt "
                f"has {min(answers)}."
            )
            yield self._problem(path, what, "Add tasks, or lower the pass mark.")
        elif min(answers) < max(answers):
            listed = ", ".join(map(str, answers))
            what = f"the attempts have different numbers of right answers: {listed}."
            remedy = "Arrange the tasks so that the pass mark means the same in every attempt."
            yield self._problem(path, what, remedy)

    def baselines(self) -> Iterator[Problem]:
        for place, baseline in enumerate(self.draft.spec.baselines):
            path = self.draft.written_path("baselines", place)
            yield from self._unknown("questions", baseline.reversed or (), (*path, "reversed"))

    def _gold_tasks(self, tasks: Iterable[GoldTask], *section: str) -> Iterator[Problem]:
        spec = self.draft.spec
        is_known = not {"systems", "questions"} & (self.draft.broken | self.draft.gone)
        for place, task in enumerate(tasks):
            path = self.draft.written_path(*section, place)
            for name in task.answers:
                yield from self._unknown("questions", (name,), (*path, "answers", name))
            if is_known:
                for inner, what, remedy in gold_faults(spec, task):
                    yield self._problem((*path, *inner), what, remedy)

    def _ids(self, section: str) -> Iterator[tuple[int, str]]:
        """The ids of a section as written, also those of entries with faults."""
        entries = self.written.values.get(section)
        for place, entry in enumerate(entries if isinstance(entries, list) else []):
            name = entry.get("id") if isinstance(entry, dict) else entry
            path: Path = (section, place, "id") if isinstance(entry, dict) else (section, place)
            word = name if isinstance(name, str) else self.written.words.get(path)
            if word:
                yield place, word

    def _unknown(self, section: str, names: Iterable[str], path: Path) -> Iterator[Problem]:
        known = list(dict.fromkeys(name for _, name in self._ids(section)))
        if not known:  # then that is the fault, and it has been reported
            return
        for name in names:
            if name not in known:
                yield self._problem(
                    path,
                    f"there is no {section.removesuffix('s')} '{name}'.",
                    did_you_mean(name, known) or f"The {section} are {join_quoted(known)}.",
                )

    def _problem(self, path: Path, what: str, remedy: str) -> Problem:
        line = self.written.line(path)
        return Problem(what, remedy, file=self.file, line=line, field=field_name(path))


def gold_faults(spec: Spec, example: GoldTask) -> Iterator[tuple[Path, str, str]]:
    """The path inside the example, what is wrong there, and the remedy."""
    systems, outputs = len(spec.systems), len(example.outputs)
    widths = sorted({question.shows(systems) for question in spec.questions})
    if outputs not in widths:
        possible = " or ".join(str(width) for width in widths)
        yield (
            ("outputs",),
            f"{_outputs(outputs)} in the example, but the questions show {possible}.",
            f"Give {possible}.",
        )
        return
    for question in spec.questions:
        if question.id not in example.answers:
            continue
        path: Path = ("answers", question.id)
        if question.shows(systems) != outputs:
            yield (
                path,
                f"'{question.id}' shows {question.shows(systems)} outputs, the example {outputs}.",
                "Remove the answer, or give the question an example of its own.",
            )
        else:
            yield from _answer_faults(spec, question, example)


def _answer_faults(
    spec: Spec, question: Question, example: GoldTask
) -> Iterator[tuple[Path, str, str]]:
    cut = question.segmentation
    if cut is not None and cut.unit == "reference" and not example.reference:
        yield (
            ("answers", question.id),
            f"'{question.id}' scores the reference, but the example has none.",
            "Add `reference:` to the example.",
        )
        return
    try:
        question.parse(example.answers[question.id], gold_parts(spec, question, example))
    except DataError as error:
        what, _, remedy = str(error).partition(". ")
        yield ("answers", question.id), f"{what}.", remedy


def gold_parts(spec: Spec, question: Question, task: GoldTask) -> int:
    """How many parts an answer to a gold task refers to: outputs shown, or segments of a text."""
    cut = question.segmentation
    if cut is None:
        return len(task.outputs)
    text = task.reference if cut.unit == "reference" else task.outputs[0]
    return len(cut.cut(text, spec.language))


def _outputs(number: int) -> str:
    return "there is 1 output" if number == 1 else f"there are {number} outputs"
