"""Change one key of study.yaml and keep the rest as written, including comments."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from rejudge.errors import Problem, StudyError, UsageError
from rejudge.files.step_files import STUDY
from rejudge.fingerprint import Json
from rejudge.study.yaml_file import read_yaml, write_yaml

Path: TypeAlias = tuple[str | int, ...]


def typed_value(given: str) -> Json:
    """A value as typed on a command line: as in study.yaml, or plain words."""
    words = given.strip()
    try:
        found = read_yaml(f"value: {words}", file="--change").values
    except StudyError:
        return words
    value = found.get("value")
    is_cut = isinstance(value, str) and value != words and words[:1] not in {"'", '"'}
    return words if is_cut or set(found) != {"value"} else value


def set_key(text: str, key: str, value: Json) -> str:
    """The text with a new value for a key such as `design.batch.inputs`; None removes it.

    An entry of a list is named by its id: `questions.fluency.points`.
    """
    return set_path(text, key_path(read_yaml(text, file=STUDY).values, key), value)


def drop_path(text: str, path: Path) -> str:
    """The text without a value; the rest of its list or mapping stays."""
    return set_path(text, path, None)


def set_path(text: str, path: Path, value: Json) -> str:
    """The text with a new value in a place; None removes it."""
    values = read_yaml(text, file=STUDY).values
    wanted = _with(values, path, value)
    edited = _Edit(text).done(path, value)
    if edited is not None and _reads_as(edited, wanted):
        return edited
    return write_yaml(wanted)


def key_path(values: Json, key: str) -> Path:
    """Where a key is, or would be: names of mappings and places in lists."""
    if not all(key.split(".")):
        raise UsageError(Problem(f"'{key}' is not a key.", "Write it like payment.reward."))
    path: Path = ()
    here, rest = values, key
    while rest:
        if isinstance(here, list):
            place, rest = _entry(here, rest, key)
            path, here = (*path, place), here[place]
            continue
        name, _, rest = rest.partition(".")
        path = (*path, name)
        here = here.get(name) if isinstance(here, dict) else None
    return path


def _entry(entries: list[Json], rest: str, key: str) -> tuple[int, str]:
    """The entry of a list that a key names first; ids may have dots in them, so the longest."""
    ids = {_id(entry): place for place, entry in enumerate(entries)}
    fitting = [name for name in ids if name and f"{rest}.".startswith(f"{name}.")]
    if not fitting:
        known = ", ".join(name for name in ids if name)
        remedy = f"The entries are {known}." if known else "Change the list as a whole: key=[…]."
        raise UsageError(Problem(f"'{key}' is not an entry of its list.", remedy))
    name = max(fitting, key=len)
    return ids[name], rest[len(name) + 1 :]


def _id(entry: Json) -> str:
    name = entry.get("id") if isinstance(entry, dict) else entry
    return name if isinstance(name, str) else ""


def _with(here: Json, path: Path, value: Json) -> Json:
    """The values with one of them set, or removed if None."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(here, list):
        place = int(step)
        entry = [] if not rest and value is None else [_with(here[place], rest, value)]
        return [*here[:place], *entry, *here[place + 1 :]]
    around = dict(here) if isinstance(here, dict) else {}
    if value is None and (not rest or around.get(str(step)) is None):
        around.pop(str(step), None)
        return around
    return {**around, str(step): _with(around.get(str(step)), rest, value)}


def _reads_as(text: str, wanted: Json) -> bool:
    try:
        return read_yaml(text, file=STUDY).values == wanted
    except StudyError:
        return False


