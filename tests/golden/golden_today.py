"""Rows from what the commands print with `--json` today, and from plan.json.

`today.csv` says where a document holds which numbers: the path of a list or object, what its
numbers measure, and their names (`own>ours`; `~` is a simulated share, and an interval becomes
`low` and `high`). Of long tables (`sums`) only sums are kept, plain and weighted by place. Left out
is what has no meaning beyond its layout (fingerprints, versions, names of files), what describes
people beyond counts and sums, and what is going to be removed from rejudge.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeAlias

from golden_rows import Key, Record, Value

Document: TypeAlias = Any  # JSON
_SENTENCES = (
    "method", "note", "notes", "because", "says", "message", "arithmetic", "remedy", "measured",
    "what", "details", "dropped", "missing", "doubtful",
)  # fmt: skip
_USUAL: dict[str, Any] = {  # of findings; other values are recorded
    "alternative": "two-sided", "is_planned": True, "is_simultaneous": False,
    "is_comparable": True, "is_weighted": False,
}  # fmt: skip
_FINDING = (
    "value interval interval_for_new_people>new_people n n_of>counted standard_error>error df p "
    "p_adjusted>p_corrected is_supported>supported role population items participants tally> "
    "spread.sd spread.median spread.lower>lower_quartile spread.upper>upper_quartile spread.z "
    "spread.normalised spread.counts>count statistic.name>statistic statistic.value>statistic_value"
)

_COMPARED = {
    "same-answers": "value>agreement n>agreement_n interval>agreement",
    "same-answers-where-decided": "value>decided_agreement n>decided_agreement_n",
    "pairs-in-order": "tally.wins>pairs_in_order n>pairs",
    "supported-pairs-in-order": "tally.wins>supported_in_order n>supported",
    "pearson": "value>pearson",
    "spearman": "value>spearman",
}


@dataclass
class Rows:
    """The rows and sentences of one command."""

    command: str
    record: Record = field(default_factory=dict)
    texts: set[str] = field(default_factory=set)

    def add(self, measure: str, method: str, numbers: Mapping[str, Any], **about: str) -> None:
        """The numbers of one key; if there are others of this key, as the second of them."""
        key = Key(self.command, measure=measure, method=method, **about)
        place = 1
        while key in self.record:
            place += 1
            key = Key(self.command, measure=measure, method=f"{method} ({place})", **about)
        kept = {
            name: _plain(value)
            for name, value in numbers.items()
            if value is not None or name == "value"
        }
        if kept:
            self.record[key] = kept

    def say(self, document: Document, name: str = "") -> None:
        """Its sentences, without their numbers, which are in the rows."""
        if isinstance(document, dict):
            for key, value in document.items():
                if key != "key":  # the address of a finding
                    self.say(value, key)
        elif isinstance(document, list):
            for value in document:
                self.say(value, name)
        elif isinstance(document, str) and document and name in _SENTENCES:
            self.texts.add(re.sub(r"[−-]?\d[\d.,]*\d|\d", "0", " ".join(document.split())))


def read(rows: Rows, name: str, document: Document) -> None:
    """All rows and sentences of a document of this name."""
    rows.say(document)
    if name == "plan":
        _plan(rows, document["content"])
    if name == "analysis":
        _analysis(rows, document)
        document = {**document, "frames": _frames(document)}
    if name == "baseline":
        _baselines(rows, document)
    with Path(__file__).with_name("today.csv").open(encoding="utf-8", newline="") as file:
        for spec in csv.DictReader(file):
            if spec["document"] == name:
                _READERS[spec["kind"]](rows, spec, document)


def _frames(document: Document) -> Document:
    """Descriptive tables by name, each as a list of tables with rows."""
    found: dict[str, list[Document]] = {}
    for frame in document["frames"]:
        columns = frame["columns"]
        rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        groups = "".join(f"{each['column']}:{each['name']}" for each in frame.get("group", ()))
        name = frame["name"] + ("-in-groups" if groups else "")
        about = {"question": frame["question"], "groups": groups, **frame.get("facts", {})}
        if name in {"times-shares", "times-bins"}:
            rows = [row for row in rows if row["page"] in {"task", "batch"}]
        if name == "profile":
            rows = [row for row in rows if row["answer"] is not None]
        if name == "remarks":
            lists = dict.fromkeys(row["about"] for row in rows)
            found[name] = [
                {"id": each, "rows": [row for row in rows if row["about"] == each]}
                for each in lists
            ]
            continue
        if name == "people-pairs":
            rows = [{**row, "value": row[about["measure"]]} for row in rows]
        found.setdefault(name, []).append({**about, "rows": rows})
    for name in ("own-differences", "people-pairs"):  # recorded for every question, also if empty
        known = {each["question"] for each in found.get(name, ())}
        every = {each["question"]: each for other in _BESIDE[name] for each in found.get(other, ())}
        found.setdefault(name, []).extend(
            {"measure": "", **each, "rows": []} for q, each in every.items() if q not in known
        )
    if "times" in found:
        for name in ("times-shares", "times-bins", "times-people", "times-batches"):
            found.setdefault(name, [{"rows": []}])
    return found


_BESIDE = {"own-differences": ("scores", "wins"), "people-pairs": ("people",)}


def _distributions(rows: Rows, spec: Mapping[str, str], document: Document) -> None:
    """How often each system was given each score, and how many scores are not on the scale."""
    for frame in document["frames"].get(spec["path"], ()):
        systems = dict.fromkeys(row["system"] for row in frame["rows"])
        for system in systems:
            own = [row for row in frame["rows"] if row["system"] == system]
            counts = [row["count"] for row in own if row["score"] is not None]
            off = sum(row["count"] for row in own if row["score"] is None)
            numbers = {"n": sum(counts) + off, "off scale": off}
            numbers |= {f"count {place}": n for place, n in enumerate(counts, start=1)}
            about = _about(spec, {**frame, "system": system})
            rows.add(spec["measure"], frame["kind"], numbers, **about)


# The kinds of lines in today.csv


def _rows(rows: Rows, spec: Mapping[str, str], document: Document) -> None:
    for row in _walk(document, spec["path"].split("."), {}):
        rows.add(spec["measure"], _fill(spec["method"], row),
                 _numbers(spec["numbers"], row), **_about(spec, row))  # fmt: skip


def _sums(rows: Rows, spec: Mapping[str, str], document: Document) -> None:
    path, _, last = spec["path"].rpartition(".")
    for row in _walk(document, path.split("."), {}):
        listed = [each for each in row[last] or () if each]
        method, about = _fill(spec["method"], row), _about(spec, row)
        rows.add(spec["measure"], method, {"rows": len(listed)}, **about)
        for column in spec["numbers"].split():
            found = [(place, each.get(column)) for place, each in enumerate(listed, start=1)]
            values = [(place, float(x)) for place, x in found if isinstance(x, int | float | str)]
            flags = [flag for _, x in found if isinstance(x, list) for flag in x]
            numbers: dict[str, Any] = {name: flags.count(name) for name in sorted(set(flags))}
            if values:
                numbers = {
                    "n": len(values), "sum": sum(x for _, x in values),
                    "sum by place": sum(place * x for place, x in values),
                    "least": min(x for _, x in values), "most": max(x for _, x in values),
                }  # fmt: skip
            name = f"{method} {column}".strip().replace("_", " ")
            rows.add(spec["measure"], name, numbers, **about)


def _counts(rows: Rows, spec: Mapping[str, str], document: Document) -> None:
    keys: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
    for row in _walk(document, spec["path"].split("."), {}):
        key = (_fill(spec["method"], row), tuple(_about(spec, row).items()))
        keys[key] = keys.get(key, 0) + 1
    for (method, about), n in keys.items():
        rows.add(spec["measure"], method, {"n": n}, **dict(about))


def _problems(rows: Rows, spec: Mapping[str, str], document: Document) -> None:
    for row in _walk(document, spec["path"].split("."), {}):
        for each in row["findings"]:
            places = each.get("places") or [each.get("place")]
            numbers = {"severity": each["severity"], "places": " / ".join(map(str, places[:8]))}
            rows.add(spec["measure"], each["code"], numbers, **_about(spec, row))


_READERS = {
    "distributions": _distributions,
    "row": _rows,
    "sums": _sums,
    "counts": _counts,
    "problems": _problems,
}


def _walk(value: Document, path: list[str], row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every object at a path, with what the objects around it say."""
    if not path or path == [""]:
        yield {**row, **value}
    elif path[0] == "*":
        for key, each in value.items():
            yield from _walk(each, path[1:], {**row, "key": key, "own": each})
    elif (inner := value.get(path[0])) is not None:
        for place, each in enumerate(inner if isinstance(inner, list) else [inner], start=1):
            if each is not None:
                more = {"place": place, "own": each, f"{path[0]}_place": place}
                more |= {f"{path[0]}_id": each.get("id")}
                if path[1:]:
                    more |= {name: value for name, value in each.items() if _is_plain(value)}
                yield from _walk(each, path[1:], {**row, **more})


