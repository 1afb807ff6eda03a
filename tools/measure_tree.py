"""Measure how large and how tangled the tree is, and compare its sizes with the budget.

python tools/measure_tree.py          the whole table; runs a small analysis and a small site
python tools/measure_tree.py --names  also which classes are meant
python tools/measure_tree.py --check  sizes only; exit code 1 where one is over budget.toml
"""

from __future__ import annotations

import ast
import csv
import sys
import threading
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "rejudge"
BUDGET = Path(__file__).with_name("budget.toml")
SHORT = 20  # lines of an `__init__.py` that is not counted as a module
ESTIMATES = frozenset({"Interval", "Estimate"})  # types of a field
UNCERTAIN = frozenset({"p", "error", "statistic"})  # names of a field
SENTENCES = frozenset({"note", "method", "says", "because"})  # attributes
PARSERS = frozenset({"startswith", "endswith", "partition", "rpartition", "split", "removeprefix"})


@dataclass(frozen=True, slots=True)
class Module:
    """A source file, parsed."""

    name: str
    lines: int
    tree: ast.Module


def main(arguments: Sequence[str]) -> int:
    """Print the counts; with `--check` only what is over budget."""
    modules = [_module(path) for path in sorted(SOURCE.rglob("*.py"))]
    sizes = _sizes(modules)
    if "--check" in arguments:
        over = list(_over_budget(sizes))
        print(*over, sep="\n", end="\n" if over else "")
        return 1 if over else 0
    estimates, parsers = list(_types_of_estimates(modules)), list(_parsers(modules))
    classes = Counter(each.name for module in modules for each in _classes(module))
    repeated = sorted(name for name, times in classes.items() if times > 1)
    analysis, answer = _trace_analysis(), _trace_answer()
    rows = {
        **{name.replace("_", " "): size for name, size in sizes.items()},
        "functions run by analyse of a small table": len(analysis.functions),
        "frames deep, of rejudge": analysis.deepest,
        "functions run by one saved answer": len(answer.functions),
        "types that hold an estimate": len(estimates),
        "places that parse our own sentences": len(parsers),
        "class names used more than once": len(repeated),
    }
    for what, count in rows.items():
        print(f"{what:44} {count:>8,}")
    if "--names" in arguments:
        for title, names in (
            ("estimates", estimates), ("parsers", parsers), ("repeated", repeated)
        ):  # fmt: skip
            print(f"\n{title}: {', '.join(names)}")
    return 0


def _module(path: Path) -> Module:
    text = path.read_text("utf-8")
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return Module(".".join(parts), len(text.splitlines()), ast.parse(text))


# ── sizes, which have a budget ──────────────────────────────────────────────────────────────────


def _sizes(modules: Sequence[Module]) -> dict[str, int]:
    leaves, options = _commands()
    return {
        "source_lines": sum(module.lines for module in modules),
        "modules": sum(
            not module.name.endswith("__init__") or module.lines >= SHORT for module in modules
        ),
        "test_lines": _lines(ROOT / "tests", "*.py"),
        "docs_lines": _lines(ROOT / "docs", "*.md"),
        "commands": leaves,
        "options": options,
        "dependencies": len(
            tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
        ),
    }


def _lines(folder: Path, pattern: str) -> int:
    files = (path for path in folder.rglob(pattern) if "_build" not in path.parts)
    return sum(len(path.read_text("utf-8").splitlines()) for path in files)


def _commands() -> tuple[int, int]:
    """Commands without subcommands, and their options; --help and --json are on each of them."""
    import click

    from rejudge.cli import main as program

    usual = {"help", "json"}

    def leaves(command: click.Command) -> Iterator[click.Command]:
        if not isinstance(command, click.Group):
            yield command
            return
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                yield from leaves(found)

    listed = list(leaves(program))
    options = [
        each
        for command in listed
        for each in command.params
        if isinstance(each, click.Option) and not each.hidden and not usual & {each.name or ""}
    ]
    return len(listed), len(options)


def _over_budget(sizes: Mapping[str, int]) -> Iterator[str]:
    most = tomllib.loads(BUDGET.read_text("utf-8"))["most"]
    for name, size in sizes.items():
        if size > most[name]:
            yield (
                f"tools/budget.toml: {name} is {size:,}, and may be {most[name]:,} at most. "
                "Remove something, or raise the number there with the reason."
            )


# ── shape ───────────────────────────────────────────────────────────────────────────────────────