@dataclass(frozen=True, slots=True)
class _Edit:
    """One change of a text, found by the marks that the YAML parser leaves on it."""

    text: str

    def done(self, path: Path, value: Json) -> str | None:
        """The changed text; None if the layout is hard to keep."""
        node: yaml.Node | None = yaml.compose(self.text, Loader=yaml.SafeLoader)
        for depth, step in enumerate(path):
            if isinstance(node, yaml.MappingNode):
                pair = _pair(node, str(step))
                if pair is None:
                    return self._add_key(node, str(step), _nest(path[depth + 1 :], value))
                if depth == len(path) - 1:
                    return self._replace_value(node, pair, value)
                node = pair[1]
            elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
                if depth == len(path) - 1:
                    return self._without_entry(node, step) if value is None else None
                node = node.value[step]
            else:
                return None
        return None

    def _replace_value(
        self, around: yaml.MappingNode, pair: tuple[yaml.Node, yaml.Node], value: Json
    ) -> str:
        key, old = pair
        if value is None:
            return self._remove_key(around, key) if around.flow_style else self._without(key, old)
        begin, end = key.end_mark.index, self._end(old)
        written = f": {_line(value)}"
        rest = _realign(self.text[end:], end - begin - len(written))
        return f"{self.text[:begin]}{written}{rest}"

    def _remove_key(self, around: yaml.MappingNode, key: yaml.Node) -> str:
        """Without a key that is in braces."""
        rest = [
            self.text[name.start_mark.index : self._end(value)]
            for name, value in around.value
            if name is not key
        ]
        begin, end = around.start_mark.index, around.end_mark.index
        return f"{self.text[:begin]}{{{', '.join(rest)}}}{self.text[end:]}"

    def _without(self, key: yaml.Node, old: yaml.Node) -> str:
        begin = self.text.rfind("\n", 0, key.start_mark.index) + 1
        end = self._end_of_line(self._end(old))
        return self.text[:begin] + self.text[end + 1 :]

    def _without_entry(self, around: yaml.SequenceNode, place: int) -> str | None:
        """Without an entry of a list whose entries have lines of their own."""
        if around.flow_style:
            return None
        entry = around.value[place]
        begin = self.text.rfind("\n", 0, entry.start_mark.index) + 1
        end = self._end_of_line(self._end(entry))
        return self.text[:begin] + self.text[end + 1 :]

    def _add_key(self, around: yaml.MappingNode, name: str, value: Json) -> str | None:
        if value is None:
            return self.text
        entry = f"{_line(name)}: {_line(value)}"
        if around.flow_style:
            place = around.end_mark.index - 1
            comma = ", " if around.value else ""
            return f"{self.text[:place].rstrip()}{comma}{entry}{self.text[place:]}"
        if not around.value:
            return None
        column = around.value[0][0].start_mark.column
        place = self._end_of_line(self._end(around))
        return f"{self.text[:place]}\n{' ' * column}{entry}{self.text[place:]}"

    def _end(self, node: yaml.Node) -> int:
        """Where a value ends, without the comments and empty lines that follow it."""
        if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
            last = node.value[-1]
            return self._end(last[1] if isinstance(last, tuple) else last)
        begin, end = node.start_mark.index, node.end_mark.index
        return begin + len(self.text[begin:end].rstrip())

    def _end_of_line(self, place: int) -> int:
        end = self.text.find("\n", place)
        return len(self.text) if end < 0 else end


def _realign(rest: str, shorter: int) -> str:
    """What follows a value that has become shorter; a comment on its line keeps its column."""
    bare = rest.lstrip(" ")
    if not bare.startswith("#") or bare == rest:
        return rest
    return " " * max(1, len(rest) - len(bare) + shorter) + bare


def _pair(node: yaml.MappingNode, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    return next((pair for pair in node.value if pair[0].value == name), None)


def _nest(path: Path, value: Json) -> Json:
    for step in reversed(path):
        value = None if value is None else {str(step): value}
    return value


def _line(value: Json) -> str:
    """A value on one line; words without quotes where they stay the same words."""
    if isinstance(value, str) and typed_value(value) == value and value and ": " not in value:
        is_plain = value.isprintable() and value[0].isalnum() and " #" not in value
        return value if is_plain else json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False)
