"""Write the item files of the starters from the texts in tools/starter_texts.

    python tools/make_starters.py

The texts were written for this purpose. What varies from item to item is taken from a hash of the
item's id, so the files are identical on every machine; a test compares them with
the ones that are shipped.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

Row = dict[str, str]
Block = dict[str, list[str]]  # the lines of a block by key; most keys occur once

TEXTS = Path(__file__).parent / "starter_texts"
STARTERS = Path(__file__).parents[1] / "src" / "rejudge" / "starters"

_SMALL_WORDS = frozenset(
    {"a", "an", "the", "is", "are", "of", "to", "in", "on", "that", "it", "by"}
)
_JOINT = "‖"  # between the sentences of a summary, in the texts


def main() -> None:
    """Write every table, and say how many rows it has."""
    for name, rows in tables().items():
        path = STARTERS / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(as_csv(rows))
        print(f"{path.relative_to(Path.cwd())}: {len(rows)} rows")


def tables() -> dict[str, list[Row]]:
    """The rows of every item file, by its place among the starters."""
    return {
        "kinds/common/items.csv": list(_news()),
        "like/paraphrase-pairs/items.csv": list(_paraphrase_pairs()),
        "like/question-paraphrases/items.csv": list(_question_paraphrases()),
        "like/dialogue-summaries/items.csv": list(_dialogue_summaries()),
        "like/definitions/items.csv": list(_definitions()),
    }


def as_csv(rows: Sequence[Row]) -> bytes:
    """Rows as a CSV file: UTF-8, one line end for all machines."""
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return buffer.getvalue().encode("utf-8")


# Paraphrases: every frame with each of its fillings


def _paraphrase_pairs() -> Iterator[Row]:
    systems = ("lexsub", "backtrans", "bottleneck", "seq2seq")
    for dataset, prefix in (("web-questions", "w"), ("forum", "f"), ("captions", "c")):
        for row, written in _filled(dataset, prefix):
            yield row | dict(zip(systems, written, strict=True))


def _question_paraphrases() -> Iterator[Row]:
    systems = ("autoenc", "pivotmt", "twostep", "wordbag")
    for dataset, prefix in (("encyclopaedia", "e"), ("advice", "a")):
        for row, (near, *others) in _filled(dataset, prefix):
            # One in eight comes back unchanged, as it happens with such systems.
            first = row["input"] if _chance(row["id"], "copy", 8) == 0 else near
            yield row | dict(zip(systems, (first, *others), strict=True))


def _filled(dataset: str, prefix: str) -> Iterator[tuple[Row, list[str]]]:
    """The rows of a dataset with four outputs each; neighbours are of different frames."""
    frames = list(_blocks(dataset))
    number = 0
    for turn in range(4):
        for frame in frames:
            number += 1
            slots = _slots(frame["x"][0])[turn]
            text = {key: _fill(lines[0], slots) for key, lines in frame.items() if key != "x"}
            key = f"{prefix}{number:03}"
            row = {"id": key, "dataset": dataset} | {k: text[k] for k in ("input", "reference")}
            yield row, _outputs(text, key)


def _outputs(text: Mapping[str, str], key: str) -> list[str]:
    """What four systems write: a near copy, a good one, one that strays, one that stumbles."""
    written = [text["near"], text["good"], text["off"]]
    written.append(_stumble(text["good"], key, steps=2, unlike=text.values()))
    luck = _chance(key, "luck", 12)  # nobody is best or worst every time
    swaps = {0: (1, 2), 1: (1, 2), 2: (2, 3), 3: (0, 1)}
    if luck in swaps:
        a, b = swaps[luck]
        written[a], written[b] = written[b], written[a]
    return written


# Dialogues: every situation in four variants, one row for each role


def _dialogue_summaries() -> Iterator[Row]:
    blocks = list(_blocks("dialogues"))
    pools = {key: block[key] for block in blocks for key in ("opening", "closing") if key in block}
    situations = [block for block in blocks if "x" in block]
    number = 0
    for turn in range(4):
        for situation in situations:
            number += 1
            group = f"d{number:03}"
            slots = _slots(situation["x"][0])[turn]
            spoken = _dialogue(situation, slots, pools, group)
            for role, name in (("user", "用户"), ("agent", "客服")):
                key = f"{group}-{role}"
                summary, outputs = _summaries(situation, slots, role, key)
                yield {
                    "id": key,
                    "group": group,
                    "dataset": role,
                    "input": f"【请评价{name}摘要】\n{spoken}",
                    "reference": summary,
                } | outputs


def _dialogue(
    situation: Block, slots: Sequence[str], pools: Mapping[str, list[str]], group: str
) -> str:
    names = {"用": "用户", "客": "客服"}
    lines = [*_exchange(pools["opening"], group, "opening")]
    # Blocks keep the order of lines by key, so questions and answers are dealt in turn.
    for asked, answered in zip(situation["用"], situation["客"], strict=True):
        lines += [("用", _fill(asked, slots)), ("客", _fill(answered, slots))]
    lines += _exchange(pools["closing"], group, "closing")
    return "\n".join(f"{names[who]}：{said}" for who, said in lines)


def _exchange(pool: list[str], group: str, what: str) -> list[tuple[str, str]]:
    asked, answered = pool[_chance(group, what, len(pool))].split(" > ")
    return [("用", asked), ("客", answered)]


def _summaries(
    situation: Block, slots: Sequence[str], role: str, key: str
) -> tuple[str, dict[str, str]]:
    """The reference, and four summaries: complete, shorter, repetitive, and stumbling."""
    told = {
        what: [_fill(part.strip(), slots) for part in situation[f"{role}{what}"][0].split(_JOINT)]
        for what in ("", "-alt", "-off")
    }
    (r0, r1), (p0, p1), (off,) = told[""], told["-alt"], told["-off"]
    choices = {
        "copynet": (
            _stutter(r0, key) + p1,
            _stutter(r0, key) + p1,
            r0 + off,
            r0 + r0 + r1,
            _stutter(p0, key) + _stutter(r1, key),
            p1 + p1 + r0,
        ),
        "copynet-roles": (
            r0 + p1,
            r0 + p1,
            r0 + r1 + p1,
            r0 + r1 + p1,
            r0 + _stutter(r1, key),
            p0 + r0 + p1,
        ),
        "bertsum": (p0 + r1, p0 + r1, r0, p0, p0 + off, p1),
        "bertsum-roles": (*(p0 + p1,) * 5, p1 + p0),
    }
    outputs = {
        system: written[_chance(key, system, len(written))] for system, written in choices.items()
    }
    return r0 + r1, outputs


def _stutter(text: str, key: str) -> str:
    """A Chinese sentence in which two characters are written twice."""
    places = [found.start() for found in re.finditer(r"(?=[\u4e00-\u9fff]{2})", text)]
    at = places[_chance(key, text, len(places))]
    return text[: at + 2] + text[at:]


# Definitions: three ways of saying the same thing, more or less fluently


def _definitions() -> Iterator[Row]:
    number = 0
    dataset = ""
    for line in _lines("definitions"):
        if line.startswith("["):
            dataset = line.strip("[]")
            continue
        number += 1
        subject, kind, mark, more = (part.strip() for part in line.split("|"))
        key = f"t{number:03}"
        yield {
            "id": key,
            "dataset": dataset,
            "input": _capital(re.sub("^(A|An|The) ", "", subject)),
        } | _defined(key, subject, f"{kind} {mark}", more)


def _defined(key: str, subject: str, what: str, more: str) -> Row:
    lower = subject[0].lower() + subject[1:]
    first = (f"{subject} is {what}.", f"{subject} is {what}. It {more}.")
    second = (f"{_capital(what)} is called {lower}.", f"{subject} is {what}, and it {more}.")
    third = (f"{subject} {more}. It is {what}.", f"What {more} is {lower}, {what}.")
    ways = {"rerank": (first, 12, 1), "steerlm": (second, 3, 1), "twomodel": (third, 1, 2)}
    row = {}
    for system, (texts, odds, steps) in ways.items():
        text = texts[_chance(key, system, 2)]
        has_flaw = _chance(key, f"{system} flaw", odds) == 0
        is_spared = _chance(key, f"{system} spared", 4) == 0  # even the weakest succeeds at times
        row[system] = text
        if has_flaw and not is_spared:
            row[system] = _stumble(text, key + system, steps=steps, unlike=texts)
    return row


# News: written out in full


def _news() -> Iterator[Row]:
    for number, block in enumerate(_blocks("news"), start=1):
        yield {"id": f"n{number:02}"} | {key: lines[0] for key, lines in block.items()}


# Reading the texts


def _lines(name: str) -> Iterator[str]:
    for line in (TEXTS / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            yield line


def _blocks(name: str) -> Iterator[Block]:
    """Blocks of `key: value` lines, set apart by blank lines."""
    text = (TEXTS / f"{name}.txt").read_text(encoding="utf-8")
    for chunk in re.split(r"\n\s*\n", text):
        block: Block = {}
        for line in chunk.splitlines():
            if line and not line.startswith("#"):
                key, value = line.split(":", maxsplit=1)
                block.setdefault(key, []).append(value.strip())
        if block:
            yield block


def _slots(line: str) -> list[list[str]]:
    return [[slot.strip() for slot in filling.split("/")] for filling in line.split("|")]


def _fill(text: str, slots: Sequence[str]) -> str:
    values = dict(zip("xyz", slots, strict=False))
    return text.format(**values, X=_capital(slots[0]))


# Chance without chance


def _chance(key: str, what: str, below: int) -> int:
    """A number below `below` that looks random and is always the same."""
    return int.from_bytes(hashlib.sha256(f"{key}/{what}".encode()).digest()[:8]) % below


def _stumble(text: str, key: str, *, steps: int, unlike: Collection[str]) -> str:
    """A sentence with the faults of a weak generator: words twice, missing, misplaced, cut off.

    One fault can undo another, or end in one of the texts of `unlike`; then the next one is tried.
    """
    faults = (_twice, _missing, _misplaced, _cut_off)
    for start in range(_chance(key, "fault", len(faults)), 2 * len(faults)):
        words = text[:-1].split()
        for step in range(steps):
            words = faults[(start + step) % len(faults)](words, f"{key}/{step}")
        stumbled = " ".join(words) + text[-1]
        if stumbled not in unlike:
            return stumbled
    raise ValueError(f"{text!r} cannot be made worse")


def _twice(words: list[str], key: str) -> list[str]:
    at = 1 + _chance(key, "at", len(words) - 1)
    return [*words[: at + 1], *words[at:]]


def _missing(words: list[str], key: str) -> list[str]:
    small = [place for place, word in enumerate(words) if word in _SMALL_WORDS and place]
    places = small or list(range(1, len(words)))
    at = places[_chance(key, "at", len(places))]
    return words[:at] + words[at + 1 :]


def _misplaced(words: list[str], key: str) -> list[str]:
    at = 1 + _chance(key, "at", len(words) - 2)
    return [*words[:at], words[at + 1], words[at], *words[at + 2 :]]


def _cut_off(words: list[str], _: str) -> list[str]:
    *kept, last = words[: -max(1, len(words) // 5)]
    kept.append(last.rstrip(","))
    return [*kept, kept[-1]] if kept[-1] not in _SMALL_WORDS else kept


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


if __name__ == "__main__":
    main()
