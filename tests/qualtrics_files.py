"""Exports of Qualtrics as tests make them: three header rows, then sessions."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from rejudge.design.plan import Plan
from rejudge.exchange.qualtrics_survey import survey_questions
from rejudge.judgments.answers import Answer
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study

FRAME = (
    "StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished",
    "RecordedDate", "ResponseId", "DistributionChannel", "UserLanguage",
)  # fmt: skip
DENVER = "America/Denver"
NOON = datetime(2023, 9, 20, 12, 0, tzinfo=UTC)


def session(
    person: str,
    answers: Mapping[str, str],
    *,
    number: int,
    start: datetime = NOON,
    seconds: float = 420,
    finished: bool = True,
    status: str = "0",
    zone: str = DENVER,
    column: str = "participant",
) -> dict[str, str]:
    """One row; times are written in the zone of the export."""
    local = [moment.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M:%S")
             for moment in (start, start + timedelta(seconds=seconds))]  # fmt: skip
    return {
        "StartDate": local[0],
        "EndDate": local[1],
        "Status": status,
        "Progress": "100" if finished else "40",
        "Duration (in seconds)": f"{seconds:g}",
        "Finished": "1" if finished else "0",
        "RecordedDate": local[1],
        "ResponseId": f"R_{number:015}",
        "DistributionChannel": "anonymous",
        "UserLanguage": "EN",
        column: person,
        **answers,
    }


def export(
    rows: Sequence[Mapping[str, str]],
    *,
    tags: Sequence[str] = (),
    zone: str = DENVER,
    delimiter: str = ",",
) -> str:
    """The text of an export; columns that no row has can be given as `tags`."""
    known = dict.fromkeys([*FRAME, *tags, *(name for row in rows for name in row)])
    dates = {"StartDate": "startDate", "EndDate": "endDate", "RecordedDate": "recordedDate"}
    imports = {
        name: json.dumps(
            {
                "ImportId": dates.get(name, f"QID{place}"),
                **({"timeZone": zone} if name in dates else {}),
            }
        )
        for place, name in enumerate(known)
    }
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(known)
    writer.writerow(f"Question\n{name}?" for name in known)
    writer.writerow(imports[name] for name in known)
    writer.writerows([row.get(name, "") for name in known] for row in rows)
    return out.getvalue()


def write(folder: Path, text: str, name: str = "responses.csv") -> Path:
    """The text as a file, with the byte order mark that Qualtrics writes."""
    path = folder / name
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    return path


def answered(
    study: Study, plan: Plan, answers: Sequence[Answer], *, as_text: bool = False
) -> dict[str, str]:
    """The cells of one session in which these answers were given."""
    cells: dict[str, str] = {}
    given = {(a.batch, a.task, a.question): a.raw for a in answers}
    for asked in survey_questions(study, plan):
        raw = given.get((asked.batch.id, asked.task.id, asked.question.id))
        if raw is None:
            continue
        value = asked.question.controls(asked.question.id, raw)[asked.control.name]
        options = {
            o.raw: (code, o.label)
            for code, o in zip(asked.codes, asked.control.options, strict=False)
        }
        code, label = options.get(value, (value, value))
        cells[asked.tag] = label if as_text else str(code)
    return cells


ALL_KINDS = """\
id: kinds
title: All kinds
systems: [vae, dips, lbow]
questions:
  - {kind: pairwise, id: meaning, prompt: "Which keeps the meaning?", tie: true}
  - {kind: rating, id: fluency, prompt: "Fluent?", points: 3, lowest: 0, labels: {0: bad, 2: ok}}
  - {kind: slider, id: overall, prompt: "How good?", low: bad, high: good}
  - {kind: best-worst, id: quality, prompt: "Best and worst?", of: 3}
  - {kind: ranking, id: order, prompt: "Which order?"}
  - {kind: segments, id: parts, prompt: "How true is it?", points: 3}
design: {seed: 3, batch: {inputs: 3}, participants_per_batch: 2}
"""


def random_answers(study: Study, plan: Plan, batch: str, person: str, seed: int) -> list[Answer]:
    """Answers of somebody to every question of a batch."""
    from rejudge.design.plan import answer_parts

    chance = random.Random(seed)  # noqa: S311 - no secret

    class _Whim:
        tie_width = 0.2

        def compare(self) -> Sequence[float]:
            return [chance.random() for _ in task.options]

        def score(self, points: Sequence[float]) -> float:
            return chance.choice(points)

    answers = []
    for position, task in enumerate(plan.batch[batch].tasks, start=1):
        for question in study.questions_beside(len(task.options)):
            raw = question.simulated_answer(_Whim(), answer_parts(plan, task, question))
            answers.append(Answer(person, batch, task.id, question.id, raw, position))
    return answers


def at_end(
    answers: Sequence[Answer], moment: datetime = NOON + timedelta(seconds=420)
) -> list[Answer]:
    """As of sessions that began at noon: each time is that of the whole list."""
    return [
        replace(a, submitted_at=moment, seconds=(moment - NOON).total_seconds()) for a in answers
    ]


def same(left: Judgments, right: Judgments) -> bool:
    def rows(judgments: Judgments) -> list[str]:
        return sorted(map(repr, judgments.rows()))

    return rows(left) == rows(right)


def tables_of(rows: Sequence[dict[str, str]]) -> tuple[str, str]:
    """An export and a mapping that say what a long table says, one session per person and list."""
    sessions: dict[tuple[str, str, str], list[dict[str, str]]] = defaultdict(list)
    for row in rows:
        sessions[row["rater"], row["batch"], row["attempt"]].append(row)
    written = [
        session(
            person,
            {f"t{row['item']}": row["score"] for row in judged},
            number=number,
            start=NOON + timedelta(days=40 * int(attempt), hours=number),
            seconds=float(judged[0]["session_wall_seconds"]),
        )
        for number, ((person, _, attempt), judged) in enumerate(sessions.items())
    ]
    head = "tag,item,question,system,position\n"
    lines = {
        f"t{r['item']},{r['item']},{r['criterion']},{r['system']},{r['position']}\n" for r in rows
    }
    return export(written), head + "".join(sorted(lines))


def rows_in_published_shape() -> list[dict[str, str]]:
    """300 items in 10 lists of 30, ten people with 4 or 10 lists, three lists done twice."""
    chance = random.Random(4)  # noqa: S311 - no secret
    rows = []
    for person in range(1, 11):
        for batch in range(1, 11 if person in {1, 2, 9, 10} else 5):
            for attempt in range(1, 3 if person == 2 and batch <= 3 else 2):
                seconds = str(chance.randint(200, 900))
                for position in range(1, 31):
                    number = (batch - 1) * 30 + position
                    rows.append({
                        "rater": f"{person:03}", "item": f"{number:032x}",
                        "system": ("svm", "gedi", "dexpert")[number % 3], "criterion": "fluency",
                        "score": str(chance.randint(1, 4)), "batch": str(batch),
                        "position": str(position), "attempt": str(attempt),
                        "session_wall_seconds": seconds,
                    })  # fmt: skip
    return rows
