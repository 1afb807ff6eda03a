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
from typing import Any, ClassVar, TypeAlias

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
    if name == "comparison":
        _Compared(rows, document).read()
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
        parts = {
            size: [row for row in rows if row["grows_by"] == size]
            for size in ("now", "participants", "items")
            if name == "reliability"
        }
        found.setdefault(name, []).append({**about, "rows": rows, **parts})
    for name in ("own-differences", "people-pairs"):  # recorded for every question, also if empty
        known = {each["question"] for each in found.get(name, ())}
        every = {each["question"]: each for other in _BESIDE[name] for each in found.get(other, ())}
        found.setdefault(name, []).extend(
            {"measure": "", **each, "rows": []} for q, each in every.items() if q not in known
        )
    found["pace"] = [
        {**row, "tasks": row["n"], "total": row["mean"] * row["n"]}
        for pages in found.get("times-pages", ())
        for row in pages["rows"]
        if row["page"] in {"task", "batch"} and row["place"] is None
    ]
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


class _Compared:
    """The rows of a comparison, in which each case of a run had a name of its own."""

    def __init__(self, rows: Rows, document: Document) -> None:
        self.rows, self.document = rows, document
        self.runs = {each["id"]: each for each in document["runs"]}
        self.criteria = {self._cell(each["asks"] or each["id"], each["group"]): each["id"]
                         for each in document["criteria"]}  # fmt: skip
        self.found: dict[str, list[Document]] = {}
        for each in document["findings"]:
            self.found.setdefault(each["key"]["measure"], []).append(each)

    def read(self) -> None:
        for measure, read in self._READERS.items():
            for each in self.found.get(measure, []):
                read(self, each)
        for claim in self.document["claims"]:
            self.rows.add("claim", claim["claim"], {"verdict": claim["verdict"]},
                          runs=self._in_case(claim["run"], claim["case"]))  # fmt: skip
        for each in self.document["printed"]:
            numbers = _numbers("printed computed>value is_reproduced>reproduced", each)
            about = {"question": each["criterion"] or "", "systems": each["system"] or ""}
            about |= {"within": each["place"], "runs": self._in_case(each["run"], each["case"])}
            self.rows.add("printed figure", each["measure"], numbers, **about)
        for each in self.document["similarities"]:
            for one in self._cases(each["first"]):
                for two in self._cases(each["second"]):
                    self.rows.add("similar conditions", "", _numbers("equal known_in_both", each),
                                  systems=f"{one} > {two}", runs=f"{one} + {two}")  # fmt: skip
        for each in self.document["deviations"]:
            for run in self._cases(each["run"]):
                self.rows.add("deviation", each["property"],
                              _numbers("impact is_computed", each), runs=run)  # fmt: skip

    def _cell(self, question: str, group: Document) -> str:
        return json.dumps([question, [[by["column"], by["name"]] for by in group]])

    def _cases(self, run: str) -> list[str]:
        return [self._in_case(run, case) for case in self.runs[run]["cases"]]

    def _in_case(self, run: str, case: str) -> str:
        return f"{run}:{case}" if case else run

    def _names(self, key: Document) -> list[str]:
        several = [run for run in key["runs"] if len(self.runs[run]["cases"]) > 1]
        cases = iter(key["case"].split("+") if len(several) > 1 else [key["case"]])
        return [self._in_case(run, next(cases) if run in several else "") for run in key["runs"]]

    def _add(self, found: Document, measure: str, method: str, numbers: Mapping[str, Any],
             **about: str) -> None:  # fmt: skip
        key = found["key"]
        cell = self._cell(key["question"], key["group"])
        about = {
            "question": self.criteria.get(cell, key["question"]),
            "systems": " > ".join(key["systems"]),
            "runs": about.get("runs") or " + ".join(self._names(key)),
        } | about
        self.rows.add(measure, method, numbers, **about)

    def _extra(self, found: Document, names: str) -> dict[str, Any]:
        extra = {name.replace(" ", "_"): value for name, value in found["extra"].items()}
        return _numbers(names, extra)

    def _cv_star(self, found: Document) -> None:
        variants = ("unshifted", "without-c4", "without-small-sample-factor", "plain",
                    "unshifted-plain")  # fmt: skip
        numbers = {"value": found["value"], "n": found["n"]} | self._extra(
            found,
            "of shift unbiased_SD>sd published_interval_of_the_SD>sd interval_of_the_SD>exact_sd "
            "by_rounding>from_rounding " + " ".join(variants),
        )
        self._add(found, "cv-star", "", numbers)

    def _correlation(self, found: Document) -> None:
        numbers = _numbers("value interval n p", found)
        self._add(found, "correlation", found["key"]["measure"], numbers,
                  within=self._mean_over(found))  # fmt: skip

    def _mean_over(self, found: Document) -> str:
        many = found["n"]
        return {
            "mean-of-criteria": f"mean over {many} {'criterion' if many == 1 else 'criteria'}",
            "mean-of-pairs": "mean over pairs of runs, the plain mean of "
            f"{many} {'value' if many == 1 else 'values'}",
        }.get(found["key"]["method"], "")

    def _agreement(self, found: Document) -> None:
        numbers = _numbers("value interval n", found)
        numbers["between"] = len(found["key"]["runs"]) > 1
        numbers["from table"] = found["key"]["method"].endswith("-in-table")
        self._add(found, "label agreement", found["by"], numbers)

    def _confirmed(self, found: Document) -> None:
        measure = found["key"]["measure"]
        if measure != "confirmed":
            numbers = self._extra(found, "confirmed left_out contradicted")
            numbers["assessable"] = found["n"]
            runs = self._names(found["key"])[1] if measure == "confirmed-share" else "all"
            self._add(found, "confirmed", found["by"], numbers, runs=runs)
        elif "detectable" in found["extra"]:
            differs = found["extra"]["effect differs"]
            numbers = self._extra(found, "detectable")
            numbers["does effect differ"] = None if differs is None else bool(differs)
            runs = self._names(found["key"])[1]
            self._add(found, "difference not supported again", "", numbers, runs=runs)

    def _beside(self, measure: str, found: Document, **about: Any) -> list[Document]:
        wanted = {"question": found["key"]["question"], "group": found["key"]["group"]} | about
        return [each for each in self.found.get(measure, [])
                if all(each["key"][name] == value for name, value in wanted.items())]  # fmt: skip

    def _matching(self, found: Document) -> None:
        key = found["key"]
        (f1,) = self._beside("significance-f1", found, runs=key["runs"], case=key["case"])
        numbers = {"matching": found["value"], "pairs": found["n"], "f1": f1["value"]}
        numbers |= self._extra(found, "matched") | self._extra(
            f1, "true_positives significant_here>predicted significant_there>actual"
        )
        self._add(found, "matching of trends", "", numbers, runs=self._names(key)[1])

    def _success(self, found: Document) -> None:
        numbers = {"agreeing": found["extra"]["agreeing"], "of": found["n"]}
        self._add(found, "success", found["key"]["method"], numbers,
                  runs=self._names(found["key"])[1])  # fmt: skip

    def _effects(self, found: Document) -> None:
        key = found["key"]
        sides = [
            each
            for name in self._names(key)
            for each in self._beside("effect", found, systems=key["systems"], method=key["method"])
            if self._names(each["key"]) == [name]
        ]
        pair = {"values": [each["value"] for each in sides],
                "intervals": [each["interval"] for each in sides]}  # fmt: skip
        numbers = _numbers("values>value intervals>interval", pair)
        numbers |= _numbers("value>difference interval>difference", found)
        overlap = found["extra"].get("overlap")
        numbers["do overlap"] = None if overlap is None else bool(overlap)
        self._add(found, "effect in two runs", key["method"], numbers)

    def _equivalence(self, found: Document) -> None:
        key = found["key"]
        if key["method"] != "tost":
            return
        (usual,) = self._beside("run-difference", found, runs=key["runs"], case=key["case"],
                                systems=key["systems"], method="difference")  # fmt: skip
        effect = usual["effect"]
        numbers = _numbers("value>difference p is_supported>equivalent interval", found)
        numbers |= self._extra(found, "bound bound_in_SDs>standardised_bound")
        numbers |= {"p differ": usual["p"], "effect": effect and effect["value"],
                    "clustered": bool(found["extra"]["clustered"])}  # fmt: skip
        self._add(found, "equivalence", "", numbers)

    def _pooled(self, found: Document) -> None:
        scale, _, _ = found["key"]["method"].partition("-of-one-run")
        if len(found["key"]["runs"]) == 1:
            numbers = {"value": found["value"]} | self._extra(found, "weight")
            self._add(found, "part of pooled effect", "random-effects", numbers, within=scale)
            return
        numbers = _numbers("value interval p p_adjusted>p_corrected n", found)
        numbers |= self._extra(
            found, "a_further_lab>prediction variance_between_labs>heterogeneity"
        )
        self._add(found, "pooled effect", "random-effects", numbers, within=scale)

    def _same_order(self, found: Document) -> None:
        key = found["key"]
        same = self._beside("same-order", found, runs=key["runs"], case=key["case"])
        if found is not same[0]:
            return
        pairs = same[1:] or [each for each in same if len(key["systems"]) == 2]
        numbers = {"value": found["value"], "order": key["systems"]} | {
            " > ".join(each["key"]["systems"]): each["value"]
            for each in pairs
            if each["value"] is not None
        }
        self._add(found, "same order again", "", numbers, systems="")

    def _wins(self, found: Document) -> None:
        self._add(found, "win-percent", "", _numbers("value n", found))

    def _score(self, found: Document) -> None:
        numbers = _numbers("value half_unit n interval", found)
        numbers["sd"] = found["spread"] and found["spread"]["sd"]
        self._add(found, "score", "", numbers)

    _READERS: ClassVar[dict[str, Any]] = {
        "cv-star": _cv_star, "pearson": _correlation, "spearman": _correlation,
        "kendall-tau": _correlation, "kendall-w": _correlation, "agreement": _agreement,
        "confirmed": _confirmed, "confirmed-share": _confirmed, "confirmed-everywhere": _confirmed,
        "matching-accuracy": _matching, "success": _success,
        "effect-difference": _effects, "run-difference": _equivalence,
        "pooled-effect": _pooled, "same-order": _same_order, "win-percent": _wins,
        "mean": _score, "best-worst-score": _score,
    }  # fmt: skip


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