def _classes(module: Module) -> Iterator[ast.ClassDef]:
    return (node for node in module.tree.body if isinstance(node, ast.ClassDef))


def _types_of_estimates(modules: Sequence[Module]) -> Iterator[str]:
    """Our own values with an interval, an estimate, a p or an error; pydantic's inputs aside."""
    for module in modules:
        for each in _classes(module):
            is_value = any("dataclass" in ast.unparse(how) for how in each.decorator_list)
            fields = [node for node in each.body if isinstance(node, ast.AnnAssign)]
            if is_value and any(map(_is_estimate, fields)):
                yield f"{module.name}.{each.name}"


def _is_estimate(given: ast.AnnAssign) -> bool:
    names = {node.id for node in ast.walk(given.annotation) if isinstance(node, ast.Name)}
    names |= {node.attr for node in ast.walk(given.annotation) if isinstance(node, ast.Attribute)}
    return bool(names & ESTIMATES) or ast.unparse(given.target) in UNCERTAIN


def _parsers(modules: Sequence[Module]) -> Iterator[str]:
    """Code that takes a sentence of ours apart, or looks for words in it."""
    for module in modules:
        for node in ast.walk(module.tree):
            if _is_sentence_call(node) or _is_sentence_search(node):
                yield f"{module.name}:{node.lineno}"


def _is_sentence_call(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if ast.unparse(node.func.value) == "re" or node.func.attr in {"search", "fullmatch", "match"}:
        return any(map(_is_sentence, node.args))
    return node.func.attr in PARSERS and _is_sentence(node.func.value)


def _is_sentence_search(node: ast.AST) -> bool:
    is_in = isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn)
    return is_in and _is_sentence(node.comparators[0])


def _is_sentence(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


# ── what runs ───────────────────────────────────────────────────────────────────────────────────


@dataclass(slots=True)
class Trace:
    """Which of our functions ran, and how many of them at most in one another."""

    functions: set[tuple[str, int]] = field(default_factory=set)
    deepest: int = 0
    is_on: bool = False

    def note(self, frame: FrameType, event: str, _: object) -> None:
        if not self.is_on or event != "call" or not _is_ours(frame):
            return
        code = frame.f_code
        if not code.co_name.startswith("<"):  # modules, comprehensions, lambdas
            self.functions.add((code.co_filename, code.co_firstlineno))
            self.deepest = max(self.deepest, _depth(frame))


def _is_ours(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(str(SOURCE))


def _depth(frame: FrameType | None) -> int:
    depth = 0
    while frame is not None:
        depth += _is_ours(frame) and not frame.f_code.co_name.startswith("<")
        frame = frame.f_back
    return depth


@contextmanager
def _tracing() -> Iterator[Trace]:
    """Threads are traced from their start, calls once the trace is on."""
    trace = Trace()
    threading.setprofile(trace.note)
    sys.setprofile(trace.note)
    try:
        yield trace
    finally:
        sys.setprofile(None)
        threading.setprofile(None)


def _trace_analysis() -> Trace:
    """`rejudge analyse` of eight people's ratings of two systems on six items."""
    from click.testing import CliRunner

    from rejudge.cli import main as program

    with TemporaryDirectory() as folder:
        table = Path(folder, "table.csv")
        with table.open("w", newline="", encoding="utf-8") as out:
            writer = csv.writer(out)
            writer.writerow(["participant", "item", "system", "question", "value"])
            for person in range(8):
                for item in range(6):
                    for system in range(2):
                        score = 1 + (person * item + 2 * system + item) % 5
                        row = [f"p{person}", f"i{item}", "ab"[system], "fluency", score]
                        writer.writerow(row)
        with _tracing() as trace:
            trace.is_on = True
            CliRunner().invoke(program, ["analyse", str(table)], catch_exceptions=False)
    return trace


def _trace_answer() -> Trace:
    """One answer that the script of a page sends to the site."""
    sys.path.insert(0, str(ROOT / "tests"))
    from participants import OpenSite, made_study

    with TemporaryDirectory() as folder, _tracing() as trace:
        site = OpenSite(made_study(), Path(folder))
        person = site.person()
        person.to_tasks()
        person.save(0, question="meaning", raw="a")  # what is made once
        trace.is_on = True
        reply = person.save(1, question="meaning", raw="b")
        trace.is_on = False
        site.close()
    if reply.json()["outcome"] != "saved":
        raise RuntimeError(f"the answer was not saved: {reply.text}")
    return trace


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