def _is_plain(value: Document) -> bool:
    return not any(
        isinstance(each, dict) for each in (value, *(value if isinstance(value, list) else ()))
    )


def _fill(template: str, row: Mapping[str, Any]) -> str:
    if not template:
        return ""
    known = {**row, "mean_over": _mean_over(row.get("method") or "")}
    if "finding" in row and isinstance(row["finding"], str):
        name = row["finding"].removeprefix(f"{row.get('question')}.")
        known["method_of_finding"] = name.partition(".")[0]
    return template.format(**{name: _text(value) for name, value in known.items()})


def _mean_over(method: str) -> str:
    """What a correlation or agreement is the mean of, if it is a mean."""
    return method.partition(";")[0] if method.startswith("mean over") else ""


def _about(spec: Mapping[str, str], row: Mapping[str, Any]) -> dict[str, str]:
    """What a row is about: as its line says, or as its question, systems and runs are named."""
    pair = [row["first"], row["second"]] if {"first", "second"} <= row.keys() else None
    about = {
        "question": _joined("", row.get("question"), row.get("criterion")),
        "systems": _joined(" > ", pair, row.get("systems"), row.get("system")),
        "runs": _joined(" + ", row.get("run"), row.get("runs")),
    }
    stated = (part.partition("=") for part in spec["about"].split("; ") if part)
    about |= {name: _fill(template, row) for name, _, template in stated}
    return {each.name: about.get(each.name, "") for each in fields(Key)
            if each.name not in {"command", "measure", "method"}}  # fmt: skip


