"""Formulas of derived scores, such as `(fluency + adequacy) / 2`, parsed without evaluating them.

`rejudge.analysis.derived_scores` computes with them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

Operator: TypeAlias = Literal["+", "-", "*", "/", "min", "max", "mean"]

_OPERATORS: dict[type[ast.operator], Operator] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
}
_FUNCTIONS = get_args(Operator)[4:]
_LONGEST = 500  # characters
_LARGEST = 1e15  # number
_DEEPEST = 50  # operations inside of each other
_REMEDY = (
    "Write ids of questions, numbers, + - * /, parentheses, min, max and mean; put ids that have "
    'other signs than letters, digits and _ into quotes, such as (fluency + "non-redundancy") / 2.'
)


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a formula."""

    value: float


@dataclass(frozen=True, slots=True)
class PartScore:
    """A question whose score a formula uses."""

    question: str


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation on other terms."""

    operator: Operator
    terms: tuple[Term, ...]


Term: TypeAlias = Number | PartScore | Operation


@dataclass(frozen=True, slots=True)
class ScoreFormula:
    """A formula as it was written, and what it means."""

    text: str
    term: Term

    @property
    def parts(self) -> tuple[str, ...]:
        """The questions it uses, each once, in the order of the formula."""
        return tuple(dict.fromkeys(_parts(self.term)))

    @classmethod
    def parse(cls, text: str) -> ScoreFormula:
        """Read a formula; one that cannot be read raises a ValueError that says why."""
        words = " ".join(text.replace("−", "-").replace("·", "*").replace("×", "*").split())
        if len(words) > _LONGEST:
            raise ValueError(f"the formula has more than {_LONGEST} characters. Shorten it.")
        try:
            tree = ast.parse(words, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise ValueError(f"'{text}' cannot be read as a formula. {_REMEDY}") from None
        found = cls(words, _term(tree.body, words, 0))
        if not found.parts:
            raise ValueError(f"'{text}' does not name a question. {_REMEDY}")
        return found


def _parts(term: Term) -> Iterator[str]:
    if isinstance(term, PartScore):
        yield term.question
    elif isinstance(term, Operation):
        for each in term.terms:
            yield from _parts(each)


def _term(node: ast.expr, text: str, depth: int) -> Term:
    if depth > _DEEPEST:
        raise ValueError(f"'{text}' is nested too deeply. Simplify it.")
    deeper = depth + 1
    if isinstance(node, ast.Name):
        return PartScore(node.id)
    if isinstance(node, ast.Constant):
        return _constant(node.value, text)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        sides = (_term(node.left, text, deeper), _term(node.right, text, deeper))
        if isinstance(node.op, ast.Div) and sides[1] == Number(0.0):
            raise ValueError(f"'{text}' divides by 0. Divide by another number.")
        return Operation(_OPERATORS[type(node.op)], sides)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _term(node.operand, text, deeper)
        return Operation("-", (Number(0.0), inner)) if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.Call) and _is_known(node):
        terms = tuple(_term(each, text, deeper) for each in node.args)
        return Operation(node.func.id, terms)  # type: ignore[attr-defined]  # a known name
    raise ValueError(f"'{ast.unparse(node)}' is not allowed in a formula. {_REMEDY}")


def _is_known(node: ast.Call) -> bool:
    is_named = isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS
    is_plain = not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args)
    return is_named and is_plain and bool(node.args)


def _constant(value: object, text: str) -> Term:
    if isinstance(value, str) and value:
        return PartScore(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and not abs(value) < _LARGEST:  # type: ignore[arg-type]  # a number
        raise ValueError(f"a number in '{text}' is too large. Use numbers below {_LARGEST:g}.")
    if is_number:
        return Number(float(value))  # type: ignore[arg-type]  # 〃
    raise ValueError(f"'{value}' in '{text}' is neither a number nor a question. {_REMEDY}")
