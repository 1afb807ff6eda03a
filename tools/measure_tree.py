"""Count what makes the source easy or hard to learn: modules, functions, repeated names.

python tools/measure_tree.py          one line each
python tools/measure_tree.py --names  also which modules, classes and functions are meant
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

SOURCE = Path(__file__).parents[1] / "src" / "rejudge"
TESTS = SOURCE.parents[1] / "tests"
KINDS = frozenset(("Pairwise", "Rating", "Slider", "BestWorst", "Ranking", "Segments"))


@dataclass(frozen=True, slots=True)
class Module:
    """A source file, parsed."""

    path: Path
    name: str  # such as rejudge.stats.alpha
    lines: int
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


def main(arguments: Sequence[str]) -> None:
    """Print the counts."""
    modules = [_module(path) for path in sorted(SOURCE.rglob("*.py"))]
    lengths = sorted(length for module in modules for _, length in _functions(module))
    single = sorted(_used_by_one_sibling(modules))
    repeated = Counter(name for module in modules for name in _classes(module))
    twice = sorted(name for name, times in repeated.items() if times > 1)
    on_kinds = [where for module in modules for where in _checks_of_kinds(module)]
    lazy = [where for module in modules for where in _lazy_imports(module)]
    untested = [module.name for module in modules if not _has_tests_of_its_name(module)]
    tenths = quantiles(lengths, n=10)
    rows = {
        "modules": len(modules),
        "lines": sum(module.lines for module in modules),
        "functions": len(lengths),
        "lines of a function, median": median(lengths),
        "lines of a function, 90th percentile": round(tenths[-1]),
        "lines of a function, most": lengths[-1],
        "modules used by one sibling": len(single),
        "class names used more than once": len(twice),
        "isinstance on kinds of question": len(on_kinds),
        "imports inside functions, outside cli": len(lazy),
        "modules without tests of their name": len(untested),
    }
    for what, count in rows.items():
        print(f"{what:40} {count:>8,}")
    if "--names" in arguments:
        listed = {
            "one sibling": single,
            "repeated": twice,
            "kinds": on_kinds,
            "no tests of their name": untested,
        }
        for title, names in listed.items():
            print(f"\n{title}: {', '.join(names)}")


def _module(path: Path) -> Module:
    text = path.read_text("utf-8")
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return Module(path, name, len(text.splitlines()), ast.parse(text))


def _has_tests_of_its_name(module: Module) -> bool:
    """Whether tests/<package>/test_<module>.py is there; a package has the tests of its modules."""
    if module.is_package:
        return True
    below = module.path.relative_to(SOURCE)
    return (TESTS / below.parent / f"test_{below.name}").is_file()


def _functions(module: Module) -> Iterator[tuple[str, int]]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name, (node.end_lineno or node.lineno) - node.lineno + 1


def _classes(module: Module) -> Iterator[str]:
    return (node.name for node in module.tree.body if isinstance(node, ast.ClassDef))


def _used_by_one_sibling(modules: Sequence[Module]) -> Iterator[str]:
    """Modules that one other module of their package imports, and nobody else."""
    names = {module.name for module in modules if not module.is_package}
    users: dict[str, set[str]] = defaultdict(set)
    for module in modules:
        for name in _imported(module) & names:
            users[name].add(module.name)
    for name, found in users.items():
        user = next(iter(found))
        if len(found) == 1 and user.rpartition(".")[0] == name.rpartition(".")[0]:
            yield name


def _imported(module: Module) -> set[str]:
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def _checks_of_kinds(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        is_check = isinstance(node, ast.Call) and ast.unparse(node.func) == "isinstance"
        if is_check and KINDS & {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}:
            yield f"{module.name}:{node.lineno}"


def _lazy_imports(module: Module) -> Iterator[str]:
    if module.name.startswith("rejudge.cli"):
        return
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            for each in ast.walk(node):
                if isinstance(each, ast.Import | ast.ImportFrom):
                    yield f"{module.name}:{each.lineno}"


if __name__ == "__main__":
    main(sys.argv[1:])