def _joined(between: str, *candidates: Any) -> str:
    """The first of these that is a name or a list of names."""
    for each in candidates:
        if each and isinstance(each, str | list) and _is_plain(each):
            return each if isinstance(each, str) else between.join(each)
    return ""


def _numbers(names: str, row: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names.split():
        own, renamed, ours = name.partition(">")
        ours = (ours if renamed else own.rpartition(".")[2].rstrip("~")).replace("_", " ")
        value: Any = row
        for part in own.rstrip("~").split("."):
            value = {} if value is None or part == "*" else value.get(part)
        if own == "*":
            found |= {key.replace("_", " "): each for key, each in row["own"].items()
                      if isinstance(each, int | float)}  # fmt: skip
        elif own.endswith("~"):
            found |= _simulated(ours, value or 0.0, row["studies"])
        elif isinstance(value, dict):
            ours = "" if ours == "interval" else ours
            found |= {f"{ours} {key}".strip(): each for key, each in value.items()
                      if (key, each) != ("level", 0.95)}  # fmt: skip
        elif isinstance(value, list) and renamed:
            for place, each in enumerate(value, start=1):
                parts = each if isinstance(each, dict) else {"": each}
                found |= {f"{ours} {place} {key}".strip(): part for key, part in parts.items()}
        else:
            found[ours.removeprefix("is ")] = value
    return found


def _simulated(name: str, share: float, studies: int) -> dict[str, float]:
    """A share of simulated studies, with the error of a share that is neither 0 nor 1."""
    inside = (share * studies + 1) / (studies + 2)
    return {name: share, f"{name} mc error": (inside * (1 - inside) / studies) ** 0.5}


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _plain(value: Any) -> Value:
    if value is None:
        return None
    text = _text(value).replace(";", ",").replace("=", ":").replace("\n", " ")
    try:
        return float(text)
    except ValueError:
        return text


# What has no rows


def _analysis(rows: Rows, found: Document) -> None:
    """Findings of all cases and groups, and what was excluded."""
    _findings(rows, found["findings"])
    excluded = found["flow"]["exclusions"]
    for rule in sorted({each["rule"] for each in excluded}):
        of_rule = [each["rows"] for each in excluded if each["rule"] == rule]
        rows.add("exclusion", rule, {"exclusions": len(of_rule), "rows": sum(of_rule)})


def _is_kept(finding: Document) -> bool:
    """Without exclusions there are scores and the tests that decide."""
    key = finding["key"]
    is_whole = key["case"] != "without exclusions"
    return is_whole or finding["role"] == "headline" or len(key["systems"]) == 1


def _findings(rows: Rows, found: Iterable[Document]) -> None:
    """Findings by their keys."""
    for each in filter(_is_kept, found):
        key = each["key"]
        numbers = _numbers(_FINDING, each)
        numbers |= {name.removeprefix("is_"): each[name]
                    for name, usual in _USUAL.items() if each[name] != usual}  # fmt: skip
        statistic = each["statistic"]
        if statistic and statistic["df"] not in ([], [each["df"]]):
            numbers |= {f"statistic df {n}": df for n, df in enumerate(statistic["df"], start=1)}
        for effect in filter(None, (each["effect"], *each["further_effects"])):
            numbers |= _numbers(f"value>{effect['name'].replace(' ', '_')}", effect)
            numbers |= _numbers(f"interval>{effect['name'].replace(' ', '_')}", effect)
        about = {
            "question": key["question"] or ", ".join(key["pooled"]),
            "systems": " > ".join(key["systems"]),
            "category": key["category"],
            "group": " ".join(f"{by['column']}:{by['name'] or '*'}" for by in key["group"]),
            "within": key["case"],
        }
        rows.add(key["measure"], _method(each), numbers, **about)


def _method(finding: Document) -> str:
    """The test with its unit and direction, since a question can have several of them."""
    method = finding["key"]["method"].partition(".")[0]
    method = method if method.startswith(finding["by"]) else finding["by"]
    way = finding["alternative"]
    return method if way == "two-sided" or way in method else f"{method}-{way}"


def _baselines(rows: Rows, found: Document) -> None:
    """What rules decide, how that compares with participants, and the verdicts of both."""
    verdicts = {each["claim"]: each["verdict"] for each in found["claims"]}
    for run in found["runs"]:
        for each in run["questions"]:
            about = {"question": each["question"], "runs": run["id"]}
            numbers = {"reversed": each["is_reversed"], "decided": each["decided"]}
            for finding in run["findings"]:
                key = finding["key"]
                if key["question"] != each["question"]:
                    continue
                if key["systems"]:
                    ends = finding["interval"] or {}
                    score = {"value": finding["value"]} | {k: ends.get(k) for k in ("low", "high")}
                    rows.add("rule score", key["measure"], score, **about,
                             systems=key["systems"][0])  # fmt: skip
                else:
                    numbers |= _numbers(_COMPARED[finding["by"]], finding)
            rows.add("rule outcome", "", numbers, **about)
        for each in run["claims"]:
            both = {"verdict": each["verdict"], "measured": verdicts.get(each["claim"])}
            rows.add("rule claim", each["claim"], both, runs=run["id"])


def _plan(rows: Rows, plan: Document) -> None:
    """Who sees which item, system, side and order: hashed by batch."""
    digests = []
    for place, batch in enumerate(plan["batches"]):
        tasks = [
            (task["id"], task["item"], task["options"], task.get("kind"), task.get("expected"))
            for task in batch["tasks"]
        ]
        digests.append(_digest(json.dumps(tasks, sort_keys=True)))
        if place < 6:
            numbers = {"participants": batch["participants"], "tasks": len(tasks)}
            rows.add("batch", batch["id"], {**numbers, "order and sides": digests[-1]})
    tasks = [task for batch in plan["batches"] for task in batch["tasks"]]
    numbers = {
        "batches": len(digests), "tasks": len(tasks),
        "checks": sum(task.get("kind") == "check" for task in tasks),
        "all batches": _digest(" ".join(digests)), "order": plan["order"],
        "batches per participant": plan["batches_per_participant"],
    }  # fmt: skip
    rows.add("plan", "", numbers)


def _digest(text: str) -> str:
    return "#" + hashlib.sha256(text.encode()).hexdigest()[:12]
