"""The names of columns and labels as people spell them, and what to say where one is not found."""

from __future__ import annotations

import difflib
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rejudge.english import count
from rejudge.errors import DataError, Problem
from rejudge.judgments.table import COLUMNS
from rejudge.platforms import own_platforms

HELPERS: tuple[str, ...] = ("control", "attempt", "expected", "winner", "loser", "run")
ROLES: tuple[str, ...] = (*COLUMNS, *HELPERS)

_SPELLINGS: Mapping[str, str] = {
    "participant": "rater rater_id rater_name annotator annotator_id annotator_name worker "
    "worker_id participant_id participant_no participant_number participant_code subject "
    "subject_id subj user user_id username coder coder_id judge judge_id evaluator "
    "evaluator_id evaluator_name assessor assessor_id respondent respondent_id "
    "labeler labeller labeler_id person pid completed_by",
    "item": "item_id item_no item_nr item_number task_id unit unit_id example example_id instance "
    "instance_id sample sample_id stimulus stimulus_id doc doc_id document document_id segment_id "
    "sentence_id prompt_id input_id text_id source_id story_id article_id passage_id dialogue_id "
    "dialog_id idx ix",
    "question": "criterion criteria dimension aspect attribute quality_criterion",
    "value": "score rating answer choice response judgment judgement preference preferred vote "
    "grade verdict annotation stars rank ranking",
    "system": "sys system_id system_name sys_id sys_name model model_id model_name condition "
    "method variant approach generator",
    "system_a": "model_a left system_left model_left system_1 model_1 option_a method_a",
    "system_b": "model_b right system_right model_right system_2 model_2 option_b method_b",
    "dataset": "data_set dataset_id corpus domain",
    "segment": "segment_no segment_number sentence_no sentence_number",
    "batch": "batch_id list list_id hit hit_id form form_id block",
    "task": "task_no",
    "position": "order presentation_order trial trial_no trial_number task_order",
    "seconds": "time_seconds duration duration_seconds rt reaction_time response_time elapsed "
    "elapsed_seconds time_spent",
    "kind": "task_kind item_kind trial_type",
    "submitted_at": "submitted submit_time submission_time timestamp created_at completed_at "
    "end_date",
    "control": "is_control is_check check attention_check is_attention_check is_gold gold",
    "attempt": "attempt_no attempt_number pass_number",
    "expected": "expected_answer correct_answer gold_answer",
    "passed": "passed_check check_passed is_correct correct",
    "winner": "better best",
    "loser": "worse",
    "run": "run_id run_name lab lab_id lab_name laboratory study study_id study_name site site_id "
    "replication replication_id reproduction reproduction_id institution institution_id "
    "university experiment experiment_id",
}
OFTEN_OTHERWISE: tuple[str, ...] = ("state",)  # our word, but elsewhere a region, or approval
# Names that often mean something else as well: taken only where no clearer column is there.
_VAGUE: Mapping[str, tuple[str, ...]] = {  # from the less vague to the vaguer
    "item": ("id question_id", "text"),
    "value": ("label winner",),
    "system_a": ("a",),
    "system_b": ("b",),
    "position": ("index",),
    "seconds": ("time",),
}
_SHOWN = 12  # ignored columns that a message lists
_SEARCHED = 1_000  # columns that are searched for slips of the pen, which takes a while
_FOUND = 30  # columns that it lists where one is missing
_LEAST_LETTERS = 3  # of an abbreviation
_ALIKE = 0.8  # of two spellings, from 0 to 1
# Words that show that a column holds texts or numbers of its own, not the name of a system.
_CONTENT = frozenset(
    ("output", "text", "prompt", "response", "summary", "translation", "score", "rating", "answer",
     "time", "duration")
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ColumnRoles:
    """Which of the table's columns were taken for what, and which were left unread."""

    columns: Mapping[str, str]  # our name → the table's
    ignored: tuple[str, ...]

    def __str__(self) -> str:
        return self.with_further(())

    def with_further(self, names: Sequence[str]) -> str:
        """What was read, in a sentence; `names` are further columns that were asked for."""
        taken = [f"{ours}={theirs.strip()}" for ours, theirs in self.columns.items()]
        taken += [name.strip() for name in self.ignored if name in names]
        others = tuple(name for name in self.ignored if name not in names)
        ignored = f"; ignored: {join_names(others)}" if others else ""
        return f"Columns read: {', '.join(taken)}{ignored}."


def recognise(
    names: Sequence[str], given: Mapping[str, str], *, file: str | None = None
) -> ColumnRoles:
    """Find our columns among a table's names; those `given` (ours → theirs) count first.

    A name is compared without regard to capitals and separators. Our own name comes before other
    spellings, a clear spelling before a vague one; two equally good columns are an error. A given
    empty name says that a column is not to be looked for.
    """
    problems: list[Problem] = []
    found = _requested_columns(names, given, problems, file)
    free = [name for name in names if name not in found.values()]
    pair = _is_pair(free, found)
    for role in ROLES:
        if role in given or role in found or (role in {"winner", "loser"} and pair):
            continue
        fitting = candidates(role, free, pair=pair)
        if len(fitting) > 1:
            problems.append(_ambiguous(role, fitting, file))
        elif fitting:
            found[role] = fitting[0]
            free.remove(fitting[0])
    if problems:
        raise DataError.of(problems)
    ordered = {role: found[role] for role in ROLES if role in found}
    return ColumnRoles(ordered, tuple(name for name in names if name not in found.values()))


def near_misses(role: str, names: Sequence[str]) -> list[str]:
    """Columns that may be meant for a role, by an abbreviation, a slip or a word in their name."""
    known = {role, *_spellings(role)}
    return [name for name in names[:_SEARCHED] if _resembles(name, known)]


def list_columns(names: Sequence[str]) -> str:
    """What a table has, for a message about what it lacks."""
    titled = "if a title, a second row of names or merged cells are at the top, write one row"
    unnamed = f" Some have no name: {titled} of names." if "" in names else ""
    alone = f" It is the only one: {titled} of names." if len(names) == 1 else ""
    return f"Columns found: {join_names(names, _FOUND)}.{unnamed or alone}"


def suggestion(role: str, names: Sequence[str]) -> str:
    """What to type if the first near miss is the column of a role; empty without one."""
    near = near_misses(role, names)
    return f"'{near[0]}' may be the {role}: {columns_option(role, near[0])}." if near else ""


def columns_option(role: str, name: str) -> str:
    """What to type to name a column."""
    return f"--columns {shlex.quote(f'{role}={name}')}"


def _resembles(name: str, known: Collection[str]) -> bool:
    words = [word.casefold() for word in re.findall(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|\d+", name)]
    if _CONTENT.difference(known).intersection(words):
        return False
    singles = {word for word in known if "_" not in word}
    return (
        any(word in singles or word.removesuffix("s") in singles for word in words)
        or any(_abbreviates(word, singles) for word in words)
        or bool(difflib.get_close_matches(plain(name), map(plain, known), n=1, cutoff=_ALIKE))
    )


def _abbreviates(word: str, known: Collection[str]) -> bool:
    return len(word) >= _LEAST_LETTERS and any(each.startswith(word) for each in known)


@lru_cache(maxsize=1 << 16)  # each name is compared with the spellings of every role
def plain(name: str) -> str:
    """A name without capitals, separators and the prefixes of crowd platforms."""
    bare = re.sub(r"^(input|answer)\.", "", name.strip().casefold())
    return re.sub(r"[\W_]+", "", bare)


def find_column(names: Sequence[str], wanted: str) -> str | None:
    """The table's column of a name: to the letter, or else but for capitals and separators."""
    if wanted in names:
        return wanted
    like = [name for name in names if plain(name) == plain(wanted)]
    return like[0] if len(like) == 1 else None


def no_such_column(wanted: str, names: Sequence[str], file: str | None) -> Problem:
    """The problem of a column that was asked for and is not there."""
    return Problem(f"there is no column '{wanted}'.", list_columns(names), file=file)


def _requested_columns(
    names: Sequence[str], given: Mapping[str, str], problems: list[Problem], file: str | None
) -> dict[str, str]:
    found: dict[str, str] = {}
    for role, wanted in given.items():
        column = find_column(names, wanted)
        if role not in ROLES:
            remedy = f"The roles are {', '.join(ROLES)}."
            what = f"--columns {role}=…: '{role}' is not a role that a column can have."
            problems.append(Problem(what, remedy, file=file))
        elif wanted and column is None:
            problems.append(no_such_column(wanted, names, file))
        elif wanted and column is not None:
            found[role] = column
    return found


def _spellings(role: str) -> list[str]:
    """What a role is called in other tables, and in the exports of platforms."""
    own = _SPELLINGS.get(role, "").split()
    if role != "participant":
        return own
    return [*own, *(name for each in own_platforms().values() for name in each.id_columns)]


def _is_pair(free: Sequence[str], found: Mapping[str, str]) -> bool:
    """Whether the table names two systems, so that a winner is an answer and not a system."""
    return all(side in found or candidates(side, free) for side in ("system_a", "system_b"))


def candidates(role: str, free: Sequence[str], *, pair: bool = False) -> list[str]:
    """The best columns for a role: our own name, or a clear, plural or vague spelling of it."""
    clear = _spellings(role)
    plurals = [f"{each}s" for each in (role, *clear)]
    vague = (each.split() for each in _vague(role, pair=pair))
    for spellings in ([role], clear, plurals, *vague):
        known = {plain(each) for each in spellings}
        fitting = [name for name in free if plain(name) in known]
        if fitting:
            return fitting
    return []


def _vague(role: str, *, pair: bool) -> tuple[str, ...]:
    vague = _VAGUE.get(role, ())
    return vague if pair or role != "value" else tuple(v.replace("winner", "") for v in vague)


def join_names(names: Sequence[str], most: int = _SHOWN) -> str:
    """Names of columns, cut where there are many."""
    shown = ", ".join(name or "(no name)" for name in names[:most])
    return shown + (f" and {len(names) - most:,} others" if len(names) > most else "")


def _ambiguous(role: str, fitting: Sequence[str], file: str | None) -> Problem:
    both = " and ".join(f"'{name}'" for name in fitting)
    return Problem(
        f"{both} could each be the {role}.",
        f"Say which one: {columns_option(role, fitting[0])}.",
        file=file,
    )


def refuse_missing(
    recognised: ColumnRoles,
    given: Collection[str],
    *,
    file: str | None,
    needs_pair: bool = False,
    numeric: Callable[[Sequence[str]], Sequence[str]] = lambda _names: (),
) -> None:
    """Refuse a table without columns that judgments need, or with one that may be meant for them.

    `given` are roles that were named by the user, also those turned off. `numeric` finds the
    columns of numbers, which may be the values of a wide table.
    """
    has = recognised.columns
    is_won = "winner" in has and "loser" in has
    wanted = ["item", *([] if is_won else ["value"])]
    if needs_pair or "system_a" in has or "system_b" in has:
        wanted += ["system_a", "system_b"]
    absent = _AbsentColumns(recognised, given, file, numeric)
    problems = [absent.problem(name) for name in wanted if name not in has]
    if "value" in has or is_won or len(absent.people) <= 1:
        problems += absent.unsure("participant", "it is not known who judged")
    if not (needs_pair or is_won or {"system", "system_a"}.intersection(has)):
        problems += absent.unsure("system", "all judgments are of one system")
    if problems:
        raise DataError.of(problems)


@dataclass(frozen=True, slots=True)
class _AbsentColumns:
    """What can be said about columns that were not recognised."""

    recognised: ColumnRoles
    given: Collection[str]
    file: str | None
    numeric: Callable[[Sequence[str]], Sequence[str]]

    @property
    def people(self) -> list[str]:
        """Columns such as 'Rater 1' and 'Rater 2', where no other column names participants."""
        is_known = "participant" in self.recognised.columns or "participant" in self.given
        return [] if is_known else near_misses("participant", self.recognised.ignored)

    def problem(self, name: str) -> Problem:
        """A column that every judgment needs."""
        found = list_columns((*self.recognised.columns.values(), *self.recognised.ignored))
        remedy = suggestion(name, self.recognised.ignored) or f"Name it: --columns {name}=…."
        if name == "value":
            remedy += self._wide_advice()
        what = f"no column was recognised as the {name}."
        return Problem(what, f"{remedy} {found}", file=self.file)

    def unsure(self, name: str, meaning: str) -> Iterator[Problem]:
        """A column that may be meant must not be passed over silently."""
        advice = suggestion(name, self.recognised.ignored)
        if advice and name not in self.recognised.columns and name not in self.given:
            what = f"no column was recognised as the {name}."
            remedy = f"{advice} If {meaning}: --columns {name}=."
            yield Problem(what, remedy, file=self.file)

    def _wide_advice(self) -> str:
        """How to say that several columns hold values: of participants, or all of numbers."""
        if len(self.people) > 1:
            wide = shlex.quote(f"participant={','.join(self.people)}")
            return f" If each of these columns holds the values of one participant: --wide {wide}."
        columns = self.numeric([name for name in self.recognised.ignored if name])
        if len(columns) < 2:
            return ""
        role = "criterion" if "participant" in self.recognised.columns else "participant"
        others = [each for each in ("participant", "criterion", "system", "item") if each != role]
        wide = shlex.quote(f"{role}={','.join(columns)}")
        return f" If several columns hold values: --wide {wide} (or {'=, '.join(others)}=)."


MOST_SYSTEMS = 1000  # all pairs of them are compared
_SHOWN_GROUPS = 3  # groups of names that a note lists


def trim_names(names: Iterable[str]) -> Mapping[str, str]:
    """Names without the spaces around them, as far as no two become the same."""
    listed = set(names)
    taken = Counter(name.strip() for name in listed)
    return {
        name: name.strip()
        for name in listed
        if name != name.strip() and name.strip() and taken[name.strip()] == 1
    }


def refuse_many_systems(systems: int, *, file: str | None = None) -> None:
    """Refuse a table with so many systems that their pairs cannot all be compared."""
    if systems > MOST_SYSTEMS:
        what = (
            f"the table names {systems:,} systems, which makes {systems * (systems - 1) // 2:,} "
            f"pairs to compare; up to {MOST_SYSTEMS:,} systems are compared."
        )
        remedy = (
            "Check which columns name the systems (--columns), or keep only the rows of the "
            "systems of interest."
        )
        raise DataError(Problem(what, remedy, file=file))


def trimming_notes(spaced: Mapping[str, str], column: str) -> Iterator[str]:
    """What to say about names whose spaces were dropped."""
    if spaced:
        example = min(spaced)
        yield (
            f"Spaces around {count(len(spaced), 'name')} in '{column}' are dropped: '{example}' is "
            f"'{spaced[example]}'."
        )


def variant_notes(role: str, names: Sequence[str]) -> Iterator[str]:
    """What to say about names that differ in capitals and spaces only; they are never merged."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(_key(name), []).append(name)
    alike = [group for group in groups.values() if len(group) > 1]
    if alike:
        shown = "; ".join(" and ".join(f"'{n}'" for n in group) for group in alike[:_SHOWN_GROUPS])
        more = f" and {len(alike) - _SHOWN_GROUPS:,} more" if len(alike) > _SHOWN_GROUPS else ""
        yield (
            f"Spelt alike, but counted as different {role}s: {shown}{more}. Correct the file if "
            "they are the same."
        )


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"[\s_-]+", " ", folded).strip()
