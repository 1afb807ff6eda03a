"""Files of Mechanical Turk in the shape of a published study: 60 HITs of 32 pairs of paraphrases.

300 sentences × 6 pairs of 4 systems are 1,800 pairs, 30 in each HIT, with two attention checks: a
distractor that must lose on meaning, and the unchanged input that must lose on dissimilarity.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

from rejudge.analysis.analyse import analyse
from rejudge.design.plan import Plan
from rejudge.exchange.formats import Imported
from rejudge.exchange.mturk import FORMAT
from rejudge.files.step_files import from_bytes
from rejudge.judgments.table import Judgments
from rejudge.study.model import Study
from rejudge.study.parse import parse

SYSTEMS = ("hrqvae", "sep_ae", "lbow", "vae")
FIELDS = ("systema", "systemb", "dataset", "ix", "input", "outputa", "outputb")
QUESTIONS = ("fluency", "meaning", "dissim")
RESULTS = (
    "HITId", "HITTypeId", "Title", "Description", "Keywords", "Reward", "CreationTime",
    "MaxAssignments", "RequesterAnnotation", "AssignmentDurationInSeconds",
    "AutoApprovalDelayInSeconds", "Expiration", "NumberOfSimilarHITs", "LifetimeInSeconds",
    "AssignmentId", "WorkerId", "AssignmentStatus", "AcceptTime", "SubmitTime",
    "AutoApprovalTime", "ApprovalTime", "RejectionTime", "RequesterFeedback", "WorkTimeInSeconds",
    "LifetimeApprovalRate", "Last30DaysApprovalRate", "Last7DaysApprovalRate",
)  # fmt: skip


def output(system: str, name: str) -> str:
    return f"{system} says it of {name}, &quot;so to speak&quot;"


def hits(number: int = 60, pairs: int = 30) -> list[dict[str, str]]:
    """The rows of the input file."""
    chance = random.Random(3)  # noqa: S311 - no secret
    per_sentence = list(combinations(SYSTEMS, 2))
    sentences = [(("qqp", "mscoco", "paralex")[n % 3], n) for n in range(number * pairs // 6)]
    tasks = [(dataset, ix, *pair) for dataset, ix in sentences for pair in per_sentence]
    rows = []
    for place in range(number):
        records = []
        for dataset, ix, a, b in tasks[place * pairs : (place + 1) * pairs]:
            left, right = chance.sample([a, b], 2)
            name = f"{dataset} {ix}"
            records.append(
                (
                    left,
                    right,
                    dataset,
                    str(ix),
                    f"Sentence&#44; {name}",
                    output(left, name),
                    output(right, name),
                )
            )
        for loser in ("distractor", "inputs"):
            text = f"Control {loser} {place}"
            wrong = text if loser == "inputs" else "something else"
            records.insert(
                chance.randrange(len(records)),
                (loser, "golds", "qqp", f"c{place}", text, wrong, f"Right for {text}"),
            )
        rows.append(
            {f"{field}{i}": cell for i, record in enumerate(records)
             for field, cell in zip(FIELDS, record, strict=True)}
        )  # fmt: skip
    return rows


def layout(items: int = 32, questions: Sequence[str] = QUESTIONS) -> str:
    """A layout with examples first, as the original had."""
    parts = [
        '<link rel="stylesheet" href="https://cdn.example.org/bootstrap.css">',
        '<script src="https://code.example.org/jquery.js"></script>',
        "<h4>Instructions</h4><p>Read {all} sentences &amp; choose.</p>",
        '<input type="checkbox" name="consent" value="yes"> I consent',
        '<input type="radio" name="meaningex0" value="A" onclick="alert(1)">',
        "<script>function f() { document.cookie; }</script>",
    ]
    for i in range(items):
        parts.append(
            f'<div class="card">Original: <strong>"${{input{i}}}"</strong>'
            f"<p>System A: ${{outputa{i}}}</p><p>System B: ${{outputb{i}}}</p>"
        )
        for question in questions:
            parts.append(f"<div>Most {question} version<br>")
            parts += [
                f'<label><input type="radio" name="{question}{i}" value="{side}" required> '
                f"{side}</label>"
                for side in "AB"
            ]
            parts.append("</div>")
        parts.append("</div>")
    return "\n".join(parts)


def results(
    rows: Sequence[Mapping[str, str]],
    answers: Sequence[tuple[int, str, Mapping[str, str]]],
    *,
    statuses: Mapping[int, str] | None = None,
    wanted: int = 3,
) -> list[dict[str, str]]:
    """A results file: `answers` are the place of the HIT, the worker, and what was sent."""
    found = []
    for number, (place, worker, sent) in enumerate(answers):
        row = dict.fromkeys(RESULTS, "")
        row |= {
            "HITId": f"3HIT{place:026}",
            "Title": "Compare paraphrases",
            "Reward": "$3.50",
            "MaxAssignments": str(wanted),
            "RequesterAnnotation": "BatchId:1;OriginalHitTemplateId:2;",
            "AssignmentDurationInSeconds": "3600",
            "AssignmentId": f"3ASSIGNMENT{number:019}",
            "WorkerId": worker,
            "AssignmentStatus": (statuses or {}).get(number, "Approved"),
            "AcceptTime": f"Thu Oct 09 07:{number // 60 % 60:02}:{number % 60:02} PDT 2021",
            "SubmitTime": f"Thu Oct 09 08:{number // 60 % 60:02}:{number % 60:02} PDT 2021",
            "WorkTimeInSeconds": "1200",
            "LifetimeApprovalRate": "100% (12/12)",
        }
        row |= {f"Input.{name}": cell for name, cell in rows[place].items()}
        row |= {f"Answer.{name}": cell for name, cell in sent.items()}
        found.append(row)
    return found


def random_answers(
    number: int = 60, items: int = 32, questions: Sequence[str] = QUESTIONS, *, workers: int = 40
) -> list[tuple[int, str, dict[str, str]]]:
    """Three workers for each HIT, chosen at random among some."""
    chance = random.Random(7)  # noqa: S311 - no secret
    names = [f"A{n:02}XYZ{n:07}Q" for n in range(workers)]
    return [
        (place, worker, {f"{q}{i}": chance.choice("AB") for q in questions for i in range(items)})
        for place in range(number)
        for worker in chance.sample(names, 3)
    ]


def table(rows: Sequence[Mapping[str, str]]) -> str:
    """Rows as CSV, all cells quoted; columns are the union."""
    head = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    writer.writerow(head)
    writer.writerows([row.get(name, "") for name in head] for row in rows)
    return out.getvalue()


def put(folder: Path, **texts: str) -> list[Path]:
    """Files by name; `layout_html` is layout.html."""
    paths = []
    for name, text in texts.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def study_of(imported: Imported) -> tuple[Study, Plan]:
    def content(name: str) -> bytes:
        if name not in imported.files:
            raise FileNotFoundError(name)
        return imported.files[name]

    study = parse(content("study.yaml").decode(), content)
    return study, from_bytes(Plan, content("plan.json"), file="plan.json").content


def scores(judgments: Judgments) -> list[tuple[Any, ...]]:
    """Every estimate, interval and p value, with the rows in one order."""
    real = judgments.of_kind("real").rows()
    ordered = sorted(real, key=lambda r: (r.item, r.question, r.batch or "", str(r.position)))
    people: dict[str | None, str] = {}
    other: dict[Any, Any] = {"a": "b", "b": "a"}
    canonical = []
    for row in ordered:
        name = people.setdefault(row.participant, f"p{len(people):03}")
        a, b = sorted([row.system_a or "", row.system_b or ""])
        swapped = row.system_a != a
        value = other.get(row.value, row.value) if swapped else row.value
        side = other[row.side] if swapped else row.side
        same = replace(row, participant=name, system_a=a, system_b=b, value=value, side=side)
        canonical.append(replace(same, batch=None, task=None, plan=None, submitted_at=None))
    found = analyse(Judgments.from_rows(sorted(canonical, key=repr)))
    return [(f.id, f.value, f.interval, f.p, f.n) for f in found.findings]


def small(
    tmp_path: Path,
    change: Any = None,
    *,
    statuses: dict[int, str] | None = None,
    more: Sequence[dict[str, str]] = (),
) -> Imported:
    """One HIT of two pairs and the checks, three workers; `change` may edit the rows of results."""
    rows = hits(1, 6)
    sent = random_answers(1, 8)
    found = results(rows, sent, statuses=statuses)
    if change is not None:
        change(found)
    paths = put(tmp_path, input_csv=table(rows), results_csv=table([*found, *more]))
    return FORMAT.read(paths, study=None, plan=None)


RATING_LAYOUT = """
<crowd-form><p>${source}</p><p>${text}</p>How fluent is it?
<crowd-slider name="fluency" min="1" max="5" step="1" required></crowd-slider></crowd-form>
"""


def rating_rows() -> list[dict[str, str]]:
    """Four sources, each written by two systems: one output in each HIT."""
    return [
        {"id": f"s{n}", "source": f"Source {n}", "model": model, "text": f"{model} of {n}"}
        for n in range(4)
        for model in ("System One", "two")
    ]
